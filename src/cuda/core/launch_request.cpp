#include "cuda/core/launch_request.h"

#include <algorithm>

#include "cuda/core/attributes.h"
#include "cuda/core/code.h"
#include "cuda/core/operation.h"
#include "cuda/core/registry.h"
#include "cuda/core/stream.h"

namespace ww::cuda {

Error order_launch(DeviceContext& device, const LaunchOrder& order) {
  if (!order.function) return no_function(order.handle);
  if (order.shared > 0xffffffff) return Error::InvalidValue;
  KernelCall call;
  call.function = order.function, call.handle = order.handle;
  call.grid = order.grid, call.block = order.block, call.cooperative = order.cooperative;
  call.shared = static_cast<u32>(order.shared);
  call.device = &device;
  const auto& cluster = order.function->cluster;
  const auto width = [&](int k) { return std::max(1u, cluster[k].load()); };
  call.cluster = {width(0), width(1), width(2)};
  for (u32 k = 0; k < order.count; ++k) apply_attribute(order.attributes[k], call);
  if (Error e = check_launch(device, call); e != Error::Success) return e;
  if (Error e = gather_arguments(device, *call.function, order.arguments, order.extra, call.arguments);
      e != Error::Success)
    return e;
  return submit(order.stream, std::move(call));
}

}  // namespace ww::cuda
