// The host's own accesses against kernels and copies that it has not waited for, each with its fixed twin:
// docs/gallery.md. A comment "finds" with the case and the kind stands at a line that `warpwright check` must
// name, or at the call of the host; CASE_fixed must be clean.
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>

#include "gallery.h"

constexpr int kCount = 4096;

__global__ void fill(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = i;  // finds managed_early: race; finds mapped_early: race; finds set_managed: race
}
__global__ void add(const int* p, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = p[i] + 1;  // finds managed_changed: race
}
__constant__ int table[64];
__global__ void look_up(int* out) { out[threadIdx.x] = table[threadIdx.x]; }  // finds constant_while: race
template <bool Fence>
__global__ void tell(int* data, volatile int* flag) {
  data[threadIdx.x] = threadIdx.x;  // finds unfenced: race
  if (Fence) __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *flag = 1;
}

cudaStream_t stream() {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  return s;
}
int* pinned() {
  int* p = nullptr;
  cudaMallocHost(&p, kCount * sizeof(int));
  std::memset(p, 0, kCount * sizeof(int));
  return p;
}
int* managed() {
  int* p = nullptr;
  cudaMallocManaged(&p, kCount * sizeof(int));
  for (int k = 0; k < kCount; ++k) p[k] = k;
  return p;
}

