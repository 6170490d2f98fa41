#include "kernels/host_memory/host_gpus.h"

namespace ww::kernels {

Result<HostGpus> HostGpus::open(device::Device& own) {
  HostGpus all;
  all.gpus_.push_back(&own);
  const device::Link& link = *own.link();
  for (int i = 0; i < link.gpu_count(); ++i) {
    if (i == link.ordinal()) continue;
    auto other = link.open(i);
    if (!other) return other.error();
    all.gpus_.push_back(other->get());
    all.opened_.push_back(std::move(*other));
  }
  return all;
}

}  // namespace ww::kernels
