#include "kernels_library/thin.h"

#include <algorithm>
#include <string>

namespace warpwright {

namespace {

// As the kernels take them (kernels/matmul/thin.h).
struct Cut {
  int slices, piece;
  float* partial;
};

constexpr int64_t kWarps = 8;                   ///< of a block
constexpr int64_t kWarpsOfSm = 16;              ///< that are to be there at once
constexpr int64_t kWarpsOfMost = 12;            ///< with kThinMost columns
constexpr int64_t kFewWarps = 4, kPieces = 16;  ///< of fewer there are pieces, until there are so many
constexpr int64_t kChunksOfWarp = 4;            ///< of a piece, at least
// Where all lanes of a warp lie side by side in a row.
constexpr int kWholeWarp = 32;
constexpr size_t kWholeChunk = 1024;       ///< bytes of a row
constexpr size_t kLeastOfRow = 8192;       ///< and those of a row and the rows from which they do: else there
constexpr int64_t kLeastRows = 256;        ///< are few chunks for a warp
constexpr int64_t kSlicesOfWholeWarp = 4;  ///< at least, which is faster with warps enough, too
constexpr int64_t kKept = 40'000'000;      ///< bytes of A that L2 keeps
constexpr int64_t kManyResults = 4096;     ///< of which few threads have the pieces of one
// Seconds on an H200: a launch, the one that adds up pieces, and a warp's chunk and each column of B in it
// (data/measured/h200-library/thin.csv).
constexpr double kLaunch = 2.9e-6, kAdd = 2e-6, kChunk = 0.4e-6, kChunkColumn = 0.08e-6;

/// The kernel's form for an operand A with these rows.
struct Form {
  int64_t columns;  ///< of B, at most
  int vector;       ///< elements of A that a lane loads at a time, or kWholeWarp; 0: A lies by columns
  size_t element;   ///< bytes
  int64_t chunk() const {
    return vector == kWholeWarp                ? static_cast<int64_t>(kWholeChunk / element)
           : vector > 0 && columns < kThinMost ? 64
                                               : 32;
  }
  int64_t rows() const { return vector == 4 ? 16 : vector > 0 ? 4 : 32; }  ///< of a warp
  /// Seconds of an element of A where all multiprocessors are busy; `along`: B lies along k; `kept`: A may
  /// lie in L2.
  double seconds(bool along, bool kept) const {
    // A byte of a matrix that L2 may have kept since the last call, and of a larger one
    // (data/measured/h200-library/bf16_narrow.csv).
    constexpr double kKeptByte = 0.125e-12, kByte = 0.225e-12;
    constexpr double kOfRows[] = {0.9e-12, 1.1e-12, 1.1e-12, 2e-12},
                     kOfWords[] = {1.2e-12, 2e-12, 3.3e-12, 6e-12},
                     kOfColumns[] = {0.9e-12, 1.1e-12, 1.5e-12, 3e-12};
    const int at = columns == 1 ? 0 : columns == 4 ? 1 : columns == 8 ? 2 : 3;
    if (vector == kWholeWarp) return (kept ? kKeptByte : kByte) * static_cast<double>(element);
    const double of = vector == 4   ? kOfRows[at] * (along && columns == kThinMost ? 1.5 : 1)
                      : vector == 1 ? kOfWords[at]
                                    : kOfColumns[at];
    return element == 2 ? 0.7 * of : of;
  }
  /// And of a result, which lanes add up.
  double result() const { return vector == 4 ? 5.5e-12 : vector > 0 ? 50e-12 : 0; }
};
template <class IN>
Form form_of(const Matrix<const IN>& a, int64_t n) {
  const bool by_rows = a.layout == Layout::by_rows || (a.rows == 1 && a.stride == 1);
  const bool fours =
      reinterpret_cast<uintptr_t>(a.data) % (4 * sizeof(IN)) == 0 && (a.stride % 4 == 0 || a.rows == 1);
  const int64_t columns = n <= 1 ? 1 : n <= 4 ? 4 : n <= 8 ? 8 : 16;
  const auto row = static_cast<size_t>(a.columns) * sizeof(IN);
  const bool whole_warp =
      columns == 1 && a.rows >= kLeastRows && row >= kLeastOfRow && row % kWholeChunk == 0 && aligned_rows(a);
  return {columns, !by_rows ? 0 : whole_warp ? kWholeWarp : fours ? 4 : 1, sizeof(IN)};
}

}  // namespace

template <class IN>
ThinPlan plan_thin(const Matrix<const IN>& a, const Matrix<const IN>& b, int64_t sms) {
  if (b.columns > a.rows) return plan_thin(transposed(b), transposed(a), sms);
  const int64_t m = a.rows, n = b.columns, k = a.columns;
  const Form form = form_of(a, n);
  const int64_t units = divide_up(m, form.rows()), chunks = divide_up(k, form.chunk()),
                wanted = sms * (form.columns == kThinMost ? kWarpsOfMost : kWarpsOfSm);
  ThinPlan plan{1, 1};
  const auto few = [&] {
    return units * plan.slices < wanted || (form.vector == kWholeWarp && plan.slices < kSlicesOfWholeWarp);
  };
  while (plan.slices < kWarps && few() && plan.slices < chunks) plan.slices *= 2;
  if (plan.slices == kWarps && units * kWarps < sms * kFewWarps)
    plan.pieces = std::max<int64_t>(
        1, std::min(divide_up(sms * kPieces, units * kWarps), chunks / (kWarps * kChunksOfWarp)));
  const auto number = [](int64_t v) { return static_cast<double>(v); };
  const bool kept = m * k * static_cast<int64_t>(sizeof(IN)) <= kKept;
  const double latency =
      number(divide_up(chunks, plan.slices * plan.pieces)) * (kChunk + kChunkColumn * number(form.columns));
  plan.seconds =
      kLaunch + (plan.pieces > 1 ? kAdd : 0) +
      std::max(latency, number(m * chunks * form.chunk()) * form.seconds(steps_of(b).row == 1, kept) +
                            number(m * form.columns) * form.result());
  return plan;
}
template ThinPlan plan_thin(const Matrix<const float>&, const Matrix<const float>&, int64_t);
template ThinPlan plan_thin(const Matrix<const Bfloat16>&, const Matrix<const Bfloat16>&, int64_t);

template <class IN, class OUT>
Status multiply_thin(Gpu& gpu, Stream stream, const Matrix<const IN>& a, const Matrix<const IN>& b,
                     const Matrix<OUT>& c, const ThinPlan& plan, void* workspace) {
  if (b.columns > a.rows)
    return multiply_thin(gpu, stream, transposed(b), transposed(a), transposed(c), plan, workspace);
  const int64_t m = a.rows, n = b.columns, k = a.columns;
  const Form form = form_of(a, n);
  const int64_t piece = divide_up(divide_up(k, form.chunk()), plan.pieces) * form.chunk(),
                pieces = divide_up(k, piece);
  Parts parts(workspace);
  float* const partial = pieces > 1 ? parts.take<float>(pieces * m * n) : nullptr;
  const auto narrow = [](int64_t v) { return static_cast<int>(v); };
  const std::string entry = std::string(sizeof(IN) == 4 ? "multiply_float32_" : "multiply_bfloat16_") +
                            std::to_string(form.columns) + "_" + std::to_string(form.vector);
  const int64_t rows = kWarps / plan.slices * form.rows();
  const Dim grid{static_cast<uint64_t>(divide_up(m, rows)), static_cast<uint32_t>(pieces), 1, 1, true};
  if (Status s =
          gpu.launch(sizeof(IN) == 4 ? "thin_float32" : "thin_bfloat16", entry, grid, 256, 0, stream, a.data,
                     static_cast<long long>(a.stride), b.data, steps_of(b), thin_results(c),
                     Cut{narrow(plan.slices), narrow(piece), partial}, narrow(m), narrow(n), narrow(k));
      s != Status::ok || pieces == 1)
    return s;
  return add_pieces(gpu, stream, partial, pieces, c);
}
template Status multiply_thin(Gpu&, Stream, const Matrix<const float>&, const Matrix<const float>&,
                              const Matrix<float>&, const ThinPlan&, void*);
template Status multiply_thin(Gpu&, Stream, const Matrix<const Bfloat16>&, const Matrix<const Bfloat16>&,
                              const Matrix<float>&, const ThinPlan&, void*);
template Status multiply_thin(Gpu&, Stream, const Matrix<const Bfloat16>&, const Matrix<const Bfloat16>&,
                              const Matrix<Bfloat16>&, const ThinPlan&, void*);

template <class OUT>
Status add_pieces(Gpu& gpu, Stream stream, const float* partial, int64_t pieces, const Matrix<OUT>& c) {
  // Threads that have a result together: as few as keep the GPU busy, since each further block takes time.
  const int64_t results = c.rows * c.columns, share = pieces <= 8 ? 1 : results >= kManyResults ? 4 : 32;
  return gpu.launch("thin_float32", "add_thin_" + std::to_string(share),
                    {static_cast<uint64_t>(divide_up(results, 256 / share)), 1, 1, 1, true}, 256, 0, stream,
                    thin_results(c), partial, static_cast<int>(pieces), static_cast<int>(c.rows),
                    static_cast<int>(c.columns));
}
template Status add_pieces(Gpu&, Stream, const float*, int64_t, const Matrix<float>&);
template Status add_pieces(Gpu&, Stream, const float*, int64_t, const Matrix<Bfloat16>&);

}  // namespace warpwright
