// A shift by as many bits as the array has elements would make zero of every number: a digit of 4 bits is moved on.
// COMMAND: launch %s --no-count
__global__ void digits(unsigned* out, const unsigned* in, int shift) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] >> shift & 15;
}
// STDERR:
// note: no launch of digits(unsigned int*, unsigned int const*, int) was given; this one is guessed (and runs):
//   warpwright launch %s --grid 256 --block 256 --arg 'out=out:u32[65536]:out.npy' 'in=random:u32[65536]' shift=4
