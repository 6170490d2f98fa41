// Of the kernel behind --then, too, the source tells the parameters' names.
// COMMAND: launch %s:fill --no-count --grid 1 --block 32 --arg out=out:u32[32] --then twice --arg to=out:u32[32]:%d/b.npy from=@out
// COMMAND: launch %s:fill --no-count --grid 1 --block 32 --arg out=out:u32[32] --then :twice --arg in=@out
__global__ void fill(unsigned* out) { out[threadIdx.x] = threadIdx.x; }
__global__ void twice(const unsigned* from, unsigned* to) { to[threadIdx.x] = 2 * from[threadIdx.x]; }
// EXIT: 0
// EXIT: 2
// STDERR:
// error: kernel twice(unsigned int const*, unsigned int*) has no parameter 'in'
//   hint: did you mean 'to'?
// The parameters of twice(unsigned int const*, unsigned int*):
//    1  from  const unsigned int*  an array: random:…, in:FILE.npy
//    2  to    unsigned int*        an array: out:…, inout:FILE.npy
// For example (tried, it runs):
//   warpwright launch %s --kernel twice --grid 1 --block 32 --arg 'from=out:u32[32]' 'to=out:u32[32]:to.npy'
// END
