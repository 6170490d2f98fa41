// What checks learn of libraries' work.
#include <utility>

#include "checks/values.h"
#include "cuda/core/checking.h"
#include "cuda/core/host_faults.h"

namespace ww::cuda {

void Checking::library_called() {
  if (device_guard_) install_fault_handler();  // it touches memory of the device outside of any operation
  std::vector<events::HostAccess> written;
  {
    std::lock_guard lock(mutex_);
    for (auto& [base, k] : known_)
      if (k.live && !std::exchange(k.written, true))
        written.push_back({base, k.bytes, isa::Direction::Write});
  }
  for (auto& check : checks_)
    if (dynamic_cast<checks::Values*>(check.get()))
      for (const events::HostAccess& e : written) check->host_access(e);
}

}  // namespace ww::cuda
