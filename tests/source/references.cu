// Texture and surface references, of CUDA 11 and before. By hand from the Programming Guide (appendix Texture
// Fetching): a byte of 255 as normalized float is 1; linear filtering between the centres of two texels takes half of each.
// expect: fetch 3 7, pair 3 4, rows 60
// expect: point 1, linear 0.5, volume 9
// expect: wrapped 51, clamped 102
// expect: surface 11, 12 13 14 7
// expect: offsets 0 0, unbound 19, reference 1
#include <cstdio>

texture<float, cudaTextureType1D, cudaReadModeElementType> line;
texture<float2> pairs;
texture<unsigned char, 2, cudaReadModeNormalizedFloat> image;
texture<unsigned char, 2> bytes;
static texture<float, cudaTextureType3D> volume;
texture<int, cudaTextureType2D> rows;
surface<void, cudaSurfaceType2D> board;

__global__ void fetch(float* out) {
  const float2 pair = tex1Dfetch(pairs, 1);
  const float all[] = {tex1Dfetch(line, 2), pair.x, pair.y, float(tex2D(rows, 2.5f, 1.5f)),
                       tex2D(image, 1.5f, 0.5f), tex3D(volume, 0.5f, 0.5f, 1.5f)};
  for (int k = 0; k < 6; ++k) out[k] = all[k];
}
__global__ void fetch_line(float* out) { *out = tex1Dfetch(line, 2); }
__global__ void fetch_image(float* out) { *out = tex2D(image, 1.0f, 0.5f); }
__global__ void fetch_bytes(float* out) { *out = tex2D(bytes, 1.25f, 0.75f); }
__global__ void touch(float* out) {
  *out = surf2Dread<float>(board, 0, 0);
  surf2Dwrite(7.0f, board, 4, 1);
}

template <class T>
cudaArray_t array_of(const T* values, int width, int height) {
  cudaArray_t a;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaMallocArray(&a, &format, width, height, cudaArraySurfaceLoadStore);
  cudaMemcpy2DToArray(a, 0, 0, values, width * sizeof(T), width * sizeof(T), height, cudaMemcpyHostToDevice);
  return a;
}

int main() {
  float *d, *out, numbers[] = {1, 2, 3, 4, 5, 6, 7};
  cudaMalloc(&d, sizeof numbers);
  cudaMallocManaged(&out, 8 * sizeof *out);
  cudaMemcpy(d, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  size_t offset = 1, offset_now = 1;
  cudaBindTexture(&offset, line, d, sizeof numbers);
  cudaBindTexture(nullptr, pairs, d);
  int table[2][4] = {{10, 20, 30, 40}, {40, 50, 60, 70}}, *at;
  size_t pitch;
  cudaMallocPitch(&at, &pitch, sizeof table[0], 2);
  cudaMemcpy2D(at, pitch, table, sizeof table[0], sizeof table[0], 2, cudaMemcpyHostToDevice);
  cudaBindTexture2D(nullptr, rows, at, rows.channelDesc, 4, 2, pitch);
  const unsigned char pixels[] = {0, 255, 51, 102};
  cudaArray_t picture = array_of(pixels, 2, 2);
  cudaBindTextureToArray(image, picture);
  const float deep[] = {5, 9};
  cudaArray_t solid;
  cudaMalloc3DArray(&solid, &volume.channelDesc, make_cudaExtent(1, 1, 2));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr((void*)deep, sizeof(float), 1, 1);
  copy.dstArray = solid;
  copy.extent = make_cudaExtent(1, 1, 2);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  cudaBindTextureToArray(volume, solid);
  fetch<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  const float first = out[0], point = out[4], in_volume = out[5];
  cudaBindTexture(nullptr, line, d + 4, 3 * sizeof(float));  // another part of the same memory
  fetch_line<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  printf("fetch %g %g, pair %g %g, rows %g\n", first, out[0], out[1], out[2], out[3]);

  image.filterMode = cudaFilterModeLinear;
  cudaBindTextureToArray(image, picture);
  fetch_image<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  printf("point %g, linear %g, volume %g\n", point, out[0], in_volume);

  // (1.25, 0.75) in units of the picture: wrapped it is (0.25, 0.75), clamped the last column.
  bytes.normalized = true;
  for (cudaTextureAddressMode mode : {cudaAddressModeWrap, cudaAddressModeClamp}) {
    bytes.addressMode[0] = bytes.addressMode[1] = mode;
    cudaBindTextureToArray(bytes, picture, bytes.channelDesc);
    fetch_bytes<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    printf(mode == cudaAddressModeWrap ? "wrapped %g, " : "clamped %g\n", out[0]);
  }

  const float squares[] = {11, 12, 13, 14};
  cudaArray_t field = array_of(squares, 2, 2);
  cudaBindSurfaceToArray(board, field);
  touch<<<1, 1>>>(out);
  float back[4];
  cudaMemcpy2DFromArray(back, 8, field, 0, 0, 8, 2, cudaMemcpyDeviceToHost);
  printf("surface %g, %g %g %g %g\n", out[0], back[1], back[2], squares[3], back[3]);

  cudaGetTextureAlignmentOffset(&offset_now, line);
  cudaUnbindTexture(line);
  const textureReference* reference = nullptr;
  cudaGetTextureReference(&reference, &line);
  printf("offsets %d %d, unbound %d, reference %d\n", int(offset), int(offset_now),
         cudaGetTextureAlignmentOffset(&offset_now, line), reference == &line);
}
