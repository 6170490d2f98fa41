// C = A·B, parallel over rows only: a thread computes a whole row of C.
//
// n threads are far too few for a GPU, and neighbouring lanes read A a whole row apart (uncoalesced).
// Any n, any block size (one-dimensional).

extern "C" __global__ void matmul_row_per_thread(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  for (int col = 0; col < n; ++col) {
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}
