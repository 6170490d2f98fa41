#include "kernels_library/any.h"

#include <algorithm>
#include <string>

#include "kernels_library/portable.h"
#include "kernels_library/thin.h"

namespace warpwright {

namespace {

// Fitted to 112 products of bfloat16, both kinds of results, and 88 of float32 with k below 600
// (data/measured/h200-library/any_ways.csv).
constexpr AnyForm kOfBfloat16[] = {{"64x64", 64, 64, 4, 2.28, 0.295, 0.361, 0.437, 0.327},
                                   {"128x64", 128, 64, 2, 0.99, 1.356, 0.676, 0.659, 0.304},
                                   {}};
constexpr AnyForm kOfFloat32[] = {{"64x64", 64, 64, 2, 1.36, 0.98, 0.139, 0.88, 0.729},
                                  {"128x64", 128, 64, 1, 0.42, 1.59, 0, 1.513, 0},
                                  {}};
constexpr int64_t kAnyDepth = 32;  ///< k of a step
constexpr int64_t kStepsOfPiece = 4;
// Microseconds: the launch that adds up pieces, and each word of one.
constexpr double kAddPieces = 2, kAddedWord = 2e-6;
constexpr int kAnyEarlyFrom = 90;  ///< compute capability from which launches may begin early

/// Dynamic shared memory, as the kernels lay it out.
size_t bytes_of(const AnyForm& form, size_t element) {
  const int64_t parts = element == 4 ? 3 : 1, lines = form.rows + form.columns;
  return static_cast<size_t>(
      4 * std::max(2 * parts * lines * (kAnyDepth / 2 + 4), form.rows * (form.columns + 8)));
}
int64_t tiles_of(const AnyForm& form, int64_t m, int64_t n) {
  return divide_up(m, form.rows) * divide_up(n, form.columns);
}

}  // namespace

const AnyForm* any_forms(size_t element) { return element == 4 ? kOfFloat32 : kOfBfloat16; }

AnyPlan plan_any(size_t element, int64_t m, int64_t n, int64_t k, int64_t multiprocessors, bool cut) {
  AnyPlan best;
  for (const AnyForm* form = any_forms(element); form->name; ++form) {
    const int64_t tiles = tiles_of(*form, m, n), at_once = multiprocessors * form->per_sm,
                  all_steps = divide_up(k, kAnyDepth);
    const auto try_one = [&](int64_t pieces) {
      const auto steps = static_cast<double>(divide_up(all_steps, pieces));
      const auto round = [&](int64_t blocks) {
        const auto further = static_cast<double>(divide_up(blocks, multiprocessors) - 1);
        return form->block + further * form->further + steps * (form->step + further * form->further_step);
      };
      const int64_t blocks = tiles * pieces;
      double all = form->launch + static_cast<double>(blocks / at_once) * round(at_once) +
                   (blocks % at_once > 0 ? round(blocks % at_once) : 0);
      if (pieces > 1) all += kAddPieces + kAddedWord * static_cast<double>(pieces * m * n);
      if (!best.form || all * 1e-6 < best.seconds) best = {form, all * 1e-6, pieces};
    };
    try_one(1);
    // Their results lie where laid operands would.
    const int64_t most = std::min(all_steps / kStepsOfPiece, k * (m + n) / (2 * m * n));
    for (int64_t pieces = 2; cut && pieces <= most && tiles * pieces <= at_once; pieces *= 2) try_one(pieces);
  }
  return best;
}

template <class IN, class OUT>
Status multiply_any(Gpu& gpu, Stream stream, const Matrix<const IN>& a, const Matrix<const IN>& b,
                    const Matrix<OUT>& c, const AnyForm& form, int64_t pieces, void* workspace) {
  const bool early = gpu.compute_capability() >= kAnyEarlyFrom, whole = pieces == 1;
  const auto m = static_cast<int>(c.rows), n = static_cast<int>(c.columns), k = static_cast<int>(a.columns);
  const int64_t piece = divide_up(divide_up(k, kAnyDepth), pieces) * kAnyDepth;
  pieces = divide_up(k, piece);
  const auto launch = [&](auto* to, int64_t stride) {
    const std::string entry = std::string(sizeof(IN) == 4 ? "multiply_float32_" : "multiply_bfloat16_") +
                              (sizeof(*to) == 4 ? "" : "to_bfloat16_") + form.name;
    return gpu.launch(
        early ? "tensor_any_early" : "tensor_any", entry,
        {static_cast<uint64_t>(tiles_of(form, m, n)), static_cast<uint32_t>(pieces), 1, 1, early}, 256,
        bytes_of(form, sizeof(IN)), stream, a.data, steps_of(a), b.data, steps_of(b), to,
        static_cast<long long>(stride), m, n, k, static_cast<int>(piece));
  };
  if (whole) return launch(c.data, c.stride);
  auto* const partial = static_cast<float*>(workspace);
  const Status s = launch(partial, c.columns);
  return s == Status::ok ? add_pieces(gpu, stream, partial, pieces, c) : s;
}
template Status multiply_any(Gpu&, Stream, const Matrix<const float>&, const Matrix<const float>&,
                             const Matrix<float>&, const AnyForm&, int64_t, void*);
template Status multiply_any(Gpu&, Stream, const Matrix<const Bfloat16>&, const Matrix<const Bfloat16>&,
                             const Matrix<float>&, const AnyForm&, int64_t, void*);
template Status multiply_any(Gpu&, Stream, const Matrix<const Bfloat16>&, const Matrix<const Bfloat16>&,
                             const Matrix<Bfloat16>&, const AnyForm&, int64_t, void*);

}  // namespace warpwright
