// Times the laboratory's box sums and sums on the GPU at hand beside copies and CUB, in one run, and prints
// CSV:
// family,kernel,n,r,blocks,ms,peer,peer_ms,ratio,rate,max_rel,mean_rel,frobenius,peer_max_rel,peer_mean_rel,wrong
// (blocks: of a multiprocessor for box sums, of the grid for sums; rate in GB/s)
// nvcc -O3 -std=c++20 --extended-lambda -gencode=arch=compute_90a,code=sm_90a -Isrc memory.cu -lcublas
#include "common.h"

#include <thrust/iterator/transform_iterator.h>
#include <cub/cub.cuh>

#include "kernels/box_sum/any_rows.cu"
#include "kernels/box_sum/block_sums.cu"
#include "kernels/box_sum/bulk_rows.cu"
#include "kernels/box_sum/chunk_sums.cu"
#include "kernels/box_sum/rows_first.cu"
#include "kernels/box_sum/running.cu"
#include "kernels/box_sum/strips.h"
BLOCK_SUMS(64, 3)
BLOCK_SUMS(128, 3)  // which the laboratory does not have
#include "kernels/sum/bulk_loads.cu"
#include "kernels/sum/wide_loads.cu"
__global__ void empty_kernel() {}
struct Peer {
  const char* name;
  double ms;
  Errors e;
};
static void row(const char* family, const char* kernel, long n, int r, int k, double ms, const Peer& p,
                double peer_ms, double rate, const Errors& e) {
  printf("%s,%s,%ld,%d,%d,%.6f,%s,%.6f,%.4f,%.2f,%.4g,%.4g,%.4g,%.4g,%.4g,%llu\n", family, kernel, n, r, k,
         ms, p.name, peer_ms, peer_ms / ms, rate, e.max_rel, e.mean_rel, e.frob, p.e.max_rel, p.e.mean_rel,
         e.bad);
  fflush(stdout);
}
template <class F>
static void allow(F f, int bytes) {
  CK(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}
// Float64 references of the box sum.
__global__ void ref_h(const float* in, double* d, int n, int r, int absolute) {
  const int side = n - 2 * r, x0 = (blockIdx.x * blockDim.x + threadIdx.x) * 16, y = blockIdx.y;
  if (x0 >= side) return;
  const float* p = in + (size_t)y * n;
  double s = 0;
  for (int i = 0; i <= 2 * r; ++i) s += absolute ? fabs((double)p[x0 + i]) : p[x0 + i];
  for (int j = 0; j < 16 && x0 + j < side; ++j) {
    d[(size_t)y * side + x0 + j] = s;
    if (x0 + j + 1 < side) {
      double o = p[x0 + j], q = p[x0 + j + 2 * r + 1];
      s += absolute ? fabs(q) - fabs(o) : q - o;
    }
  }
}
__global__ void ref_v(const double* d, double* o, int n, int r) {
  const int side = n - 2 * r, x = blockIdx.x * blockDim.x + threadIdx.x, y0 = blockIdx.y * 64;
  if (x >= side) return;
  double s = 0;
  for (int i = 0; i <= 2 * r; ++i) s += d[(size_t)(y0 + i) * side + x];
  for (int j = 0; j < 64 && y0 + j < side; ++j) {
    o[(size_t)(y0 + j) * side + x] = s;
    if (y0 + j + 1 < side) s += d[(size_t)(y0 + j + 2 * r + 1) * side + x] - d[(size_t)(y0 + j) * side + x];
  }
}
__global__ void direct_box(const float* in, float* out, int n, int r) {
  const int side = n - 2 * r, x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= side || y >= side) return;
  float s = 0;
  for (int i = 0; i <= 2 * r; ++i)
    for (int j = 0; j <= 2 * r; ++j) s += in[(size_t)(y + i) * n + x + j];
  out[(size_t)y * side + x] = s;
}
__global__ void copy_k(const float4* a, float4* b, size_t n, size_t per) {
  size_t i = blockIdx.x * per + threadIdx.x;
  const size_t e = min(n, (blockIdx.x + 1) * per);
  for (; i + 3 * blockDim.x < e; i += 4 * blockDim.x) {
    float4 v[4];
    for (int j = 0; j < 4; ++j) v[j] = a[i + j * blockDim.x];
    for (int j = 0; j < 4; ++j) b[i + j * blockDim.x] = v[j];
  }
  for (; i < e; i += blockDim.x) b[i] = a[i];
}

