#!/usr/bin/env python3
"""Programs of one file under `warpwright run --compiler clang` or `nvcc`: they must print their lines "// expect:". With
clang also what the command line says of files that do not compile, and of `check` and `profile`."""
import pathlib, subprocess, sys, tempfile

program, compiler = sys.argv[1], sys.argv[2]
here = pathlib.Path(__file__).resolve().parent
failed = passed = 0


def judge(name, good, text=""):
    global failed, passed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"{name}: FAILED\n{text}")


def run(*words, command="run"):
    return subprocess.run([program, command, "--compiler", compiler, *words], capture_output=True, text=True, timeout=120)


for source in sorted(here.glob("*.cu")):
    lines = source.read_text().splitlines(True)
    expected = "".join(l[len("// expect: "):] for l in lines if l.startswith("// expect: "))
    if compiler == "nvcc" and source.stem in ("mathematics", "references"):
        continue  # CUDA's own functions are not what it is about; since CUDA 12 it has no references
    got = run(str(source), "its", "arguments")
    judge(source.name, got.returncode == 0 and got.stdout == expected, f"exit code {got.returncode}\n{got.stdout}{got.stderr}")

# GPUs that a compiler has nothing for. (nvcc 13 begins at compute capability 7.5, clang 19 at 2.0.)
got = run("--gpu", "gt240", str(here / "language.cu"))
said = "clang compiles for compute capability 2.0 and later" if compiler == "clang" else "compute capability 1.2, and this nvcc compiles for"
judge("a GPU without a compiler", got.returncode == 2 and said in got.stderr and "--gpu names another" in got.stderr, got)

# Device code of two files; by hand: i * i + 10 (i + 1) + 7 + 1, and 40 30 20 10 and 2 each.
linked = here / "linked"
got = run("--flags", f"-rdc=true {linked / 'other.cu'}", str(linked / "main.cu"))
judge("linked device code", got.stdout == "18 29 42 57 42 32 22 12 calls 108, no error\n", got)
file = linked / "main.cu"
got = run(str(file))
judge("without the other file", got.returncode == 2 and "launch_other" in got.stderr, got)

