// Every form of the float32 product, also those that the library does not take for matrices this small.
#include <set>
#include <string>
#include <tuple>

#include "device.h"
#include "kernels_library/float32.h"
#include "kernels_library/tensor.h"

namespace {

using device::Array;
using device::HostMatrix;
using warpwright::Float32Plan;
using warpwright::Layout;
using warpwright::Matrix;
using warpwright::Status;

/// The largest |Δ| / Σ|terms| of a product. call(a, b, c, workspace).
template <class CALL>
double error_of(const HostMatrix<float>& a, const HostMatrix<float>& b, size_t ahead, size_t workspace,
                CALL call) {
  HostMatrix<float> c(a.rows, b.columns, Layout::by_rows);
  const Array<float> device_a(a.values, ahead), device_b(b.values, ahead);
  const Array<float> device_c(std::vector<float>(c.values.size(), std::nanf("")), ahead);
  const Array<uint8_t> room(std::vector<uint8_t>(workspace, 0xff));
  const Status status = call(a.seen(device_a), b.seen(device_b), c.written(device_c), room.data());
  EXPECT_EQ(status, Status::ok) << warpwright::text(status);
  device::wait();
  c.values = device_c.read();
  double largest = 0;
  for (int64_t i = 0; i < c.rows; ++i)
    for (int64_t j = 0; j < c.columns; ++j) {
      double sum = 0, terms = 0;
      for (int64_t k = 0; k < a.columns; ++k) {
        const double term = double{a.at(i, k)} * double{b.at(k, j)};
        sum += term, terms += std::fabs(term);
      }
      const double error = std::fabs(double{c.at(i, j)} - sum) / std::max(terms, 1e-300);
      largest = std::isnan(error) ? 1e9 : std::max(largest, error);
    }
  return largest;
}

struct Case {
  int64_t m, n, k;
  size_t ahead;  ///< elements from an aligned address to the matrices
  Layout a, b;
  int64_t padding = 0;  ///< of B's rows
};
// k: five whole steps and the beginning of one; less than a step; steps without a rest.
constexpr Case kCases[] = {
    {36, 40, 84, 0, Layout::by_rows, Layout::by_rows},
    {37, 71, 19, 1, Layout::by_rows, Layout::by_rows},
    {68, 33, 96, 0, Layout::by_columns, Layout::by_columns},
    {35, 36, 90, 1, Layout::by_columns, Layout::by_rows},
    // B's rows begin at 0 to 3 words beyond 16 bytes; two tiles, and rows that end in each of them.
    {36, 137, 84, 0, Layout::by_rows, Layout::by_rows, 3},
    {36, 129, 77, 0, Layout::by_columns, Layout::by_rows},
    {36, 254, 84, 0, Layout::by_rows, Layout::by_rows},
    {36, 39, 83, 0, Layout::by_rows, Layout::by_rows},
};

TEST(EveryPlan, ComputesTheProduct) {
  if (device::compute_capability() < 80) GTEST_SKIP();
  warpwright::Gpu* gpu = nullptr;
  ASSERT_EQ(warpwright::Gpu::current(&gpu), Status::ok);
  std::set<std::string> files;
  for (const Case& of : kCases) {
    HostMatrix<float> a(of.m, of.k, of.a), b(of.k, of.n, of.b, of.padding);
    fill(a, 3), fill(b, 4);
    const Array<float> place(size_t{1}, of.ahead);  // alignment counts, not content
    std::set<std::string> seen;
    // As on a GPU of two multiprocessors, so that tiles are left over, which are cut along k.
    for (const Float32Plan& plan :
         warpwright::float32_plans(a.seen(place), b.seen(place), 2, gpu->shared_memory())) {
      std::string form = plan.tile->file;
      for (const bool has : {plan.lay_a, plan.lay_b, plan.whole > 0, plan.mains > 0, plan.helpers > 0})
        form += has ? " yes" : " no";
      if (!seen.insert(form).second) continue;
      files.insert(plan.tile->file);
      // Higham: k·2⁻²⁴, whatever the order.
      const auto call = [&](auto on_a, auto on_b, auto on_c, void* room) {
        return warpwright::multiply_float32(*gpu, nullptr, on_a, on_b, on_c, plan, room);
      };
      EXPECT_LT(error_of(a, b, of.ahead, warpwright::float32_workspace(of.m, of.n, of.k), call),
                std::ldexp(static_cast<double>(of.k) + 2, -24))
          << form << ": " << of.m << " × " << of.n << " × " << of.k;
    }
  }
  for (const auto& tile : warpwright::kFloat32Tiles)
    EXPECT_TRUE(files.count(tile.file) || static_cast<int64_t>(tile.shape.bytes(1)) > gpu->shared_memory())
        << tile.file << " was not tried";
}

/// A·Aᵀ in every tile that it has on CUDA cores: rows that fill none, results in chunks and by words.
TEST(EveryPlan, ComputesTheLowerTiles) {
  if (device::compute_capability() < 80) GTEST_SKIP();
  warpwright::Gpu* gpu = nullptr;
  ASSERT_EQ(warpwright::Gpu::current(&gpu), Status::ok);
  for (const auto& [n, k, layout] :
       {std::tuple<int64_t, int64_t, Layout>{201, 83, Layout::by_rows}, {260, 70, Layout::by_columns}}) {
    HostMatrix<float> a(n, k, layout), turned(k, n, Layout::by_rows);
    fill(a, 8);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < k; ++j) turned.at(j, i) = a.at(i, j);
    for (const auto& tile : warpwright::kLowerTiles) {
      if (static_cast<int64_t>(tile.shape.bytes(0)) > gpu->shared_memory()) continue;
      const auto call = [&](auto on_a, auto, auto on_c, void* room) {
        return warpwright::lower_float32(*gpu, nullptr, on_a, on_c, tile, room);
      };
      EXPECT_LT(error_of(a, turned, 0, warpwright::float32_workspace(n, n, k), call),
                std::ldexp(static_cast<double>(k) + 2, -24))
          << tile.file << ": " << n << " × " << k;
    }
  }
}

