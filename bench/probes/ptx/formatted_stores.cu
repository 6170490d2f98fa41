// sust.p: what a formatted store makes of values that the surface's format cannot hold.
// Output: format,value (bits of the register),texel (bits, as stored).
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

__global__ void store(cudaSurfaceObject_t s, const uint32_t* v, int n) {
  for (int i = 0; i < n; ++i)
    asm volatile("sust.p.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(s), "r"(i), "r"(0), "r"(v[i]));
}
__global__ void store2(cudaSurfaceObject_t s, const uint32_t* v) {  // one component given of two; four given
  asm volatile("sust.p.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(s), "r"(0), "r"(0), "r"(v[0]));
  asm volatile("sust.p.2d.v4.b32.trap [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s), "r"(1), "r"(0), "r"(v[1]),
               "r"(v[2]), "r"(v[3]), "r"(v[4]));
  asm volatile("sust.p.2d.v2.b32.zero [%0, {%1, %2}], {%3, %4};" ::"l"(s), "r"(-1), "r"(0), "r"(v[1]),
               "r"(v[2]));
  asm volatile("sust.p.2d.v2.b32.clamp [%0, {%1, %2}], {%3, %4};" ::"l"(s), "r"(99), "r"(0), "r"(v[3]),
               "r"(v[4]));
}
uint32_t bits(float f) {
  uint32_t w;
  memcpy(&w, &f, 4);
  return w;
}

int main() {
  const uint32_t integers[] = {0,          1,          127,        128,        200,
                               255,        256,        300,        32767,      32768,
                               65535,      65536,      70000,      0x7fffffff, 0x80000000,
                               0xffffffff, 0xffffff80, 0xffffff7f, 0xffff8000, 0xffff7fff};
  const uint32_t floats[] = {0,           0x80000000,  bits(1.0f),       bits(-1.5f),      bits(65504),
                             bits(65519), bits(65520), bits(1e6f),       bits(-1e6f),      bits(1e-8f),
                             bits(3e-8f), bits(6e-8f), bits(1.0004883f), bits(1.0004885f), 0x7f800000,
                             0x7fc00000,  0x7f800001,  0xffc12345,       bits(0.1f),       bits(-0.1f)};
  struct {
    const char* name;
    cudaChannelFormatDesc d;
    int bytes;
    bool real;
  } forms[] = {{"u8", {8, 0, 0, 0, cudaChannelFormatKindUnsigned}, 1, false},
               {"s8", {8, 0, 0, 0, cudaChannelFormatKindSigned}, 1, false},
               {"u16", {16, 0, 0, 0, cudaChannelFormatKindUnsigned}, 2, false},
               {"s16", {16, 0, 0, 0, cudaChannelFormatKindSigned}, 2, false},
               {"u32", {32, 0, 0, 0, cudaChannelFormatKindUnsigned}, 4, false},
               {"f16", {16, 0, 0, 0, cudaChannelFormatKindFloat}, 2, true},
               {"f32", {32, 0, 0, 0, cudaChannelFormatKindFloat}, 4, true}};
  puts("format,value,texel");
  uint32_t* dv;
  cudaMalloc(&dv, 256);
  for (auto& f : forms) {
    cudaArray_t array;
    cudaMallocArray(&array, &f.d, 32, 2, cudaArraySurfaceLoadStore);
    cudaResourceDesc r{};
    r.resType = cudaResourceTypeArray, r.res.array.array = array;
    cudaSurfaceObject_t s;
    if (cudaCreateSurfaceObject(&s, &r)) {
      printf("%s,no surface,\n", f.name);
      continue;
    }
    cudaMemcpy(dv, f.real ? floats : integers, 80, cudaMemcpyDefault);
    store<<<1, 1>>>(s, dv, 20);
    uint8_t texels[128] = {};
    cudaMemcpy2DFromArray(texels, 128, array, 0, 0, 32 * f.bytes > 128 ? 128 : 32 * f.bytes, 1,
                          cudaMemcpyDefault);
    for (int i = 0; i < 20; ++i) {
      uint32_t t = 0;
      memcpy(&t, texels + i * f.bytes, f.bytes);
      printf("%s,%08x,%0*x\n", f.name, (f.real ? floats : integers)[i], 2 * f.bytes, t);
    }
  }
  // Two channels of 16 bits.
  cudaChannelFormatDesc d{16, 16, 0, 0, cudaChannelFormatKindSigned};
  cudaArray_t array;
  cudaMallocArray(&array, &d, 32, 2, cudaArraySurfaceLoadStore);
  uint8_t fill[256];
  memset(fill, 0x77, 256);
  cudaMemcpy2DToArray(array, 0, 0, fill, 128, 128, 2, cudaMemcpyDefault);
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray, r.res.array.array = array;
  cudaSurfaceObject_t s;
  cudaCreateSurfaceObject(&s, &r);
  uint32_t v[5] = {0x1111, 0x2222, 0x3333, 0x4444, 0x5555};
  cudaMemcpy(dv, v, 20, cudaMemcpyDefault);
  store2<<<1, 1>>>(s, dv);
  uint8_t texels[128];
  cudaMemcpy2DFromArray(texels, 128, array, 0, 0, 128, 1, cudaMemcpyDefault);
  for (int i : {0, 1, 2, 31})
    printf("s16x2,texel %d,%02x%02x %02x%02x\n", i, texels[4 * i + 1], texels[4 * i], texels[4 * i + 3],
           texels[4 * i + 2]);
  printf("status,%s,\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
