#include "cuda/core/attributes.h"

#include <algorithm>

#include "base/round.h"
#include "caches/sm_layout.h"
#include "cuda/core/code.h"
#include "cuda/core/platform.h"
#include "forecast/registers.h"
#include "model/occupancy.h"

namespace ww::cuda {

size_t static_shared(const ir::Module& module, const ir::Function& kernel) {
  size_t bytes = 0;
  auto add = [&](const ir::Variable& v) {
    if (v.space != ir::Space::Shared || v.bytes == 0) return;
    bytes = round_up(bytes, std::max<size_t>(1, v.alignment)) + v.bytes;
  };
  for (ir::SymbolId s : kernel.variables)
    if (module.symbols[s].variable >= 0) add(module.variable(s));
  return bytes;
}

Error function_attributes(DeviceContext& device, Function& function, FuncAttributes& a) {
  const LoadedKernel* kernel = nullptr;
  if (Error e = loaded_kernel(device, function, kernel); e != Error::Success) return e;
  const ir::Function* f = kernel->declaration;
  const LoadedCode& code = *kernel->code;
  const ir::Module& module = *code.loaded->module;
  a = {};
  a.shared_bytes = kernel->static_shared;
  a.const_bytes = code.loaded->constants_bytes;
  for (ir::SymbolId s : f->variables)
    if (module.symbols[s].variable >= 0 && module.variable(s).space == ir::Space::Local)
      a.local_bytes += module.variable(s).bytes;
  if (function.registers < 0)  // two threads may both find it: the same
    function.registers =
        static_cast<int>(forecast::registers_of(code.ptx, module, *f, *device.gpu, {}).per_thread);
  a.registers = function.registers;
  int most = static_cast<int>(device.gpu->max_threads_per_block);
  if (f->max_threads[0]) {
    u64 asked = 1;
    for (u32 n : f->max_threads) asked *= n ? n : 1;
    most = static_cast<int>(std::min<u64>(asked, static_cast<u64>(most)));
  } else if (a.registers > 0) {
    // As many warps as the registers of a block allow.
    int64_t per_warp = round_up<int64_t>(a.registers * 32, device.gpu->reg_alloc_unit);
    most = static_cast<int>(std::min<int64_t>(most, device.gpu->max_regs_per_block / per_warp * 32));
  }
  a.max_threads_per_block = most;
  a.ptx_version = module.version_major * 10 + module.version_minor;
  if (module.target.size() > 3) a.ptx_version = std::atoi(module.target.c_str() + 3);
  a.binary_version = device.gpu->cc_major * 10 + device.gpu->cc_minor;
  const int asked_shared = function.max_dynamic_shared;
  a.max_dynamic_shared =
      asked_shared >= 0
          ? asked_shared
          : static_cast<int>(device.shared_per_block() - std::min(device.shared_per_block(), a.shared_bytes));
  a.preferred_carveout = function.carveout;
  a.cluster_width = static_cast<int>(function.cluster[0]);
  a.cluster_height = static_cast<int>(function.cluster[1]);
  a.cluster_depth = static_cast<int>(function.cluster[2]);
  a.cluster_policy = function.cluster_policy;
  a.non_portable_cluster = function.non_portable_cluster;
  return Error::Success;
}

Error function_attribute(DeviceContext& device, Function& function, int attribute, int& value) {
  FuncAttributes a;
  if (Error e = function_attributes(device, function, a); e != Error::Success) return e;
  const int all[] = {a.max_threads_per_block,
                     static_cast<int>(a.shared_bytes),
                     static_cast<int>(a.const_bytes),
                     static_cast<int>(a.local_bytes),
                     a.registers,
                     a.ptx_version,
                     a.binary_version,
                     a.cache_mode_ca,
                     a.max_dynamic_shared,
                     a.preferred_carveout,
                     a.cluster_must_be_set,
                     a.cluster_width,
                     a.cluster_height,
                     a.cluster_depth,
                     a.non_portable_cluster,
                     a.cluster_policy};
  if (attribute < 0 || attribute >= static_cast<int>(std::size(all))) return Error::InvalidValue;
  value = all[attribute];
  return Error::Success;
}

Error set_function_attribute(DeviceContext& device, Function& function, int attribute, int value) {
  switch (attribute) {
    case 8: {  // cudaFuncAttributeMaxDynamicSharedMemorySize
      // Not by function_attributes(): that asks ptxas for registers, which takes seconds for large kernels.
      const LoadedKernel* kernel = nullptr;
      if (Error e = loaded_kernel(device, function, kernel); e != Error::Success) return e;
      if (value < 0 || static_cast<size_t>(value) + kernel->static_shared > device.shared_optin())
        return Error::InvalidValue;
      function.max_dynamic_shared = value;
      return Error::Success;
    }
    case 9:  // cudaFuncAttributePreferredSharedMemoryCarveout: percent, or -1
      if (value < -1 || value > 100) return Error::InvalidValue;
      function.carveout = value;
      return Error::Success;
    case 10:  // the cluster's size is a compile-time matter of the kernel if it has one
      return value == 0 || value == 1 ? Error::Success : Error::InvalidValue;
    case 11:
    case 12:
    case 13:
      if (value < 0) return Error::InvalidValue;
      function.cluster[attribute - 11] = static_cast<u32>(value);
      return Error::Success;
    case 14:
      function.non_portable_cluster = value != 0;
      return Error::Success;
    case 15:
      if (value < 0 || value > 2) return Error::InvalidValue;
      function.cluster_policy = value;
      return Error::Success;
    default:
      return Error::InvalidValue;
  }
}

void apply_attribute(const LaunchAttribute& attribute, KernelCall& call) {
  switch (attribute.id) {
    case 2:  // cooperative
      call.cooperative = attribute.value.number != 0;
      break;
    case 4:  // cluster dimension
      call.cluster = {attribute.value.cluster.x, attribute.value.cluster.y, attribute.value.cluster.z};
      break;
    case 6:  // programmatic stream serialization
      call.early = attribute.value.number != 0;
      break;
    default:  // the rest says how fast, not what
      break;
  }
}

Error active_blocks(DeviceContext& device, Function& function, int threads, size_t dynamic_shared,
                    int& blocks) {
  if (threads <= 0) return Error::InvalidValue;
  FuncAttributes a;
  if (Error e = function_attributes(device, function, a); e != Error::Success) return e;
  blocks = 0;
  if (threads > a.max_threads_per_block) return Error::Success;
  model::Demand demand;
  demand.block_x = threads;
  demand.registers = a.registers;
  demand.static_shared = static_cast<int64_t>(a.shared_bytes);
  demand.dynamic_shared = static_cast<int64_t>(dynamic_shared);
  auto found = model::occupancy(*device.gpu, demand);
  if (found) blocks = static_cast<int>(found->active_blocks);
  return Error::Success;
}

Error active_clusters(DeviceContext& device, const KernelCall& call, int& clusters) {
  const LoadedKernel* kernel = nullptr;
  if (Error e = loaded_kernel(device, *call.function, kernel); e != Error::Success) return e;
  if (Error e = check_cluster(device, call, *kernel->declaration); e != Error::Success) return e;
  int blocks = 0;
  if (Error e =
          active_blocks(device, *call.function, static_cast<int>(call.block.count()), call.shared, blocks);
      e != Error::Success)
    return e;
  u64 size = std::max<u64>(1, call.cluster.count());
  if (size == 1)
    for (u32 n : kernel->declaration->cluster) size *= std::max(1u, n);
  const gpus::Gpu& gpu = *device.gpu;
  const auto sms = static_cast<u32>(gpu.sm_count.value);
  const u32 gpcs = gpu.gpcs && size > 1 ? static_cast<u32>(gpu.gpcs->value) : 1;
  const caches::SmLayout layout(sms, gpcs);
  std::vector<u64> room(gpcs);
  for (u32 sm = 0; sm < sms; ++sm) room[layout.of(sm).cluster] += static_cast<u64>(blocks);
  clusters = 0;
  for (u64 slots : room) clusters += static_cast<int>(slots / size);
  return Error::Success;
}

}  // namespace ww::cuda
