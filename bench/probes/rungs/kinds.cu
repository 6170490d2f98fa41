// The library's float32 products of every kind of input (tensor_common.h) beside cublasSgemm: errors against
// float64, as parts of Σ|terms|, and times in turns. Prints CSV:
// inputs,accuracy,n,ms,peer_ms,ratio,max_rel,mean_rel,frobenius,peer_max_rel,peer_mean_rel,peer_frobenius,wrong
// nvcc -O3 -std=c++20 --extended-lambda -gencode=arch=compute_90a,code=sm_90a -Isrc
//   -Ibuild/release/include/warpwright_kernels kinds.cu -Lbuild/release -lwarpwright_kernels -lcublas
#include <warpwright/kernels.h>

#include "tensor_common.h"

namespace ww_ = warpwright;
#define WK(x)                                                                          \
  do {                                                                                 \
    ww_::Status s_ = (x);                                                              \
    if (s_ != ww_::Status::ok) printf("%s at %d\n", ww_::text(s_), __LINE__), exit(3); \
  } while (0)

int main(int argc, char** argv) {
  static const char* kKinds[] = {"normal", "uniform", "wide", "rows", "cancel", "cancel_far", "hilbert"};
  h = open_cublas();
  printf(
      "inputs,accuracy,n,ms,peer_ms,ratio,max_rel,mean_rel,frobenius,peer_max_rel,peer_mean_rel,peer_"
      "frobenius,wrong\n");
  for (int i = 1; i < argc; ++i) {
    const int n = atoi(argv[i]);
    const size_t nn = (size_t)n * n, bytes = ww_::matmul_workspace(n, n, n, ww_::Accuracy::float32);
    float *a, *b, *c;
    Ref r;
    void* room;
    for (float** p : {&a, &b, &c}) CK(cudaMalloc(p, 4 * nn));
    for (double** p : {&r.da, &r.db, &r.ref, &r.mag}) CK(cudaMalloc(p, 8 * nn));
    CK(cudaMalloc(&room, bytes));
    for (int kind = 0; kind < 7; ++kind) {
      fill_kind<<<1024, 256>>>(a, n, n, kind, 0, 11);
      fill_kind<<<1024, 256>>>(b, n, n, kind, 1, 12);
      reference(a, b, r, n, n, n);
      const float one = 1, zero = 0;
      std::function<void()> theirs = [=] {
        CB(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, a, n, &zero, c, n));
      };
      std::function<void()> ours = [=] {
        WK(ww_::matmul(nullptr, {a, n, n, n}, {b, n, n, n}, {c, n, n, n}, ww_::Accuracy::float32,
                       {room, bytes}));
      };
      const auto errs = [&](const std::function<void()>& f) {
        CK(cudaMemset(c, 0xff, 4 * nn));
        f();
        CK(cudaDeviceSynchronize());
        return errors(c, r.ref, r.mag, nn);
      };
      const Errors e = errs(ours), p = errs(theirs);
      const Pair t = interleave(theirs, ours, 7, std::max(1, (int)(3e11 / (2.0 * n * nn))));
      printf("%s,float32,%d,%.5f,%.5f,%.4f,%.3g,%.3g,%.3g,%.3g,%.3g,%.3g,%llu\n", kKinds[kind], n, t.b, t.a,
             t.a / t.b, e.max_rel, e.mean_rel, e.frob, p.max_rel, p.mean_rel, p.frob, e.bad);
      fflush(stdout);
    }
    for (void* p : {(void*)a, (void*)b, (void*)c, (void*)r.da, (void*)r.db, (void*)r.ref, (void*)r.mag, room})
      cudaFree(p);
  }
}
