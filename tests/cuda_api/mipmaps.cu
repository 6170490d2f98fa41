// Mipmaps, views of resources, sRGB. Level k of 8 x 8, 4 x 4, 2 x 2 and 1 texels holds 10 k + x everywhere.
#include <cstdio>
#include <vector>

__global__ void levels(cudaTextureObject_t t, const float* lod, float* out) {
  const int k = threadIdx.x;
  out[k] = tex2DLod<float>(t, 0.01f, 0.5f, lod[k]);
}
/// Steps of 1, 2, 4 and 8 texels of the first level, along x and then along y.
__global__ void steps(cudaTextureObject_t t, float* out) {
  const int k = threadIdx.x;
  const float step = (1 << k % 4) / 8.f;
  const float2 zero = {0, 0}, x = {step, 0}, y = {0, step};
  out[k] = tex2DGrad<float>(t, 0.01f, 0.5f, k < 4 ? x : zero, k < 4 ? zero : y);
}
__global__ void plain(cudaTextureObject_t t, float x, float* out) { *out = tex2D<float>(t, x, 0.5f); }
__global__ void bytes(cudaTextureObject_t t, float4* out) { *out = tex2D<float4>(t, 0.5f, 0.5f); }
__global__ void layers(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex2DLayered<float>(t, 0.5f, 0.5f, threadIdx.x);
}

static float* out;
static void show(int n) {
  std::printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int k = 0; k < n; ++k) std::printf(" %g", out[k]);
  std::printf("\n");
}
static cudaTextureObject_t texture(const cudaResourceDesc& r, cudaTextureDesc d,
                                   const cudaResourceViewDesc* view = nullptr) {
  cudaTextureObject_t t = 0;
  const cudaError_t e = cudaCreateTextureObject(&t, &r, &d, view);
  if (e != cudaSuccess) std::printf("%s\n", cudaGetErrorName(e));
  return t;
}

int main() {
  cudaMallocManaged(&out, 64);
  float* lod;
  cudaMallocManaged(&lod, 64);
  const cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t mipmap;
  cudaMallocMipmappedArray(&mipmap, &one, make_cudaExtent(8, 8, 0), 4);
  for (int k = 0; k < 4; ++k) {
    cudaArray_t level;
    cudaGetMipmappedArrayLevel(&level, mipmap, k);
    const int n = 8 >> k;
    std::vector<float> texels;
    for (int i = 0; i < n * n; ++i) texels.push_back(10 * k + i % n);
    cudaMemcpy2DToArray(level, 0, 0, texels.data(), 4 * n, 4 * n, n, cudaMemcpyHostToDevice);
  }
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeMipmappedArray;
  r.res.mipmap.mipmap = mipmap;
  cudaTextureDesc d{};
  d.normalizedCoords = 1;
  d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
  d.maxMipmapLevelClamp = 3;
  const float wanted[] = {-1, 0, 0.4f, 0.6f, 1, 2, 3, 9};
  for (int k = 0; k < 8; ++k) lod[k] = wanted[k];
  levels<<<1, 8>>>(texture(r, d), lod, out);  // the nearest
  show(8);
  d.mipmapFilterMode = cudaFilterModeLinear;
  const float between[] = {0, 0.25f, 0.5f, 1.75f, 2.5f, 9};
  for (int k = 0; k < 6; ++k) lod[k] = between[k];
  levels<<<1, 6>>>(texture(r, d), lod, out);
  show(6);
  steps<<<1, 8>>>(texture(r, d), out);
  show(8);
  d.mipmapLevelBias = 0.5f, d.minMipmapLevelClamp = 1, d.maxMipmapLevelClamp = 2;
  levels<<<1, 6>>>(texture(r, d), lod, out);  // between 1 and 2
  show(6);
  d.mipmapLevelBias = 0, d.minMipmapLevelClamp = 0;
  cudaResourceViewDesc view{};
  view.width = view.height = 4;
  view.firstMipmapLevel = 1, view.lastMipmapLevel = 2;
  levels<<<1, 6>>>(texture(r, d, &view), lod, out);  // levels 1 and 2 only
  show(6);
  plain<<<1, 1>>>(texture(r, d, &view), 0.9f, out);  // texel 3 of level 1
  show(1);
  view.lastMipmapLevel = 7;
  texture(r, d, &view);
  // 0.5 is encoded as 188 (187.5); alpha is no colour.
  const cudaChannelFormatDesc four = cudaCreateChannelDesc<uchar4>();
  cudaArray_t array;
  cudaMallocArray(&array, &four, 1, 1);
  const unsigned char colour[4] = {188, 10, 255, 188};
  cudaMemcpy2DToArray(array, 0, 0, colour, 4, 4, 1, cudaMemcpyHostToDevice);
  cudaResourceDesc s{};
  s.resType = cudaResourceTypeArray;
  s.res.array.array = array;
  cudaTextureDesc f{};
  f.readMode = cudaReadModeNormalizedFloat, f.sRGB = 1;
  bytes<<<1, 1>>>(texture(s, f), reinterpret_cast<float4*>(out));
  std::printf("%s %.4f %.6f %.4f %.4f\n", cudaGetErrorName(cudaDeviceSynchronize()), out[0], out[1], out[2],
              out[3]);
  // Layers 1 and 2 of 4: behind the last is the last.
  cudaArray_t stack;
  cudaMalloc3DArray(&stack, &one, make_cudaExtent(1, 1, 4), cudaArrayLayered);
  const float values[4] = {5, 6, 7, 8};
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(values), 4, 1, 1);
  copy.dstArray = stack, copy.extent = make_cudaExtent(1, 1, 4), copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  s.res.array.array = stack;
  cudaResourceViewDesc some{};
  some.format = cudaResViewFormatFloat1;
  some.width = some.height = 1, some.firstLayer = 1, some.lastLayer = 2;
  layers<<<1, 4>>>(texture(s, cudaTextureDesc{}, &some), out);
  show(4);
}
// expect: cudaSuccess 0 0 0 10 10 20 30 30
// expect: cudaSuccess 0 2.5 5 17.5 25 30
// expect: cudaSuccess 0 10 20 30 0 10 20 30
// expect: cudaSuccess 10 10 10 20 20 20
// expect: cudaSuccess 10 12.5 15 20 20 20
// expect: cudaSuccess 13
// expect: cudaErrorInvalidValue
// expect: cudaSuccess 0.5029 0.003035 1.0000 0.7373
// expect: cudaSuccess 6 7 7 7