/// Every tile on tensor cores, whole and with its last ones cut along k, as on a GPU of five multiprocessors.
TEST(EveryTile, OfTensorCoresComputesTheProduct) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  warpwright::Gpu* gpu = nullptr;
  ASSERT_EQ(warpwright::Gpu::current(&gpu), Status::ok);
  constexpr int64_t kM = 260, kN = 250, kDepth = 400, kBlocks = 5;
  for (const auto accuracy : {warpwright::Accuracy::float32, warpwright::Accuracy::halves}) {
    const bool halves = accuracy == warpwright::Accuracy::halves;
    HostMatrix<float> a(kM, kDepth, Layout::by_rows), b(kDepth, kN, Layout::by_rows);
    fill(a, 5), fill(b, 6);
    std::set<std::string> seen;
    for (const auto& plan : warpwright::split_plans(kM, kN, kDepth, accuracy, false, kBlocks)) {
      const std::string form = plan.form->name + std::string(plan.cut > 0 ? " cut" : "");
      if (plan.pieces == 2 || !seen.insert(form).second) continue;
      const auto call = [&](auto on_a, auto on_b, auto on_c, void* room) {
        return warpwright::multiply_split(*gpu, nullptr, on_a, on_b, on_c, accuracy, plan, kBlocks, room);
      };
      EXPECT_LT(error_of(a, b, 0, warpwright::split_workspace(kM, kN, kDepth, accuracy), call),
                std::ldexp(kDepth + 2, -24) + (halves ? std::ldexp(1, -21) : 0))
          << form;
    }
    EXPECT_EQ(seen.size(), halves ? 5 : 4);
  }
}

/// A·Aᵀ of n × k, as on a GPU of so many multiprocessors, by the last of the plans, which has so many whole
/// tiles and pieces; so many times, with what the one before has left in the workspace.
struct Lower {
  int64_t n, k, blocks, whole, pieces;
};
void compute_lower_tiles(const Lower& of, warpwright::Accuracy accuracy, int times) {
  warpwright::Gpu* gpu = nullptr;
  ASSERT_EQ(warpwright::Gpu::current(&gpu), Status::ok);
  HostMatrix<float> a(of.n, of.k, Layout::by_rows), turned(of.k, of.n, Layout::by_rows);
  fill(a, 7);
  for (int64_t i = 0; i < of.n; ++i)
    for (int64_t j = 0; j < of.k; ++j) turned.at(j, i) = a.at(i, j);
  const auto plan = warpwright::split_plans(of.n, of.n, of.k, accuracy, true, of.blocks).back();
  ASSERT_EQ(plan.whole, of.whole);
  ASSERT_EQ(plan.pieces, of.pieces);
  const auto call = [&](auto on_a, auto, auto on_c, void* room) {
    Status s = Status::ok;
    for (int i = 0; i < times && s == Status::ok; ++i)
      s = warpwright::lower_split(*gpu, nullptr, on_a, on_c, accuracy, plan, of.blocks, room);
    return s;
  };
  const double halves = accuracy == warpwright::Accuracy::halves ? std::ldexp(1, -21) : 0;
  EXPECT_LT(error_of(a, turned, 0, warpwright::lower_split_workspace(of.n, of.k, accuracy), call),
            std::ldexp(static_cast<double>(of.k) + 2, -24) + halves)
      << of.n << ", " << of.blocks << " blocks, " << times;
}

/// The last tiles cut: whole ones on the diagonal, a cut one below it; and all cut.
TEST(EveryTile, OfTensorCoresComputesTheLowerTiles) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  for (const auto accuracy : {warpwright::Accuracy::float32, warpwright::Accuracy::halves}) {
    for (const int times : {1, 2}) compute_lower_tiles({200, 400, 2, 2, 3}, accuracy, times);
    compute_lower_tiles({200, 400, 5, 0, 3}, accuracy, 1);
  }
}
/// More rows of tiles than are computed column by column, and tiles on the diagonal between others.
TEST(EveryTile, OfTensorCoresComputesManyRows) {
  if (device::compute_capability() != 90) GTEST_SKIP();
  compute_lower_tiles({1160, 200, 20, 40, 2}, warpwright::Accuracy::float32, 1);
}

}  // namespace
