// Every warp moves its positive elements to the front of its 32, in order, and fills up with zeros. One ballot tells every
// lane which lanes hold a positive element; how many of them stand before it is where its own goes.
extern "C" __global__ void simt_vote(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % 32;
  const float x = in[i];
  float* mine = out + (i - lane);
  const unsigned all = 0xffffffffu;
  const unsigned positive = __ballot_sync(all, x > 0);
  // What the whole warp agrees on takes one instruction to know.
  if (__all_sync(all, x > 0)) {
    mine[lane] = x;
    return;
  }
  if (lane >= __popc(positive)) mine[lane] = 0;
  if (x > 0) mine[__popc(positive & ((1u << lane) - 1))] = x;
}
