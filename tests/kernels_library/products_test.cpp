// C = A·B and C = A·Aᵀ against float64 on the host: all layouts, sizes that fill no tile, addresses that are
// aligned to an element only, strides with padding.
#include <string>
#include <string_view>

#include "../long.h"
#include "device.h"
#include "kernels_library/tensor.h"

namespace {

using device::Array;
using device::HostMatrix;
using warpwright::Accuracy;
using warpwright::Bfloat16;
using warpwright::Layout;
using warpwright::Status;

constexpr Layout kLayouts[] = {Layout::by_rows, Layout::by_columns};

float to_float(float v) { return v; }
float to_float(Bfloat16 v) {
  const uint32_t bits = uint32_t{v.bits} << 16;
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}

/// Dense, by rows: a product on the host is most of these tests' time, and so reads them one behind another.
template <class T>
std::vector<double> doubles(const HostMatrix<T>& m) {
  std::vector<double> values;
  values.reserve(static_cast<size_t>(m.rows * m.columns));
  for (int64_t r = 0; r < m.rows; ++r)
    for (int64_t c = 0; c < m.columns; ++c) values.push_back(to_float(m.at(r, c)));
  return values;
}

/// The largest |Δ| / Σ|terms|, and that nothing but the m × n results was written.
template <class IN, class OUT>
double largest_error(const HostMatrix<IN>& a, const HostMatrix<IN>& b, const HostMatrix<OUT>& c) {
  const std::vector<double> left = doubles(a), right = doubles(b);
  const auto columns = static_cast<size_t>(c.columns), inner = static_cast<size_t>(a.columns);
  std::vector<double> sums(columns), terms(columns);
  double largest = 0;
  for (int64_t i = 0; i < c.rows; ++i) {
    std::fill(sums.begin(), sums.end(), 0), std::fill(terms.begin(), terms.end(), 0);
    for (size_t k = 0; k < inner; ++k) {
      const double factor = left[static_cast<size_t>(i) * inner + k], *row = right.data() + k * columns;
      for (size_t j = 0; j < columns; ++j) {
        const double term = factor * row[j];
        sums[j] += term, terms[j] += std::fabs(term);
      }
    }
    for (size_t j = 0; j < columns; ++j) {
      const double result = to_float(c.at(i, static_cast<int64_t>(j)));
      const double error = std::fabs(result - sums[j]) / std::max(terms[j], 1e-300);
      largest = std::isnan(error) ? 1e9 : std::max(largest, error);
    }
  }
  return largest;
}

struct Sizes {
  int64_t m, n, k;
};
/// None fills a tile; the last takes tensor cores where there are some.
constexpr Sizes kSizes[] = {{1, 1, 1}, {3, 70, 5}, {65, 130, 17}, {129, 4, 200}, {650, 700, 257}};

/// One product; `ahead`: elements that the matrices begin behind an aligned address; `padding`: of strides.
template <class OUT, class IN, class CALL>
double product(const Sizes& sizes, Layout lc, size_t ahead, int64_t padding,
               const std::vector<HostMatrix<IN>>& inputs, size_t room, CALL call) {
  HostMatrix<OUT> c(sizes.m, sizes.n, lc, padding);
  std::vector<OUT> poison(c.values.size());
  std::memset(static_cast<void*>(poison.data()), 0x7f, poison.size() * sizeof(OUT));
  const Array<IN> device_a(inputs[0].values, ahead), device_b(inputs[1].values, ahead);
  const Array<OUT> device_c(poison, ahead);
  const device::Room workspace(room);
  const Status status =
      call(inputs[0].seen(device_a), inputs[1].seen(device_b), c.written(device_c), workspace);
  EXPECT_EQ(status, Status::ok) << warpwright::text(status) << " " << warpwright::driver_error();
  device::wait();
  c.values = device_c.read();
  for (size_t i = 0; i < c.values.size(); ++i) {
    const auto stride = static_cast<size_t>(c.stride);
    const auto length = static_cast<size_t>(lc == Layout::by_rows ? c.columns : c.rows);
    if (i % stride < length) continue;
    EXPECT_EQ(std::memcmp(&c.values[i], &poison[i], sizeof(OUT)), 0) << "padding at " << i;
  }
  return largest_error(inputs[0], inputs[1], c);
}

double float32_product(const Sizes& s, Layout la, Layout lb, Layout lc, size_t ahead, int64_t padding,
                       Accuracy accuracy) {
  std::vector<HostMatrix<float>> inputs{{s.m, s.k, la, padding}, {s.k, s.n, lb, padding}};
  fill(inputs[0], 1), fill(inputs[1], 2);
  return product<float>(s, lc, ahead, padding, inputs, warpwright::matmul_workspace(s.m, s.n, s.k, accuracy),
                        [&](auto a, auto b, auto c, const device::Room& room) {
                          return warpwright::matmul(nullptr, a, b, c, accuracy, room);
                        });
}

/// A sum of k terms in float32, in whatever order: k·2⁻²⁴ of Σ|terms| at most (Higham); products of halves
/// add 2⁻²¹.
double bound(int64_t k, Accuracy accuracy) {
  return std::ldexp(static_cast<double>(k) + 2, -24) +
         (accuracy == Accuracy::halves ? std::ldexp(1, -21) : 0);
}

TEST(Products, TakeEveryLayoutSizeAndAlignment) {
  size_t number = 0;
  for (const Sizes& s : kSizes) {
    for (const Layout la : kLayouts) {
      for (const Layout lb : kLayouts) {
        for (const Layout lc : kLayouts) {
          const bool large = s.m > 512;
          if (large && (lc != la || lb != la)) continue;  // they take long
          for (const auto& [ahead, padding] : {std::pair<size_t, int64_t>{0, 0}, {1, 3}, {0, 6}}) {
            if ((large && padding == 6) || (!large && !ww::is_tried(number++, 4))) continue;
            const double error = float32_product(s, la, lb, lc, ahead, padding, Accuracy::ieee);
            EXPECT_LT(error, bound(s.k, Accuracy::ieee))
                << s.m << " × " << s.n << " × " << s.k << " layouts " << int(la) << int(lb) << int(lc)
                << " ahead " << ahead;
          }
        }
      }
    }
  }
}

TEST(Products, AreAsAccurateAsTheirClass) {
  for (const Accuracy accuracy : {Accuracy::float32, Accuracy::halves}) {
    for (const Layout la : kLayouts) {
      for (const Layout lb : kLayouts) {
        const Sizes s = kSizes[4];
        if ((la == lb) != (accuracy == Accuracy::halves)) continue;  // they take long
        EXPECT_LT(float32_product(s, la, lb, la, la == lb ? 0 : 1, la == lb ? 0 : 3, accuracy),
                  bound(s.k, accuracy))
            << "layouts " << int(la) << int(lb);
      }
    }
  }
}

/// Small products of halves are thirds, to the last bit: on an H200 768 × 768 by 128 takes 8 µs so, and 16 in
/// halves, whose rows are scanned first.
TEST(Products, OfHalvesAreThirdsWhereTheseAreFaster) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  constexpr int64_t kSide = 768, kDepth = 128;
  HostMatrix<float> a(kSide, kDepth, Layout::by_rows), b(kDepth, kSide, Layout::by_rows),
      c(kSide, kSide, Layout::by_rows);
  fill(a, 1), fill(b, 2);
  const Array<float> da(a.values), db(b.values);
  std::vector<std::vector<float>> results;
  for (const Accuracy accuracy : {Accuracy::float32, Accuracy::halves}) {
    const Array<float> dc(c.values);
    const device::Room room(warpwright::matmul_workspace(kSide, kSide, kDepth, accuracy));
    ASSERT_EQ(warpwright::matmul(nullptr, a.seen(da), b.seen(db), c.written(dc), accuracy, room), Status::ok);
    device::wait();
    results.push_back(dc.read());
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_NE(results[0], c.values);
  EXPECT_GE(warpwright::aat_workspace(kSide, kDepth, Accuracy::halves),
            warpwright::lower_split_workspace(kSide, kDepth, Accuracy::float32));
}

/// Small integers: every product and sum is exact in bfloat16 and float32.
HostMatrix<Bfloat16> small_integers(int64_t rows, int64_t columns, Layout layout, int64_t padding, int seed) {
  HostMatrix<Bfloat16> m(rows, columns, layout, padding);
  for (auto& v : m.values) v.bits = 0x7fff;  // NaN
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      const float v = static_cast<float>((r * 7 + c * 5 + seed) % 3 - 1);
      uint32_t bits;
      std::memcpy(&bits, &v, 4);
      m.at(r, c).bits = static_cast<uint16_t>(bits >> 16);
    }
  }
  return m;
}

