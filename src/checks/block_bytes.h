// The undefined bits in a block's shared memory and its threads' local memory.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "checks/written_bytes.h"

namespace ww::checks {

using u8 = uint8_t;

/// A byte of bits for each byte of memory: a set bit is undefined. All are when the block begins.
class UndefinedBits {
 public:
  void begin() { bits_.clear(), origins_.clear(); }
  /// Memory may turn out larger than it was thought to be.
  void grow(size_t bytes) {
    if (bytes > bits_.size()) bits_.resize(bytes, 0xff);
  }
  void define(u64 at, u64 bytes) {
    grow(at + bytes);
    std::fill_n(bits_.begin() + static_cast<int64_t>(at), bytes, u8{0});
  }
  bool holds(u64 at, u64 bytes) const { return at + bytes <= bits_.size() && at + bytes >= at; }
  u8* at(u64 address) { return bits_.data() + address; }

  /// Where a value came from that was stored there undefined; 0: nothing was stored.
  u32 origin(u64 address) const {
    const auto it = origins_.find(address / 4);
    return it == origins_.end() ? 0 : it->second;
  }
  void set_origin(u64 address, u64 bytes, u32 origin) {
    for (u64 w = address / 4; w <= (address + bytes - 1) / 4; ++w) origins_[w] = origin;
  }

 private:
  std::vector<u8> bits_;
  std::map<u64, u32> origins_;  ///< by word; stays behind when the word is written again
};

}  // namespace ww::checks
