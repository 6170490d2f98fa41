// Races between streams, each with its fixed twin: docs/gallery.md. A comment "finds" with the case and the
// kind stands at a line that `warpwright check` must name, or at the call of the host; CASE_fixed must be
// clean.
#include "gallery.h"

constexpr int kCount = 1000;

__global__ void fill(int* p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) p[i] = i;  // finds two_kernels: race; finds given_back: race
}
__global__ void add(const int* p, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount)
    out[i] = p[i] + 1;  // finds two_kernels: race; finds copy_while: race; finds set_while: race; finds
                        // wrong_stream: race; finds non_blocking: race
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
                        {"shared_input_fixed", shared_input<true>}};
  return run_case(cases, argc, argv);
}
