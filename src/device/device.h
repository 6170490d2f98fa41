// The narrow interface to anything that runs kernels: the engine on this CPU, a real GPU, or nothing (tests).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/fault.h"
#include "base/result.h"
#include "base/table.h"
#include "model/known_registers.h"

namespace ww::gpus {
struct Gpu;
}
namespace ww::forecast {
struct Figures;
}
namespace ww::events {
class Listener;
}
namespace ww::ir {
struct Module;
}

namespace ww::device {

using Address = uint64_t;  ///< A device address as the kernel sees it.

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

/// What a launch must respect. Bytes unless said otherwise.
struct Info {
  std::string id;     ///< "engine", "gpu0", "null": the device column of results
  std::string name;   ///< for people: "NVIDIA H200", "Warpwright engine (avx512, 2 threads)"
  bool real = false;  ///< hardware: its times are the machine's own
  int cc_major = 0, cc_minor = 0;
  uint32_t multiprocessors = 0;
  uint32_t max_threads_per_block = 1024;
  Dim3 max_block{1024, 1024, 64};
  Dim3 max_grid{0x7fffffff, 65535, 65535};
  uint64_t shared_per_block = 48 * 1024;         ///< static + dynamic without opting in
  uint64_t shared_per_block_optin = 227 * 1024;  ///< dynamic, opted in by the launch itself
  uint64_t memory = 0;
};

/// Where a variable of a module lies.
struct VariableAt {
  Address address = 0;
  uint64_t bytes = 0;
};

/// A loaded module; shared ownership unloads it with its last user.
class Module {
 public:
  virtual ~Module() = default;
  virtual std::vector<std::string> kernels() const = 0;  ///< names of its .entry functions
  /// What the device's compiler says of a kernel (registers_per_thread, static_shared_bytes, …); may be
  /// empty.
  virtual std::vector<Value> attributes(const std::string& /*kernel*/) const { return {}; }
  /// Its code, where the device has read it; null elsewhere.
  virtual const ir::Module* code() const { return nullptr; }
  /// A __device__ or __constant__ variable by its name in the PTX; nothing where there is none, or the device
  /// does not tell.
  virtual std::optional<VariableAt> variable(const std::string& /*name*/) const { return {}; }
};
using ModuleRef = std::shared_ptr<Module>;

/// One kernel argument: its bytes, exactly as large as the parameter.
struct Argument {
  std::vector<std::byte> bytes;
  template <class T>
  static Argument of(const T& value) {
    auto raw = std::as_bytes(std::span(&value, 1));
    return {{raw.begin(), raw.end()}};
  }
};

using model::KnownRegisters;

struct Launch {
  ModuleRef module;
  std::string kernel;
  Dim3 grid, block;
  Dim3 cluster;  ///< blocks of a cluster; 1 x 1 x 1: as the kernel says
  uint64_t dynamic_shared = 0;
  std::vector<Argument> arguments;
  bool cooperative = false;  ///< all blocks must be resident at once (grid barrier)
  bool count = false;        ///< also deliver counters (slower)
  /// Also count as these GPUs would (only devices that are not real can).
  std::vector<const gpus::Gpu*> gpus;
  std::vector<KnownRegisters> registers;  ///< for these GPUs
  /// Run only blocks that stand for the others, as far as the grid allows it: for counters, memory is left
  /// incomplete.
  bool sample = false;
  bool advise = false;  ///< also try what would be better on these GPUs (forecast/padding.h)
  /// Told what happens (only the engine can): events/bus.h.
  std::vector<events::Listener*> listeners;
};

/// What one GPU's profiler would say of a launch.
struct GpuReport {
  std::string gpu;  ///< its id
  std::vector<Value> values;
  Table lines;  ///< by source line
  /// Registers, caches, occupancy, time (forecast/forecast.h); null: nothing was predicted.
  std::shared_ptr<const forecast::Figures> figures;
};

/// A texture of float32 texels in device memory, rows of `width` below one another, read with coordinates
/// between 0 and 1. A real GPU wants `address` and width as its allocations have them: of 256 and 8 elements.
struct Texture2D {
  Address address = 0;
  uint32_t width = 0, height = 0;  ///< texels; width is a multiple of 8
  bool wrap = false;               ///< beyond the edges it begins anew; else the edge goes on
  bool linear = false;             ///< weighs four neighbours; else the nearest texel
};

/// An array of 16- or 32-bit floats in device memory for the copy engine (cp.async.bulk.tensor), dimension 0
/// contiguous. Its boxes lie in shared memory in rows of at most 128 bytes, swizzled by 128 bytes; outside of
/// the array are zeros.
struct TensorMap {
  enum class Type { F16, Bf16, F32 };
  Type type = Type::F32;
  Address address = 0;           ///< a multiple of 16
  std::vector<uint64_t> size;    ///< elements in each dimension, one to five of them
  std::vector<uint64_t> stride;  ///< bytes from one to the next in dimension 1, 2 …: multiples of 16
  std::vector<uint32_t> box;     ///< elements that a copy moves, at most 256 in each dimension
};
/// As kernels take it; only its device can read it.
using TensorMapBytes = std::array<std::byte, 128>;

struct LaunchReport {
  std::vector<Value> values;    ///< counters, when asked for
  std::vector<GpuReport> gpus;  ///< one for each GPU of the launch, in its order
  std::vector<Fault> faults;    ///< empty when the kernel ended well
  std::string printed;          ///< what the kernel printed (vprintf)
  std::string engine;           ///< which back end ran it (engine::Ran); "" on a real GPU
};

struct TimingOptions {
  int warm_ups = 2;
  int min_repeats = 3, max_repeats = 50;
  double enough_spread = 0.02;  ///< stop when (p75 - p25) / median is below
  double max_seconds = 2;       ///< of measured time; min_repeats run in any case
  bool flush_l2 = true;         ///< every run finds the L2 cache empty of its data (real GPUs)
};

struct Timing {
  double median_ms = 0, min_ms = 0, max_ms = 0;
  int repeats = 0;
  std::vector<Value> values;  ///< what else is known of the run: clocks, temperature, launch overhead
};

/// A module's PTX text, with its name for messages.
struct Source {
  std::string name, ptx;
};

class Link;

/// Errors (a Result without value) are the user's: unknown kernel, impossible launch, out of memory, lost
/// device.
class Device {
 public:
  virtual ~Device() = default;
  virtual const Info& info() const = 0;
  virtual Result<ModuleRef> load(const std::string& name, const std::string& ptx) = 0;
  /// Loads several modules as one: what is .extern in one is what another defines. Errors: also those of
  /// linking (ir/link.h), and a device that does not link.
  virtual Result<ModuleRef> load_linked(const std::vector<Source>&) {
    return error(info().name + " links no modules");
  }
  virtual Result<Address> allocate(uint64_t bytes) = 0;
  virtual Status free(Address address) = 0;
  virtual Status write(Address to, std::span<const std::byte> from) = 0;
  virtual Status read(Address from, std::span<std::byte> to) = 0;
  /// The handle that kernels take for it (64 bits). Errors: no textures here, memory that is not allocated.
  virtual Result<uint64_t> create_texture(const Texture2D&) {
    return error(info().name + " has no textures");
  }
  virtual Status destroy_texture(uint64_t /*handle*/) { return {}; }
  /// What kernels give to the copy engine. Errors: none here, sizes that the copy engine cannot take.
  virtual Result<TensorMapBytes> create_tensor_map(const TensorMap&) {
    return error(info().name + " has no tensor maps");
  }
  /// Runs to completion.
  virtual Result<LaunchReport> launch(const Launch& launch) = 0;
  /// Runs repeatedly and times it; device memory holds what the last run left.
  virtual Result<Timing> time(const Launch& launch, const TimingOptions& options) = 0;
  /// Host memory, streams and other GPUs (device/link.h); nullptr where the device is no real GPU.
  virtual Link* link() { return nullptr; }
};

/// Checks what every device refuses alike (empty grid, too many threads, too much shared memory), naming the
/// limit.
Status check_launch(const Info& info, const Launch& launch);

}  // namespace ww::device
