// What one configuration of a case comes to: buffers, launches, and what the result must be.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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

/// Tensor maps one behind the other, 32 elements each, of other buffers of the plan.
struct TensorMaps {
  struct Of {
    int buffer;
    device::TensorMap map;  ///< without an address
  };
  std::vector<Of> maps;
};

struct Buffer {
  std::string name;       ///< the kernel's name of it: "a"
  uint64_t elements = 0;  ///< without slack
  std::variant<Poison, Zero, Input, TensorMaps> content = Poison{};
  uint64_t slack = 0;    ///< poisoned elements behind them, which the kernel may read but not use
  uint64_t columns = 0;  ///< of the matrix that they are, row by row; 0: a vector
};

/// A shared array of floats, for pictures: PTX knows its bytes only.
struct SharedArray {
  std::string name;      ///< as the source has it: "As"
  uint64_t columns = 0;  ///< words of a row, padding included
};

/// The buffer number `index` of the plan, by its address.
struct BufferArgument {
  int index;
};

/// The plan's texture of this number, by its handle.
struct TextureArgument {
  int index;
};

/// A texture over the first width × height elements of a buffer.
struct PlannedTexture {
  int buffer = 0;
  device::Texture2D texture;  ///< without an address
};

struct PlannedLaunch {
  std::string entry;
  device::Dim3 grid, block;
  uint64_t dynamic_shared = 0;
  std::vector<std::variant<BufferArgument, TextureArgument, device::Argument>> arguments;
  device::Dim3 cluster{};  ///< blocks of a cluster
};

enum class Problem {
  Matmul,            ///< C = A·B, row-major n × n
  MatmulTransposed,  ///< C = A·Aᵀ
  BoxSum,            ///< sums of (2r+1)² neighbours, (n−2r)² of them
  Sum,               ///< of n elements
  Given,             ///< what the task's own function says
};

/// Computes an answer in float64, and for each element the sum of its terms' absolute values.
using Answer = std::function<void(std::span<double> exact, std::span<double> magnitude)>;

/// The mathematical problem; plans with equal tasks have the same right answer.
struct Task {
  Problem problem = Problem::Matmul;
  int64_t n = 0, r = 0;
  std::vector<Input> inputs;
  // Problem::Given only.
  std::string name;      ///< of this answer with all it depends on besides n, r and the inputs
  uint64_t outputs = 0;  ///< elements of the answer, one row
  Answer answer;
  std::string identity() const;
};

/// Runs a case on the host: the inputs as the task names them, then the output.
using HostFunction = void (*)(const Task& task, std::span<const std::vector<float>> inputs,
                              std::span<float> out);

/// A fault that the kernel is there to show.
struct ExpectedFault {
  std::string kind;                  ///< as device's Fault::kind
  std::vector<std::string> says;     ///< what the diagnosis must name, word for word
  std::string why_not_on_a_machine;  ///< what would happen on a real GPU, which is why it is not run there
};

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
  std::vector<PlannedTexture> textures;
  int output = 0;         ///< index of the one that holds the answer
  bool integers = false;  ///< the answer's elements are uint32, up to 2^24, instead of float32
  std::string module;     ///< name of its embedded PTX
  std::vector<PlannedLaunch> launches;
  std::vector<SharedArray> shared;              ///< those that are matrices
  HostFunction host = nullptr;                  ///< instead of all of these
  std::optional<ExpectedFault> expected_fault;  ///< instead of an answer
  /// Instead of all of these on a real GPU: measures what is more than launches on one device. Rows name only
  /// what the configuration does not name already.
  std::function<std::vector<Row>(const ProbeRun& run)> probe;

  /// Which of a family's problems it is, where a family has several: only kernels of one can be compared.
  std::string problem;
  double flop = 0;       ///< the problem's own floating-point operations, by formula
  int64_t rounding = 0;  ///< the most roundings that any one term meets on its way into a result
};

}  // namespace ww::kernels
