// Hardware counters of a program's kernels, by Nsight Compute as a child process.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "device/ncu_csv.h"

namespace ww::device {

struct NcuOptions {
  std::string binary;                ///< "": search PATH and the usual places
  std::vector<std::string> metrics;  ///< empty: those of ncu_metrics()
  std::string kernel;                ///< profile only kernels of this name; "": all
  double max_seconds = 600;          ///< Nsight Compute runs a kernel many times
  std::string keep_csv;              ///< copy its output to this file; "": do not
};

/// The path of ncu: `binary` if given, else from PATH, /usr/local/cuda/bin and the newest
/// /opt/nvidia/nsight-compute/*/ncu. Error: there is none, saying where it was searched.
Result<std::string> find_ncu(const std::string& binary = {});

/// Runs `command` under Nsight Compute, clocks left as they are, and returns its kernels' counters in the
/// order of the launches. Errors, each of which leaves the caller free to go on without counters: no ncu, no
/// permission to read counters, the tool or the program failing (with what it said), nothing profiled.
Result<std::vector<ProfiledKernel>> profile(const std::vector<std::string>& command,
                                            const NcuOptions& options = {});

}  // namespace ww::device
