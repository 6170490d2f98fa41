// Copies of one row into and out of an array need no pitch, as there is no second row; and an array of one
// row may be read as a line.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void read(cudaTextureObject_t line, float* out) {
  out[threadIdx.x] = tex1D<float>(line, threadIdx.x * 0.5f);
}

int main() {
  float from[8] = {1, 2, 3, 4, 5, 6, 7, 8}, to[8] = {};
  cudaArray_t array;
  const auto format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, 4, 2);
  std::printf("%d ", cudaMemcpy2DToArray(array, 0, 0, from, 0, 16, 1, cudaMemcpyHostToDevice));
  std::printf("%d ", cudaMemcpy2DToArray(array, 0, 0, from, 0, 16, 2, cudaMemcpyHostToDevice));
  std::printf("%d ", cudaMemcpy2DToArray(array, 4, 1, from + 5, 0, 12, 1, cudaMemcpyHostToDevice));
  std::printf("%d ", cudaMemcpy2DFromArray(to, 0, array, 8, 0, 8, 1, cudaMemcpyDeviceToHost));
  std::printf("%d: ", cudaMemcpy2DFromArray(to + 2, 0, array, 4, 1, 12, 1, cudaMemcpyDeviceToHost));
  std::printf("%g %g %g %g %g\n", to[0], to[1], to[2], to[3], to[4]);

  cudaResourceDesc from_array{};
  from_array.resType = cudaResourceTypeArray;
  cudaMallocArray(&from_array.res.array.array, &format, 4, 1);
  cudaMemcpy2DToArray(from_array.res.array.array, 0, 0, from, 0, 16, 1, cudaMemcpyHostToDevice);
  cudaTextureDesc how{};
  how.filterMode = cudaFilterModeLinear;
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
  cudaTextureObject_t line;
  std::printf("%d ", cudaCreateTextureObject(&line, &from_array, &how, nullptr));
  float* out;
  cudaMallocManaged(&out, 8 * sizeof(float));
  read<<<1, 8>>>(line, out);
  std::printf("%d:", cudaDeviceSynchronize());
  for (int i = 0; i < 8; ++i) std::printf(" %g", out[i]);  // texels' middles are at 0.5, 1.5, ...
  std::puts("");
}
// expect: 0 12 0 0 0: 3 4 6 7 8
// An H200 printed this (2026-11-26): the row is read at its edge, half of the border's zeros.
// expect: 0 0: 0.25 0.5 0.75 1 1.25 1.5 1.75 2