TEST(Products, OfBfloat16AreExactForSmallIntegers) {
  for (const Sizes& s : {Sizes{1, 1, 1}, Sizes{33, 70, 5}, Sizes{130, 258, 100}}) {
    for (const Layout la : kLayouts) {
      for (const Layout lb : kLayouts) {
        const int64_t padding = la == lb ? 0 : 3;
        const std::vector<HostMatrix<Bfloat16>> inputs{small_integers(s.m, s.k, la, padding, 1),
                                                       small_integers(s.k, s.n, lb, padding, 2)};
        const auto call = [&](auto a, auto b, auto c, const device::Room& room) {
          return warpwright::matmul(nullptr, a, b, c, room);
        };
        const size_t room = warpwright::matmul_bfloat16_workspace(s.m, s.n, s.k);
        EXPECT_EQ((product<float>(s, lb, la == lb ? 0 : 1, padding, inputs, room, call)), 0);
        EXPECT_EQ((product<Bfloat16>(s, lb, la == lb ? 0 : 1, padding, inputs, room, call)), 0);
      }
    }
  }
}

/// Three rows of tiles, the last of which is the second half of a cluster's without a single result; more
/// steps than most have stages; rows that begin at multiples of 16 and of 8 bytes, each kind with every
/// second form, with WW_LONG with each. Results in bfloat16 are rounded.
TEST(Products, OfBfloat16AreExactWithEveryTile) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  warpwright::Gpu* gpu = nullptr;
  ASSERT_EQ(warpwright::Gpu::current(&gpu), Status::ok);
  const Sizes s{260, 300, 330};
  for (const int64_t padding : {0, 4}) {
    const std::vector<HostMatrix<Bfloat16>> inputs{small_integers(s.m, s.k, Layout::by_rows, padding, 1),
                                                   small_integers(s.k, s.n, Layout::by_rows, padding, 2)};
    size_t form = 0;
    const auto call = [&](auto a, auto b, auto c, const device::Room& room) {
      return warpwright::multiply_bfloat16(*gpu, nullptr, a, b, c, warpwright::Workspace(room).data, form);
    };
    const size_t room = warpwright::matmul_bfloat16_workspace(s.m, s.n, s.k);
    for (; form < warpwright::bfloat16_forms(true); ++form) {
      if (!ww::is_tried(form + (padding > 0 ? 1 : 0), 2)) continue;
      EXPECT_EQ((product<float>(s, Layout::by_rows, 0, padding, inputs, room, call)), 0)
          << warpwright::bfloat16_form(form);
    }
    if (padding == 0) continue;  // they take long
    for (form = 0; form < warpwright::bfloat16_forms(false); ++form) {
      if (!ww::is_tried(form, 2)) continue;
      EXPECT_LE((product<Bfloat16>(s, Layout::by_rows, 0, padding, inputs, room, call)), std::ldexp(1, -8))
          << warpwright::bfloat16_form(form);
    }
  }
}

