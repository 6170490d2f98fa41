#include "forecast/registers.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpus/gpu.h"
#include "ptxas/assembler.h"
#include "ptxas/pressure.h"

namespace ww::forecast {

namespace {

/// "sm_90" for GPUs that ptxas compiles for; "sm_90a" where the module says so: ptxas takes it for nothing
/// else.
std::string target_of(const gpus::Gpu& gpu, const ir::Module& module) {
  const std::string plain = fmt::format("sm_{}{}", gpu.cc_major, gpu.cc_minor);
  return module.target == plain + "a" ? module.target : plain;
}

/// What a thread can have where all of .maxntid are to fit, in as many blocks of an SM as .minnctapersm says,
/// unless no SM holds so many threads: compilers keep to it.
int64_t most_registers(const ir::Function& kernel, const gpus::Gpu& gpu) {
  int64_t threads = 1, most = gpu.max_regs_per_thread;
  for (uint32_t side : kernel.max_threads) threads *= std::max<uint32_t>(side, 1);
  if (kernel.max_threads[0] != 0) {
    most = std::min(most, int64_t{gpu.max_regs_per_block} / threads / 8 * 8);
    threads *= std::max<int64_t>(kernel.min_blocks, 1);
    if (threads <= gpu.max_threads_per_sm) most = std::min(most, int64_t{gpu.regs_per_sm} / threads / 8 * 8);
  }
  return std::max<int64_t>(most, 16);
}

}  // namespace

model::Registers registers_of(std::string_view ptx, const ir::Module& module, const ir::Function& kernel,
                              const gpus::Gpu& gpu, const std::vector<model::KnownRegisters>& known) {
  for (Provenance from : {Provenance::Input, Provenance::Published})
    for (const model::KnownRegisters& k : known)
      if (k.from == from && (k.gpu.empty() || k.gpu == gpu.id)) return {k.per_thread, from, k.source};
  const int cc = 10 * gpu.cc_major + gpu.cc_minor;
  if (cc >= ptxas::kFirstPtxasTarget && ptxas::find_ptxas()) {
    const std::string& entry = module.symbols[kernel.symbol].name;
    if (auto said = ptxas::ask_ptxas(ptx, target_of(gpu, module), entry); said && !said->empty()) {
      const ptxas::KernelResources& r = said->front();
      return {r.registers, Provenance::Counted,
              fmt::format("ptxas {} for {}", ptxas::find_ptxas()->version, target_of(gpu, module)),
              r.spill_stores, r.spill_loads};
    }
  }
  ptxas::RegisterLimits limits{static_cast<int>(most_registers(kernel, gpu)), 0};
  const int64_t for_a_warp = gpu.regs_per_sm / gpu.max_warps_per_sm;
  const int64_t unit = gpu.registers_by_block ? gpus::kWarp : gpu.reg_alloc_unit.value;
  limits.unit = static_cast<int>(unit / gpus::kWarp);
  limits.free = static_cast<int>(for_a_warp / unit * unit / gpus::kWarp);
  return {ptxas::estimate_registers(module, kernel, cc, limits), Provenance::Modelled,
          "estimate from liveness"};
}

}  // namespace ww::forecast
