#include "watch/recorder.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdlib>
#include <memory>
#include <utility>

#include "engine/decode/program.h"
#include "forecast/padding.h"
#include "ir/accesses.h"
#include "ir/print.h"
#include "kernels/embedded.h"
#include "rules/merged.h"
#include "watch/found.h"
#include "watch/steps.h"

namespace ww::watch {

namespace {

/// Bytes that tell a form from others.
void append(std::string& key, const auto& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Where the instruction stands in a source of the user's: what was inlined from the compiler's own headers
/// (atomicInc) stands where it was called.
Location place_of(const ir::Module& module, const engine::InstInfo& info,
                  const std::function<bool(const std::string&)>& own_file) {
  const ir::Place* place = &info.instruction->place;
  Location own = ir::location(module, *place);
  for (Location at = own;;) {
    if (own_file ? own_file(at.file) : !kernels::source_text(at.file).empty()) return at;
    if (place->inlined_at < 0) return own;
    place = &info.function->inlined_at[static_cast<size_t>(place->inlined_at)];
    at = ir::location(module, *place);
  }
}

}  // namespace

void Recorder::expect(Launch launch, std::map<std::string, u64> shared_columns) {
  launch_ = std::move(launch);
  shared_columns_ = std::move(shared_columns);
}

void Recorder::launch_begins(const engine::Program& program, [[maybe_unused]] int workers) {
  assert(workers == 1);
  values_ = {};
  fetch_ = {};
  forms_.clear();
  phases_.clear();
  places_.clear();
  site_of_.assign(program.infos.size(), kNone);
  const std::vector<rules::MergedAccess> merged = rules::merged_accesses(program, cc_);
  rules_ = std::make_unique<rules::AccessTotals>(program, cc_, merged);
  for (const engine::SharedVariable& v : program.shared) {
    const std::string name = forecast::source_name(program.module->symbols[v.symbol].name);
    const u64 bytes = v.bytes > 0 ? v.bytes : launch_.shared_bytes;
    const auto columns = shared_columns_.find(name);
    Array array{name,  ir::Space::Shared, v.offset,
                bytes, (bytes + 3) / 4,   columns == shared_columns_.end() ? 0 : columns->second};
    if (const auto known = known_.shared.find(name); known != known_.shared.end()) {
      array.type = known->second.type, array.declared = !array.type.empty();
      if (known->second.columns > 0) array.columns = known->second.columns;
      array.unit = unit_of(array.type);
      array.elements = bytes / array.unit;
    }
    launch_.arrays.push_back(std::move(array));
  }
  launch_.shared_bytes += program.shared_bytes;
  for (u32 i = 0; i < program.infos.size(); ++i) {
    const ir::Instruction& in = *program.infos[i].instruction;
    const bool memory = !ir::effects_of(in).memory.empty();
    const Location at = place_of(*program.module, program.infos[i], known_.own_file);
    site_of_[i] = static_cast<u32>(launch_.sites.size());
    launch_.sites.push_back({i, at.file, at.line, ir::name_of(in),
                             memory ? rules::access_kind(in, ir::Space::Global) : rules::AccessKind::Load,
                             !memory, in.place.ptx_line});
  }
  for (const rules::MergedAccess& m : merged)
    for (size_t k = 1; k < m.instructions.size(); ++k)
      launch_.sites[site_of_[m.instructions[k]]].leader = site_of_[m.instructions[0]];
}

void Recorder::block_begins(int, u64 block) {
  phases_.erase(phases_.lower_bound({block, 0}), phases_.lower_bound({block + 1, 0}));
}

void Recorder::block_ends(int, u64 block) {
  end_fetch();
  values_.settle(launch_);
  values_.forget(block);
}

void Recorder::launch_ends() {
  end_fetch();
  values_.settle(launch_);
}

void Recorder::narrow_units() {
  for (Array& a : launch_.arrays) {
    const u32 unit = unit_of(a.type);
    if (a.declared || unit >= a.unit || a.bytes % unit != 0) continue;
    a.elements = std::min(a.elements * a.unit, a.bytes) / unit;
    a.columns = a.columns * a.unit / unit;
    a.unit = unit;
  }
}

u32 Recorder::array_at(ir::Space space, u64 address) const {
  for (size_t k = 0; k < launch_.arrays.size(); ++k) {
    const Array& a = launch_.arrays[k];
    if (a.space == space && a.address <= address && address - a.address < a.bytes) return static_cast<u32>(k);
  }
  return kNone;
}

void Recorder::price(Form& form, u32 instruction, u64 first) const {
  rules::Pattern issued = form.pattern;
  auto alignment = static_cast<u32>(first % rules::kAlignment);
  if (!rules_->issue(instruction, issued, alignment)) return;
  form.issued = issued.bytes;
  form.cost = rules_->cost_of(instruction, issued, alignment);
  const rules::Access access = rules::place(issued, alignment);
  const auto from = static_cast<int64_t>(first % rules::kAlignment);
  if (issued.space == ir::Space::Global) {
    form.pieces = rules::global_pieces(cc_, access, form.kind != rules::AccessKind::Load);
    for (auto& p : form.pieces) p.address -= from;
  } else if (issued.space == ir::Space::Shared) {
    form.banks = rules::bank_uses(cc_, access, form.kind == rules::AccessKind::Store,
                                  form.kind == rules::AccessKind::Atomic);
    for (auto& use : form.banks) use.word -= from >> 2;
  }
}

u32 Recorder::numbered(std::string key, const std::function<Form()>& make) {
  auto [it, fresh] = forms_.try_emplace(std::move(key), static_cast<u32>(launch_.forms.size()));
  if (fresh) launch_.forms.push_back(make());
  return it->second;
}

u32 Recorder::form_of(const events::Memory& e) {
  Form form;
  form.pattern = {e.space, e.mask, e.bytes, {}};
  for (u32 m = e.mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(m));
    form.pattern.offset[lane] = e.offsets[lane];
  }
  form.kind = rules::kind_of(e.direction, e.asynchronous);
  form.array = array_at(e.space, e.first);
  form.texels = e.linear ? Texels::None : Texels::Array;
  // What is joined depends on the instruction, the rest on the pattern and its alignment.
  std::string key;
  append(key, e.space);
  append(key, e.mask);
  append(key, e.bytes);
  append(key, form.pattern.offset);
  append(key, form.kind);
  append(key, form.array);
  append(key, form.texels);
  append(key, e.first % rules::kAlignment);
  if (e.space == ir::Space::Shared) {
    rules::Pattern issued = form.pattern;
    u32 alignment = 0;
    append(key, rules_->issue(e.instruction, issued, alignment) ? issued.bytes : 0);
  }
  return numbered(std::move(key), [&] {
    if (e.linear)
      price(form, e.instruction, e.first);
    else
      form.issued = e.bytes;
    return form;
  });
}

void Recorder::add(u32 instruction, u64 block, u32 warp, u32 mask, u32 form, u64 first) {
  if (++count_ > limit_) {
    if (stop_) *stop_ = true;
    return;
  }
  const Phases& phases = phases_[{block, warp}];
  places_.push_back({phases[static_cast<size_t>(std::countr_zero(mask))], site_of_[instruction]});
  launch_.events.push_back(
      {0, static_cast<u32>(block), warp, form, first, mask, static_cast<u32>(launch_.events.size())});
}

void Recorder::memory(int, const events::Memory& e) {
  // Parameters are constants of the launch: every thread reads them, at no cost worth a picture.
  if (full() || e.space == ir::Space::Param) return;
  if (!e.texels.empty()) return fetch(e);
  end_fetch();
  values_.settle(launch_);
  const u32 form = form_of(e);
  add(e.instruction, e.block, e.warp, e.mask, form, e.first);
  const u32 array = launch_.forms[form].array;
  if (full() || array == kNone) return;
  launch_.arrays[array].texels |= !e.linear;
  values_.access(launch_, array, launch_.events.back().ran, e, launch_.sites[site_of_[e.instruction]].text);
}

void Recorder::fetch(const events::Memory& e) {
  if (!e.goes_on) end_fetch();
  values_.settle(launch_);
  fetch_.site = e;
  const u32 first = array_at(ir::Space::Global, e.texels.front().address);
  for (const events::TexelRead& r : e.texels) {
    Fetch::Part& part = fetch_.of(array_at(ir::Space::Global, r.address));
    part.texels = e.linear ? Texels::Linear : Texels::Array;
    part.bytes = e.texel_bytes;
    part.at.emplace_back(r.lane, r.address);
    if (part.array == kNone) continue;
    launch_.arrays[part.array].texels |= !e.linear;
    const auto ran =
        static_cast<u32>(launch_.events.size() + static_cast<size_t>(&part - fetch_.parts.data()));
    values_.fetched(launch_, part.array, ran, e, r.address, launch_.sites[site_of_[e.instruction]].text);
  }
  if (!e.linear) return;
  rules::Pattern sectors{ir::Space::Global, e.mask, e.bytes, {}};
  for (u32 m = e.mask; m != 0; m &= m - 1) {
    const auto k = static_cast<size_t>(std::countr_zero(m));
    sectors.offset[k] = e.offsets[k];
    fetch_.of(first).sectors.push_back({static_cast<int64_t>(e.first) + e.offsets[k], e.bytes});
  }
  fetch_.of(first).cost +=
      rules::texture_cost(cc_, rules::place(sectors, static_cast<u32>(e.first % rules::kAlignment)));
}

void Recorder::end_fetch() {
  for (const Fetch::Part& part : fetch_.parts) {
    Form form = watch::form_of(part);
    const u32 mask = form.pattern.mask;
    const u64 first = part.at.front().second;
    if (cc_ < 20) form.pieces.clear();
    std::string key = key_of(form, first);
    add(fetch_.site.instruction, fetch_.site.block, fetch_.site.warp, mask,
        numbered(std::move(key), [&] { return form; }), first);
  }
  fetch_.parts.clear();
}

void Recorder::barrier_arrival(int, const events::BarrierArrival& e) {
  end_fetch();
  values_.settle(launch_);
  add(e.instruction, e.block, e.warp, e.mask, kNone, 0);
  Phases& phases = phases_[{e.block, e.warp}];
  for (u32 m = e.mask; m != 0; m &= m - 1) ++phases[static_cast<size_t>(std::countr_zero(m))];
}

Launch Recorder::take(const std::vector<checks::Finding>& findings) {
  narrow_units();
  link(launch_, places_, findings);
  align(launch_, places_);
  keep_used_sites(launch_);
  return std::exchange(launch_, {});
}

}  // namespace ww::watch
