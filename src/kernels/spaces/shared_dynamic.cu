// Three arrays of different types in one piece of shared memory, whose size the launch gives: 8-byte ones first, so that each
// array is aligned. Every thread puts one element into each and takes those of the thread opposite in the block.
extern __shared__ double shared_words[];

extern "C" __global__ void spaces_shared_dynamic(const float* in, float* out) {
  const int threads = blockDim.x, t = threadIdx.x;
  double* wide = shared_words;                             // threads of them
  float* plain = reinterpret_cast<float*>(wide + threads);  // behind them
  short* narrow = reinterpret_cast<short*>(plain + threads);
  const int i = blockIdx.x * threads + t;
  wide[t] = in[i];
  plain[t] = in[i] * 0.5f;
  narrow[t] = static_cast<short>(t);
  __syncthreads();
  const int other = threads - 1 - t;
  out[i] = static_cast<float>(wide[other] * 4) + plain[other] + static_cast<float>(narrow[other]);
}
