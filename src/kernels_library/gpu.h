// The GPU of the calling thread, and the kernels that were loaded for it.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "kernels_library/driver.h"

namespace warpwright {

struct Dim {
  uint64_t x = 1;
  uint32_t y = 1, z = 1;
  uint32_t cluster = 1;  ///< blocks along x that are one
  /// The launch may begin before the one before it has ended: its threads wait themselves
  /// (kernels/launch_order.h).
  bool early = false;
};

/// One for each context. Kernels are loaded when they are first launched: the driver compiles a file of PTX
/// then, and keeps the machine code for the next process.
class Gpu {
 public:
  /// Status::no_driver or no_context where there is none.
  static Status current(Gpu** gpu);

  int compute_capability() const { return compute_capability_; }  ///< 90 for 9.0
  int multiprocessors() const { return multiprocessors_; }
  int shared_memory() const { return shared_memory_; }  ///< bytes that a block may have at most

  /// `file`: of src/kernels_library/cuda, without its ending. Arguments are copied.
  template <class... ARGUMENTS>
  Status launch(const char* file, std::string_view entry, Dim grid, uint32_t threads, size_t shared,
                Stream stream, ARGUMENTS... arguments) {
    std::array<void*, sizeof...(ARGUMENTS)> pointers{&arguments...};
    return launch_kernel(file, entry, grid, threads, shared, stream, pointers.data());
  }

  /// Word `index` of the array `name` in the memory of a file's kernels. Asks the driver the first time only,
  /// since it may refuse the question while a stream is captured.
  Status word_of(const char* file, const char* name, size_t index, unsigned** word);

 private:
  explicit Gpu(const Driver& driver) : driver_(driver) {}
  Status load(const std::string& file, Module* module);
  Status find(std::string_view file, std::string_view entry, size_t shared, Function* function);
  Status search(const std::string& file, const std::string& entry, size_t shared, Function* function);
  Status launch_kernel(const char* file, std::string_view entry, Dim grid, uint32_t threads, size_t shared,
                       Stream stream, void** arguments);

  struct Kernel {
    Function function = nullptr;
    size_t shared = 0;  ///< dynamic shared memory that it is allowed
  };

  struct Array {
    Address first = 0;
    size_t bytes = 0;
  };

  const Driver& driver_;
  int compute_capability_ = 0, multiprocessors_ = 0, shared_memory_ = 0;
  bool early_launches_ = false;  ///< the driver knows them, in graphs too
  std::mutex mutex_;
  std::map<std::string, Module> modules_;
  std::map<std::string, Kernel> kernels_;
  std::map<std::string, Array> arrays_;
};

}  // namespace warpwright
