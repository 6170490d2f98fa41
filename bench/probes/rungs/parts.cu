// Times the rungs on tensor cores that split their operands on the GPU at hand beside cuBLAS, in one run, and
// prints CSV:
// inputs,kernel,n,band,ms,peer,peer_ms,ratio,tflops,max_rel,mean_rel,frobenius,peer_max_rel,peer_mean_rel,peer_frobenius,wrong
// Rows without times are errors only. `parts N…`: products of these sizes alone. nvcc -O3 -std=c++20
// --extended-lambda -gencode=arch=compute_90a,code=sm_90a -Isrc parts.cu -lcublas
#include "tensor_common.h"

#include "kernels/aat/tensor_lower.cu"
#include "kernels/matmul/tensor_halves.cu"
#include "kernels/matmul/tensor_karatsuba.cu"
#include "kernels/matmul/tensor_thirds.cu"

#ifdef VARIANTS  // of what the laboratory has
#define FULL(NAME, CL, RAISED, ...)                                                                      \
  typedef Parts<__VA_ARGS__, CL, true> T_##NAME;                                                         \
  extern "C" __global__ void __cluster_dims__(CL, 1, 1) __launch_bounds__(384, 1)                        \
      NAME(const TensorMap* maps, int n, int band, const int* er, const int* ec) {                       \
    part_tiles<T_##NAME, RAISED, false>(maps[0], maps[1], maps[2], n, n, Order<T_##NAME>(n, n, n, band), \
                                        Raised{er, ec});                                                 \
  }
#define LOW(NAME, CL, RAISED, ...)                                                                        \
  typedef Parts<__VA_ARGS__, CL, false> T_##NAME;                                                         \
  extern "C" __global__ void __cluster_dims__(CL, 1, 1) __launch_bounds__(384, 1)                         \
      NAME(const TensorMap* maps, int n, int band, const int* er, const int*) {                           \
    part_tiles<T_##NAME, RAISED, true>(maps[0], maps[1], maps[2], n, n, LowerOrder<T_##NAME>(n, n, band), \
                                       Raised{er, er});                                                   \
  }
