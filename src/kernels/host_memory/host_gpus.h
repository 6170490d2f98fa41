// All GPUs of the host, the one that a study runs on among them.
#pragma once

#include <memory>
#include <vector>

#include "device/link.h"

namespace ww::kernels {

class HostGpus {
 public:
  /// `own` first, then the others by their number. Error: one of them cannot be opened.
  static Result<HostGpus> open(device::Device& own);
  size_t size() const { return gpus_.size(); }
  device::Device& operator[](size_t i) const { return *gpus_[i]; }
  device::Link& link(size_t i) const { return *gpus_[i]->link(); }

 private:
  std::vector<std::unique_ptr<device::Device>> opened_;
  std::vector<device::Device*> gpus_;
};

}  // namespace ww::kernels
