// The driver takes a linear filter for texels that are read as integers (FFmpeg's scale_cuda and
// thumbnail_cuda ask for it); the runtime refuses it (error 26). Between texels an H200 interpolates, which
// is not done here (docs/cuda.md): in the middle of one both give the texel itself.
#include <cuda.h>

#include <cstdio>

constexpr int kWidth = 4, kHeight = 2, kPitch = 32;

__global__ void read(cudaTextureObject_t image, unsigned char* out) {
  out[threadIdx.y * kWidth + threadIdx.x] =
      tex2D<unsigned char>(image, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}

int main() {
  unsigned char host[kHeight][kWidth] = {{10, 11, 12, 13}, {20, 21, 22, 23}}, *in, *out;
  cudaMalloc(&in, kHeight * kPitch), cudaMalloc(&out, sizeof host);
  cudaMemcpy2D(in, kPitch, host, kWidth, kWidth, kHeight, cudaMemcpyHostToDevice);

  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  resource.res.pitch2D = {
      reinterpret_cast<CUdeviceptr>(in), CU_AD_FORMAT_UNSIGNED_INT8, 1, kWidth, kHeight, kPitch};
  CUDA_TEXTURE_DESC texture{};
  texture.filterMode = CU_TR_FILTER_MODE_LINEAR, texture.flags = CU_TRSF_READ_AS_INTEGER;
  CUtexObject image = 0;
  printf("driver %d:", cuTexObjectCreate(&image, &resource, &texture, nullptr));
  read<<<1, dim3(kWidth, kHeight)>>>(image, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) printf(" %d", host[y][x]);
    printf(y ? "\n" : " |");
  }

  cudaResourceDesc same{};
  same.resType = cudaResourceTypePitch2D;
  same.res.pitch2D = {in, cudaCreateChannelDesc<unsigned char>(), kWidth, kHeight, kPitch};
  cudaTextureDesc filtered{};
  filtered.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t none;
  printf("runtime %d\n", cudaCreateTextureObject(&none, &same, &filtered, nullptr));
}
// expect: driver 0: 10 11 12 13 | 20 21 22 23
// expect: runtime 26
