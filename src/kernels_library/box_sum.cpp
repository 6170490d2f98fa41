#include "kernels/box_sum/strips.h"

#include <algorithm>

#include "kernels_library/portable.h"
#include "kernels_library/remembered.h"

namespace warpwright {

namespace {

// As the kernels take it (kernels/box_sum/area.h).
struct Area {
  const float* in;
  float* out;
  int rows, columns, in_stride, out_stride;
  bool chunks, wide;
};

constexpr int kAmpere = 80;
// From which radii sums of 32 windows together are faster than block sums, for aligned rows and others; and
// which blocks of theirs (data/measured/h200-library).
constexpr int64_t kChunksFrom = 26, kChunksFromUnaligned = 16, kLargeBlocksFrom = 80;
constexpr int kHopper = 90;  // where the copy engine brings whole rows

struct Chosen {
  std::string entry;
  ww::kernels::Strips cut;
};
/// Nothing for radii that neither kernel takes.
std::optional<Chosen> choose(int64_t radius, int64_t rows, int64_t columns, bool aligned) {
  if (radius >= (aligned ? kChunksFrom : kChunksFromUnaligned)) {
    const uint32_t threads = radius >= kLargeBlocksFrom ? 1024 : 512;
    if (const auto cut = ww::kernels::chunk_sums_strips(threads, radius, rows, columns))
      return Chosen{"chunk_sums_" + std::to_string(threads), *cut};
    return {};
  }
  const uint32_t threads = radius < 16 ? 256 : 64;
  if (const auto cut = ww::kernels::block_sums_strips(threads, radius, rows, columns))
    return Chosen{"block_sums_" + std::to_string(threads) + "_" + std::to_string(cut->ahead), *cut};
  return {};
}

/// The words, 1, 2 or 4, of which rows begin at multiples.
template <class T>
int words_of(const Matrix<T>& m) {
  for (int words : {4, 2})
    if (reinterpret_cast<uintptr_t>(m.data) % (4 * words) == 0 && m.stride % words == 0) return words;
  return 1;
}

/// Of an output whose rows begin at single words, as if all began at sectors, or, if rows of the input end
/// within 16 bytes and two columns would be stored together, as if that began anywhere: nothing is faster.
ww::kernels::RowEnds row_ends(const Matrix<const float>& in, const Matrix<float>& out, int64_t radius) {
  using ww::kernels::RowEnds;
  const bool words = words_of(out) == 1;
  if (words_of(in) < 4 || radius < ww::kernels::kRowsFirstFrom ||
      (words && in.columns % 4 != 0 && radius < ww::kernels::kLongFrom))
    return RowEnds::any;
  constexpr int kBytes = 4 * kSector;
  const bool sectors = reinterpret_cast<uintptr_t>(out.data) % kBytes == 0 && out.stride % kSector == 0;
  return sectors || words ? RowEnds::sectors : RowEnds::pairs;
}

/// The fastest of the small windows. Those of two words take only rows that also end at multiples of them.
std::optional<ww::kernels::SmallWindows> small_form(int64_t radius, const Matrix<const float>& in,
                                                    const Matrix<float>& out) {
  const int from = words_of(in), to = words_of(out);
  const auto form = ww::kernels::small_windows_form(radius, from, to, out.rows * out.columns);
  return form && form->in == 2 && in.columns % 2 != 0
             ? ww::kernels::small_windows_form(radius, 1, 1, out.rows * out.columns)
             : form;
}

/// Whether sums along the rows first are faster than these small windows, which load single words.
bool by_rows(const ww::kernels::SmallWindows& small) {
  return small.in == 1 && small.radius >= ww::kernels::kAnyRowsFrom;
}

/// For every radius and GPU: sums of rows to the workspace, and of their columns.
Status two_passes(Gpu& gpu, Stream stream, const Matrix<const float>& in, const Matrix<float>& out,
                  int64_t radius, void* workspace) {
  auto* sums = static_cast<float*>(workspace);
  const auto r = static_cast<int>(radius), rows = static_cast<int>(out.rows),
             columns = static_cast<int>(out.columns);
  Status s = gpu.launch("portable", "sum_rows",
                        {static_cast<uint64_t>(divide_up(in.columns, 256) * divide_up(out.rows, 32))}, 256, 0,
                        stream, in.data, static_cast<long long>(in.stride), sums,
                        static_cast<long long>(in.columns), rows, static_cast<int>(in.columns), r);
  if (s != Status::ok) return s;
  const auto shared = static_cast<size_t>((1024 + 2 * radius) / 8 * 36 + 36);
  return gpu.launch("portable", "sum_columns",
                    {static_cast<uint64_t>(divide_up(out.columns, 1024) * out.rows)}, 128, shared, stream,
                    static_cast<const float*>(sums), static_cast<long long>(in.columns), out.data,
                    static_cast<long long>(out.stride), rows, columns, r);
}

}  // namespace

Status box_sum(Stream stream, Matrix<const float> in, Matrix<float> out, int64_t radius,
               Workspace workspace) {
  if (in.layout != out.layout) return Status::unsupported;
  if (in.layout == Layout::by_columns)
    return box_sum(stream, transposed(in), transposed(out), radius, workspace);
  for (Status s : {check(in), check(out)})
    if (s != Status::ok) return s;
  if (radius < 0 || radius > in.rows || out.rows != in.rows - 2 * radius ||
      out.columns != in.columns - 2 * radius)
    return Status::bad_shape;
  if (Status s = check_memory({range_of(in)}, range_of(out), workspace,
                              box_sum_workspace(in.rows, in.columns, radius));
      s != Status::ok)
    return s;
  Gpu* gpu = nullptr;
  if (Status s = Gpu::current(&gpu); s != Status::ok) return s;
  if (out.rows == 0 || out.columns == 0) return Status::ok;
  const auto r = static_cast<int>(radius);
  const Area area{in.data,
                  out.data,
                  static_cast<int>(in.rows),
                  static_cast<int>(in.columns),
                  static_cast<int>(in.stride),
                  static_cast<int>(out.stride),
                  in_chunks(in),
                  in_chunks(out)};
  const auto small = small_form(radius, in, out);
  if (gpu->compute_capability() >= kHopper && (!small || by_rows(*small))) {
    const ww::kernels::RowEnds ends = row_ends(in, out, radius);
    thread_local Remembered<4, std::optional<ww::kernels::RowsFirstStrips>> known;
    const auto& rows = known.answer({radius, out.rows, out.columns, static_cast<int>(ends)}, [&] {
      return ww::kernels::rows_first_strips(radius, out.rows, out.columns, ends);
    });
    if (rows && rows->cut.bytes <= static_cast<uint64_t>(gpu->shared_memory())) {
      const std::string name = ww::kernels::rows_first_name(rows->form),
                        file = rows->form.longs != 0 ? "box_sum_long_" + name
                               : rows->form.sectors  ? "box_sum_sectors"
                                                     : "box_sum_rows";
      return gpu->launch(file.c_str(), name, {rows->cut.strips, rows->cut.parts}, rows->cut.threads,
                         rows->cut.bytes, stream, area, r, static_cast<int>(rows->cut.width),
                         static_cast<int>(rows->cut.height), rows->slots, rows->cut.ahead);
    }
  }
  if (small && gpu->compute_capability() >= kAmpere) {
    auto cut = ww::kernels::small_windows_strips(*small, out.rows, out.columns);
    const bool ragged = small->in == 4 && (in.columns % 4 != 0 || out.columns % small->out != 0);
    if (ragged) ++cut.parts;  // for the last row
    return gpu->launch("box_sum", "small_windows_" + small_windows_name(*small) + (ragged ? "_ragged" : ""),
                       {cut.strips, cut.parts}, cut.threads, cut.bytes, stream, area,
                       static_cast<int>(cut.height));
  }
  std::optional<Chosen> chosen;
  if (gpu->compute_capability() >= kAmpere) {
    const bool aligned = in_chunks(in) && in_chunks(out);
    thread_local Remembered<4, std::optional<Chosen>> known;
    chosen = known.answer({radius, out.rows, out.columns, int{aligned}},
                          [&] { return choose(radius, out.rows, out.columns, aligned); });
  }
  if (!chosen || chosen->cut.bytes > static_cast<uint64_t>(gpu->shared_memory()))
    return two_passes(*gpu, stream, in, out, radius, workspace.data);
  return gpu->launch("box_sum", chosen->entry, {chosen->cut.strips, chosen->cut.parts}, chosen->cut.threads,
                     chosen->cut.bytes, stream, area, r, static_cast<int>(chosen->cut.width),
                     static_cast<int>(chosen->cut.height));
}

size_t box_sum_workspace(int64_t rows, int64_t columns, int64_t radius) {
  if (rows <= 2 * radius || columns <= 2 * radius || radius < 0) return 0;
  // A matrix that lies by columns is summed as the transposed one.
  return static_cast<size_t>(std::max((rows - 2 * radius) * columns, (columns - 2 * radius) * rows)) *
         sizeof(float);
}

}  // namespace warpwright
