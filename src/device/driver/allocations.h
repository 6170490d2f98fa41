// Which device addresses are ours, so that a wrong copy is refused by name and not by a dead context.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "device/device.h"

namespace ww::device::driver {

class Allocations {
 public:
  void add(Address address, uint64_t bytes);
  /// Forgets a live allocation. Error: not the start of one. True when there is something to free: an
  /// allocation that was lost is forgotten without error.
  Result<bool> remove(Address address);
  /// Error when [address, address + bytes) is not inside one live allocation.
  Status check(Address address, uint64_t bytes) const;
  /// The device lost them all; `why` completes "… was lost when <why>".
  void lose(std::string why);
  const std::map<Address, uint64_t>& live() const { return live_; }

 private:
  std::map<Address, uint64_t> live_, lost_;
  std::string why_;
};

}  // namespace ww::device::driver
