#include "device/driver/allocations.h"

#include <fmt/format.h>

namespace ww::device::driver {

namespace {

// The allocation that holds `address`, or end().
auto holder(const std::map<Address, uint64_t>& all, Address address) {
  auto it = all.upper_bound(address);
  if (it == all.begin()) return all.end();
  --it;
  return address - it->first < it->second ? it : all.end();
}

}  // namespace

void Allocations::add(Address address, uint64_t bytes) {
  live_[address] = bytes;
  // The driver may hand out a lost address again; then it is a living one.
  std::erase_if(lost_, [&](const auto& old) {
    return old.first < address + bytes && address < old.first + old.second;
  });
}

Result<bool> Allocations::remove(Address address) {
  if (live_.erase(address)) return true;
  if (lost_.erase(address)) return false;
  return error(fmt::format("free of {:#x}: no allocation starts there", address));
}

Status Allocations::check(Address address, uint64_t bytes) const {
  if (bytes == 0) return {};
  if (auto it = holder(live_, address); it != live_.end()) {
    uint64_t left = it->second - (address - it->first);
    if (bytes <= left) return {};
    return error(fmt::format("{} bytes at {:#x} go {} bytes beyond the allocation of {} bytes at {:#x}",
                             bytes, address, bytes - left, it->second, it->first));
  }
  if (holder(lost_, address) != lost_.end())
    return error(fmt::format("the device memory at {:#x} was lost when {}", address, why_));
  return error(fmt::format("no device memory is allocated at {:#x}", address));
}

void Allocations::lose(std::string why) {
  lost_.merge(live_);
  live_.clear();
  why_ = std::move(why);
}

}  // namespace ww::device::driver
