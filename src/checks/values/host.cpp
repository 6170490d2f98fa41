// Undefined bytes of global memory as the host sees them: allocations, copies, and what it reads.
#include <algorithm>

#include "checks/values.h"

namespace ww::checks {

void Values::allocated(const events::Allocated& e) {
  if (e.set && !(e.of_host && managed_.usable())) return;
  {
    std::unique_lock lock(host_mutex_);
    allocations_[e.address] = e.bytes;
    if (e.of_host) managed_.add(e.address, e.bytes);
  }
  written_.allocated(e.address, e.bytes);
}

void Values::freed(u64 address) {
  u64 bytes = 0;
  {
    std::unique_lock lock(host_mutex_);
    const auto it = allocations_.find(address);
    if (it == allocations_.end()) return;
    bytes = it->second;
    allocations_.erase(it);
    managed_.remove(address, bytes);
    stored_.erase(stored_.lower_bound(address), stored_.lower_bound(address + bytes));
    uncovered_.freed(address);
  }
  written_.freed(address, bytes);
}

void Values::see_managed(bool waits) {
  std::unique_lock lock(host_mutex_);
  if (managed_.empty()) return;
  const auto write = [&](u64 address, u64 bytes) { written_.written(address, bytes); };
  managed_.settle(write);
  if (waits) managed_.give_up(write);
}

/// Whether a byte near the address is defined. Padding always lies in one aligned piece of 16 bytes with a
/// member of its struct.
bool Values::may_be_padding(u64 address) const {
  constexpr u64 kPiece = 16;
  u64 first = address / kPiece * kPiece, end = first + kPiece;
  auto a = allocations_.upper_bound(address);
  if (a != allocations_.begin()) {
    --a;
    first = std::max(first, a->first), end = std::min(end, a->first + a->second);
  }
  if (end <= first) return true;
  const auto bytes = static_cast<u32>(end - first);
  return written_.missing(first, bytes) != (u64{1} << bytes) - 1;
}

void Values::host_access(const events::HostAccess& e) {
  if (e.direction != isa::Direction::Read) {
    if (e.from) {
      see_managed(false);
      written_.copied(e.address, e.from, e.bytes);
    } else {
      written_.written(e.address, e.bytes);
    }
    std::unique_lock lock(host_mutex_);
    if (!stored_.empty())
      stored_.erase(stored_.lower_bound(e.address), stored_.lower_bound(e.address + e.bytes));
    return;
  }
  std::vector<Finding> told;
  std::vector<std::pair<u64, Stored>> elements;
  {
    std::unique_lock lock(host_mutex_);
    auto it = stored_.lower_bound(e.address);
    while (it != stored_.end() && it->first < e.address + e.bytes) {
      if (!may_be_padding(it->first))
        told.push_back(std::move(it->second.finding));
      else if (it->second.element)
        elements.emplace_back(it->first, std::move(it->second));
      it = stored_.erase(it);
    }
    if (std::optional<Finding> f = uncovered_.host_reads(e.address, e.bytes)) told.push_back(std::move(*f));
  }
  for (Finding& f : told) tell_read(std::move(f));
  tell_elements(std::move(elements), e.bytes);
}

/// Single elements of an array among defined ones. Not where they come again at one distance, or in a small
/// array: structs with padding, or with a member that is not used, may have been copied word by word.
void Values::tell_elements(std::vector<std::pair<u64, Stored>> elements, u64 bytes) {
  constexpr u64 kSmall = 256, kFewStructs = 4;
  if (elements.empty() || bytes < kSmall) return;
  std::vector<u64> starts;
  u64 end = 0;
  for (const auto& [address, stored] : elements) {
    if (address != end) starts.push_back(address);
    end = address + stored.bytes;
  }
  u64 least = bytes;
  bool equal = starts.size() > 1;
  for (size_t k = 1; k < starts.size(); ++k) {
    const u64 distance = starts[k] - starts[k - 1];
    equal &= distance == starts[1] - starts[0];
    least = std::min(least, distance);
  }
  if (equal && starts.size() * least * kFewStructs > bytes) return;
  Finding f = std::move(elements[0].second.finding);
  f.severity = Severity::Warning;
  f.message = "the host reads an element that was never set, among others that were";
  f.count = elements.size();
  tell_read(std::move(f));
}

void Values::tell_read(Finding f) {
  if (caller_) f.other = caller_();
  findings_.add(std::move(f));
}

}  // namespace ww::checks