with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "own.cu"
    file.write_text('''#include <cstdio>
#include "two.h"
int main(int count, char** words) { printf("%d %s %d\\n", count, words[1], TWO + half_of(6)); return 3; }
''')
    (pathlib.Path(folder) / "two.h").write_text("#define TWO 2\nint half_of(int);\n")
    (pathlib.Path(folder) / "other.cpp").write_text("int half_of(int x) { return x / 2; }\n")
    got = run("--flags", f"-I {folder} -O1 -Xcompiler -Wall -arch=sm_80 {folder}/other.cpp", str(file), "word")
    judge("flags and arguments", got.returncode == 3 and got.stdout == "2 word 5\n", got)

    # A first study is compiled by the compiler that init was given.
    file.write_text("__global__ void twice(const float* x, float* y, int n) { int i = threadIdx.x; if (i < n) y[i] = 2 * x[i]; }")
    study = pathlib.Path(folder) / "own.json"
    got = run(str(file), command="init")
    judge("init", got.returncode == 0 and f'"compiler": "{compiler}",' in study.read_text(), got)
    study.write_text(study.read_text().replace(f'"{compiler}"', '"icc"'))
    got = subprocess.run([program, "study", str(study)], capture_output=True, text=True, timeout=120)
    judge("a study's unknown compiler", got.returncode == 2 and "unknown compiler 'icc'" in got.stderr, got)
    if compiler == "clang":
        # Names of texture references, which only programs that have them get: others may have their own.
        file.write_text("struct texture { int surface; };\nint main() { return texture{4}.surface; }\n")
        got = run(str(file))
        judge("own names", got.returncode == 4, got)

    # What nvcc takes, too: constants of templates that are no integers, isinf() of the header that has std::isinf.
    file.write_text('''#include <cmath>
template <class T> struct Sum { static const T zero = static_cast<T>(0); __device__ T of(T a) { return a + zero; } };
__global__ void k(float* p) { *p = Sum<float>().of(2.5f); }
int main() {
  float* p;
  cudaMallocManaged(&p, 4);
  k<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  return *p == 2.5f && isinf(*p / 0) && !isnan(*p) && signbit(-1.0) && isfinite(*p) ? 5 : 1;
}
''')
    got = run(str(file))
    judge("constants and isinf", got.returncode == 5, got)

    # What nvcc takes, too: registers of PTX with one %, spaces in a launch's brackets, headers of parts, time() without a header of its own.
    file.write_text('''#include "two.h"
#include <sm_61_intrinsics.h>
#include <cstdio>
__global__ void k(unsigned* lanes) { asm("mov.u32 %0, %laneid;" : "=r"(lanes[threadIdx.x])); cudaGridDependencySynchronize(); }
int main() {
  unsigned* lanes;
  cudaMallocManaged(&lanes, 64 * sizeof *lanes);
  k << < 1, 64 >> > (lanes);
  cudaDeviceSynchronize();
  printf("%u %u %d %d\\n", lanes[31], lanes[32], time(nullptr) > 0, __LINE__);
}
''')
    got = run(str(file))
    judge("one percent", got.stdout == "31 0 1 10\n", got)

    # `launch` takes the same compiler, also where the file's host code launches; by hand: 32 lanes add 1 each.
    file.write_text('''#include <cstdio>
__global__ void scale(float* out, const float* in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i] + __reduce_add_sync(0xffffffffu, 1);
}
int main() { scale<<<1, 32>>>(nullptr, nullptr); printf("%d\\n", cudaDeviceSynchronize()); }
''')
    arguments = ("--arg", "out:f32[64]", "--arg", "random:f32[64]", "--verify", "out=2*in+32")
    got = run(str(file), "--grid", "2", "--block", "32", "--arch", "80", *arguments, command="launch")
    judge("launch", got.returncode == 0 and "warp_instructions" in got.stdout, got)
    got = run(str(file), "--grid", "2", "--block", "32", "--arch", "80", *arguments[:-1], "out=2*in+31", command="launch")
    judge("launch, verified", got.returncode == 1, got)

    file.write_text("__global__ void k() { not_there(); }\nint main() {}\n")
    got = run(str(file))
    judge("does not compile", got.returncode == 2 and "not_there" in got.stderr and "own.cu" in got.stderr, got)

    file.write_text('''__global__ void k(int* p) { p[threadIdx.x] = 1; }
int main() { int* p; cudaMalloc(&p, 31 * 4); k<<<1, 32>>>(p); return cudaDeviceSynchronize(); }
''')
    got = run(str(file), command="check")
    judge("check finds the line", got.returncode == 1 and "own.cu:1" in got.stderr, got)
    file.write_text(file.read_text().replace("31", "32"))
    got = run("--format", "csv", str(file), command="profile")
    judge("profile counts", got.returncode == 0 and "global_store_sectors" in got.stdout, got)

    if compiler == "clang":
        # Of before CUDA 9, which nvcc 13 has no more. By hand: the right neighbour's number, 100 times the partner's, 10000
        # times that of two before within 16; of the first 8 lanes, 5 are below 5.
        file.write_text('''#include <cstdio>
#include <omp.h>
__global__ void k(int* o, float* f) {
  int t = threadIdx.x;
  o[t] = __shfl(t, (t + 1) % 32) + 100 * __shfl_xor(t, 1) + 10000 * __shfl_up(t, 2, 16);
  f[t] = __shfl_down(t * 0.5f, 4);
  if (t < 8) o[t] += __any(t == 3) * 1000000 + __popc(__ballot(t < 5)) * 10000000 + __all(t < 8) * 100000000;
}
int main() {
  int* o;
  float* f;
  cudaMallocManaged(&o, 128);
  cudaMallocManaged(&f, 128);
  k<<<1, 32>>>(o, f);
  cudaDeviceSynchronize();
  for (int i : {0, 9, 17, 31}) printf("%d %g ", o[i], f[i]);
  printf("%d %d\\n", omp_get_max_threads(), omp_get_wtime() > 0);
}
''')
        got = run(str(file))
        judge("shuffles without masks, OpenMP for one thread",
              got.stdout == "151000101 2 70810 6.5 171618 10.5 293000 15.5 1 1\n", got)

        # cuBLAS by our header. By hand: A = (1 3; 2 4), B = (5 7; 6 8), A B, A' B, |(3, 4)|; (1+2i)/(3-4i), (1+2i)(3-4i).
        file.write_text('''#include <cublas_v2.h>
#include <cuComplex.h>
#include <nvtx3/nvToolsExt.h>
#include <cstdio>
__global__ void k(cuComplex* z, cuDoubleComplex* w) {
  *z = cuCdivf(make_cuComplex(1, 2), make_cuComplex(3, -4));
  *w = cuCmul(make_cuDoubleComplex(1, 2), cuConj(make_cuDoubleComplex(3, 4)));
}
int main() {
  float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, c[12], *d, one = 1, zero = 0, n;
  int at;
  cudaMalloc(&d, 80);
  cublasHandle_t h;
  cublasCreate(&h);
  nvtxRangePush("products");
  cublasSetMatrix(2, 2, 4, a, 2, d, 2);
  cublasSetMatrix(2, 2, 4, b, 2, d + 4, 2);
  cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, d, 2, d + 4, 2, &zero, d + 8, 2);
  cublasGemmEx(h, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, 2, &one, d, CUDA_R_32F, 2, d + 4, CUDA_R_32F, 2, &zero, d + 12, CUDA_R_32F,
               2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  cublasGemmEx(h, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, 2, &one, d, CUDA_R_32F, 2, d + 4, CUDA_R_32F, 2, &zero, d + 16, CUDA_R_32F,
               2, CUDA_R_32F, CUBLAS_GEMM_DEFAULT);  // as before CUDA 11
  cublasGetVector(12, 4, d + 8, 1, c, 1);
  cublasIsamax(h, 4, d, 1, &at);
  cublasSnrm2(h, 2, d + 2, 1, &n);
  for (float x : c) printf("%g ", x);
  printf("%d %g\\n", at, n);
  cuComplex* z;
  cuDoubleComplex* w;
  cudaMallocManaged(&z, 8);
  cudaMallocManaged(&w, 16);
  k<<<1, 1>>>(z, w);
  cudaDeviceSynchronize();
  printf("%g %g %g %g %g\\n", z->x, z->y, w->x, w->y, cuCabs(make_cuDoubleComplex(3, 4)));
  nvtxRangePop();
  return cublasDestroy(h);
}
''')
        got = run("--flags", "-lcublas", str(file))
        judge("cuBLAS", got.returncode == 0 and got.stdout == "23 34 31 46 17 39 23 53 17 39 23 53 4 5\n-0.2 0.4 11 2 5\n", got)

        # Pools, and handles for other processes; by hand: 2 + 3, 4096 bytes in use at the most.
        file.write_text('''#include <cstdint>
#include <cstdio>
__global__ void add(int* p, const int* q) { *p += *q; }
int main() {
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t own, usual;
  uint64_t keep = UINT64_MAX, most = 0;
  int *p, *q, sum = 2, more = 3, bad = cudaMemPoolCreate(&own, &props) + cudaDeviceGetDefaultMemPool(&usual, 0);
  bad += cudaMemPoolSetAttribute(usual, cudaMemPoolAttrReleaseThreshold, &keep);
  cudaStream_t s;
  cudaStreamCreate(&s);
  bad += cudaMallocAsync(&p, 4096, own, s) + cudaMallocFromPoolAsync(&q, 4, usual, s);
  cudaMemcpyAsync(p, &sum, 4, cudaMemcpyHostToDevice, s);
  cudaMemcpyAsync(q, &more, 4, cudaMemcpyHostToDevice, s);
  add<<<1, 1, 0, s>>>(p, q);
  cudaMemcpyAsync(&sum, p, 4, cudaMemcpyDeviceToHost, s);
  bad += cudaFreeAsync(p, s) + cudaFreeAsync(q, s) + cudaStreamSynchronize(s);
  bad += cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemHigh, &most) + cudaMemPoolDestroy(own);
  void* shared;
  cudaIpcMemHandle_t handle;
  cudaMalloc(&shared, 4);
  bad += cudaIpcGetMemHandle(&handle, shared);
  printf("%d %d %d\\n", sum, (int)most, bad);
}
''')
        got = run(str(file))
        judge("pools", got.stdout == "5 4096 0\n", got)

        file.write_text("int main() {}\n")
        got = run("--flags", "-dlto", str(file))
        judge("a flag without a counterpart", got.returncode == 2 and "-dlto takes nvcc" in got.stderr, got)
        file.write_text("__global__ void a() {}\n__global__ void b() { a<<<1, 1>>>(); }\nint main() {}\n")
        got = run(str(file))
        judge("kernels that launch kernels", got.returncode == 2 and "own.cu:2" in got.stderr and "nvcc" in got.stderr, got)
        file.write_text("#include <curand_kernel.h>\nint main() {}\n")
        got = run(str(file))
        judge("headers of libraries", got.returncode == 2 and "come with the CUDA toolkit" in got.stderr, got)

print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
