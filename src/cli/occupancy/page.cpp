#include "cli/occupancy/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/words.h"

namespace ww::cli {

using model::Demand;
using model::Occupancy;
using model::Resource;

namespace {

constexpr int kBar = 32;        // characters of a full bar
constexpr int64_t kAround = 4;  // steps shown on each side of the given value

std::string block_text(const Demand& d) {
  std::string out = std::to_string(d.block_x);
  if (d.block_y > 1 || d.block_z > 1) out += fmt::format("x{}", d.block_y);
  if (d.block_z > 1) out += fmt::format("x{}", d.block_z);
  return out;
}

/// What one demand could be instead.
struct Alternative {
  std::string_view tag, title, unit;
  int64_t value;
  std::vector<model::Step> steps;
};

std::array<Alternative, 3> alternatives(const gpus::Gpu& gpu, const Demand& d) {
  return {{{"registers", "registers per thread", "", d.registers, model::steps_by_registers(gpu, d)},
           {"shared", "bytes of shared memory per block", "B", d.static_shared + d.dynamic_shared,
            model::steps_by_shared(gpu, d)},
           {"block", "threads per block", "", d.threads(), model::steps_by_block(gpu, d)}}};
}

std::string chart(const Alternative& axis) {
  std::string out = fmt::format("\nOccupancy by {}\n", axis.title);
  const auto& steps = axis.steps;
  int64_t count = static_cast<int64_t>(steps.size());
  int64_t here = 0;
  while (here + 1 < count && steps[here].last < axis.value) ++here;
  int64_t first = std::max<int64_t>(0, here - kAround), last = std::min(count - 1, here + kAround);
  if (first > 0) out += fmt::format("  {:>15}\n", "...");
  for (int64_t i = first; i <= last; ++i) {
    const auto& step = steps[i];
    std::string range = step.first == step.last ? fmt::format("{}", step.first)
                                                : fmt::format("{} .. {}", step.first, step.last);
    std::string bar(static_cast<size_t>(std::lround(step.percent / 100 * kBar)), '#');
    bool given = step.first <= axis.value && axis.value <= step.last;
    std::string line = step.active_warps == 0 ? fmt::format("  {:>15}  {:>6}", range, "none")
                                              : fmt::format("  {:>15}  {:>5.4g} %  {}", range, step.percent,
                                                            given ? fmt::format("{:<{}}", bar, kBar) : bar);
    if (given) line += fmt::format("  <- {}", axis.value);
    out += line + "\n";
  }
  if (last + 1 < count) out += fmt::format("  {:>15}\n", "...");
  return out;
}

std::string limits(const gpus::Gpu& gpu, const Demand& demand, const Occupancy& o) {
  auto because = [&](Resource resource) -> std::string {
    switch (resource) {
      case Resource::Warps:
        return fmt::format("a block has {} of {} warps", o.warps_per_block, gpu.max_warps_per_sm.value);
      case Resource::Registers:
        return fmt::format("a block gets {} of {} registers", o.registers_per_block, gpu.regs_per_sm.value);
      case Resource::SharedMemory:
        return fmt::format("a block gets {} of {} bytes", o.shared_per_block, gpu.smem_per_sm.value);
      case Resource::Blocks:
        return "an SM holds no more";
      case Resource::Grid:
        return fmt::format("{} on {}", counted(demand.grid_blocks, "block"),
                           counted(gpu.sm_count.value, "SM"));
    }
    return {};
  };
  std::string out;
  for (int i = 0; i < model::kResourceCount; ++i) {
    if (!o.limit[i]) continue;
    auto resource = static_cast<Resource>(i);
    bool binds = std::find(o.binding.begin(), o.binding.end(), resource) != o.binding.end();
    out +=
        fmt::format("  {:<14} allow{} {:>3} {:<7} {}{}\n", name(resource),
                    resource == Resource::SharedMemory || resource == Resource::Grid ? "s" : " ", *o.limit[i],
                    plural(*o.limit[i], "block:", "blocks:"), because(resource), binds ? "  <- binds" : "");
  }
  return out;
}

}  // namespace

std::string occupancy_page(const gpus::Gpu& gpu, const Demand& d, const Result<Occupancy>& result) {
  std::string out =
      fmt::format("{}, compute capability {}: blocks of {} threads, {}, {} of shared memory\n\n", gpu.name,
                  gpu.compute_capability(), block_text(d), counted(d.registers, "register"),
                  counted(d.static_shared + d.dynamic_shared, "byte"));
  if (!result) {
    out += render(result.error());
  } else {
    const Occupancy& o = *result;
    out += fmt::format("An SM holds {}, {}, {}: occupancy {:.4g} %\n\n", counted(o.active_blocks, "block"),
                       counted(o.active_warps, "warp"), counted(o.active_threads, "thread"), o.percent);
    out += limits(gpu, d, o);
    if (o.carveout)
      out += fmt::format("\n  Shared memory takes {} KiB of the SM{}\n", *o.carveout / 1024,
                         gpu.l1_shared_bytes ? fmt::format(", L1 keeps {} KiB",
                                                           (gpu.l1_shared_bytes->value - *o.carveout) / 1024)
                                             : "");
    if (o.needs_optin)
      out += fmt::format(
          "  The kernel must ask for more than {} bytes (cudaFuncAttributeMaxDynamicSharedMemorySize)\n",
          gpu.smem_per_block_default.value);
  }
  for (const auto& axis : alternatives(gpu, d)) out += chart(axis);
  return out;
}

Table occupancy_table(const gpus::Gpu& gpu, const Demand& d, const Result<Occupancy>& result) {
  Row row;
  row[Axis::Gpu] = gpu.id;
  row[Axis::Block] = block_text(d);
  auto add = [&](std::string tag, auto value, std::string unit, Provenance from, std::string description) {
    row.values.push_back({std::move(tag), value, std::move(unit), from, std::move(description)});
  };
  auto input = [&](std::string tag, int64_t value, std::string unit, std::string description) {
    add(std::move(tag), value, std::move(unit), Provenance::Input, std::move(description));
  };
  auto theory = [&](std::string tag, auto value, std::string unit, std::string description) {
    add(std::move(tag), value, std::move(unit), Provenance::Theory, std::move(description));
  };
  input("registers", d.registers, "", "registers per thread");
  input("shared", d.static_shared + d.dynamic_shared, "B", "shared memory per block, static and dynamic");
  if (!result) {
    for (const auto& why : result.error()) row.refused += (row.refused.empty() ? "" : "; ") + why.message;
  } else {
    const Occupancy& o = *result;
    theory("occupancy_theoretical", o.percent, "%", "warps an SM holds of those it could");
    theory("active_blocks", o.active_blocks, "", "blocks resident on an SM");
    theory("active_warps", o.active_warps, "", "warps resident on an SM");
    theory("active_threads", o.active_threads, "", "threads resident on an SM");
    theory("registers_per_block", o.registers_per_block, "", "registers allocated for a block");
    theory("shared_per_block", o.shared_per_block, "B", "shared memory allocated for a block");
    static constexpr std::string_view kTags[] = {"limit_blocks_warps", "limit_blocks_regs",
                                                 "limit_blocks_smem", "limit_blocks_blocks",
                                                 "limit_blocks_grid"};
    std::string binding;
    for (int i = 0; i < model::kResourceCount; ++i)
      if (o.limit[i])
        theory(std::string(kTags[i]), *o.limit[i], "",
               fmt::format("blocks an SM holds as far as {} go", name(static_cast<Resource>(i))));
    for (Resource resource : o.binding)
      binding += fmt::format("{}{}", binding.empty() ? "" : ", ", name(resource));
    theory("binding", binding, "", "what allows no more blocks");
    if (o.carveout) theory("carveout", *o.carveout, "B", "shared part of the SM's L1 and shared memory");
  }
  for (const auto& axis : alternatives(gpu, d)) {
    auto near = cliffs(axis.steps, axis.value);
    auto side = [&](const std::optional<model::Step>& step, std::string_view where, bool above) {
      if (!step) return;
      std::string unit(axis.unit);
      theory(fmt::format("next_{}_{}", axis.tag, where), above ? step->first : step->last, unit,
             fmt::format("nearest other {} at which occupancy is another", axis.title));
      theory(fmt::format("occupancy_{}_{}", axis.tag, where), step->percent, "%",
             "occupancy there; 0: cannot launch");
    };
    side(near.below, "below", false);
    side(near.above, "above", true);
  }
  return {"Occupancy", {row}, {}};
}

}  // namespace ww::cli
