// cuRAND's host API against its own device functions, which the manual says give the same numbers: the first of
// 4096 sequences of XORWOW, one after the other (cuRAND manual, ordering of the legacy generators); means of uniform and normal
// numbers; a second seed differs; a graph generates anew.
// link: -lcurand
// expect: same 1
// expect: uniform 1 normal 1
// expect: other seed 1
// expect: graph 1
// expect: philox 1
#include <curand.h>
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kSequences = 4096, kEach = 2;
__global__ void on_device(unsigned* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandStateXORWOW_t state;
  curand_init(1234, i, 0, &state);
  for (int k = 0; k < kEach; ++k) out[k * kSequences + i] = curand(&state);
}
template <class T>
std::vector<T> host(const T* p, size_t n) {
  std::vector<T> v(n);
  cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
  return v;
}

int main() {
  constexpr size_t n = kSequences * kEach;
  unsigned *a, *b;
  float* f;
  cudaMalloc(&a, n * 4), cudaMalloc(&b, n * 4), cudaMalloc(&f, n * 4);
  curandGenerator_t g;
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_XORWOW);
  curandSetPseudoRandomGeneratorSeed(g, 1234);
  curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_LEGACY);
  curandGenerate(g, a, n);
  on_device<<<kSequences / 128, 128>>>(b);
  auto first = host(a, n);
  printf("same %d\n", first == host(b, n));
  curandGenerateUniform(g, f, n);
  double sum = 0, squares = 0;
  for (float x : host(f, n)) sum += x;
  const bool uniform = std::fabs(sum / n - 0.5) < 5 * std::sqrt(1 / 12.0 / n);
  curandGenerateNormal(g, f, n, 3, 2);
  sum = 0;
  for (float x : host(f, n)) sum += x, squares += (x - 3.0) * (x - 3.0);
  printf("uniform %d normal %d\n", uniform,
         std::fabs(sum / n - 3) < 5 * 2 / std::sqrt(n) && std::fabs(squares / n / 4 - 1) < 5 * std::sqrt(2.0 / n));
  curandSetPseudoRandomGeneratorSeed(g, 5);
  curandGenerate(g, a, n);
  printf("other seed %d\n", first != host(a, n));

  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&s);
  curandSetStream(g, s);
  cudaMemset(a, 0, n * 4);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  curandGenerate(g, a, n);
  cudaStreamEndCapture(s, &graph);
  const bool nothing = host(a, 1)[0] == 0;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, s), cudaStreamSynchronize(s);
  auto once = host(a, n);
  cudaGraphLaunch(exec, s), cudaStreamSynchronize(s);
  printf("graph %d\n", nothing && once[1] != 0 && once != host(a, n));
  curandDestroyGenerator(g);
  bool good = curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10) == CURAND_STATUS_SUCCESS;
  double* d;
  cudaMalloc(&d, n * 8);
  good &= curandGenerateUniformDouble(g, d, n) == CURAND_STATUS_SUCCESS;
  sum = 0;
  for (double x : host(d, n)) sum += x;
  printf("philox %d\n", good && std::fabs(sum / n - 0.5) < 5 * std::sqrt(1 / 12.0 / n));
}
