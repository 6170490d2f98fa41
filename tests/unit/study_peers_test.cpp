#include "study/peers.h"

#include <gtest/gtest.h>

#include "device/engine_device.h"
#include "kernels/axes.h"

namespace ww::study {
namespace {

/// cuBLAS, played by the engine's host: C = A·B in 2 ms; and copies in 1 ms.
device::Peers make_believe(std::vector<std::string>& called) {
  device::Peers peers;
  peers.list = {{"cublas/sgemm", ""}, {"copy/memcpy", ""}};
  peers.time = [&](device::Device& gpu, const std::string& name, const ww_peers_task& task,
                   const device::TimingOptions&) -> Result<device::Timing> {
    called.push_back(name);
    const auto n = static_cast<size_t>(task.n);
    std::vector<float> a(n * n), b(n * n), c(n * n);
    const auto read = [&](uint64_t from, std::vector<float>& to) {
      return static_cast<bool>(gpu.read(from, std::as_writable_bytes(std::span(to))));
    };
    EXPECT_TRUE(read(task.input[0], a));
    if (name == "copy/memcpy") {
      c = a;
    } else {
      EXPECT_TRUE(read(task.input[1], b));
      for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < n; ++k)
          for (size_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
    EXPECT_TRUE(gpu.write(task.output, std::as_bytes(std::span(c))));
    return device::Timing{name == "copy/memcpy" ? 1.0 : 2.0, 0, 0, 1, {}};
  };
  return peers;
}

struct Peers : testing::Test {
  /// The study's rows of one kernel as if our kernels took 4 ms, and what add_peers makes of them.
  Table run(const char* study, const char* kernel, const std::vector<int>& n) {
    const Study& which = **find_study(study);
    Selection selection;
    selection.quick = true;
    selection.kernels = {kernel};
    selection.n.assign(n.begin(), n.end());
    const auto items = select(which, selection);
    EXPECT_TRUE(items);
    Table table;
    for (const Item& item : *items) {
      Row row;
      row[Axis::Kernel] = item.kernel->name;
      row[Axis::Device] = gpu->info().id;
      row[lab::N] = std::to_string(item.config.n);
      row.values.push_back({"time", 4.0, "ms", Provenance::Measured, ""});
      table.rows.push_back(row);
    }
    add_peers(table, which, *items, make_believe(called), {gpu.get(), {}, {}, nullptr});
    return table;
  }

  std::unique_ptr<device::Device> gpu = device::make_engine_device({});
  std::vector<std::string> called;
};

TEST_F(Peers, SolveTheTaskOnceAreVerifiedAndComparedWith) {
  const Table table = run("matmul-ladder", "tiled", {32});
  EXPECT_EQ(called, (std::vector<std::string>{"cublas/sgemm", "copy/memcpy"}));
  const Row& cublas = table.rows[table.rows.size() - 2];
  EXPECT_EQ(cublas[Axis::Kernel], "cublas/sgemm");
  EXPECT_EQ(cublas.find("verified")->number(), 1);
  EXPECT_DOUBLE_EQ(cublas.find("gflops")->number(), 2.0 * 32 * 32 * 32 / 2e-3 * 1e-9);
  EXPECT_EQ(table.rows[0].find("ratio_to_peer")->number(), 0.5);  // 2 ms of 4
  // 32 x 32 floats, read and written, in 1 ms.
  EXPECT_DOUBLE_EQ(table.rows.back().find("bandwidth")->number(), 2 * 32 * 32 * 4 / 1e-3 * 1e-9);
}

// Nobody else computes what a kernel of `spaces` shows; this once ended in a segmentation fault on a real
// GPU.
TEST_F(Peers, LeaveTasksOfOurOwnAlone) {
  const Table table = run("spaces", "constant", {});
  EXPECT_TRUE(called.empty());
  for (const Row& row : table.rows) EXPECT_FALSE(row.find("ratio_to_peer"));
}

}  // namespace
}  // namespace ww::study
