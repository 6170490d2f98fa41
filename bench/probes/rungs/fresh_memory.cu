// Box sums and sums of the kernels' library with arguments that nobody chose (fresh.h). box_sum: m × n
// elements, k the radius, beside a copy of as many bytes; sum: m elements, strides where they begin. Of box
// sums slower than LEAST × the copy also other heights of small windows and other cuts of rows_first. nvcc
// -O3 -std=c++20 --extended-lambda -gencode=arch=compute_90a,code=sm_90a -Isrc
// -Ibuild/release/include/warpwright_kernels fresh_memory.cu
// build/release/src/kernels_library/libww_kernels_library.a -Lbuild/release -lwarpwright_kernels -lcublas
#include <cub/cub.cuh>

#include "fresh.h"
#include "kernels/box_sum/strips.h"

static double least;

// As the kernels take it (kernels/box_sum/area.h).
struct Area {
  const float* in;
  float* out;
  int rows, columns, in_stride, out_stride;
  bool chunks, wide;
};

/// Sums along the rows of what a window covers, then down them.
__global__ void box_rows(const float* in, double* to, int64_t rows, int64_t columns, int64_t stride, int r,
                         bool absolute) {
  const int64_t out = columns - 2 * r;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < rows * out;
       i += (int64_t)gridDim.x * blockDim.x) {
    const float* p = in + i / out * stride + i % out;
    double s = 0;
    for (int j = 0; j <= 2 * r; ++j) s += absolute ? fabsf(p[j]) : p[j];
    to[i] = s;
  }
}
__global__ void box_columns(const double* from, double* to, int64_t rows, int64_t out, int r) {
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < (rows - 2 * r) * out;
       i += (int64_t)gridDim.x * blockDim.x) {
    double s = 0;
    for (int j = 0; j <= 2 * r; ++j) s += from[i + j * out];
    to[i] = s;
  }
}
/// Words, 1, 2 or 4, of which lines begin at multiples.
static int words_of(const Lies& l) {
  for (int words : {4, 2})
    if (l.first % words == 0 && l.stride % words == 0) return words;
  return 1;
}
/// Other heights and cuts for a box sum, each beside the copy.
template <class COPY>
static void box_ways(const Lies& in, const Lies& out, int64_t r, double work, COPY copy) {
  using namespace ww::kernels;
  ww_::Gpu* gpu = nullptr;
  WK(ww_::Gpu::current(&gpu));
  const Area area{fa + in.first,
                  fc + kAround + out.first,
                  (int)in.rows,
                  (int)in.columns,
                  (int)in.stride,
                  (int)out.stride,
                  words_of(in) == 4 && in.columns % 4 == 0,
                  words_of(out) == 4 && out.columns % 4 == 0};
  const auto way = [&](const std::string& form, auto one) {
    const Judged j = judged<float>(out, one);
    const Pair t = times(work, copy, one, 5);
    row("way box", "", in.rows, in.columns, r, "", strides_of({in, out}), form, t.b, "cudaMemcpy", t.a, j, 0);
  };
  for (int in_words : {1, 2, 4})
    for (int out_words : {1, 2, 4}) {
      if (words_of(in) % in_words || words_of(out) % out_words) continue;
      const auto small = small_windows_form(r, in_words, out_words, int64_t{1} << 40);
      if (!small || small->in != in_words || small->out != out_words) continue;
      if (in_words == 2 && in.columns % 2 != 0) continue;
      for (int64_t height : {8, 16, 24, 32, 48, 64, 96, 128, 192, 256}) {
        Strips cut = small_windows_strips(*small, out.rows, out.columns);
        cut.height = height, cut.parts = (uint32_t)ww_::divide_up(out.rows, height);
        const bool ragged = in_words == 4 && in.columns % 4 != 0;
        if (ragged) ++cut.parts;  // for the last row
        way("small " + small_windows_name(*small) + " height " + std::to_string(height), [&] {
          WK(gpu->launch("box_sum", "small_windows_" + small_windows_name(*small) + (ragged ? "_ragged" : ""),
                         {cut.strips, cut.parts}, cut.threads, cut.bytes, nullptr, area, (int)cut.height));
        });
      }
    }
  const bool sectors = (out.first | out.stride) % kSector == 0 || words_of(out) == 1;
  const RowEnds ends = words_of(in) < 4 ? RowEnds::any : sectors ? RowEnds::sectors : RowEnds::pairs;
  const auto best = rows_first_strips(r, out.rows, out.columns, ends);
  if (!best) return;
  for (const RowsFirstStrips& cut : rows_first_cuts(r, out.rows, out.columns, ends)) {
    const double cycles = rows_first_cycles(cut, r);
    if (cycles > 1.25 * rows_first_cycles(*best, r)) continue;
    const std::string name = rows_first_name(cut.form), file = cut.form.longs != 0 ? "box_sum_long_" + name
                                                               : cut.form.sectors  ? "box_sum_sectors"
                                                                                   : "box_sum_rows";
    char text[160];
    snprintf(text, sizeof text, "%s %ux%u of %ldx%ld slots %d ahead %d reckoned %.1f us", name.c_str(),
             cut.cut.strips, cut.cut.parts, (long)cut.cut.width, (long)cut.cut.height, cut.slots,
             cut.cut.ahead, cycles / 1980);
    way(text, [&] {
      WK(gpu->launch(file.c_str(), name, {cut.cut.strips, cut.cut.parts}, cut.cut.threads, cut.cut.bytes,
                     nullptr, area, (int)r, (int)cut.cut.width, (int)cut.cut.height, cut.slots,
                     cut.cut.ahead));
    });
  }
}
static void box(const Lies& in, const Lies& out, int64_t r) {
  const int64_t rows = in.rows, columns = in.columns;
  for (int absolute = 0; absolute < 2; ++absolute) {
    box_rows<<<2048, 256>>>(fa + in.first, da, rows, columns, in.stride, (int)r, absolute);
    box_columns<<<2048, 256>>>(da, absolute ? mag : ref, rows, out.columns, (int)r);
  }
  const size_t needed = ww_::box_sum_workspace(rows, columns, r);
  auto ours = [&] {
    WK(ww_::box_sum(nullptr, view<const float>(fa, in), view<float>(fc + kAround, out), r,
                    {workspace, needed}));
  };
  const Judged j = judged<float>(out, ours);
  const int64_t moved = (rows * columns + out.rows * out.columns) / 2;
  auto copy = [&] { CK(cudaMemcpyAsync(fb, fa, 4 * moved, cudaMemcpyDeviceToDevice)); };
  const Pair t = times(8e13 / 4e12 * moved, copy, ours, 7);
  row("box_sum", in.stride % 4 || in.first % 4 ? "any word" : "aligned", rows, columns, r, "",
      strides_of({in, out}), "", t.b, "cudaMemcpy", t.a, j, 0);
  if (timed && t.a / t.b < least) box_ways(in, out, r, 8e13 / 4e12 * moved, copy);
}