/// Operands by columns that the copy engine can take stay where they are: there is no workspace to lay them
/// in. Each layout with every third form; with WW_LONG with each.
TEST(Products, OfBfloat16TakeOperandsByColumns) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  warpwright::Gpu* gpu = nullptr;
  ASSERT_EQ(warpwright::Gpu::current(&gpu), Status::ok);
  const Sizes s{260, 304, 330};
  size_t layout = 0;
  for (const auto& [la, lb] : {std::pair{Layout::by_columns, Layout::by_rows},
                               {Layout::by_rows, Layout::by_columns},
                               {Layout::by_columns, Layout::by_columns}}) {
    // Columns of 260 + 4 elements or rows of 330 + 6; of 330 + 6 or 304.
    const std::vector<HostMatrix<Bfloat16>> inputs{
        small_integers(s.m, s.k, la, la == Layout::by_columns ? 4 : 6, 1),
        small_integers(s.k, s.n, lb, lb == Layout::by_columns ? 6 : 0, 2)};
    ++layout;
    size_t form = 0;
    const auto call = [&](auto a, auto b, auto c, const device::Room&) {
      return warpwright::multiply_bfloat16(*gpu, nullptr, a, b, c, nullptr, form);
    };
    for (; form < warpwright::bfloat16_forms(true); ++form) {
      if (!ww::is_tried(form + layout, 3)) continue;
      EXPECT_EQ((product<float>(s, Layout::by_rows, 0, 0, inputs, 0, call)), 0)
          << warpwright::bfloat16_form(form) << (la == Layout::by_columns ? ", A" : "")
          << (lb == Layout::by_columns ? ", B" : "");
    }
  }
}

