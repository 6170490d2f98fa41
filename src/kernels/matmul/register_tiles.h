// C = A·B with 8 × 8 results per thread: a block of 256 threads computes 128 × 128, in steps of 8 along k.
// Every access, of global and of shared memory, is one of 16 bytes; A is turned on its way, so that a
// thread's rows lie side by side.
//
// n must be a multiple of 4.
#pragma once

constexpr int kSide = 128, kDepth = 8;

/// BY_WARPS: a warp's lanes are 8 × 4 and its columns come in groups of four, else a thread's 8 columns are
/// neighbours and 16 threads make a row.
template <bool BY_WARPS>
__device__ __forceinline__ void register_tiles(const float* a, const float* b, float* c, int n) {
  __shared__ __align__(16) float As[kDepth][kSide + 4];  // transposed; rows begin in other banks
  __shared__ __align__(16) float Bs[kDepth][kSide];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int row = BY_WARPS ? warp / 4 * 64 + lane / 4 * 4 : t / 16 * 8;  // the first four rows and columns,
  const int col = BY_WARPS ? warp % 4 * 32 + lane % 4 * 4 : t % 16 * 8;
  constexpr int kRows = BY_WARPS ? 32 : 4, kCols = BY_WARPS ? 16 : 4;   // and how far the next four are
  const int from_row = blockIdx.y * kSide + t / 2, from_k = t % 2 * 4;  // what the thread fetches of A
  const int from_col = blockIdx.x * kSide + t % 32 * 4, to_k = t / 32;  // and of B
  const float4 zero = make_float4(0, 0, 0, 0);
  float sum[8][8] = {};

  for (int k0 = 0; k0 < n; k0 += kDepth) {
    const bool a_inside = from_row < n && k0 + from_k < n, b_inside = from_col < n && k0 + to_k < n;
    const float4 va = a_inside ? *reinterpret_cast<const float4*>(&a[from_row * n + k0 + from_k]) : zero;
    const float4 vb = b_inside ? *reinterpret_cast<const float4*>(&b[(k0 + to_k) * n + from_col]) : zero;
    As[from_k][t / 2] = va.x;
    As[from_k + 1][t / 2] = va.y;
    As[from_k + 2][t / 2] = va.z;
    As[from_k + 3][t / 2] = va.w;
    *reinterpret_cast<float4*>(&Bs[to_k][t % 32 * 4]) = vb;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      const float4 a0 = *reinterpret_cast<const float4*>(&As[k][row]);
      const float4 a1 = *reinterpret_cast<const float4*>(&As[k][row + kRows]);
      const float4 b0 = *reinterpret_cast<const float4*>(&Bs[k][col]);
      const float4 b1 = *reinterpret_cast<const float4*>(&Bs[k][col + kCols]);
      const float as[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
      const float bs[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] += as[i] * bs[j];
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int y = blockIdx.y * kSide + row + i / 4 * kRows + i % 4;
    if (y >= n) continue;
#pragma unroll
    for (int j = 0; j < 8; j += 4) {
      const int x = blockIdx.x * kSide + col + j / 4 * kCols;
      if (x < n)
        *reinterpret_cast<float4*>(&c[y * n + x]) =
            make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
    }
  }
}
