// What a program can do wrong with memory, one mistake for each word on its command line. A comment on a line
// says what `warpwright check` must find there: the modes and the kind of the finding.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void fill(int* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) p[i] = i;  // finds off_by_one: out-of-bounds write
}
__global__ void fill_right(int* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = i;
}
__global__ void read_at(const int* p, long at, int* out) {
  *out = p[at];  // finds far, null, host_pointer: out-of-bounds read; finds freed: use after free (read)
}
__device__ int add_to(int* p, int by) {
  return atomicAdd(p, by);  // finds in_header, crash, leave: out-of-bounds write
}
__global__ void add(int* p, int at) { add_to(p + at, 1); }
__global__ void crooked(char* p) {
  *reinterpret_cast<int*>(p + 1) = 1;  // finds misaligned: misaligned write
}
__global__ void tile(int* out, int shift) {
  __shared__ int row[32];
  row[threadIdx.x + shift] = threadIdx.x;  // finds shared: out-of-bounds write
  __syncthreads();
  out[threadIdx.x] = row[threadIdx.x];
}

__constant__ int table[40];
__global__ void look(int* out, int at) {
  out[threadIdx.x] = table[at + threadIdx.x];  // finds constants: out-of-bounds read
}

__global__ void copy(const int* from, int* to) {
  to[threadIdx.x] = from[threadIdx.x];  // finds unset: uninitialised
}

__global__ void stop() { __trap(); }  // finds trap: trap

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  auto is = [&](const char* m) { return std::strcmp(mode, m) == 0; };
  int *a = nullptr, *b = nullptr;
  cudaMalloc(&a, 1000 * sizeof(int));
  cudaMalloc(&b, 1000 * sizeof(int));
  cudaMemset(a, 0, 4000);
  cudaMemset(b, 0, 4000);
  int host[1000] = {};
  if (is("off_by_one")) fill<<<8, 128>>>(a, 1000);
  if (is("clean")) {
    fill_right<<<8, 128>>>(a, 1000);
    read_at<<<1, 1>>>(a, 999, b);
    add<<<1, 32>>>(a, 5);
    tile<<<1, 32>>>(b, 0);
    cudaMemcpy(host, a, 4000, cudaMemcpyDeviceToHost);
  }
  if (is("far")) read_at<<<1, 1>>>(a, 5000, b);
  if (is("null")) read_at<<<1, 1>>>(nullptr, 0, b);
  if (is("host_pointer")) read_at<<<1, 1>>>(host, 3, b);
  if (is("freed")) {
    int* c = nullptr;
    cudaMalloc(&c, 400);
    cudaFree(c);
    read_at<<<1, 1>>>(c, 3, b);
  }
  if (is("in_header")) add<<<1, 32>>>(a, 1000);
  if (is("misaligned")) crooked<<<1, 1>>>(reinterpret_cast<char*>(a));
  if (is("shared")) tile<<<1, 32>>>(b, 1);
  if (is("unset")) {
    int *c = nullptr, *d = nullptr;
    cudaMalloc(&c, 400);
    cudaMalloc(&d, 400);
    copy<<<1, 32>>>(c, d);
    cudaMemcpy(host, d, 128, cudaMemcpyDeviceToHost);  // read here
    cudaFree(c);
    cudaFree(d);
  }
  if (is("exchanged")) {
    cudaMemset(a, 2000, 0);      // no byte
    cudaMemset(b + 990, 40, 0);  // what is left of b
  }
  if (is("empty_sets"))
    for (int value : {0, 40, 255, -1}) cudaMemset(a, value, 0);
  if (is("trap")) stop<<<1, 32>>>();
  if (is("refused")) fill<<<1, 2048>>>(a, 10);
  if (is("constants")) look<<<1, 32>>>(a, 40);
  if (is("bad_event")) {
    cudaEvent_t gone;
    cudaEventCreate(&gone);
    cudaEventDestroy(gone);
    cudaEventRecord(gone);
  }
  if (is("crash")) {
    add<<<1, 32>>>(a, 1000);
    std::abort();
  }
  if (is("leave")) {
    add<<<1, 32>>>(a, 1000);
    _exit(3);
  }
  if (is("double_free")) {
    cudaFree(b);
    cudaFree(b);
  }
  if (is("invalid_free")) cudaFree(a + 10);
  if (is("small_free")) cudaFree(reinterpret_cast<void*>(8));
  if (is("copy_too_long")) cudaMemcpy(a, host, 4004, cudaMemcpyHostToDevice);
  if (is("copy_backwards")) cudaMemcpy(host, a, 4000, cudaMemcpyHostToDevice);
  if (is("copy_freed")) {
    cudaFree(b);
    cudaMemcpy(host, b, 4000, cudaMemcpyDeviceToHost);
    b = nullptr;
  }
  cudaError_t end = cudaDeviceSynchronize();
  if (!is("leak")) {
    if (!is("double_free")) cudaFree(b);
    cudaFree(a);
  }
  std::printf("%s\n", cudaGetErrorString(end));
  return 0;
}
