// What was found out about kernels' code before: programs launch a kernel again and again, and reading its
// code takes longer than a small launch.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "model/kernel_code.h"
#include "model/prediction.h"

namespace ww::forecast {

/// A kernel's code on a GPU.
struct CodeOn {
  model::Registers registers;
  model::KernelCode code;
};

/// Several threads may ask at once. Whoever asks gives the same PTX and the same known registers for a
/// program each time.
class KnownCode {
 public:
  /// What `find` gave for this program and GPU before, or gives now.
  std::shared_ptr<const CodeOn> of(const std::shared_ptr<const engine::Program>& program,
                                   const gpus::Gpu& gpu, const std::function<CodeOn()>& find);

 private:
  static constexpr size_t kMost = 256;  ///< entries; then all are forgotten
  std::mutex mutex_;
  /// By program, which must not go while its address is a key, and id of the GPU.
  std::map<std::pair<std::shared_ptr<const engine::Program>, std::string>, std::shared_ptr<const CodeOn>>
      entries_;
};

}  // namespace ww::forecast
