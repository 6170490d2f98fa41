// What NVIDIA's assembler says of kernels: registers, spills, memory. It is asked as a child process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ww::ptxas {

/// What one kernel takes of a GPU, as `ptxas -v` reports it. Bytes per thread but for the last two.
struct KernelResources {
  std::string entry;
  int registers = 0;  ///< 32-bit registers per thread
  int64_t stack = 0, spill_stores = 0, spill_loads = 0;
  int64_t shared = 0;    ///< static, per block
  int64_t constant = 0;  ///< of bank 0: the parameters with the launch's own part
};

struct Ptxas {
  std::string path;
  std::string version;  ///< "13.0"
};

/// The first compute capability that the assembler of CUDA 13 knows, times ten.
inline constexpr int kFirstPtxasTarget = 75;

/// ptxas from PATH or /usr/local/cuda/bin, looked for once. Error: there is none, saying where it was sought.
Result<Ptxas> find_ptxas();

/// Compiles PTX for the target ("sm_90") and returns what its kernels take, or only that of `entry`. Answers
/// are kept in memory; safe to call from several threads. Errors: no ptxas, a target that it does not know,
/// PTX that it refuses (its own messages).
Result<std::vector<KernelResources>> ask_ptxas(std::string_view ptx, const std::string& target,
                                               const std::string& entry = {});

/// The report of `ptxas -v`; for tests.
std::vector<KernelResources> read_ptxas_report(std::string_view report);

}  // namespace ww::ptxas
