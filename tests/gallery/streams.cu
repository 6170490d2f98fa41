// Races between streams, each with its fixed twin: docs/gallery.md. A comment "finds" with the case and the
// kind stands at a line that `warpwright check` must name, or at the call of the host; CASE_fixed must be
// clean.
#include <cuda.h>

#include "gallery.h"

constexpr int kCount = 1000;

__global__ void fill(int* p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) p[i] = i;  // finds two_kernels: race; finds given_back: race; finds value_there: race
}
__global__ void add(const int* p, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount)
    out[i] = p[i] + 1;  // finds two_kernels: race; finds copy_while: race; finds set_while: race; finds
                        // wrong_stream: race; finds non_blocking: race; finds value_there: race
}
__global__ void count(int* p) { atomicAdd(p, 1); }

cudaStream_t stream(unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, flags);
  return s;
}

template <bool Fixed>
void two_kernels() {
  int *p = zeros<int>(kCount), *out = zeros<int>(kCount);
  cudaStream_t a = stream(), b = stream();
  cudaEvent_t filled;
  cudaEventCreateWithFlags(&filled, cudaEventDisableTiming);
  cudaDeviceSynchronize();
  fill<<<8, 128, 0, a>>>(p);
  cudaEventRecord(filled, a);
  if (Fixed) cudaStreamWaitEvent(b, filled, 0);
  add<<<8, 128, 0, b>>>(p, out);
}
// The host copies the result before the kernel that makes it has ended.
template <bool Fixed>
void copy_while() {
  int *p = zeros<int>(kCount), *out = zeros<int>(kCount), *host = nullptr;
  cudaMallocHost(&host, kCount * sizeof(int));
  cudaStream_t a = stream(), b = stream();
  cudaDeviceSynchronize();
  add<<<8, 128, 0, a>>>(p, out);
  cudaMemcpyAsync(host, out, kCount * sizeof(int), cudaMemcpyDeviceToHost, Fixed ? a : b);
}
template <bool Fixed>
void set_while() {
  int *p = zeros<int>(kCount), *out = zeros<int>(kCount);
  cudaStream_t a = stream(), b = stream();
  cudaDeviceSynchronize();
  cudaMemsetAsync(p, 1, kCount * sizeof(int), a);
  if (Fixed) cudaStreamSynchronize(a);
  add<<<8, 128, 0, b>>>(p, out);
}
// The event is recorded before what it should stand for.
template <bool Fixed>
void wrong_stream() {
  int *p = zeros<int>(kCount), *out = zeros<int>(kCount);
  cudaStream_t a = stream(), b = stream();
  cudaEvent_t filled;
  cudaEventCreate(&filled);
  cudaDeviceSynchronize();
  if (!Fixed) cudaEventRecord(filled, a);
  fill<<<8, 128, 0, a>>>(p);
  if (Fixed) cudaEventRecord(filled, a);
  cudaStreamWaitEvent(b, filled, 0);
  add<<<8, 128, 0, b>>>(p, out);
}
// Blocking streams wait for the default stream, others do not.
template <bool Fixed>
void non_blocking() {
  int *p = zeros<int>(kCount), *out = zeros<int>(kCount);
  cudaStream_t b = stream(Fixed ? cudaStreamDefault : cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  fill<<<8, 128>>>(p);
  add<<<8, 128, 0, b>>>(p, out);
}
// Memory that is given back in one stream while another uses it.
template <bool Fixed>
void given_back() {
  cudaStream_t a = stream(), b = stream();
  cudaEvent_t done;
  cudaEventCreate(&done);
  int* p = nullptr;
  cudaMallocAsync(&p, kCount * sizeof(int), a);
  cudaEventRecord(done, a);
  cudaStreamWaitEvent(b, done, 0);
  fill<<<8, 128, 0, b>>>(p);
  if (Fixed) cudaEventRecord(done, b);
  cudaStreamWaitEvent(a, done, 0);
  cudaFreeAsync(p, a);
}
__global__ void paint(cudaSurfaceObject_t picture) {
  surf2Dwrite(1.0f * threadIdx.x, picture, threadIdx.x * sizeof(float), blockIdx.x);
}
__global__ void look(cudaTextureObject_t picture, float* out) {
  const float x = threadIdx.x + 0.5f, y = blockIdx.x + 0.5f;
  out[blockIdx.x * 32 + threadIdx.x] = tex2D<float>(picture, x, y);  // finds painted: race; finds
                                                                     // picture_late: race
}
// A picture is painted, or copied to its array, in another stream than that of the kernel that looks at it.
template <bool Fixed>
void show(bool copied) {
  cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
  cudaResourceDesc what{};
  what.resType = cudaResourceTypeArray;
  cudaMallocArray(&what.res.array.array, &one, 32, 8, cudaArraySurfaceLoadStore);
  cudaTextureDesc how{};
  cudaSurfaceObject_t surface;
  cudaTextureObject_t texture;
  cudaCreateSurfaceObject(&surface, &what);
  cudaCreateTextureObject(&texture, &what, &how, nullptr);
  float *from = zeros<float>(256), *out = zeros<float>(256);
  cudaStream_t a = stream(), b = stream();
  cudaEvent_t there;
  cudaEventCreate(&there);
  cudaDeviceSynchronize();
  if (copied)
    cudaMemcpy2DToArrayAsync(what.res.array.array, 0, 0, from, 128, 128, 8, cudaMemcpyDeviceToDevice, a);
  else
    paint<<<8, 32, 0, a>>>(surface);
  cudaEventRecord(there, a);
  if (Fixed) cudaStreamWaitEvent(b, there, 0);
  look<<<8, 32, 0, b>>>(texture, out);
}
template <bool Fixed>
void painted() {
  show<Fixed>(false);
}
template <bool Fixed>
void picture_late() {
  show<Fixed>(true);
}
// A stream waits for a value that another writes, but it is there already.
using OnWord = CUresult(CUstream, CUdeviceptr, cuuint32_t, unsigned);
template <bool Fixed>
void value_there() {
  int *p = zeros<int>(kCount), *out = zeros<int>(kCount), *word = zeros<int>(1);
  if (!Fixed) cudaMemset(word, 1, sizeof *word);
  cudaStream_t a = stream(), b = stream();
  cudaDeviceSynchronize();
  fill<<<8, 128, 0, a>>>(p);
  driver<OnWord>("cuStreamWriteValue32")(a, reinterpret_cast<CUdeviceptr>(word), 1,
                                         CU_STREAM_WRITE_VALUE_DEFAULT);
  driver<OnWord>("cuStreamWaitValue32")(b, reinterpret_cast<CUdeviceptr>(word), 1, CU_STREAM_WAIT_VALUE_GEQ);
  add<<<8, 128, 0, b>>>(p, out);
}
// Right: a kernel in the other stream stores the value.
__global__ void fill_and_tell(int* p, volatile int* word) {
  p[threadIdx.x] = threadIdx.x;
  __syncthreads();
  __threadfence_system();
  if (threadIdx.x == 0) *word = 1;
}
void value_of_kernel() {
  int *p = zeros<int>(kCount), *out = zeros<int>(kCount), *word = zeros<int>(1);
  cudaStream_t a = stream(), b = stream();
  cudaDeviceSynchronize();
  fill_and_tell<<<1, 128, 0, a>>>(p, word);
  driver<OnWord>("cuStreamWaitValue32")(b, reinterpret_cast<CUdeviceptr>(word), 1, CU_STREAM_WAIT_VALUE_EQ);
  add<<<8, 128, 0, b>>>(p, out);
}
// Right: streams that share read-only data, count atomically, or work on halves of one array.
template <bool Fixed>
void shared_input() {
  int *p = zeros<int>(kCount), *out = zeros<int>(2 * kCount), *n = zeros<int>(1);
  cudaStream_t a = stream(), b = stream();
  cudaDeviceSynchronize();
  add<<<8, 128, 0, a>>>(p, out);
  add<<<8, 128, 0, b>>>(p, out + kCount);
  count<<<1, 32, 0, a>>>(n);
  count<<<1, 32, 0, b>>>(n);
}

int main(int argc, char** argv) {
#define BOTH(name, function) \
  {#name, function<false>}, { #name "_fixed", function < true> }
  const Case cases[] = {BOTH(two_kernels, two_kernels),
                        BOTH(copy_while, copy_while),
                        BOTH(set_while, set_while),
                        BOTH(wrong_stream, wrong_stream),
                        BOTH(non_blocking, non_blocking),
                        BOTH(given_back, given_back),
                        BOTH(painted, painted),
                        BOTH(picture_late, picture_late),
                        BOTH(value_there, value_there),
                        {"value_of_kernel_fixed", value_of_kernel},
                        {"shared_input_fixed", shared_input<true>}};
  return run_case(cases, argc, argv);
}