FULL(halves_square_pair, 2, true, F16, 2, 3, 3)
FULL(thirds_pair, 2, false, Bf16, 3, 6, 2)
LOW(lower_thirds_pair, 2, false, Bf16, 3, 6, 2)
LOW(lower_pair, 2, true, F16, 2, 3, 3)
#endif
struct Bufs {
  float *a, *b, *c;
  uint2 *pa, *pb;
  int *ea, *eb;
  unsigned* largest;
  TensorMap* maps;
  Ref r;
  int n, pitch;
};
static TensorMap map_op(void* p, int n, int pitch, int parts, int box_rows, bool bf) {
  return make_map(bf ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, p,
                  {(cuuint64_t)n, (cuuint64_t)n, (cuuint64_t)parts}, {2ull * pitch, 2ull * pitch * n},
                  {64, (cuuint32_t)box_rows, 1});
}
static TensorMap map_c(void* p, int n) {
  return make_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, p, {(cuuint64_t)n, (cuuint64_t)n}, {4ull * n},
                  {32, 64});
}
/// Grid and blocks of a launch in clusters of two.
template <class... A>
static void launch_pairs(void (*kernel)(A...), int grid, int bytes, A... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(grid), config.blockDim = dim3(384), config.dynamicSmemBytes = bytes;
  cudaLaunchAttribute cluster;
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {2, 1, 1};
  config.attrs = &cluster, config.numAttrs = 1;
  CK(cudaLaunchKernelEx(&config, kernel, arguments...));
}
static void set_maps(const Bufs& u, int parts, int rows, bool bf, bool lower) {
  TensorMap m[3] = {map_op(u.pa, u.n, u.pitch, parts, rows, bf),
                    map_op(lower ? u.pa : u.pb, u.n, u.pitch, parts, 64, bf), map_c(u.c, u.n)};
  CK(cudaMemcpy(u.maps, m, sizeof m, cudaMemcpyHostToDevice));
}
template <class F>
static void allow(F f, int bytes) {
  CK(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}
static const char* kKinds[] = {"normal", "uniform", "wide", "rows", "cancel", "cancel_far", "hilbert"};
static Bufs make(int n) {
  Bufs u;
  u.n = n;
  u.pitch = up(n, 64) * 64;
  const size_t nn = (size_t)n * n, np = (size_t)n * u.pitch;
  CK(cudaMalloc(&u.a, 4 * nn));
  CK(cudaMalloc(&u.b, 4 * nn));
  CK(cudaMalloc(&u.c, 4 * nn));
  CK(cudaMalloc(&u.pa, 8 * np));
  CK(cudaMalloc(&u.pb, 8 * np));
  CK(cudaMalloc(&u.ea, 4 * n));
  CK(cudaMalloc(&u.eb, 4 * n));
  CK(cudaMalloc(&u.largest, 64 * n));
  CK(cudaMalloc(&u.maps, 384));
  CK(cudaMalloc(&u.r.da, 8 * nn));
  CK(cudaMalloc(&u.r.db, 8 * nn));
  CK(cudaMalloc(&u.r.ref, 8 * nn));
  CK(cudaMalloc(&u.r.mag, 8 * nn));
  return u;
}
static void drop(Bufs& u) {
  for (void* p :
       {(void*)u.a, (void*)u.b, (void*)u.c, (void*)u.pa, (void*)u.pb, (void*)u.ea, (void*)u.eb,
        (void*)u.largest, (void*)u.maps, (void*)u.r.da, (void*)u.r.db, (void*)u.r.ref, (void*)u.r.mag})
    cudaFree(p);
}
static int tiles(int n, int rows, int columns) { return up(n, rows) * up(n, columns); }
static int staying(int t) { return std::min(132, t); }
static void show(const char* family, const char* kind, const char* name, int n, int band, double ms,
                 const char* peer, double peer_ms, bool timed, const Errors& e, const Errors& pe) {
  const double work = 2.0 * n * n * n;
  char times[80] = ",,", rate[80] = ",";
  printf("%s %s,%s,%d,%d,", family, kind, name, n, band);
  if (timed) {
    snprintf(times, 80, "%.5f,%s,%.5f", ms, peer, peer_ms);
    snprintf(rate, 80, "%.4f,%.1f", peer_ms / ms, work / ms / 1e9);
  } else
    snprintf(times, 80, ",%s,", peer);
  printf("%s,%s,%.3g,%.3g,%.3g,%.3g,%.3g,%.3g,%llu\n", times, rate, e.max_rel, e.mean_rel, e.frob, pe.max_rel,
         pe.mean_rel, pe.frob, e.bad);
  fflush(stdout);
}
static void products(int n, int kind, bool timed) {
  Bufs u = make(n);
  const size_t nn = (size_t)n * n;
  fill_kind<<<1024, 256>>>(u.a, n, n, kind, 0, 1);
  fill_kind<<<1024, 256>>>(u.b, n, n, kind, 1, 2);
  reference(u.a, u.b, u.r, n, n, n);
  const float one = 1, zero = 0;
  const double work = 2.0 * n * n * n;
  const int batch = std::max(1, (int)(6e11 / work)), rounds = 9, panels = up(n, kSplitColumns);
  std::function<void()> sgemm = [=] {
    CB(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, u.b, n, u.a, n, &zero, u.c, n));
  };
  float warm = 0;
  while (timed && warm < 250) warm += time_batch(sgemm, batch) * batch;
  auto errs = [&] {
    CK(cudaDeviceSynchronize());
    return errors(u.c, u.r.ref, u.r.mag, nn);
  };
  CK(cudaMemset(u.c, 0xff, 4 * nn));
  sgemm();
  Errors es = errs();
  auto measure = [&](const char* name, int band, const std::function<void()>& f) {
    CK(cudaMemset(u.c, 0xff, 4 * nn));
    CK(cudaMemset(u.pa, 0xff, 8ull * n * u.pitch));
    CK(cudaMemset(u.pb, 0xff, 8ull * n * u.pitch));
    f();
    CK(cudaGetLastError());
    cudaError_t er = cudaDeviceSynchronize();
    if (er) {
      printf("%s n %d: %s\n", name, n, cudaGetErrorString(er));
      exit(5);
    }
    Errors e = errs();
    Pair p{0, 0};
    if (timed) {
      p = interleave(sgemm, f, rounds, batch);
      CK(cudaDeviceSynchronize());
      Errors again = errs();
      e.bad += again.bad;
      e.max_rel = std::max(e.max_rel, again.max_rel);
    }
    show("matmul", kKinds[kind], name, n, band, p.b, "cublasSgemm", p.a, timed, e, es);
  };
  std::function<void()> s2 = [=] {
    matmul_split_rows<<<n + panels * kScanSlices, 256>>>(u.a, u.b, u.pa, u.ea, u.largest, n, u.pitch);
    matmul_split_columns<<<dim3(panels, up(n, kSplitRows)), 256>>>(u.b, u.largest, u.pb, u.eb, n, u.pitch);
  };
  std::function<void()> s3 = [=] {
    matmul_split_thirds<<<dim3(up(n, 1024), n, 2), 256>>>(u.a, u.b, u.pa, u.pb, n, u.pitch);
  };
  const int bytes2 = Tensor<F16, 2, 2, 128, 2, 1, float>::kBytes,
            bytes3 = Parts<Bf16, 3, 6, 2, 1, true>::kBytes;
  allow(matmul_tensor_halves_384, bytes2);
  allow(matmul_tensor_thirds_384, bytes3);
  set_maps(u, 2, 256, false, false);
  measure("tensor_halves", 4, [=] {
    s2();
    matmul_tensor_halves_384<<<staying(tiles(n, 256, 128)), 384, bytes2>>>(u.maps, n, 4, u.ea, u.eb);
  });
  {
    const int bytes = Parts<F16, 2, 3, 3, 1, true>::kBytes;
    allow(matmul_tensor_halves_square_384, bytes);
    set_maps(u, 2, 128, false, false);
    measure("tensor_halves_square", 8, [=] {
      s2();
      matmul_tensor_halves_square_384<<<staying(tiles(n, 128, 128)), 384, bytes>>>(u.maps, n, 8, u.ea, u.eb);
    });
  }
  set_maps(u, 3, 128, true, false);
  for (int band : {8, 16}) {
    measure("tensor_thirds", band, [=] {
      s3();
      matmul_tensor_thirds_384<<<staying(tiles(n, 128, 128)), 384, bytes3>>>(u.maps, n, band);
    });
    if (!timed) break;
  }
  {
    const int bytes = Karatsuba<6, 2>::kBytes;
    allow(matmul_tensor_karatsuba_384, bytes);
    TensorMap m[3] = {map_op(u.pa, n, u.pitch, 4, 128, false), map_op(u.pb, n, u.pitch, 4, 64, false),
                      map_c(u.c, n)};
    if (n != u.pitch)  // rows are copied to their ends
      for (int i : {0, 1})
        m[i] = make_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, i ? u.pb : u.pa,
                        {(cuuint64_t)u.pitch, (cuuint64_t)n, 4}, {2ull * u.pitch, 2ull * u.pitch * n},
                        {64, i ? 64u : 128u, 1});
    CK(cudaMemcpy(u.maps, m, sizeof m, cudaMemcpyHostToDevice));
    measure("tensor_karatsuba", 8, [=] {
      matmul_split_rows_karatsuba<<<n + panels * kScanSlices, 256>>>(u.a, u.b, (uint4*)u.pa, u.ea, u.largest,
                                                                     n, u.pitch);
      matmul_split_columns_karatsuba<<<dim3(up(n, 32), up(n, 128)), 256>>>(u.b, u.largest, (uint4*)u.pb, u.eb,
                                                                           n, u.pitch);
      launch_pairs<const TensorMap*, int, int, const int*, const int*>(
          matmul_tensor_karatsuba_384, std::min(66, tiles(n, 256, 128)) * 2, bytes, u.maps, n, 8, u.ea, u.eb);
    });
  }
