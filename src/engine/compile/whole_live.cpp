#include "engine/compile/whole_live.h"

#include <algorithm>

namespace ww::engine {

SlotEffects effects_of(const Inst& i, const CompileStep& step, const u32* operands, const WholeSlot* slots,
                       u32 count) {
  using Kind = CompileStep::Kind;
  SlotEffects e;
  const auto number = [&](u32 offset, auto&& then) {
    const WholeSlot* after = std::upper_bound(slots, slots + count, offset,
                                              [](u32 at, const WholeSlot& s) { return at < s.offset; });
    if (offset < kFrameStart || after == slots || offset - (after - 1)->offset >= (after - 1)->bytes) return;
    then(static_cast<u32>(after - 1 - slots));
  };
  const auto read = [&](u32 offset) { number(offset, [&](u32 n) { e.read.push_back(n); }); };
  const auto write = [&](u32 offset) {
    number(offset, [&](u32 n) {
      e.changed.push_back(n);
      (i.guarded ? e.read : e.written).push_back(n);
    });
  };
  if (i.guarded) read(i.guard);
  switch (step.kind) {
    case Kind::Native: {
      const u32* from = operands + step.operands;
      for (u32 n = 0; n < step.reads; ++n) read(from[n]);
      for (u32 n = 0; n < step.writes; ++n) write(from[step.reads + n]);
      break;
    }
    case Kind::Row:
      for (u32 s : i.src) read(s);
      write(i.dst);
      if (i.dst2_used) write(i.dst2);
      break;
    case Kind::Access:
      read(i.src[0]);
      for (u32 n = 0; n < i.aux->access.elements; ++n) {
        const u32 at = element_of(i, n);
        if (at == kSink) continue;
        i.aux->access.kind == AccessKey::Kind::Store ? read(at) : write(at);
      }
      break;
    case Kind::Sum: {
      const AddressSum& sum = *static_cast<const AddressSum*>(i.aux->more);
      read(i.src[1]);
      for (u32 b = 0; b < sum.count; ++b) read(sum.bases[b]);
      write(i.src[0]);
      break;
    }
    case Kind::Other:
      for (u32 n = 0; n < step.reads; ++n) read(operands[step.operands + n]);
      break;
    case Kind::Nothing:
      read(i.src[0]);
      break;
    case Kind::Pause:
      for (u32 s : i.src) read(s);
      if (i.aux)
        for (u32 s : i.aux->vector) read(s);
      break;
    default:
      break;
  }
  return e;
}

LiveSlots::LiveSlots(const Inst* code, const CompileStep* steps, u32 count, const u32* operands,
                     const WholeSlot* slots, u32 slot_count)
    : words_(slot_count / 64 + 1), bits_((size_t{count} + 1) * words_) {
  using Kind = CompileStep::Kind;
  const auto set = [](std::vector<u64>& row, u32 n) { row[n / 64] |= u64{1} << (n % 64); };
  std::vector<SlotEffects> effects;
  std::vector<u64> changed_here(words_);
  for (u32 k = 0; k < count; ++k) {
    effects.push_back(effects_of(code[k], steps[k], operands, slots, slot_count));
    for (u32 n : effects[k].changed)
      if (slots[n].from == WholeSlot::From::Code) set(changed_here, n);
  }
  std::vector<u64> now;
  const auto join = [&](size_t behind) {
    for (size_t w = 0; w < words_; ++w) now[w] |= bits_[behind * words_ + w];
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (u32 k = count; k-- > 0;) {
      const CompileStep& s = steps[k];
      now.assign(words_, 0);
      // Whoever goes on there may read them all, unless it is known where that is.
      if (s.kind == Kind::Other && !s.goes_on) now = changed_here;
      if (!s.ends) join(size_t{k} + 1);
      if (s.branches) join(static_cast<size_t>(code[k].aux->target - code));
      if (s.kind != Kind::Other)
        for (u32 n : effects[k].written) now[n / 64] &= ~(u64{1} << (n % 64));
      for (u32 n : effects[k].read) set(now, n);
      u64* row = &bits_[k * words_];
      if (std::equal(now.begin(), now.end(), row)) continue;
      std::copy(now.begin(), now.end(), row);
      changed = true;
    }
  }
}

std::vector<Parting> find_partings(const Inst* code, const CompileStep* steps, u32 count) {
  using Kind = CompileStep::Kind;
  std::vector<Parting> all;
  for (u32 k = 0; k < count; ++k) {
    if (!steps[k].join) continue;
    const auto target = static_cast<u32>(code[k].aux->target - code);
    Parting p{k, steps[k].join, k + 1 == steps[k].join ? k + 1 : target, {}};
    std::vector<bool> seen(count);
    std::vector<u32> waiting{k + 1, target};
    while (!waiting.empty()) {
      const u32 n = waiting.back();
      waiting.pop_back();
      if (n >= count || n == p.join || seen[n]) continue;
      seen[n] = true;
      p.between.push_back(n);
      if (steps[n].kind == Kind::Other || steps[n].kind == Kind::Pause ||
          steps[n].meets == CompileStep::Meets::Warp)
        continue;  // the interpreter goes on there
      if (!steps[n].ends) waiting.push_back(n + 1);
      if (steps[n].branches) waiting.push_back(static_cast<u32>(code[n].aux->target - code));
    }
    all.push_back(std::move(p));
  }
  return all;
}

NewerSlots::NewerSlots(const Inst* code, const CompileStep* steps, u32 count, const u32* operands,
                       const WholeSlot* slots, u32 slot_count, bool begins)
    : words_(slot_count / 64 + 1), bits_((size_t{count} + 1) * words_, 0) {
  using Kind = CompileStep::Kind;
  std::vector<std::vector<u32>> changed;
  for (u32 k = 0; k < count; ++k)
    changed.push_back(effects_of(code[k], steps[k], operands, slots, slot_count).changed);
  // Lanes that waited begin with what those have changed that went before them.
  std::vector<std::vector<u32>> behind(size_t{count} + 1);
  for (const Parting& p : find_partings(code, steps, count)) behind[p.join].push_back(p.other);
  if (begins) std::fill(bits_.begin(), bits_.begin() + static_cast<long>(words_), ~u64(0));
  std::vector<u64> now;
  bool news = true;
  const auto join = [&](size_t to) {
    for (size_t w = 0; w < words_; ++w) {
      u64& row = bits_[to * words_ + w];
      news |= (now[w] & ~row) != 0;
      row |= now[w];
    }
  };
  while (news) {
    news = false;
    for (u32 k = 0; k < count; ++k) {
      now.assign(&bits_[k * words_], &bits_[k * words_] + words_);
      for (u32 other : behind[k]) join(other);
      if (steps[k].kind == Kind::Pause || steps[k].kind == Kind::Other) continue;
      for (u32 n : changed[k]) now[n / 64] |= u64{1} << (n % 64);
      if (!steps[k].ends) join(size_t{k} + 1);
      if (steps[k].branches) join(static_cast<size_t>(code[k].aux->target - code));
    }
  }
}

size_t values_met(const Inst* code, const CompileStep* steps, u32 count, const u32* operands,
                  const WholeSlot* slots, u32 slot_count) {
  const LiveSlots live(code, steps, count, operands, slots, slot_count);
  size_t met = 0;
  for (const Parting& p : find_partings(code, steps, count))
    for (u32 slot = 0; slot < slot_count; ++slot) met += live[p.join][slot] + live[p.other][slot];
  return met;
}

}  // namespace ww::engine
