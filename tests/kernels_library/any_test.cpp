// Products of matrices that lie anyhow, in every tile that there is for them: all layouts, rows that begin at
// any element, sizes that fill no tile and no step.
#include "kernels_library/any.h"
#include "lies.h"

namespace {

using device::Lie;
using device::Sizes;
using warpwright::AnyForm;
using warpwright::Bfloat16;
using warpwright::Layout;
using warpwright::Status;

constexpr Lie kLies[] = {{Layout::by_rows, Layout::by_rows, 1, 0},
                         {Layout::by_columns, Layout::by_columns, 0, 3},
                         {Layout::by_rows, Layout::by_columns, 0, 4},
                         {Layout::by_columns, Layout::by_rows, 2, 1}};
constexpr Sizes kSizes[] = {{1, 1, 1}, {130, 67, 33}, {63, 129, 150}, {20, 40, 64}};

/// All forms of a product of these elements, whole and, for k that are long enough, in pieces. `rounding`: of
/// the results, as a part of them.
template <class IN, class OUT>
void try_all(double rounding) {
  warpwright::Gpu* gpu = nullptr;
  ASSERT_EQ(warpwright::Gpu::current(&gpu), Status::ok);
  for (const AnyForm* form = warpwright::any_forms(sizeof(IN)); form->name; ++form)
    for (const Sizes& s : kSizes)
      for (const int64_t pieces : {1, 3}) {
        if (pieces > 1 && (sizeof(IN) == 4 || s.k < 100 || gpu->compute_capability() < 90)) continue;
        const device::Array<uint8_t> room(
            std::vector<uint8_t>(static_cast<size_t>(pieces * s.m * s.n) * 4, 0xff));
        for (const Lie& lie : kLies)
          device::try_product<IN, OUT>(
              s, lie, rounding, form->name + std::string(" in ") + std::to_string(pieces),
              [&](auto a, auto b, auto c) {
                return warpwright::multiply_any(*gpu, nullptr, a, b, c, *form, pieces, room.data());
              });
      }
}

TEST(AnyProducts, OfBfloat16AreRightInEveryTile) {
  if (device::compute_capability() < 80) GTEST_SKIP();
  try_all<Bfloat16, float>(0);
  try_all<Bfloat16, Bfloat16>(std::ldexp(1, -8));
}
TEST(AnyProducts, OfFloat32AreRightInEveryTile) {
  if (device::compute_capability() < 90) GTEST_SKIP();
  try_all<float, float>(0);
}

}  // namespace
