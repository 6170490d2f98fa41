#include "device/registers.h"

#include <fmt/format.h>

#include <algorithm>

#include "device/ptxas.h"
#include "gpus/gpu.h"
#include "ptxas/pressure.h"

namespace ww::device {

namespace {

/// "sm_90" for GPUs that ptxas compiles for.
std::string target_of(const gpus::Gpu& gpu) { return fmt::format("sm_{}{}", gpu.cc_major, gpu.cc_minor); }

}  // namespace

model::Registers registers_of(const std::string& ptx, const ir::Module& module, const ir::Function& kernel,
                              const gpus::Gpu& gpu, const std::vector<KnownRegisters>& known) {
  for (Provenance from : {Provenance::Input, Provenance::Published})
    for (const KnownRegisters& k : known)
      if (k.from == from && (k.gpu.empty() || k.gpu == gpu.id)) return {k.per_thread, from, k.source};
  const int cc = 10 * gpu.cc_major + gpu.cc_minor;
  if (cc >= kFirstPtxasTarget && find_ptxas()) {
    const std::string& entry = module.symbols[kernel.symbol].name;
    if (auto said = ask_ptxas(ptx, target_of(gpu), entry); said && !said->empty()) {
      const KernelResources& r = said->front();
      return {r.registers, Provenance::Counted,
              fmt::format("ptxas {} for {}", find_ptxas()->version, target_of(gpu)), r.spill_stores,
              r.spill_loads};
    }
  }
  ptxas::RegisterLimits limits{static_cast<int>(gpu.max_regs_per_thread), 0};
  const int64_t for_a_warp = gpu.regs_per_sm / gpu.max_warps_per_sm;
  const int64_t unit = gpu.registers_by_block ? gpus::kWarp : gpu.reg_alloc_unit.value;
  limits.unit = static_cast<int>(unit / gpus::kWarp);
  limits.free = static_cast<int>(for_a_warp / unit * unit / gpus::kWarp);
  return {ptxas::estimate_registers(module, kernel, cc, limits), Provenance::Modelled,
          "estimate from liveness"};
}

}  // namespace ww::device
