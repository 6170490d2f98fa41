#include "watch/padding.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

#include "device/engine_device.h"
#include "engine/decode/program.h"
#include "events/bus.h"
#include "kernels/device_buffers.h"
#include "kernels/embedded.h"
#include "rules/access_totals.h"
#include "rules/merged.h"
#include "watch/recorder.h"

namespace ww::watch {

namespace {

using events::u32;
using events::u64;
using rules::Pattern;

constexpr u64 kWord = 4;
constexpr u64 kBlocks = 8;              // of a launch that are looked at
constexpr u64 kMostAccesses = 1 << 20;  // by warps

struct SharedRows {
  std::string name;
  u64 begin = 0, bytes = 0, columns = 0;
  u64 rows() const { return (bytes / kWord + columns - 1) / columns; }
};

/// One access as often as it came: instruction, array (or none) and the lanes' addresses.
struct SeenAccess {
  u32 instruction = 0, array = 0;
  Pattern pattern;
  u64 first = 0, count = 0;
};

/// Sees the shared accesses of the first blocks, then stops the launch.
class SharedAccesses : public events::Listener {
 public:
  u32 wants() const override { return events::kMemory; }
  SharedAccesses(rules::Capability cc, const std::vector<kernels::SharedArray>& arrays, u64 dynamic,
                 std::atomic<bool>& enough)
      : cc_(cc), known_(arrays), dynamic_(dynamic), enough_(enough) {}

  void launch_begins(const engine::Program& program, int) override {
    for (const engine::SharedVariable& v : program.shared) {
      const std::string name = source_name(program.module->symbols[v.symbol].name);
      for (const kernels::SharedArray& a : known_)
        if (a.name == name && a.columns > 0)
          arrays_.push_back({name, v.offset, v.bytes > 0 ? v.bytes : dynamic_, a.columns});
    }
    rules_ = std::make_unique<rules::AccessTotals>(program, cc_);
    wide_.assign(program.infos.size(), 0);
    for (const rules::MergedAccess& m : rules::merged_accesses(program, cc_))
      for (size_t k = 0; k < m.instructions.size(); ++k)
        wide_[m.instructions[k]] = m.bytes, absorbed_.resize(program.infos.size()),
        absorbed_[m.instructions[k]] = k > 0;
    absorbed_.resize(program.infos.size());
    for (const auto& info : program.infos)
      stores_.push_back(rules::access_kind(*info.instruction, ir::Space::Shared) != rules::AccessKind::Load);
  }

  void memory(int, const events::Memory& e) override {
    if (e.space != ir::Space::Shared || enough_) return;
    SeenAccess a{e.instruction, array_at(e.first), {e.space, e.mask, e.bytes, {}}, e.first, 0};
    for (u32 m = e.mask; m != 0; m &= m - 1) {
      const auto l = static_cast<size_t>(std::countr_zero(m));
      a.pattern.offset[l] = e.offsets[l];
    }
    std::string key;
    append(key, a.instruction), append(key, a.first), append(key, a.pattern.mask),
        append(key, a.pattern.bytes), append(key, a.pattern.offset);
    ++seen_.try_emplace(std::move(key), a).first->second.count;
    if (++accesses_ >= kMostAccesses) enough_ = true;
  }

  void block_ends(int, u64) override {
    if (++blocks_ >= kBlocks) enough_ = true;
  }

  PaddingTrial trial() const {
    PaddingTrial out;
    for (const auto& [key, a] : seen_) add(out.before, a, 0);
    out.after = out.before;
    for (u32 k = 0; k < arrays_.size(); ++k) {
      const Padding best = best_for(k);
      if (best.words > 0) {
        out.better.push_back(best);
        out.more_bytes += best.more_bytes;
        out.after.loads -= best.before.loads - best.after.loads;
        out.after.stores -= best.before.stores - best.after.stores;
        out.after.conflicts -= best.before.conflicts - best.after.conflicts;
      } else if (best.before.conflicts > 0) {
        out.in_vain.push_back(best.array);
      }
    }
    return out;
  }

