#include "model/kernel_code.h"

#include "analysis/spin_reads.h"
#include "rules/rules.h"

namespace ww::model {

namespace {

ptxas::Latencies latencies_of(const gpus::Gpu& gpu) {
  ptxas::Latencies out;
  if (gpu.l2_latency) out.global = *gpu.l2_latency;
  if (gpu.dram_latency) out.global = *gpu.dram_latency;
  if (gpu.shared_latency) out.shared = *gpu.shared_latency;
  if (gpu.alu_latency) out.alu = *gpu.alu_latency;
  return out;
}

}  // namespace

KernelCode kernel_code(const engine::Program& program, const gpus::Gpu& gpu, int64_t registers) {
  const int capability = rules::capability(gpu);
  const ptxas::Latencies latencies = latencies_of(gpu);
  KernelCode out;
  for (const auto& code : program.functions) {
    const ir::Function& f = *code->function;
    FunctionCode& of = out.emplace_back();
    of.machine = ptxas::machine_code(*program.module, f, capability);
    of.beside_loads = ptxas::beside_global_loads(f);
    of.spins = analysis::spin_reads(f);
    of.stretches = ptxas::stretches_of(f, of.machine, latencies);
    of.rooms = ptxas::load_rooms(f, of.stretches, capability, static_cast<int>(registers));
  }
  return out;
}

}  // namespace ww::model
