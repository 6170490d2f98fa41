// Races between grids that may run at the same time: those that a kernel launches (dynamic parallelism), and
// launches that begin before the one before them has ended (programmatic dependent launch). Each with its
// fixed twin: docs/gallery.md. A comment "finds" with the case and the kind stands at a line that
// `warpwright check` must name; CASE_fixed must be clean.
#include "gallery.h"

constexpr int kThreads = 64;

// ---- dynamic parallelism ----

__global__ void copy(const int* in, int* out) {
  out[threadIdx.x] =
      in[threadIdx.x];  // finds writes_after: race; finds no_barrier: race; finds two_blocks: race
}
__global__ void twice(int* p) {
  p[threadIdx.x] *= 2;  // finds two_streams: race; finds reads_result: race; finds forgotten: race
}
__global__ void pass_on(const int* in, int* out) {
  if (threadIdx.x == 0) copy<<<1, kThreads>>>(in, out);
}

// The parent changes the input of what it has launched.
template <bool Fixed>
__global__ void writes_after_parent(int* p, int* out) {
  if (Fixed) p[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) copy<<<1, kThreads>>>(p, out);
  if (!Fixed) p[threadIdx.x] = 1;  // finds writes_after: race
}
// The thread that launches knows its own stores only.
template <bool Fixed>
__global__ void no_barrier_parent(int* p, int* out) {
  p[threadIdx.x] = threadIdx.x;  // finds no_barrier: race
  if (Fixed) __syncthreads();
  if (threadIdx.x == 0) copy<<<1, kThreads>>>(p, out);
}
// What a kernel launches has ended before what it launches into the tail stream begins, not before the
// kernel.
template <bool Fixed>
__global__ void reads_result_parent(int* p, int* out) {
  if (threadIdx.x == 0) {
    twice<<<1, kThreads>>>(p);
    if (Fixed) copy<<<1, kThreads, 0, cudaStreamTailLaunch>>>(p, out);
  }
  __syncthreads();
  if (!Fixed) out[threadIdx.x] = p[threadIdx.x];  // finds reads_result: race
}
template <bool Fixed>
__global__ void two_streams_parent(int* p) {
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  twice<<<1, kThreads, 0, a>>>(p);
  if (Fixed) {
    cudaEvent_t done;
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaEventRecord(done, a);
    cudaStreamWaitEvent(b, done, 0);
    cudaEventDestroy(done);
  }
  twice<<<1, kThreads, 0, b>>>(p);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
}
// The stream without a name orders what one block launches, not what several do.
template <bool Fixed>
__global__ void two_blocks_parent(int* p, int* out) {
  if (threadIdx.x == 0) copy<<<1, kThreads>>>(p, out + (Fixed ? kThreads * blockIdx.x : 0));
}
template <bool Fixed>
__global__ void forgotten_parent(int* p) {
  twice<<<1, kThreads, 0, cudaStreamFireAndForget>>>(p);
  twice<<<1, kThreads, 0, Fixed ? cudaStreamTailLaunch : cudaStreamFireAndForget>>>(p);
}
// A grandchild works on what the parent of its parent still changes.
template <bool Fixed>
__global__ void grandchild_parent(int* p, int* out) {
  if (Fixed) p[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) pass_on<<<1, kThreads>>>(p, out);
  if (!Fixed) p[threadIdx.x] = 1;  // finds grandchild: race
}
// No block has so many threads. (The error is not seen where nobody calls cudaGetLastError() in the kernel.)
__global__ void too_many_parent(int* p, int threads) {
  twice<<<1, threads>>>(p);  // finds too_many: error returned; host
}
// Right: what is launched into one stream, by one block, one after the other; a tail that reads all results.
__global__ void sum_all(const int* p, int* out) {
  int sum = 0;
  for (int k = 0; k < 4 * kThreads; ++k) sum += p[k];
  *out = sum;
}
__global__ void in_order_parent(int* p, int* out) {
  int* own = p + blockIdx.x * kThreads;
  own[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int k = 0; k < 3; ++k) twice<<<1, kThreads>>>(own);
  if (blockIdx.x == 0 && threadIdx.x == 0) sum_all<<<1, 1, 0, cudaStreamTailLaunch>>>(p, out);
}

// ---- programmatic dependent launch ----

__global__ void primary(int* p) {
  p[threadIdx.x] =
      threadIdx.x;  // finds does_not_wait: race; finds waits_late: race; finds only_one_waits: race
  cudaTriggerProgrammaticLaunchCompletion();
}
template <bool Fixed>
__global__ void does_not_wait_secondary(int* p, int* out) {
  if (Fixed) cudaGridDependencySynchronize();
  out[threadIdx.x] = p[threadIdx.x];  // finds does_not_wait: race
}
template <bool Fixed>
__global__ void waits_late_secondary(int* p, int* out) {
  const int before = Fixed ? 0 : p[threadIdx.x];  // finds waits_late: race
  cudaGridDependencySynchronize();
  out[threadIdx.x] = before + p[kThreads - 1 - threadIdx.x];
}
// Who has not waited itself needs a barrier behind the wait of another.
template <bool Fixed>
__global__ void only_one_waits_secondary(int* p, int* out) {
  if (threadIdx.x == 0) cudaGridDependencySynchronize();
  if (Fixed) __syncthreads();
  out[threadIdx.x] = p[threadIdx.x];  // finds only_one_waits: race
}
// The secondary kernel changes what the primary reads.
__global__ void reading_primary(const int* in, int* out) {
  cudaTriggerProgrammaticLaunchCompletion();
  out[threadIdx.x] = in[threadIdx.x];  // finds changes_input: race
}
template <bool Fixed>
__global__ void changes_input_secondary(int* p, int* out) {
  if (Fixed) cudaGridDependencySynchronize();
  p[threadIdx.x] = 5;  // finds changes_input: race
}