 private:
  static void append(std::string& key, const auto& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  u32 array_at(u64 address) const {
    for (u32 k = 0; k < arrays_.size(); ++k)
      if (address - arrays_[k].begin < arrays_[k].bytes) return k;
    return ir::kNone;
  }

  /// Adds the access with `words` more in each row of its array; false where it would be misaligned.
  bool add(Passes& passes, const SeenAccess& a, u64 words) const {
    Pattern pattern = a.pattern;
    u64 first = a.first;
    if (words > 0) {
      const SharedRows& array = arrays_[a.array];
      const auto moved = [&](u64 address) {
        return address + (address - array.begin) / (array.columns * kWord) * words * kWord;
      };
      first = moved(a.first);
      for (u32 m = pattern.mask; m != 0; m &= m - 1) {
        const auto l = static_cast<size_t>(std::countr_zero(m));
        const u64 at = moved(a.first + static_cast<u64>(pattern.offset[l]));
        if (at % std::bit_floor(pattern.bytes) != 0) return false;
        pattern.offset[l] = static_cast<int64_t>(at - first);
      }
    }
    // Accesses that the compiler joins stay joined where rows stay aligned to what they are together.
    const u32 wide = wide_[a.instruction];
    if (wide > 0 && words * kWord % wide == 0) {
      if (absorbed_[a.instruction]) return true;
      pattern.bytes = wide;
      first -= first % wide;
    }
    const rules::Cost cost =
        rules_->cost_of(a.instruction, pattern, static_cast<u32>(first % rules::kAlignment));
    (stores_[a.instruction] ? passes.stores : passes.loads) += cost.wavefronts * a.count;
    passes.conflicts += cost.conflicts * a.count;
    return true;
  }

  std::optional<Passes> of_array(u32 k, u64 words) const {
    Passes passes;
    for (const auto& [key, a] : seen_)
      if (a.array == k && !add(passes, a, words)) return {};
    return passes;
  }

  Padding best_for(u32 k) const {
    const SharedRows& array = arrays_[k];
    Padding best{array.name, array.columns, 0, 0, *of_array(k, 0), {}};
    best.after = best.before;
    if (best.before.conflicts == 0) return best;
    for (u64 words = 1; words <= kMostPadding; ++words) {
      const auto passes = of_array(k, words);
      if (!passes || passes->all() >= best.after.all()) continue;
      best.words = words, best.after = *passes;
      best.more_bytes = array.rows() * words * kWord;
    }
    return best;
  }

  rules::Capability cc_;
  std::vector<kernels::SharedArray> known_;
  u64 dynamic_;
  std::atomic<bool>& enough_;
  std::vector<SharedRows> arrays_;
  std::unique_ptr<rules::AccessTotals> rules_;
  std::vector<u32> wide_;
  std::vector<bool> absorbed_, stores_;
  std::unordered_map<std::string, SeenAccess> seen_;
  u64 blocks_ = 0, accesses_ = 0;
};

}  // namespace

Result<std::vector<PaddingTrial>> try_padding(const kernels::Case& chosen, const kernels::Config& config,
                                              const gpus::Gpu& gpu, const std::atomic<bool>& stop) {
  auto plan = kernels::make_plan(chosen, config);
  if (!plan) return plan.error();
  std::vector<PaddingTrial> trials;
  std::atomic<bool> enough = false;
  engine::Settings settings;
  settings.threads = 1;  // blocks one after another, the same in every run
  settings.cancel = &enough;
  const auto device = device::make_engine_device(settings);
  auto module = device->load(plan->module, std::string(kernels::embedded_ptx(plan->module)));
  if (!module) return module.error();
  kernels::DeviceBuffers buffers(*device);
  if (auto ok = buffers.create(plan->buffers); !ok) return ok.error();
  if (auto ok = buffers.create(plan->textures); !ok) return ok.error();
  for (const kernels::PlannedLaunch& planned : plan->launches) {
    if (stop) return error("interrupted");
    enough = false;
    SharedAccesses seen(rules::capability(gpu), plan->shared, planned.dynamic_shared, enough);
    device::Launch launch;
    launch.module = *module;
    launch.kernel = planned.entry;
    launch.grid = planned.grid;
    launch.block = planned.block;
    launch.dynamic_shared = planned.dynamic_shared;
    launch.listeners = {&seen};
    kernels::set_arguments(launch, planned, buffers);
    auto report = device->launch(launch);
    if (!report && !enough) return report.error();
    if (report && !report->faults.empty())
      return error_at(report->faults[0].where, report->faults[0].message);
    trials.push_back(seen.trial());
  }
  return trials;
}

}  // namespace ww::watch