/// Fewer rows and columns than tiles have, which are not copied where they lie along k.
TEST(Products, OfBfloat16SmallerThanATile) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  warpwright::Gpu* gpu = nullptr;
  ASSERT_EQ(warpwright::Gpu::current(&gpu), Status::ok);
  const Sizes s{72, 88, 200};
  for (const Layout la : kLayouts) {
    const std::vector<HostMatrix<Bfloat16>> inputs{small_integers(s.m, s.k, la, 0, 1),
                                                   small_integers(s.k, s.n, Layout::by_columns, 0, 2)};
    size_t form = 0;
    const auto call = [&](auto a, auto b, auto c, const device::Room&) {
      return warpwright::multiply_bfloat16(*gpu, nullptr, a, b, c, nullptr, form);
    };
    for (; form < warpwright::bfloat16_forms(true); ++form)
      EXPECT_EQ((product<float>(s, Layout::by_rows, 0, 0, inputs, 0, call)), 0)
          << warpwright::bfloat16_form(form) << (la == Layout::by_columns ? ", A by columns" : "");
  }
}

bool cuts_k(size_t form) {
  return std::string_view(warpwright::bfloat16_form(form)).find("cut") != std::string_view::npos;
}

/// Tiles that a cluster has together, a part of k for each block: fewer steps of 64 k than blocks, so that
/// some have none, and parts that are not equally long. The library takes them by itself for few tiles and
/// long sums.
TEST(Products, OfBfloat16AreExactWhereClustersCutK) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  warpwright::Gpu* gpu = nullptr;
  ASSERT_EQ(warpwright::Gpu::current(&gpu), Status::ok);
  for (const Sizes& s : {Sizes{66, 130, 72}, Sizes{130, 66, 328}}) {
    const std::vector<HostMatrix<Bfloat16>> inputs{small_integers(s.m, s.k, Layout::by_rows, 0, 1),
                                                   small_integers(s.k, s.n, Layout::by_rows, 6, 2)};
    size_t form = 0, cut = 0;
    const auto call = [&](auto a, auto b, auto c, const device::Room& room) {
      return warpwright::multiply_bfloat16(*gpu, nullptr, a, b, c, warpwright::Workspace(room).data, form);
    };
    const size_t room = warpwright::matmul_bfloat16_workspace(s.m, s.n, s.k);
    for (; form < warpwright::bfloat16_forms(false); ++form) {
      if (!cuts_k(form)) continue;
      ++cut;
      EXPECT_EQ((product<float>(s, Layout::by_rows, 0, 6, inputs, room, call)), 0)
          << warpwright::bfloat16_form(form);
      EXPECT_LE((product<Bfloat16>(s, Layout::by_rows, 0, 6, inputs, room, call)), std::ldexp(1, -8))
          << warpwright::bfloat16_form(form);
    }
    EXPECT_GT(cut, 0u);
  }
}

/// More tiles than twice the GPU's multiprocessors, of one step each: the boxes that a block's next tile is
/// stored through, or where warpgroups take turns the next but one, are soon needed again. (`warpwright
/// check` tells a store to one that is still being copied.) Every third form; with WW_LONG each.
TEST(Products, OfBfloat16StoreTileAfterTile) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  warpwright::Gpu* gpu = nullptr;
  ASSERT_EQ(warpwright::Gpu::current(&gpu), Status::ok);
  const Sizes s{66, 51000, 8};
  const std::vector<HostMatrix<Bfloat16>> inputs{small_integers(s.m, s.k, Layout::by_rows, 0, 1),
                                                 small_integers(s.k, s.n, Layout::by_rows, 0, 2)};
  size_t form = 0;
  const auto call = [&](auto a, auto b, auto c, const device::Room& room) {
    return warpwright::multiply_bfloat16(*gpu, nullptr, a, b, c, warpwright::Workspace(room).data, form);
  };
  const size_t room = warpwright::matmul_bfloat16_workspace(s.m, s.n, s.k);
  for (; form < warpwright::bfloat16_forms(true); ++form) {
    if (cuts_k(form) || !ww::is_tried(form, 3)) continue;  // blocks with one tile each
    EXPECT_EQ((product<float>(s, Layout::by_rows, 0, 0, inputs, room, call)), 0)
        << warpwright::bfloat16_form(form);
  }
  for (form = 0; form < warpwright::bfloat16_forms(false); ++form) {
    if (cuts_k(form) || !ww::is_tried(form + 1, 3)) continue;
    EXPECT_EQ((product<Bfloat16>(s, Layout::by_rows, 0, 0, inputs, room, call)), 0)
        << warpwright::bfloat16_form(form);
  }
}