static void drawn_box(Draw& draw, double most) {
  const int64_t r = draw.size(1, 128), rows = draw.size(300 + 2 * r, most),
                columns = draw.size(300 + 2 * r, most);
  Lies in = lies(draw, rows, columns, draw.below(2) ? 4 : 1),
       out = lies(draw, rows - 2 * r, columns - 2 * r, draw.below(2) ? 4 : 1);
  in.by_columns = out.by_columns = false;
  in.stride = std::max(in.stride, in.columns), out.stride = std::max(out.stride, out.columns);
  box(in, out, r);
}

static void sum(Draw& draw, double most) {
  const int64_t n = draw.size(1, most), first = draw.below(4);
  float* out = fc + kAround;
  size_t bytes = 0;
  CK(cub::DeviceReduce::Sum((void*)nullptr, bytes, fa, out, n));
  auto theirs = [&] {
    size_t b = bytes;
    CK(cub::DeviceReduce::Sum((char*)workspace + 4096, b, fa + first, out, n));
  };
  std::vector<float> host(n);
  CK(cudaMemcpy(host.data(), fa + first, 4 * n, cudaMemcpyDeviceToHost));
  double exact[2] = {};
  for (float v : host) exact[0] += v, exact[1] += std::fabs(v);
  CK(cudaMemcpy(ref, exact, 8, cudaMemcpyHostToDevice));
  CK(cudaMemcpy(mag, exact + 1, 8, cudaMemcpyHostToDevice));
  const Lies l{1, 1, false, 1, 0};
  const Judged peer = judged<float>(l, theirs);
  const ww_::Workspace room{workspace, ww_::sum_workspace()};
  for (int again = 0; again < 2; ++again) {
    auto ours = [&] {
      WK(again ? ww_::sum_again(nullptr, fa + first, n, out, room)
               : ww_::sum(nullptr, fa + first, n, out, room));
    };
    const Judged j = judged<float>(l, ours);
    const Pair t = times(40.0 * n + 1e6, theirs, ours, 9);
    row(again ? "sum_again" : "sum", "", n, 1, 1, "", std::to_string(first), "", t.b, "cub::DeviceReduce",
        t.a, j, peer.error);
  }
}

/// Arguments: a seed, how many of each, `time` or `check`, the largest size, LEAST, and calls to make (all)
/// or box sums, ROWSxCOLUMNS:RADIUS[:STRIDE] (the input's; the output's is as much longer than its rows).
int main(int argc, char** argv) {
  if (argc < 6)
    return printf("fresh_memory SEED COUNT time|check MOST LEAST [box|sum|ROWSxCOLUMNS:RADIUS[:STRIDE] …]\n"),
           2;
  const int count = atoi(argv[2]);
  const double most = atof(argv[4]);
  least = atof(argv[5]);
  begin(!strcmp(argv[3], "time"));
  for (int i = 6; i < argc; ++i) {
    long rows, columns, r, stride = 0;
    if (sscanf(argv[i], "%ldx%ld:%ld:%ld", &rows, &columns, &r, &stride) < 3) continue;
    stride = std::max(stride, columns);
    box({rows, columns, false, stride, 0}, {rows - 2 * r, columns - 2 * r, false, stride - 2 * r, 0}, r);
  }
  Draw draw{strtoull(argv[1], nullptr, 10)};
  if (asked(argc, argv, 6, "box"))
    for (int i = 0; i < count; ++i) drawn_box(draw, most * 2);
  if (asked(argc, argv, 6, "sum"))
    for (int i = 0; i < count / 2; ++i) sum(draw, i % 2 ? 1 << 20 : timed ? 2.6e8 : 5e6);
}
