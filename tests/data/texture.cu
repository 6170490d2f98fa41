// Every form in which CUDA reads textures and uses surfaces. Compiled: nvcc -O2 -arch=sm_75 -ptx texture.cu
#include <cuda_runtime.h>

typedef cudaTextureObject_t Texture;
typedef cudaSurfaceObject_t Surface;

// Thread t reads at coordinates x[4t], x[4t+1], x[4t+2] (layer: x[4t+3]).
#define AT                                                                    \
  [[maybe_unused]] int t = threadIdx.x;                                       \
  [[maybe_unused]] float x = at[4 * t], y = at[4 * t + 1], z = at[4 * t + 2]; \
  [[maybe_unused]] int layer = (int)at[4 * t + 3];
extern "C" __global__ void fetch_f1(Texture tex, const float* at, float* out) {
  AT out[t] = tex1Dfetch<float>(tex, (int)x);
}
extern "C" __global__ void fetch_f4(Texture tex, const float* at, float4* out) {
  AT out[t] = tex1Dfetch<float4>(tex, (int)x);
}
extern "C" __global__ void fetch_c4(Texture tex, const float* at, char4* out) {
  AT out[t] = tex1Dfetch<char4>(tex, (int)x);
}
extern "C" __global__ void fetch_u2(Texture tex, const float* at, uint2* out) {
  AT out[t] = tex1Dfetch<uint2>(tex, (int)x);
}
extern "C" __global__ void read_1d(Texture tex, const float* at, float* out) {
  AT out[t] = tex1D<float>(tex, x);
}
extern "C" __global__ void read_a1d(Texture tex, const float* at, float* out) {
  AT out[t] = tex1DLayered<float>(tex, x, layer);
}
extern "C" __global__ void read_2d(Texture tex, const float* at, float* out) {
  AT out[t] = tex2D<float>(tex, x, y);
}
extern "C" __global__ void read_2d_f4(Texture tex, const float* at, float4* out) {
  AT out[t] = tex2D<float4>(tex, x, y);
}
extern "C" __global__ void read_2d_us2(Texture tex, const float* at, ushort2* out) {
  AT out[t] = tex2D<ushort2>(tex, x, y);
}
extern "C" __global__ void read_a2d(Texture tex, const float* at, float* out) {
  AT out[t] = tex2DLayered<float>(tex, x, y, layer);
}
extern "C" __global__ void read_3d(Texture tex, const float* at, float* out) {
  AT out[t] = tex3D<float>(tex, x, y, z);
}
extern "C" __global__ void read_cube(Texture tex, const float* at, float* out) {
  AT out[t] = texCubemap<float>(tex, x, y, z);
}
extern "C" __global__ void read_acube(Texture tex, const float* at, float* out) {
  AT out[t] = texCubemapLayered<float>(tex, x, y, z, layer);
}
extern "C" __global__ void levels(Texture tex, const float* at, float* out) {
  AT float2 d = {x, y};
  bool resident;
  out[t] =
      tex2DLod<float>(tex, x, y, z) + tex2DGrad<float>(tex, x, y, d, d) + tex2D<float>(tex, x, y, &resident);
  out[t] += resident ? 100 : 0;
}
extern "C" __global__ void levels_3d(Texture tex, const float* at, float* out) {
  AT float4 d = {x, y, z, 0};
  out[t] = tex3DLod<float>(tex, x, y, z, 1) + tex3DGrad<float>(tex, x, y, z, d, d);
}
extern "C" __global__ void levels_layered(Texture tex, const float* at, float* out) {
  AT float2 d = {x, y};
  out[t] = tex2DLayeredLod<float>(tex, x, y, layer, z) + tex2DLayeredGrad<float>(tex, x, y, layer, d, d);
}
extern "C" __global__ void levels_1d(Texture tex, const float* at, float* out) {
  AT out[t] = tex1DLod<float>(tex, x, y) + tex1DGrad<float>(tex, x, y, y);
}
extern "C" __global__ void levels_cube(Texture tex, const float* at, float* out) {
  AT float4 d = {x, y, z, 0};
  out[t] = texCubemapLod<float>(tex, x, y, z, 1) + texCubemapGrad<float>(tex, x, y, z, d, d);
}
extern "C" __global__ void gathered(Texture tex, const float* at, float4* out) {
  AT out[2 * t] = tex2Dgather<float4>(tex, x, y, 0);
  out[2 * t + 1] = tex2Dgather<float4>(tex, x, y, 1);
}
extern "C" __global__ void sizes(Texture tex, Surface surf, int* out) {
  asm("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(tex));
  asm("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(tex));
  asm("txq.array_size.b32 %0, [%1];" : "=r"(out[2]) : "l"(tex));
  asm("suq.width.b32 %0, [%1];" : "=r"(out[3]) : "l"(surf));
  asm("suq.depth.b32 %0, [%1];" : "=r"(out[4]) : "l"(surf));
}

// Surfaces: copies an image and turns it upside down, with each width of access.
template <class T>
__device__ void flip(Surface from, Surface to, int width, int height) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x >= width) return;
  T v;
  surf2Dread(&v, from, x * (int)sizeof(T), y);
  surf2Dwrite(v, to, x * (int)sizeof(T), height - 1 - y);
}
extern "C" __global__ void flip_c(Surface from, Surface to, int w, int h) { flip<char>(from, to, w, h); }
extern "C" __global__ void flip_us(Surface from, Surface to, int w, int h) { flip<ushort>(from, to, w, h); }
extern "C" __global__ void flip_i(Surface from, Surface to, int w, int h) { flip<int>(from, to, w, h); }
extern "C" __global__ void flip_f2(Surface from, Surface to, int w, int h) { flip<float2>(from, to, w, h); }
extern "C" __global__ void flip_uc4(Surface from, Surface to, int w, int h) { flip<uchar4>(from, to, w, h); }
extern "C" __global__ void flip_f4(Surface from, Surface to, int w, int h) { flip<float4>(from, to, w, h); }
extern "C" __global__ void flip_ll(Surface from, Surface to, int w, int h) {
  flip<long long>(from, to, w, h);
}
extern "C" __global__ void edges(Surface s, int* out) {
  int x = (int)threadIdx.x - 2;
  out[2 * threadIdx.x] = surf2Dread<int>(s, 4 * x, 0, cudaBoundaryModeZero);
  out[2 * threadIdx.x + 1] = surf2Dread<int>(s, 4 * x, x, cudaBoundaryModeClamp);
  surf2Dwrite(1000, s, 4 * x, 100, cudaBoundaryModeZero);
}
extern "C" __global__ void trap(Surface s, int* out, int x) { *out = surf1Dread<int>(s, 4 * x); }
extern "C" __global__ void volume(Surface s, int* out) {
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  int v = surf3Dread<int>(s, 4 * x, y, z);
  surf3Dwrite(v + 1, s, 4 * x, y, z);
  out[(z * blockDim.y + y) * blockDim.x + x] = v;
}
extern "C" __global__ void layers(Surface s, int* out) {
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  out[(z * blockDim.y + y) * blockDim.x + x] = surf2DLayeredread<int>(s, 4 * x, y, z);
}
extern "C" __global__ void faces(Surface s, int* out) { *out = surfCubemapread<int>(s, 4, 1, 3); }
extern "C" __global__ void reductions(Surface s) {
  asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(0), "r"(0), "r"(threadIdx.x));
  asm volatile("sured.b.max.2d.s32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(4), "r"(0),
               "r"((int)threadIdx.x - 5));
  asm volatile("sured.p.min.2d.b32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(2), "r"(0),
               "r"((int)threadIdx.x - 5));
  asm volatile("sured.b.or.2d.b32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(12), "r"(0), "r"(1 << threadIdx.x));
}
extern "C" __global__ void formatted(Surface s, const int* values) {
  asm volatile("sust.p.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(s), "r"((int)threadIdx.x), "r"(0),
               "r"(values[threadIdx.x]));
}
extern "C" __global__ void formatted_pairs(Surface s) {
  asm volatile("sust.p.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(s), "r"(0), "r"(0), "r"(0x1111));
  asm volatile("sust.p.2d.v4.b32.trap [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s), "r"(1), "r"(0), "r"(1),
               "r"(2), "r"(3), "r"(4));
  asm volatile("sust.p.2d.v2.b32.zero [%0, {%1, %2}], {%3, %4};" ::"l"(s), "r"(-1), "r"(0), "r"(5), "r"(6));
  asm volatile("sust.p.2d.v2.b32.clamp [%0, {%1, %2}], {%3, %4};" ::"l"(s), "r"(99), "r"(0), "r"(7), "r"(8));
}