// The result of an asynchronous copy is used before it is there.
template <bool Fixed>
void read_early() {  // finds read_early: race; host
  int *p = zeros<int>(kCount), *out = pinned();
  cudaStream_t s = stream();
  cudaDeviceSynchronize();
  fill<<<32, 128, 0, s>>>(p, kCount);
  cudaMemcpyAsync(out, p, kCount * sizeof(int), cudaMemcpyDeviceToHost, s);
  if (Fixed) cudaStreamSynchronize(s);
  hidden(out[17]);
}
// A buffer is filled again while the copy from it is under way.
template <bool Fixed>
void filled_again() {  // finds filled_again: race; host
  int *p = zeros<int>(kCount), *in = pinned();
  cudaStream_t s = stream();
  cudaEvent_t copied;
  cudaEventCreate(&copied);
  cudaDeviceSynchronize();
  for (int round = 0; round < 2; ++round) {
    if (Fixed && round) cudaEventSynchronize(copied);
    for (int k = 0; k < kCount; ++k) in[k] = k + round;
    cudaMemcpyAsync(p, in, kCount * sizeof(int), cudaMemcpyHostToDevice, s);
    cudaEventRecord(copied, s);
  }
}
template <bool Fixed>
void managed_early() {
  int* p = managed();
  fill<<<32, 128>>>(p, kCount);
  if (Fixed) cudaDeviceSynchronize();
  hidden(p[1000]);
}
template <bool Fixed>
void mapped_early() {
  int *p = nullptr, *there = nullptr;
  cudaHostAlloc(&p, kCount * sizeof(int), cudaHostAllocMapped);
  cudaHostGetDevicePointer(&there, p, 0);
  fill<<<32, 128>>>(there, kCount);
  if (Fixed) cudaStreamSynchronize(nullptr);
  hidden(p[1000]);
}
template <bool Fixed>
void managed_changed() {
  int *p = managed(), *out = zeros<int>(kCount);
  add<<<32, 128>>>(p, out, kCount);
  if (Fixed) cudaDeviceSynchronize();
  p[2000] = 7;
}
// A table in constant memory is filled in another stream than the kernel's.
template <bool Fixed>
void constant_while() {
  int *in = pinned(), *out = zeros<int>(64);
  cudaStream_t a = stream(), b = stream();
  cudaDeviceSynchronize();
  cudaMemcpyToSymbolAsync(table, in, sizeof table, 0, cudaMemcpyHostToDevice, a);
  look_up<<<1, 64, 0, Fixed ? a : b>>>(out);
}
// Page-locked memory is given back while a copy from it, or a kernel, may still use it.
template <bool Fixed>
void free_while() {  // finds free_while: race; host
  int *p = zeros<int>(kCount), *in = pinned();
  cudaStream_t s = stream();
  cudaMemcpyAsync(p, in, kCount * sizeof(int), cudaMemcpyHostToDevice, s);
  if (Fixed) cudaStreamSynchronize(s);
  cudaFreeHost(in);
}
template <bool Fixed>
void unregistered() {  // finds unregistered: race; host
  int *p = zeros<int>(kCount), *in = static_cast<int*>(std::aligned_alloc(4096, kCount * sizeof(int)));
  cudaStream_t s = stream();
  std::memset(in, 0, kCount * sizeof(int));
  cudaHostRegister(in, kCount * sizeof(int), cudaHostRegisterDefault);
  cudaMemcpyAsync(p, in, kCount * sizeof(int), cudaMemcpyHostToDevice, s);
  if (Fixed) cudaStreamSynchronize(s);
  cudaHostUnregister(in);
  cudaDeviceSynchronize();
  std::free(in);
}
// A part of a page, beside which another part stays registered and is copied: right, if it is waited for.
template <bool Fixed>
void unregistered_part() {  // finds unregistered_part: race; host
  int *p = zeros<int>(128), *in = static_cast<int*>(std::aligned_alloc(4096, 4096));
  cudaStream_t s = stream();
  std::memset(in, 0, 4096);
  cudaHostRegister(in + 64, 256, cudaHostRegisterDefault);
  cudaHostRegister(in + 256, 256, cudaHostRegisterDefault);
  cudaMemcpyAsync(p, in + 64, 256, cudaMemcpyHostToDevice, s);
  if (Fixed) cudaStreamSynchronize(s);
  cudaMemcpyAsync(p + 64, in + 256, 256, cudaMemcpyHostToDevice, s);
  cudaHostUnregister(in + 64);
  cudaStreamSynchronize(s);
  cudaHostUnregister(in + 256);
  std::free(in);
}
// Right: the host reads what no operation touches, though beside it; what a kernel reads, too; what a flag or
// a function of the host has announced; and copies that need no wait.
void others() {
  int *p = pinned(), *m = managed(), *out = zeros<int>(kCount), sum = 0;
  cudaStream_t s = stream();
  cudaMemcpyAsync(p, out, 400, cudaMemcpyDeviceToHost, s);
  p[100] = 1, sum += p[101];
  add<<<32, 128, 0, s>>>(m, out, 1000);
  sum += m[5], m[1000] = 2;
  int plain[64];
  cudaMemcpyAsync(plain, out, sizeof plain, cudaMemcpyDeviceToHost, s);  // pageable: over when it returns
  hidden(sum + plain[3]);
  cudaMemcpy(p, out, 4000, cudaMemcpyDeviceToHost);
  hidden(p[0]);
}
void announced() {
  int* p = pinned();
  tell<true><<<1, 64>>>(p, p + 64);
  while (!*static_cast<volatile int*>(p + 64)) {
  }
  hidden(p[3]);
}
std::atomic<bool> done;
void called() {
  int *p = zeros<int>(kCount), *out = pinned();
  cudaStream_t s = stream();
  cudaDeviceSynchronize();
  fill<<<32, 128, 0, s>>>(p, kCount);
  cudaMemcpyAsync(out, p, kCount * sizeof(int), cudaMemcpyDeviceToHost, s);
  cudaLaunchHostFunc(
      s, [](void* there) { hidden(static_cast<int*>(there)[7]), done = true; }, out);
  while (!done) {
  }
  hidden(out[8]);
}
// The host waits for a flag that a kernel sets, but no fence says that what it has stored before is there.
template <bool Fixed>
void unfenced() {
  int *p = pinned(), *flag = p + kCount / 2;
  tell<Fixed><<<1, 64>>>(p, flag);
  while (!*static_cast<volatile int*>(flag)) {
  }
  hidden(p[3]);
}
// A function of the host reads what a copy in another stream brings.
template <bool Fixed>
void called_early() {  // finds called_early: race; host
  int *p = zeros<int>(kCount), *out = pinned();
  cudaStream_t s = stream(), t = stream();
  cudaEvent_t copied;
  cudaEventCreate(&copied);
  cudaDeviceSynchronize();
  cudaMemcpyAsync(out, p, kCount * sizeof(int), cudaMemcpyDeviceToHost, s);
  cudaEventRecord(copied, s);
  if (Fixed) cudaStreamWaitEvent(t, copied, 0);
  cudaLaunchHostFunc(
      t, [](void* there) { hidden(static_cast<int*>(there)[7]); }, out);
  cudaDeviceSynchronize();
}
template <bool Fixed>
void set_managed() {
  int* p = managed();
  cudaStream_t s = stream();  // does not wait for the default stream
  if (Fixed)
    cudaMemset(p, 0, kCount * sizeof(int));
  else
    cudaMemsetAsync(p, 0, kCount * sizeof(int));
  fill<<<32, 128, 0, s>>>(p, kCount);
  cudaStreamSynchronize(s);
}
void called_back() {
  int *p = zeros<int>(kCount), *out = pinned();
  cudaStream_t s = stream();
  cudaDeviceSynchronize();
  fill<<<32, 128, 0, s>>>(p, kCount);
  cudaMemcpyAsync(out, p, kCount * sizeof(int), cudaMemcpyDeviceToHost, s);
  cudaStreamAddCallback(
      s, [](cudaStream_t, cudaError_t, void* there) { hidden(static_cast<int*>(there)[7]); }, out, 0);
  cudaStreamSynchronize(s);
}
// A query whose answer nobody looks at is no wait.
template <bool Fixed>
void asked() {  // finds asked: race; host
  int *p = zeros<int>(kCount), *out = pinned();
  cudaStream_t s = stream();
  cudaDeviceSynchronize();
  cudaMemcpyAsync(out, p, kCount * sizeof(int), cudaMemcpyDeviceToHost, s);
  if (Fixed)
    while (cudaStreamQuery(s) == cudaErrorNotReady) {
    }
  else
    cudaStreamQuery(s);
  hidden(out[8]);
}
template <bool Fixed>
void asked_event() {  // finds asked_event: race; host
  int *p = zeros<int>(kCount), *out = pinned();
  cudaStream_t s = stream();
  cudaEvent_t copied;
  cudaEventCreate(&copied);
  for (int round = 0; round < 2; ++round) {  // an event is asked anew when it is recorded again
    if (round == 1) cudaStreamSynchronize(s);
    cudaMemcpyAsync(out, p, kCount * sizeof(int), cudaMemcpyDeviceToHost, s);
    cudaEventRecord(copied, s);
    if (Fixed || round == 0)
      while (cudaEventQuery(copied) != cudaSuccess) {
      }
    else
      cudaEventQuery(copied);
    hidden(out[8]);
  }
}
// Who has waited is told at once that all is over.
void asked_behind() {
  int *p = zeros<int>(kCount), *out = pinned();
  cudaStream_t s = stream();
  cudaEvent_t copied;
  cudaEventCreate(&copied);
  cudaDeviceSynchronize();
  cudaMemcpyAsync(out, p, kCount * sizeof(int), cudaMemcpyDeviceToHost, s);
  cudaEventRecord(copied, s);
  cudaStreamSynchronize(s);
  if (cudaEventQuery(copied) != cudaSuccess || cudaStreamQuery(s) != cudaSuccess) fill<<<1, 1>>>(nullptr, 1);
}

