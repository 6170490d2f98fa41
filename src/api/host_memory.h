// The memory of this process, lent to kernels whose pointers are the program's own.
#pragma once

#include <map>
#include <vector>

#include "base/result.h"
#include "engine/memory/memory.h"

namespace ww::api {

/// What a process's map (the text of /proc/self/maps) says can be read, neighbours joined, without the
/// device's own addresses: first address and end of each.
std::map<engine::u64, engine::u64> readable_ranges(const std::string& maps);

/// Keeps a device's view of the process's memory up to date.
class HostMemory {
 public:
  /// Reads the map again and lends or takes back what changed. Errors: the map cannot be read, the device's
  /// addresses are not the host's.
  Status refresh(engine::GlobalMemory& memory);

 private:
  std::map<engine::u64, engine::u64> lent_;  ///< first address and end
};

}  // namespace ww::api
