// A texture's numbers must be of the kind that the kernel reads: the unit gives bits, it converts nothing.
// COMMAND: launch %s --no-count --grid 1 --block 8 --arg tex:f32[8,8] out:s32[8]
// COMMAND: launch %s --no-count --grid 1 --block 8 --arg tex,float:u8[8,8] out:s32[8]
// COMMAND: launch %s --no-count --grid 1 --block 8 --arg tex:range:u8[8,8] out:s32[8] --verify out=np.arange(8,16)
__global__ void texels(cudaTextureObject_t image, int* out) {
  out[threadIdx.x] = tex2D<unsigned char>(image, threadIdx.x, 1);
}
// EXIT: 2
// STDERR:
// error: the kernel reads texels of u8, but f32 are given
//   hint: tex:u8[…], for example
// END
// EXIT: 2
// STDERR:
// error: the kernel reads texels of u8, but u8 read as floats are given
//   hint: tex:u8[…], for example
// END
// STDERR:
// out: all 8 elements agree with np.arange(8,16) (largest difference 0)
// EXIT: 0