/// Last tiles of every form that begin earlier than they would, in rows, in columns and in both, so that they
/// end with the matrix; they store nothing that another tile has (`warpwright check`).
/// Each kind of results with half of the layouts of A and B: they take long.
void ends_where_the_matrix_does(Layout la, Layout lb) {
  warpwright::Gpu* gpu = nullptr;
  ASSERT_EQ(warpwright::Gpu::current(&gpu), Status::ok);
  const Sizes s{261, 264, 8};
  const std::vector<HostMatrix<Bfloat16>> inputs{
      small_integers(s.m, s.k, la, la == Layout::by_columns ? 3 : 0, 1), small_integers(s.k, s.n, lb, 0, 2)};
  size_t form = 0;
  const auto call = [&](auto a, auto b, auto c, const device::Room&) {
    return warpwright::multiply_bfloat16(*gpu, nullptr, a, b, c, nullptr, form);
  };
  const auto name = [&] {
    return warpwright::bfloat16_form(form) + std::string(" layouts ") + std::to_string(int(la)) +
           std::to_string(int(lb));
  };
  for (; la == lb && form < warpwright::bfloat16_forms(true); ++form)
    EXPECT_EQ((product<float>(s, Layout::by_rows, 0, 0, inputs, 0, call)), 0) << name();
  for (; la != lb && form < warpwright::bfloat16_forms(false); ++form)
    EXPECT_EQ((product<Bfloat16>(s, Layout::by_rows, 0, 0, inputs, 0, call)), 0) << name();
}

TEST(Products, OfBfloat16EndWhereTheMatrixDoes) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  for (const Layout lb : kLayouts) ends_where_the_matrix_does(Layout::by_rows, lb);
}

TEST(Products, OfBfloat16ByColumnsEndThereToo) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  for (const Layout lb : kLayouts) ends_where_the_matrix_does(Layout::by_columns, lb);
}

TEST(Products, WithTheTransposedAreSymmetric) {
  for (const auto& [n, k] : {std::pair<int64_t, int64_t>{1, 1}, {70, 33}, {2310, 20}, {800, 257}}) {
    for (const Layout layout : kLayouts) {
      for (const Accuracy accuracy : {Accuracy::ieee, Accuracy::float32, Accuracy::halves}) {
        const int64_t padding = accuracy == Accuracy::float32 ? 3 : 0;
        HostMatrix<float> a(n, k, layout, padding), turned(k, n, Layout::by_rows),
            c(n, n, Layout::by_rows, padding);
        fill(a, 3);
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = 0; j < k; ++j) turned.at(j, i) = a.at(i, j);
        const Array<float> device_a(a.values);
        const Array<float> device_c(std::vector<float>(c.values.size(), -1.0f));
        const device::Room room(warpwright::aat_workspace(n, k, accuracy));
        ASSERT_EQ(warpwright::aat(nullptr, a.seen(device_a), c.written(device_c), accuracy, room),
                  Status::ok);
        device::wait();
        c.values = device_c.read();
        EXPECT_LT(largest_error(a, turned, c), bound(k, accuracy)) << n << " × " << k;
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = 0; j < i; ++j) ASSERT_EQ(c.at(i, j), c.at(j, i));
      }
    }
  }
}

TEST(Products, OfNoTermsAreZero) {
  const Array<float> c(std::vector<float>(12, 5.0f));
  const warpwright::Matrix<const float> a{nullptr, 3, 0, 0}, b{nullptr, 0, 4, 4};
  EXPECT_EQ(warpwright::matmul(nullptr, a, b, {c.data(), 3, 4, 4}, Accuracy::ieee, {}), Status::ok);
  device::wait();
  EXPECT_EQ(c.read(), std::vector<float>(12, 0.0f));
}

TEST(Products, KeepInfinitiesWithIeee) {
  HostMatrix<float> a(70, 70, Layout::by_rows), b(70, 70, Layout::by_rows), c(70, 70, Layout::by_rows);
  for (float& v : a.values) v = 1;
  for (float& v : b.values) v = 2;
  a.at(5, 7) = INFINITY;
  const Array<float> da(a.values), db(b.values), dc(c.values);
  const device::Room room(warpwright::matmul_workspace(70, 70, 70, Accuracy::ieee));
  ASSERT_EQ(warpwright::matmul(nullptr, a.seen(da), b.seen(db), c.written(dc), Accuracy::ieee, room),
            Status::ok);
  device::wait();
  c.values = dc.read();
  for (int64_t i = 0; i < 70; ++i)
    for (int64_t j = 0; j < 70; ++j) ASSERT_EQ(c.at(i, j), i == 5 ? INFINITY : 140.0f);
}

}  // namespace
