// init: a macro that is the number of elements of each thread sets the grid, and arrays of n elements are large. Whatever ITEMS
// is, 65536 elements are stored by 2048 warps.
// COMMAND: init %s --out %d/first.json
// COMMAND: study %d/first.json --no-cache --axis n=65536 --axis ITEMS=2,8 --metric global_store_requests --format csv
#ifndef ITEMS
#define ITEMS 4
#endif
#ifndef OTHER
#define OTHER 4
#endif
__global__ void scaled(float* out, const float* in, int n) {
  const int first = blockIdx.x * blockDim.x * ITEMS + threadIdx.x;
  for (int k = 0; k < ITEMS; ++k) {
    const int i = first + k * blockDim.x;
    if (i < n) out[i] = in[i] * OTHER;
  }
}
// STDOUT:
// %d/first.json: a first study. The sizes of the arrays and the meaning of 'n' are guessed; check them.
// Its launches were tried at n = 1024, 65536, 1048576: all kernels run and store something.
//   warpwright study %d/first.json --quick
// What else it may contain ('verify', 'expect', more axes): docs/studies.md
// EXIT: 0
// STDOUT:
// study,kernel,gpu,device,n,block,rx,ry,r,k,ITEMS,OTHER,metric,value,unit,provenance
// first,scaled,h200,engine,65536,256,,,,,2,4,global_store_requests,2048,request,counted
// first,scaled,h200,engine,65536,256,,,,,8,4,global_store_requests,2048,request,counted
// EXIT: 0
