// What the shared accesses of a kernel would cost if the rows of its arrays were longer: tried on the
// addresses of a run.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpus/gpu.h"
#include "kernels/case.h"

namespace ww::watch {

/// Passes through the banks of shared memory, and those of them that conflicts add.
struct Passes {
  uint64_t loads = 0, stores = 0, conflicts = 0;  ///< atomics are stores
  uint64_t all() const { return loads + stores; }
};

/// Rows of one array with some words more.
struct Padding {
  std::string array;        ///< "As"
  uint64_t columns = 0;     ///< words of a row as it is
  uint64_t words = 0;       ///< more in every row
  uint64_t more_bytes = 0;  ///< of shared memory in a block
  Passes before, after;     ///< of the array's accesses
};

/// What trying found out about one launch.
struct PaddingTrial {
  std::vector<Padding> better;       ///< for each array that gains, the least padding that gains most
  std::vector<std::string> in_vain;  ///< arrays with conflicts that no padding tried lessens
  Passes before, after;              ///< of all shared accesses: as it is, and with all of `better`
  uint64_t more_bytes = 0;
};

/// Paddings of 1 to this many words are tried.
inline constexpr uint64_t kMostPadding = 8;

/// Runs the first blocks of each launch and prices each access to the arrays that Plan::shared names by the
/// GPU's rules: at its own addresses, and at those that it would have with longer rows. A padding that would
/// misalign an access is none. One trial for each launch. `stop` ends it early (an error). Errors: those of
/// running the kernel.
Result<std::vector<PaddingTrial>> try_padding(const kernels::Case& chosen, const kernels::Config& config,
                                              const gpus::Gpu& gpu, const std::atomic<bool>& stop);

}  // namespace ww::watch
