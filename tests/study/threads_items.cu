// init: where a block covers THREADS * ITEMS elements, both macros set the grid, and THREADS is the block. Whatever they are,
// 65536 elements are stored by 2048 warps.
// COMMAND: init %s --out %d/first.json
// COMMAND: study %d/first.json --no-cache --axis n=65536 --axis ITEMS=2,8 --axis THREADS=64,256 --metric global_store_requests --format csv
#ifndef THREADS
#define THREADS 128
#endif
#ifndef ITEMS
#define ITEMS 4
#endif
__global__ void scaled(float* out, const float* in, int n) {
  const int first = blockIdx.x * THREADS * ITEMS + threadIdx.x;
  for (int k = 0; k < ITEMS; ++k) {
    const int i = first + k * THREADS;
    if (i < n) out[i] = in[i] * 2;
  }
}
// STDOUT:
// %d/first.json: a first study. The sizes of the arrays and the meaning of 'n' are guessed; check them.
// Its launches were tried at n = 512, 65536, 1048576: all kernels run and store something.
//   warpwright study %d/first.json --quick
// What else it may contain ('verify', 'expect', more axes): docs/studies.md
// EXIT: 0
// STDOUT:
// study,kernel,gpu,device,n,block,rx,ry,r,k,THREADS,ITEMS,metric,value,unit,provenance
// first,scaled,h200,engine,65536,64,,,,,64,2,global_store_requests,2048,request,counted
// first,scaled,h200,engine,65536,64,,,,,64,8,global_store_requests,2048,request,counted
// first,scaled,h200,engine,65536,256,,,,,256,2,global_store_requests,2048,request,counted
// first,scaled,h200,engine,65536,256,,,,,256,8,global_store_requests,2048,request,counted
// EXIT: 0
