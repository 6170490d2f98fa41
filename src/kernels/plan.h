// What one configuration of a case comes to: buffers, launches, and what the result must be.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/table.h"
#include "device/link.h"
#include "kernels/input.h"

namespace ww::kernels {

/// Elements are 4 bytes. A poisoned one holds a NaN that no computation produces, so that an element which is
/// read too early or never written shows.
inline constexpr uint32_t kPoison = 0x7fc0dead;

struct Poison {};
struct Zero {};

struct Buffer {
  std::string name;       ///< the kernel's name of it: "a"
  uint64_t elements = 0;  ///< without slack
  std::variant<Poison, Zero, Input> content = Poison{};
  uint64_t slack = 0;  ///< poisoned elements behind them, which the kernel may read but not use
};

/// The buffer number `index` of the plan, by its address.
struct BufferArgument {
  int index;
};

struct PlannedLaunch {
  std::string entry;
  device::Dim3 grid, block;
  uint64_t dynamic_shared = 0;
  std::vector<std::variant<BufferArgument, device::Argument>> arguments;
};

enum class Problem {
  Matmul,            ///< C = A·B, row-major n × n
  MatmulTransposed,  ///< C = A·Aᵀ
  BoxSum,            ///< sums of (2r+1)² neighbours, (n−2r)² of them
  Sum,               ///< of n elements
};

/// The mathematical problem; plans with equal tasks have the same right answer.
struct Task {
  Problem problem = Problem::Matmul;
  int64_t n = 0, r = 0;
  std::vector<Input> inputs;
  std::string identity() const;
};

/// Runs a case on the host: the inputs as the task names them, then the output.
using HostFunction = void (*)(const Task& task, std::span<const std::vector<float>> inputs,
                              std::span<float> out);

/// Where a probe runs.
struct ProbeRun {
  device::Device& gpu;  ///< a real one: it has a link
  device::TimingOptions timing;
  uint64_t seed = 1;  ///< of the input
  device::Link& link() const { return *gpu.link(); }
};

struct Plan {
  Task task;
  std::vector<Buffer> buffers;  ///< those of the device
  int output = 0;               ///< index of the one that holds the answer
  std::string module;           ///< name of its embedded PTX
  std::vector<PlannedLaunch> launches;
  HostFunction host = nullptr;  ///< instead of all of these
  /// Instead of all of these on a real GPU: measures what is more than launches on one device. Rows name only
  /// what the configuration does not name already.
  std::function<std::vector<Row>(const ProbeRun& run)> probe;

  double flop = 0;       ///< the problem's own floating-point operations, by formula
  int64_t rounding = 0;  ///< the most roundings that any one term meets on its way into a result
};

}  // namespace ww::kernels