static void boxes(int n, int r) {
  const int side = n - 2 * r;
  const size_t nn = (size_t)n * n, moved = (nn + (size_t)side * side) / 2;
  float *in, *out;
  double *d, *ref, *mag;
  CK(cudaMalloc(&in, 4 * nn));
  CK(cudaMalloc(&out, 4 * nn));
  CK(cudaMalloc(&d, 8 * nn));
  CK(cudaMalloc(&ref, 8 * nn));
  CK(cudaMalloc(&mag, 8 * nn));
  fill_random<<<1024, 256>>>(in, nn, 5);
  for (int ab = 0; ab < 2; ++ab) {
    ref_h<<<dim3(up(side, 2048), n), 128>>>(in, d, n, r, ab);
    ref_v<<<dim3(up(side, 128), up(side, 64)), 128>>>(d, ab ? mag : ref, n, r);
  }
  CK(cudaDeviceSynchronize());
  std::vector<std::function<void()>> copies{
      [=] { cudaMemcpyAsync(out, in, 4 * moved, cudaMemcpyDeviceToDevice); }};
  for (int blocks : {1, 2, 8, 64})
    for (int threads : {256, 512, 1024}) {
      const int g = 132 * blocks * 1024 / threads;
      copies.push_back([=] {
        copy_k<<<g, threads>>>((const float4*)in, (float4*)out, moved / 4, (moved / 4 + g - 1) / g);
      });
    }
  float warm = 0;
  while (warm < 150) warm += time_batch(copies[0], 4) * 4;
  size_t best = 0;
  double best_ms = 1e9;
  for (size_t i = 0; i < copies.size(); ++i) {
    std::vector<float> t;
    for (int k = 0; k < 9; ++k) t.push_back(time_batch(copies[i], 4));
    if (median(t) < best_ms) best_ms = median(t), best = i;
  }
  Peer peer{best == 0 ? "cudaMemcpy" : "copy kernel", 0, {0, 0, 0, 0}};
  if (n < 16000 || r <= 32) {  // else it takes seconds
    direct_box<<<dim3(up(side, 32), up(side, 8)), dim3(32, 8)>>>(in, out, n, r);
    peer.e = errors(out, ref, mag, (size_t)side * side);
  }
  auto go = [&](const char* name, int threads, size_t bytes, int most, int per_sm, auto f) {
    if (bytes > 232448 || most < 4) return;
    allow(f, (int)bytes);
    const int strips = up(side, most), width = up(up(side, strips), 4) * 4,
              parts = std::max(1, 132 * per_sm / strips), height = std::max(up(side, parts), r + 1);
    const dim3 g(strips, up(side, height));
    auto run = [&] { f<<<g, threads, bytes>>>(in, out, n, r, width, height); };
    CK(cudaMemset(out, 0xff, 4 * nn));
    run();
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    Errors e = errors(out, ref, mag, (size_t)side * side);
    Pair p = interleave(copies[best], run, 9, 4);
    row("box_sum", name, n, r, per_sm, p.b, peer, p.a, 8.0 * moved / p.b / 1e6, e);
  };
  auto fresh = [&](const char* name, int threads, int ahead, auto f) {
    const int bytes = 16 * threads * (2 * r + 1 + ahead * kChunkRows) + 40 * threads * kChunkRows;
    if (bytes <= 227 * 1024)
      go(name, threads, bytes, (4 * threads - 2 * r) / 4 * 4,
         std::max(1, std::min(256 / threads, 227 * 1024 / (bytes + 1024))), f);
  };
  auto old = [&](const char* name, int threads, int batch, int ahead, bool hold, auto f) {
    const size_t rows = (hold ? (2 * r + batch) / batch * batch : 0) + (ahead + 1) * batch,
                 bytes = 16 * threads * rows * (hold ? 1 : 2) + 2 * batch * (32 * threads + threads / 4);
    go(name, threads, bytes, 4 * threads - (2 * r + 3) / 4 * 4,
       std::max(1, std::min(2, (int)(227 * 1024 / (bytes + 1024)))), f);
  };
  {
    old("running 128", 128, 4, 2, false, box_sum_running_128);
    old("running 512", 512, 1, 4, false, box_sum_running_512);
    old("running 256", 256, 2, 3, true, box_sum_running_hold_256);
  }
#define T_(BS, A) fresh("block_sums " #BS " " #A, BS, A, box_sum_block_sums_##BS##_##A);
  T_(64, 2)
  T_(64, 3)
  T_(128, 2)
  T_(128, 3)
  T_(256, 2)
  T_(256, 3)
  auto chunks = [&](const char* name, int threads, auto f) {
    const auto cut = ww::kernels::chunk_sums_strips(threads, r, side, side);
    if (!cut) return;
    allow(f, (int)cut->bytes);
    const dim3 g(cut->strips, cut->parts);
    auto run = [&] { f<<<g, threads, cut->bytes>>>(in, out, n, r, (int)cut->width, (int)cut->height); };
    CK(cudaMemset(out, 0xff, 4 * nn));
    run();
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    Errors e = errors(out, ref, mag, (size_t)side * side);
    Pair p = interleave(copies[best], run, 9, 4);
    row("box_sum", name, n, r, 1024 / threads, p.b, peer, p.a, 8.0 * moved / p.b / 1e6, e);
  };
  chunks("chunk_sums 512", 512, box_sum_chunk_sums_512);
  chunks("chunk_sums 1024", 1024, box_sum_chunk_sums_1024);
  auto measured = [&](const char* name, int per_sm, auto run) {
    CK(cudaMemset(out, 0xff, 4 * nn));
    run();
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    Errors e = errors(out, ref, mag, (size_t)side * side);
    Pair p = interleave(copies[best], run, 9, 4);
    row("box_sum", name, n, r, per_sm, p.b, peer, p.a, 8.0 * moved / p.b / 1e6, e);
  };
  const auto bulk = ww::kernels::bulk_rows_strips(r, side, side);
  if (bulk && n % 4 == 0) {
    const auto f = bulk->lane == 12 ? box_sum_bulk_rows_12 : box_sum_bulk_rows_20;
    const auto& cut = bulk->cut;
    allow(f, (int)cut.bytes);
    measured(bulk->lane == 12 ? "bulk_rows 12" : "bulk_rows 20", 1, [&] {
      f<<<dim3(cut.strips, cut.parts), cut.threads, cut.bytes>>>(
          in, out, n, r, (int)bulk->columns, (int)cut.width, (int)cut.height, (int)bulk->slots);
    });
  }
  for (const bool any : {false, true}) {
    using ww::kernels::RowEnds;
    const RowEnds ends = any ? RowEnds::any : side % kSector == 0 ? RowEnds::sectors : RowEnds::pairs;
    const auto rows = ww::kernels::rows_first_strips(r, side, side, ends);
    if (!rows || (!any && n % 4 != 0)) continue;
    const auto& form = rows->form;
    const std::string name = "box_sum_" + ww::kernels::rows_first_name(form);
#define NAMED(KERNEL) name == #KERNEL ? KERNEL:
    const auto f = NAMED(box_sum_any_rows_6_8_1) NAMED(box_sum_any_rows_12_8_1) NAMED(box_sum_any_rows_20_8_1)
        NAMED(box_sum_any_rows_28_8_1) NAMED(box_sum_any_rows_36_16_1) NAMED(box_sum_any_rows_36_16_1_longer)
            NAMED(box_sum_rows_first_12_8_2) NAMED(box_sum_rows_first_20_8_2)
                NAMED(box_sum_rows_first_36_16_1) NAMED(box_sum_rows_first_20_16_1)
                    NAMED(box_sum_sectors_10_8_2) NAMED(box_sum_sectors_20_8_2)
                        box_sum_rows_first_20_16_1_longer;
#undef NAMED
    const auto& cut = rows->cut;
    allow(f, (int)cut.bytes);
    measured(any ? "any_rows" : "rows_first", 1, [&] {
      f<<<dim3(cut.strips, cut.parts), cut.threads, cut.bytes>>>(in, out, n, r, (int)cut.width,
                                                                 (int)cut.height, rows->slots, cut.ahead);
    });
  }
  for (void* p : {(void*)in, (void*)out, (void*)d, (void*)ref, (void*)mag}) cudaFree(p);
}
static void sums() {
  float *out, *partial, *in;
  unsigned* counter;
  const size_t most = 1ull << 30;
  CK(cudaMalloc(&out, 64));
  CK(cudaMalloc(&partial, 1 << 20));
  CK(cudaMalloc(&counter, 64));
  CK(cudaMemset(counter, 0, 64));
  CK(cudaMalloc(&in, 4 * most));
  fill_random<<<1024, 256>>>(in, most, 7);
  void* tmp = nullptr;
  size_t bytes = 0;
  CK(cub::DeviceReduce::Sum(tmp, bytes, in, out, most));
  CK(cudaMalloc(&tmp, bytes));
  CK(cudaFuncSetAttribute(sum_bulk_loads_544, cudaFuncAttributeMaxDynamicSharedMemorySize, 12 * kBulkBytes));
  for (int p = 12; p <= 30; p += 2)
    for (int odd : {0, 1}) {
      if (odd && p != 14 && p != 28) continue;
      const size_t n = (1ull << p) + (odd ? 777 : 0);
      double *dref, ref, mag;
      CK(cudaMalloc(&dref, 8));
      bool cold = true;
      for (int ab = 0; ab < 2; ++ab) {
        double* w = nullptr;
        size_t wb = 0;
        auto it = thrust::make_transform_iterator(
            in, [ab] __host__ __device__(float v) { return ab ? fabs((double)v) : (double)v; });
        CK(cub::DeviceReduce::Sum(nullptr, wb, it, dref, n));
        CK(cudaMalloc(&w, wb));
        CK(cub::DeviceReduce::Sum(w, wb, it, dref, n));
        CK(cudaMemcpy(ab ? &mag : &ref, dref, 8, cudaMemcpyDeviceToHost));
        cudaFree(w);
      }
      cudaFree(dref);
      size_t turn = 0;
      auto src = [&]() -> const float* {
        return p >= 28 ? in : in + (((turn++ * n * 7) % (most - n)) & ~1023ull);
      };  // small ones rotate through 4 GiB
      const int batch = p >= 26 ? 4 : p >= 22 ? 10 : 50;
      auto cub = [&] {
        size_t b = bytes;
        cub::DeviceReduce::Sum(tmp, b, src(), out, n);
      };
      float got;
      {
        size_t b = bytes;
        CK(cub::DeviceReduce::Sum(tmp, b, in, out, n));
      }
      CK(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
      Peer peer{"cub::DeviceReduce::Sum", 0, {fabs(got - ref) / mag, fabs(got - ref) / mag, 0, 0}};
      auto ours = [&](const char* name, int g, int bs, int smem, auto f) {
        float first, again;
        f<<<g, bs, smem>>>(in, partial, counter, out, (unsigned)n);
        CK(cudaGetLastError());
        CK(cudaMemcpy(&first, out, 4, cudaMemcpyDeviceToHost));
        if (cold) {
          float warm = 0;
          while (warm < 100) warm += time_batch(cub, batch) * batch;
          cold = false;
        }
        Pair t = interleave(
            cub, [&] { f<<<g, bs, smem>>>(src(), partial, counter, out, (unsigned)n); }, 15, batch);
        unsigned long long wrong = 0;
        for (int i = 0; i < 30; ++i) {
          f<<<g, bs, smem>>>(in, partial, counter, out, (unsigned)n);
          CK(cudaMemcpy(&again, out, 4, cudaMemcpyDeviceToHost));
          wrong += again != first;
        }
        row("sum", name, (long)n, 0, g, t.b, peer, t.a, 4.0 * n / t.b / 1e6,
            {fabs(first - ref) / mag, fabs(first - ref) / mag, 0, wrong});
      };
      auto blocks = [&](int piece, int most_) {
        return (int)std::min<size_t>((n + piece - 1) / piece, most_);
      };
      if (p < 22)
        ours("wide_loads 512 1", blocks(512 * 4, 264), 512, 0, sum_wide_loads_512_1);
      else
        ours("wide_loads 512 8", blocks(512 * 32, 264), 512, 0, sum_wide_loads_512_8);
      ours("wide_loads 1024 4", blocks(1024 * 16, 264), 1024, 0, sum_wide_loads_1024_4);
      ours("bulk_loads", (int)std::max<size_t>(1, std::min<size_t>(n / 4096, 132)), 544, 12 * kBulkBytes,
           sum_bulk_loads_544);
      if (p == 12) {
        auto empty = interleave(
            cub, [&] { empty_kernel<<<1, 32>>>(); }, 15, batch);
        row("sum", "empty launch", (long)n, 0, 1, empty.b, peer, empty.a, 0, {0, 0, 0, 0});
      }
    }
  cudaFree(in);
}
// With an argument only the box sums; with two or more only those of these n and r.
int main(int argc, char** argv) {
  printf(
      "family,kernel,n,r,blocks,ms,peer,peer_ms,ratio,rate,max_rel,mean_rel,frobenius,peer_max_rel,peer_mean_"
      "rel,wrong\n");
  if (argc < 3)
    for (auto [n, r] :
         {std::pair{1003, 5}, {1001, 3}, {515, 2}, {1000, 16}, {2000, 16}, {4000, 16}, {4000, 32}})
      boxes(n, r);
  if (argc > 2) {  // n, r, …: only these
    for (int i = 1; i + 1 < argc; i += 2) boxes(atoi(argv[i]), atoi(argv[i + 1]));
    return 0;
  }
  for (int n : {8000, 16000})
    for (int r : {4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 48, 64, 96, 128}) boxes(n, r);
  if (argc < 2) sums();
}
