#include "checks/atomics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace ww::checks {

namespace {

constexpr double kMeets = 4;       // lanes of a word, on average, from which a hint is made
constexpr u64 kFewestLanes = 256;  // of a launch: less is no matter

}  // namespace

void Atomics::launch_begins(const engine::Program& program, int workers) {
  program_ = &program;
  met_.assign(static_cast<size_t>(workers), {});
}

void Atomics::memory(int worker, const events::Memory& e) {
  if (!e.atomic() || e.range != isa::Range::Lane) return;
  std::array<int64_t, engine::kLanes> at{};
  u32 lanes = 0;
  for (u32 m = e.mask; m; m &= m - 1) at[lanes++] = e.offsets[__builtin_ctz(m)];
  std::sort(at.begin(), at.begin() + lanes);
  const auto words = static_cast<u64>(std::unique(at.begin(), at.begin() + lanes) - at.begin());
  auto [it, fresh] = met_[static_cast<size_t>(worker)].try_emplace(e.instruction);
  Met& met = it->second;
  ++met.requests, met.lanes += lanes, met.words += words;
  if (fresh || std::tie(e.block, e.warp) < std::tie(met.first.block, met.first.warp)) met.first = e;
}

void Atomics::launch_ends() {
  std::map<u32, Met> all;
  for (const auto& of_worker : met_)
    for (const auto& [instruction, met] : of_worker) {
      auto [it, fresh] = all.try_emplace(instruction, met);
      if (fresh) continue;
      Met& sum = it->second;
      sum.requests += met.requests, sum.lanes += met.lanes, sum.words += met.words;
      if (std::tie(met.first.block, met.first.warp) < std::tie(sum.first.block, sum.first.warp))
        sum.first = met.first;
    }
  for (const auto& [instruction, met] : all) {
    const double each = static_cast<double>(met.lanes) / static_cast<double>(met.words);
    if (each < kMeets || met.lanes < kFewestLanes) continue;
    const bool lock = program_->infos[instruction].instruction->op == isa::Op::atom_cas;
    if (lock) continue;  // who tries to take a lock has nothing to add up
    Finding f;
    f.kind = "atomics in one word";
    f.severity = Severity::Hint;
    f.kernel = facts_.kernel;
    f.message = fmt::format(
        "on average {:.3g} lanes of a warp update one word, one after the other; reduced within the warp "
        "first (__reduce_add_sync, __shfl_down_sync), there would be {} updates instead of {}",
        each, met.words, met.lanes);
    f.parties.push_back(
        party(*program_, met.first, __builtin_ctz(met.first.mask),
              fmt::format("updates with {:.3g} lanes",
                          static_cast<double>(met.lanes) / static_cast<double>(met.requests))));
    f.parties.back().everyone = true;
    f.count = met.requests;
    findings_.add(std::move(f));
  }
  met_.clear();
}

}  // namespace ww::checks