void launch_early(void (*kernel)(int*, int*), int* p, int* out, bool early = true) {
  cudaLaunchConfig_t config{};
  config.gridDim = 1, config.blockDim = kThreads;
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = early;
  config.attrs = &attribute, config.numAttrs = 1;
  cudaLaunchKernelEx(&config, kernel, p, out);
}

template <bool Fixed>
void writes_after() {
  writes_after_parent<Fixed><<<1, kThreads>>>(zeros<int>(kThreads), zeros<int>(kThreads));
}
template <bool Fixed>
void no_barrier() {
  no_barrier_parent<Fixed><<<1, kThreads>>>(zeros<int>(kThreads), zeros<int>(kThreads));
}
template <bool Fixed>
void reads_result() {
  reads_result_parent<Fixed><<<1, kThreads>>>(zeros<int>(kThreads), zeros<int>(kThreads));
}
template <bool Fixed>
void two_streams() {
  two_streams_parent<Fixed><<<1, 1>>>(zeros<int>(kThreads));
}
template <bool Fixed>
void two_blocks() {
  int* p = zeros<int>(kThreads);
  const int one = 1;
  cudaMemcpy(p, &one, sizeof one, cudaMemcpyHostToDevice);
  two_blocks_parent<Fixed><<<2, 32>>>(p, zeros<int>(2 * kThreads));
}
template <bool Fixed>
void forgotten() {
  forgotten_parent<Fixed><<<1, 1>>>(zeros<int>(kThreads));
}
template <bool Fixed>
void grandchild() {
  grandchild_parent<Fixed><<<1, kThreads>>>(zeros<int>(kThreads), zeros<int>(kThreads));
}
template <bool Fixed>
void too_many() {
  too_many_parent<<<1, 1>>>(zeros<int>(2048), Fixed ? 1024 : 2048);
}
template <bool Fixed>
void in_order() {
  in_order_parent<<<4, kThreads>>>(zeros<int>(4 * kThreads), zeros<int>(1));
}
template <bool Fixed>
void does_not_wait() {
  int *p = zeros<int>(kThreads), *out = zeros<int>(kThreads);
  primary<<<1, kThreads>>>(p);
  launch_early(does_not_wait_secondary<Fixed>, p, out);
}
template <bool Fixed>
void waits_late() {
  int *p = zeros<int>(kThreads), *out = zeros<int>(kThreads);
  primary<<<1, kThreads>>>(p);
  launch_early(waits_late_secondary<Fixed>, p, out);
}
template <bool Fixed>
void only_one_waits() {
  int *p = zeros<int>(kThreads), *out = zeros<int>(kThreads);
  primary<<<1, kThreads>>>(p);
  launch_early(only_one_waits_secondary<Fixed>, p, out);
}
template <bool Fixed>
void changes_input() {
  int *p = zeros<int>(kThreads), *out = zeros<int>(kThreads);
  reading_primary<<<1, kThreads>>>(p, out);
  launch_early(changes_input_secondary<Fixed>, p, out);
}
// Right: without the attribute, after the host has waited, or behind a copy a launch begins when all is done.
template <bool Fixed>
void plain_launch() {
  int *p = zeros<int>(kThreads), *out = zeros<int>(kThreads);
  primary<<<1, kThreads>>>(p);
  launch_early(does_not_wait_secondary<false>, p, out, false);
  primary<<<1, kThreads>>>(p);
  cudaDeviceSynchronize();
  launch_early(does_not_wait_secondary<false>, p, out);
  cudaDeviceSynchronize();
  primary<<<1, kThreads>>>(p);
  cudaMemcpyAsync(out, p, kThreads * sizeof(int), cudaMemcpyDeviceToDevice);
  launch_early(does_not_wait_secondary<false>, p, out);
}

int main(int argc, char** argv) {
#define BOTH(name) \
  {#name, name<false>}, { #name "_fixed", name < true> }
  const Case cases[] = {BOTH(writes_after),
                        BOTH(no_barrier),
                        BOTH(reads_result),
                        BOTH(two_streams),
                        BOTH(two_blocks),
                        BOTH(forgotten),
                        BOTH(grandchild),
                        BOTH(too_many),
                        {"in_order_fixed", in_order<true>},
                        BOTH(does_not_wait),
                        BOTH(waits_late),
                        BOTH(only_one_waits),
                        BOTH(changes_input),
                        {"plain_launch_fixed", plain_launch<true>}};
  return run_case(cases, argc, argv);
}
