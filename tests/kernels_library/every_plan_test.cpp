// Every form of the float32 product on CUDA cores, also those that no plan takes for matrices this small.
#include <set>
#include <string>

#include "device.h"
#include "kernels_library/float32.h"

namespace {

using device::Array;
using device::HostMatrix;
using warpwright::Float32Plan;
using warpwright::Layout;
using warpwright::Matrix;
using warpwright::Status;

/// The largest |Δ| / Σ|terms| of a plan's product.
double error_of(warpwright::Gpu& gpu, const Float32Plan& plan, const HostMatrix<float>& a,
                const HostMatrix<float>& b, size_t ahead) {
  HostMatrix<float> c(a.rows, b.columns, Layout::by_rows);
  const Array<float> device_a(a.values, ahead), device_b(b.values, ahead);
  const Array<float> device_c(std::vector<float>(c.values.size(), std::nanf("")), ahead);
  const Array<uint8_t> room(
      std::vector<uint8_t>(warpwright::float32_workspace(c.rows, c.columns, a.columns), 0xff));
  const Status status = warpwright::multiply_float32(gpu, nullptr, a.seen(device_a), b.seen(device_b),
                                                     c.written(device_c), plan, room.data());
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
};
// k: five whole steps and the beginning of one; less than a step; steps without a rest.
constexpr Case kCases[] = {
    {36, 40, 84, 0, Layout::by_rows, Layout::by_rows},
    {37, 71, 19, 1, Layout::by_rows, Layout::by_rows},
    {68, 33, 96, 0, Layout::by_columns, Layout::by_columns},
    {35, 36, 90, 1, Layout::by_columns, Layout::by_rows},
};

TEST(EveryPlan, ComputesTheProduct) {
  if (device::compute_capability() < 80) GTEST_SKIP();
  warpwright::Gpu* gpu = nullptr;
  ASSERT_EQ(warpwright::Gpu::current(&gpu), Status::ok);
  std::set<std::string> files;
  for (const Case& of : kCases) {
    HostMatrix<float> a(of.m, of.k, of.a), b(of.k, of.n, of.b);
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
      EXPECT_LT(error_of(*gpu, plan, a, b, of.ahead), std::ldexp(static_cast<double>(of.k) + 2, -24))
          << form << ": " << of.m << " × " << of.n << " × " << of.k;
    }
  }
  for (const auto& tile : warpwright::kFloat32Tiles)
    EXPECT_TRUE(files.count(tile.file) || static_cast<int64_t>(tile.shape.bytes(1)) > gpu->shared_memory())
        << tile.file << " was not tried";
}

}  // namespace