// How long a kernel took is asked before it has ended.
template <bool Fixed>
void timed() {  // finds timed: error returned; host
  int* p = zeros<int>(kCount);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin);
  fill<<<32, 128>>>(p, kCount);
  cudaEventRecord(end);
  if (Fixed) cudaEventSynchronize(end);
  float milliseconds = -1;
  cudaEventElapsedTime(&milliseconds, begin, end);
  hidden(milliseconds >= 0);
}
// Whatever the host has waited by.
void timed_behind() {
  int *p = zeros<int>(kCount), first;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin);
  fill<<<32, 128>>>(p, kCount);
  cudaEventRecord(end);
  cudaMemcpy(&first, p, sizeof first, cudaMemcpyDeviceToHost);
  float milliseconds = -1;
  if (cudaEventElapsedTime(&milliseconds, begin, end) != cudaSuccess) fill<<<1, 1>>>(nullptr, 1);
}

// Registered memory is unmapped, as free() does with large blocks, while a copy from it is under way.
template <bool Fixed>
void unmapped() {  // finds unmapped: race; host
  constexpr size_t kBytes = kCount * sizeof(int);
  int* p = zeros<int>(kCount);
  cudaStream_t s = stream();
  void* in = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memset(in, 0, kBytes);
  cudaDeviceSynchronize();
  cudaHostRegister(in, kBytes, cudaHostRegisterDefault);
  cudaMemcpyAsync(p, in, kBytes, cudaMemcpyHostToDevice, s);
  if (Fixed) {
    cudaStreamSynchronize(s);
    cudaHostUnregister(in);
  }
  munmap(in, kBytes);
}
// The host has no memory of the device in its address space.
template <bool Fixed>
void device_pointer() {  // finds device_pointer: host access to device memory; host; by protection keys
  int *p = zeros<int>(kCount), first = 0;
  if (Fixed)
    cudaMemcpy(&first, p, sizeof first, cudaMemcpyDeviceToHost);
  else
    first = p[0];
  hidden(first);
}
// A function of the host that was put into a stream calls CUDA.
void set_first(void* p) { cudaMemset(p, 0, sizeof(int)); }
void set_no_more(void*) {}
template <bool Fixed>
void calls_back() {  // finds calls_back: call in a host function; host
  int* p = zeros<int>(kCount);
  cudaStream_t s = stream();
  cudaDeviceSynchronize();
  cudaLaunchHostFunc(s, Fixed ? set_no_more : set_first, p);
}
// Blocks that take turns load a word until it changes. They do not wait for the host, but seem to.
__global__ void in_turns(const int* in, volatile int* turn, int* sum, int* total) {
  int mine = 0;
  for (int k = 0; k < 4000; ++k) mine += in[(threadIdx.x + k) % kCount];
  if (threadIdx.x != 0) return;
  while (*turn != blockIdx.x) {
  }
  __threadfence();
  *sum += mine;
  if (blockIdx.x == gridDim.x - 1) *total = *sum;  // finds turns_early: race
  __threadfence();
  *turn = blockIdx.x + 1;
}
template <bool Fixed>
void turns_early() {
  int *in = zeros<int>(kCount), *words = zeros<int>(2), *total = pinned();
  cudaStream_t s = stream();
  cudaDeviceSynchronize();
  in_turns<<<8, 128, 0, s>>>(in, words, words + 1, total);
  if (Fixed) cudaStreamSynchronize(s);
  hidden(*total);
}

int main(int argc, char** argv) {
#define BOTH(name) \
  {#name, name<false>}, { #name "_fixed", name < true> }
  const Case cases[] = {BOTH(read_early),
                        BOTH(filled_again),
                        BOTH(managed_early),
                        BOTH(mapped_early),
                        BOTH(managed_changed),
                        BOTH(constant_while),
                        BOTH(free_while),
                        BOTH(unregistered),
                        BOTH(unregistered_part),
                        BOTH(set_managed),
                        BOTH(unfenced),
                        BOTH(called_early),
                        BOTH(asked),
                        BOTH(asked_event),
                        BOTH(timed),
                        BOTH(unmapped),
                        BOTH(device_pointer),
                        BOTH(calls_back),
                        BOTH(turns_early),
                        {"others_fixed", others},
                        {"announced_fixed", announced},
                        {"called_fixed", called},
                        {"asked_behind_fixed", asked_behind},
                        {"timed_behind_fixed", timed_behind},
                        {"called_back_fixed", called_back}};
  return run_case(cases, argc, argv);
}
