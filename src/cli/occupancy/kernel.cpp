#include "cli/occupancy/kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/reach.h"
#include "base/file.h"
#include "base/round.h"
#include "base/text.h"
#include "cli/compile/cuda_source.h"
#include "cli/compile/kernel_name.h"
#include "cli/launch/block_guess.h"
#include "cli/launch/help.h"
#include "forecast/registers.h"
#include "kernels/embedded.h"
#include "kernels/published_registers.h"
#include "ptx/parser.h"

namespace ww::cli {

namespace {

int64_t parameters(const ir::Module& module, const ir::Function& function) {
  uint64_t end = 0;
  for (const auto& p : function.params) {
    const ir::Variable& v = module.variable(p.symbol);
    const uint64_t alignment = std::max<uint64_t>(1, v.alignment);
    end = round_up(end, alignment) + v.bytes;
  }
  return static_cast<int64_t>(end);
}

}  // namespace

Result<KernelDemand> demand_of(const std::string& kernel, const kernels::Shape& shape, const gpus::Gpu& gpu,
                               int64_t given) {
  auto found = kernels::find_case(kernel);
  if (!found) return found.error();
  const kernels::Case& chosen = **found;
  if (chosen.on_host()) return error(fmt::format("{} runs on the host", chosen.name));
  if (chosen.needs_gpu) return error(fmt::format("{} is not just launches of one kernel", chosen.name));
  kernels::Config config;
  config.shape = shape;
  if (!chosen.axes.r.empty()) config.r = chosen.axes.r.front();
  if (!chosen.axes.k.empty()) config.k = chosen.axes.k.front();
  Result<kernels::Plan> plan = error(fmt::format("{} has no usual size", chosen.name));
  for (int64_t n : chosen.axes.n) {  // any that this shape admits
    config.n = n;
    if (plan = kernels::make_plan(chosen, config); plan) break;
  }
  if (!plan) return plan.error();
  const kernels::PlannedLaunch& launch = plan->launches.front();
  const std::string ptx(kernels::embedded_ptx(plan->module));
  auto module = ptx::parse(plan->module, ptx);
  if (!module) return module.error();
  const ir::Function* function = module->find_function(launch.entry);
  if (!function) return error(fmt::format("{} has no kernel {}", plan->module, launch.entry));

  std::vector<device::KnownRegisters> known;
  if (given > 0) known.push_back({"", given, Provenance::Input, "given"});
  for (auto& k : kernels::published_registers(chosen.name, shape)) known.push_back(std::move(k));
  KernelDemand out;
  out.registers = forecast::registers_of(ptx, *module, *function, gpu, known);
  model::Demand& d = out.demand;
  d.block_x = launch.block.x, d.block_y = launch.block.y, d.block_z = launch.block.z;
  d.registers = out.registers.per_thread;
  d.static_shared = static_cast<int64_t>(analysis::static_shared_bytes(*module, *function));
  d.dynamic_shared = static_cast<int64_t>(launch.dynamic_shared);
  d.parameters = parameters(*module, *function);
  if (plan->launches.front().grid.count() == 1) d.grid_blocks = 1;
  return out;
}

Result<KernelDemand> demand_of(const userkernel::OwnKernel& own, const CompileOptions& compile,
                               const model::Demand& block, const gpus::Gpu& gpu, int64_t given) {
  std::string ptx;
  if (own.file.ends_with(".cu")) {
    CompileOptions options = compile;
    options.least = least_capability({&gpu, 1});
    auto compiled = compile_cuda_for(own.file, options, own.kernel);
    if (!compiled) return compiled.error();
    if (!compiled->ok) return error(printable(own.file) + " does not compile:\n" + compiled->messages);
    ptx = std::move(compiled->ptx);
  } else {
    auto text = read_file(own.file);
    if (!text) return text.error();
    ptx = std::move(*text);
  }
  auto module = ptx::parse(own.file, ptx);
  if (!module) return module.error();
  std::vector<std::string> names;
  for (const auto& f : module->functions)
    if (f.entry) names.push_back(module->symbols[f.symbol].name);
  auto kernel = choose_kernel(names, own.kernel);
  if (!kernel) return kernel.error();
  const ir::Function* function = module->find_function(*kernel);
  std::vector<model::KnownRegisters> known;
  if (given > 0) known.push_back({"", given, Provenance::Input, "given"});
  KernelDemand out;
  out.registers = forecast::registers_of(ptx, *module, *function, gpu, known);
  out.demand = block;
  if (out.demand.block_x == 0) {
    const BlockLayout likely = block_layouts(kernel_shape(*module, *kernel)).front();
    out.demand.block_x = static_cast<int64_t>(likely.x), out.demand.block_y = static_cast<int64_t>(likely.y),
    out.demand.block_z = static_cast<int64_t>(likely.z);
    out.guessed_block = true;
  }
  out.wants_dynamic_shared = wants_dynamic_shared(*module, *kernel);
  out.demand.registers = out.registers.per_thread;
  out.demand.static_shared = static_cast<int64_t>(analysis::static_shared_bytes(*module, *function));
  out.demand.dynamic_shared = 0;
  out.demand.parameters = parameters(*module, *function);
  return out;
}

}  // namespace ww::cli
