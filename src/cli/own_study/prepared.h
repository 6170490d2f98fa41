// What the runner of a study of own kernels knows of a configuration, before and after its launch.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/private_directory.h"
#include "cli/launch/buffers.h"
#include "cli/launch/symbols.h"
#include "cli/own_study/run.h"

namespace ww::cli {

struct OwnRunner::Prepared {
  const StudyKernel* kernel = nullptr;
  std::string ptx;
  device::Dim3 grid, block;
  uint64_t shared = 0;
  CompileOptions compile;                 ///< with the macros
  std::vector<LaunchArgument> arguments;  ///< as the kernel's texts have them, one or more for a struct
  std::vector<SymbolValue> symbols;
  std::map<std::string, std::string> words;  ///< what numpy expressions may name besides arrays
  std::string key;                           ///< all that the row depends on
  std::shared_ptr<PrivateDirectory> files;   ///< with the arrays that numpy made
  std::vector<Prepared> then;                ///< what runs behind it
};

/// One kernel with its memory.
struct OwnRunner::Launched {
  explicit Launched(device::Device& device) : buffers(device) {}
  ~Launched() { launch.module.reset(); }
  LaunchBuffers buffers;
  device::Launch launch;
};

/// The kernels of a configuration, as far as they ran.
struct OwnRunner::Chain {
  std::vector<std::unique_ptr<Launched>> launched;
  SharedArrays arrays;                       ///< by the names that the study gives their arguments
  std::map<std::string, npy::Array> inputs;  ///< as they are before the first launch, where asked for
  std::vector<device::LaunchReport> reports;
  double seconds = 0;
  std::string text;  ///< the PTX of the last one

  const Fault* fault() const {
    return reports.empty() || reports.back().faults.empty() ? nullptr : &reports.back().faults[0];
  }
};

/// "16x16".
std::string dim_text(const device::Dim3& d);
/// "numpy:a + b".
bool is_numpy(const std::string& text);
/// As Python may have it: p.in[2] is p_in_2.
std::string python_name(const std::string& name);

}  // namespace ww::cli
