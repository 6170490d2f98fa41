// The bitcode of the lane code (made at build time from the same sources as the native one), by target and
// table.
#pragma once

#include <cstddef>

namespace ww::engine {

struct Bitcode {
  const char* begin = nullptr;
  size_t bytes = 0;  ///< 0: there is none
};
/// `table`: as in LaneCode::tables.
Bitcode bitcode_of(const char* target, unsigned table);

}  // namespace ww::engine
