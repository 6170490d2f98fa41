#include "device/device.h"

#include <fmt/format.h>

namespace ww::device {

namespace {

Status within(const char* what, const Dim3& size, const Dim3& limit) {
  const std::pair<char, std::pair<uint32_t, uint32_t>> axes[] = {
      {'x', {size.x, limit.x}}, {'y', {size.y, limit.y}}, {'z', {size.z, limit.z}}};
  for (auto [axis, v] : axes) {
    if (v.first == 0) return error(fmt::format("{}.{} is 0", what, axis), "every dimension is at least 1");
    if (v.first > v.second)
      return error(fmt::format("{}.{} is {}, the device allows {}", what, axis, v.first, v.second));
  }
  return {};
}

}  // namespace

Status check_launch(const Info& info, const Launch& launch) {
  if (auto ok = within("grid", launch.grid, info.max_grid); !ok) return ok;
  if (auto ok = within("block", launch.block, info.max_block); !ok) return ok;
  if (launch.block.count() > info.max_threads_per_block)
    return error(fmt::format("{} x {} x {} = {} threads per block, the device allows {}", launch.block.x,
                             launch.block.y, launch.block.z, launch.block.count(),
                             info.max_threads_per_block));
  if (launch.dynamic_shared > info.shared_per_block_optin)
    return error(fmt::format("{} bytes of dynamic shared memory per block, the device allows {}",
                             launch.dynamic_shared, info.shared_per_block_optin));
  return {};
}

}  // namespace ww::device
