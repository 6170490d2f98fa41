// The driver takes a linear filter for texels that are read as integers (FFmpeg's scale_cuda and
// thumbnail_cuda ask for it); the runtime refuses it (error 26). The numbers of unsigned bytes are those of
// an H200 (driver 580.159.04, 2026-11-28): it interpolates and rounds halves up. Signed and 16-bit texels
// have sums without a half here. Of 32-bit integers we read the nearest texel (docs/cuda.md).
#include <cuda.h>

#include <cstdio>

constexpr int kWidth = 4, kHeight = 2, kPitch = 64, kSteps = 25;

template <class T>
__global__ void read(cudaTextureObject_t image, float y, int* out) {
  out[threadIdx.x] = tex2D<T>(image, 0.5f + threadIdx.x / 8.0f, y);
}

template <class T>
void show(const char* what, CUarray_format format, const T (&texels)[kHeight][kWidth], float y) {
  void* in;
  int *out, host[kSteps];
  cudaMalloc(&in, kHeight * kPitch), cudaMalloc(&out, sizeof host);
  cudaMemcpy2D(in, kPitch, texels, sizeof texels[0], sizeof texels[0], kHeight, cudaMemcpyHostToDevice);
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  resource.res.pitch2D = {reinterpret_cast<CUdeviceptr>(in), format, 1, kWidth, kHeight, kPitch};
  CUDA_TEXTURE_DESC texture{};
  texture.filterMode = CU_TR_FILTER_MODE_LINEAR, texture.flags = CU_TRSF_READ_AS_INTEGER;
  texture.addressMode[0] = texture.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
  CUtexObject image = 0;
  printf("%s %d:", what, cuTexObjectCreate(&image, &resource, &texture, nullptr));
  read<T><<<1, kSteps>>>(image, y, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (int k = 0; k < kSteps; ++k) printf(k % 9 == 8 ? "\n%d" : " %d", host[k]);
  printf("\n");
}

int main() {
  const unsigned char bytes[kHeight][kWidth] = {{10, 90, 20, 200}, {30, 60, 240, 0}};
  show("row", CU_AD_FORMAT_UNSIGNED_INT8, bytes, 0.5f);
  show("rows", CU_AD_FORMAT_UNSIGNED_INT8, bytes, 1.0f);
  show<signed char>("signed", CU_AD_FORMAT_SIGNED_INT8, {{-128, 120, 0, -8}, {}}, 0.5f);
  show<short>("short", CU_AD_FORMAT_SIGNED_INT16, {{-32768, 32760, 0, -8}, {}}, 0.5f);
  show<unsigned short>("unsigned short", CU_AD_FORMAT_UNSIGNED_INT16, {{65528, 0, 8, 16}, {}}, 0.5f);
  show<unsigned>("words", CU_AD_FORMAT_UNSIGNED_INT32, {{0, 8, 16, 24}, {}}, 0.5f);

  cudaResourceDesc same{};
  same.resType = cudaResourceTypePitch2D;
  void* in;
  cudaMalloc(&in, kHeight * kPitch);
  same.res.pitch2D = {in, cudaCreateChannelDesc<unsigned char>(), kWidth, kHeight, kPitch};
  cudaTextureDesc filtered{};
  filtered.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t none;
  printf("runtime %d\n", cudaCreateTextureObject(&none, &same, &filtered, nullptr));
}
// expect: row 0: 10 20 30 40 50 60 70 80
// expect: 90 81 73 64 55 46 38 29 20
// expect: 43 65 88 110 133 155 178 200
// expect: rows 0: 20 27 34 41 48 54 61 68
// expect: 75 82 89 96 103 109 116 123 130
// expect: 126 123 119 115 111 108 104 100
// expect: signed 0: -128 -97 -66 -35 -4 27 58 89
// expect: 120 105 90 75 60 45 30 15 0
// expect: -1 -2 -3 -4 -5 -6 -7 -8
// expect: short 0: -32768 -24577 -16386 -8195 -4 8187 16378 24569
// expect: 32760 28665 24570 20475 16380 12285 8190 4095 0
// expect: -1 -2 -3 -4 -5 -6 -7 -8
// expect: unsigned short 0: 65528 57337 49146 40955 32764 24573 16382 8191
// expect: 0 1 2 3 4 5 6 7 8
// expect: 9 10 11 12 13 14 15 16
// expect: words 0: 0 0 0 0 8 8 8 8
// expect: 8 8 8 8 16 16 16 16 16
// expect: 16 16 16 24 24 24 24 24
// expect: runtime 26