#ifdef VARIANTS
  if (timed) {
    set_maps(u, 3, 128, true, false);
    allow(thirds_pair, bytes3);
    for (int band : {4, 8})
      measure("thirds_pair", band, [=] {
        s3();
        thirds_pair<<<std::min(66, tiles(n, 256, 128)) * 2, 384, bytes3>>>(u.maps, n, band, nullptr, nullptr);
      });
    set_maps(u, 2, 128, false, false);
    const int b = Parts<F16, 2, 3, 3, 1, true>::kBytes;
    allow(halves_square_pair, b);
    measure("halves_square_pair", 4, [=] {
      s2();
      halves_square_pair<<<std::min(66, tiles(n, 256, 128)) * 2, 384, b>>>(u.maps, n, 4, u.ea, u.eb);
    });
  }
#endif
  drop(u);
}
static void squares(int n, int kind, bool timed) {
  Bufs u = make(n);
  const size_t nn = (size_t)n * n;
  fill_kind<<<1024, 256>>>(u.a, n, n, kind, 0, 1);
  const double oned = 1, zerod = 0;
  for (int ab = 0; ab < 2; ++ab) {
    widen<<<1024, 256>>>(u.a, u.r.da, nn, ab);
    CB(cublasDgemm(h, CUBLAS_OP_T, CUBLAS_OP_N, n, n, n, &oned, u.r.da, n, u.r.da, n, &zerod,
                   ab ? u.r.mag : u.r.ref, n));
  }
  const float one = 1, zero = 0;
  const double work = 2.0 * n * n * n;
  const int batch = std::max(1, (int)(6e11 / work)), rounds = 9, side = up(n, 128),
            lower = side * (side + 1) / 2;
  std::function<void()> sgemm = [=] {
    CB(cublasSgemm(h, CUBLAS_OP_T, CUBLAS_OP_N, n, n, n, &one, u.a, n, u.a, n, &zero, u.c, n));
  };
  std::function<void()> syrk = [=] {
    CB(cublasSsyrk(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, n, n, &one, u.a, n, &zero, u.c, n));
    mirror<<<dim3(up(n, 32), up(n, 32)), dim3(32, 8)>>>(u.c, n);
  };
  float warm = 0;
  while (timed && warm < 250) warm += time_batch(sgemm, batch) * batch;
  auto errs = [&] {
    CK(cudaDeviceSynchronize());
    return errors(u.c, u.r.ref, u.r.mag, nn);
  };
  CK(cudaMemset(u.c, 0xff, 4 * nn));
  syrk();
  Errors ey = errs();
  CK(cudaMemset(u.c, 0xff, 4 * nn));
  sgemm();
  Errors es = errs();
  auto measure = [&](const char* name, int band, const std::function<void()>& f) {
    CK(cudaMemset(u.c, 0xff, 4 * nn));
    CK(cudaMemset(u.pa, 0xff, 6ull * n * u.pitch));
    f();
    CK(cudaGetLastError());
    cudaError_t er = cudaDeviceSynchronize();
    if (er) {
      printf("%s n %d: %s\n", name, n, cudaGetErrorString(er));
      exit(5);
    }
    Errors e = errs();
    Pair p{0, 0}, q{0, 0};
    if (timed) {
      p = interleave(syrk, f, rounds, batch);
      q = interleave(sgemm, f, rounds, batch);
      CK(cudaDeviceSynchronize());
      Errors again = errs();
      e.bad += again.bad;
      e.max_rel = std::max(e.max_rel, again.max_rel);
    }
    show("aat", kKinds[kind], name, n, band, p.b, "cublasSsyrk and mirror", p.a, timed, e, ey);
    if (timed) show("aat", kKinds[kind], name, n, band, q.b, "cublasSgemm", q.a, timed, e, es);
  };
  const int bytes2 = Parts<F16, 2, 3, 3, 1, false>::kBytes, bytes3 = Parts<Bf16, 3, 6, 2, 1, false>::kBytes;
  allow(aat_tensor_lower_384, bytes2);
  allow(aat_tensor_lower_thirds_384, bytes3);
  set_maps(u, 2, 128, false, true);
  measure("tensor_lower", 16, [=] {
    aat_split_halves<<<n, 256>>>(u.a, u.pa, u.ea, n, u.pitch);
    aat_tensor_lower_384<<<staying(lower), 384, bytes2>>>(u.maps, n, 16, u.ea);
  });
#ifdef VARIANTS
  const int s2 = up(n, 256), lower2 = s2 * (s2 + 1);
  if (timed) {
    allow(lower_pair, bytes2);
    measure("lower_pair", 8, [=] {
      aat_split_halves<<<n, 256>>>(u.a, u.pa, u.ea, n, u.pitch);
      lower_pair<<<std::min(66, lower2) * 2, 384, bytes2>>>(u.maps, n, 8, u.ea, nullptr);
    });
  }
#endif
  set_maps(u, 3, 128, true, true);
  measure("tensor_lower_thirds", 16, [=] {
    aat_split_thirds<<<dim3(up(n, 1024), n), 256>>>(u.a, u.pa, n, u.pitch);
    aat_tensor_lower_thirds_384<<<staying(lower), 384, bytes3>>>(u.maps, n, 16);
  });
#ifdef VARIANTS
  if (timed) {
    allow(lower_thirds_pair, bytes3);
    measure("lower_thirds_pair", 8, [=] {
      aat_split_thirds<<<dim3(up(n, 1024), n), 256>>>(u.a, u.pa, n, u.pitch);
      lower_thirds_pair<<<std::min(66, lower2) * 2, 384, bytes3>>>(u.maps, n, 8, nullptr, nullptr);
    });
  }
#endif
  drop(u);
}
int main(int argc, char** argv) {
  h = open_cublas();
  printf(
      "inputs,kernel,n,band,ms,peer,peer_ms,ratio,tflops,max_rel,mean_rel,frobenius,peer_max_rel,peer_mean_"
      "rel,peer_frobenius,wrong\n");
  for (int i = 1; i < argc; ++i) products(atoi(argv[i]), 0, true);
  for (int i = 1; i < argc; ++i)
    for (int k : {1, 2, 3, 4, 5, 6}) products(atoi(argv[i]), k, false);
  if (argc > 1) return 0;
  for (int n : {4096, 8192, 512, 1000, 1024, 2048, 16384}) {
    products(n, 0, true);
    squares(n, 0, true);
  }
  for (int n : {4096, 8192}) {
    products(n, 0, true);
    squares(n, 0, true);
  }  // again
  for (int n : {1000, 4096, 8192})
    for (int k : {1, 2, 3, 4, 5, 6}) {
      products(n, k, false);
      if (k < 6) squares(n, k, false);
    }
}
