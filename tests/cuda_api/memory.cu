// Memory: copies of all shapes, wrong directions and pointers, arrays, a texture, pools, pointer attributes.
#include <cstdio>
#include <cstring>

#define CALL(x) std::printf("%s\n", cudaGetErrorName(x))

__global__ void read(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 1.5f);
}

int main() {
  int host[8] = {0, 1, 2, 3, 4, 5, 6, 7}, back[8] = {};
  int* p;
  CALL(cudaMalloc(&p, sizeof host));
  CALL(cudaMalloc(nullptr, 4));
  CALL(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(back, p + 2, 8, cudaMemcpyDefault));
  std::printf("%d %d\n", back[0], back[1]);
  CALL(cudaMemcpy(p, host, sizeof host + 4, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(back, host, 4, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy(back, host, 4, cudaMemcpyDeviceToHost));
  CALL(cudaMemcpy(p, host, 4, static_cast<cudaMemcpyKind>(9)));
  CALL(cudaMemcpy2D(back, 8, p, 16, 8, 2, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %d\n", back[0], back[1], back[2], back[3]);
  CALL(cudaMemcpy2D(back, 4, p, 16, 8, 2, cudaMemcpyDeviceToHost));
  CALL(cudaMemset(p, 0xff, 8));
  CALL(cudaMemcpy(back, p, 12, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d\n", back[0], back[1], back[2]);
  CALL(cudaFree(p));
  CALL(cudaFree(p));
  CALL(cudaFree(host));
  CALL(cudaFree(nullptr));
  cudaArray_t array;
  cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  float texels[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  CALL(cudaMallocArray(&array, &desc, 4, 2));
  CALL(cudaMemcpy2DToArray(array, 0, 0, texels, 16, 16, 2, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy2DToArray(array, 4, 0, texels, 16, 16, 2, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture{};
  cudaTextureObject_t object;
  CALL(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  float* out;
  CALL(cudaMallocManaged(&out, 16));
  read<<<1, 4>>>(object, out);
  CALL(cudaDeviceSynchronize());
  std::printf("%g %g %g %g\n", out[0], out[1], out[2], out[3]);
  cudaPointerAttributes attributes;
  CALL(cudaPointerGetAttributes(&attributes, out));
  std::printf("%d %d\n", attributes.type == cudaMemoryTypeManaged, attributes.hostPointer == out);
  CALL(cudaPointerGetAttributes(&attributes, host));
  std::printf("%d\n", attributes.type == cudaMemoryTypeUnregistered);
  cudaStream_t stream;
  void* q;
  CALL(cudaStreamCreate(&stream));
  CALL(cudaMallocAsync(&q, 100, stream));
  CALL(cudaFreeAsync(q, stream));
  CALL(cudaStreamDestroy(stream));
  CALL(cudaStreamSynchronize(stream));
  int value;
  CALL(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
  std::printf("%d\n", value);
  CALL(cudaSetDevice(77));
}
// expect: cudaSuccess
// expect: cudaErrorInvalidValue
// expect: cudaSuccess
// expect: cudaSuccess
// expect: 2 3
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidMemcpyDirection
// expect: cudaSuccess
// expect: 0 1 4 5
// expect: cudaErrorInvalidPitchValue
// expect: cudaSuccess
// expect: cudaSuccess
// expect: -1 -1 2
// expect: cudaSuccess
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaErrorInvalidValue
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaSuccess
// expect: 5 6 7 8
// expect: cudaSuccess
// expect: 1 1
// expect: cudaSuccess
// expect: 1
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaErrorInvalidResourceHandle
// expect: cudaSuccess
// expect: 32
// expect: cudaErrorInvalidDevice
