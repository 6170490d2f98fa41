#include "forecast/padding.h"

#include <algorithm>
#include <bit>

#include "base/symbol_name.h"
#include "engine/decode/program.h"
#include "rules/merged.h"

namespace ww::forecast {

namespace {

constexpr uint64_t kWord = 4;

struct SharedRows {
  std::string name;
  uint64_t begin = 0, bytes = 0, columns = 0;
  bool inferred = false;
  uint64_t rows() const { return (bytes / kWord + columns - 1) / columns; }
};

class Trial {
 public:
  Trial(const SharedAccesses& accesses, rules::Capability cc, const std::map<std::string, uint64_t>& columns,
        uint64_t dynamic_bytes, bool infer)
      : seen_(accesses.seen()),
        program_(*accesses.program()),
        rules_(program_, cc),
        wide_(program_.infos.size()),
        absorbed_(program_.infos.size()) {
    for (const rules::MergedAccess& m : rules::merged_accesses(program_, cc))
      for (size_t k = 0; k < m.instructions.size(); ++k)
        wide_[m.instructions[k]] = m.bytes, absorbed_[m.instructions[k]] = k > 0;
    for (const auto& info : program_.infos)
      stores_.push_back(rules::access_kind(*info.instruction, ir::Space::Shared) != rules::AccessKind::Load);
    for (const engine::SharedVariable& v : program_.shared) {
      SharedRows array{source_name(program_.module->symbols[v.symbol].name), v.offset,
                       v.bytes > 0 ? v.bytes : dynamic_bytes, 0};
      const auto told = columns.find(array.name);
      if (told != columns.end())
        array.columns = told->second;
      else if (infer)
        array.columns = inferred_columns(array), array.inferred = true;
      if (array.columns > 0) arrays_.push_back(std::move(array));
    }
  }

  PaddingTrial result() const {
    PaddingTrial out;
    for (const Seen& a : seen_) add(out.before, a, nullptr, 0);
    out.after = out.before;
    for (const SharedRows& array : arrays_) {
      const Padding best = best_for(array);
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
  using Seen = SharedAccesses::Seen;

  static bool in(const SharedRows& array, const Seen& a) { return a.first - array.begin < array.bytes; }

  /// The words from row to row that most of the array's conflicting accesses have: from lane to lane where
  /// these go down a column, else from where lanes begin a row (16 of one row and then 16 of the next) to
  /// where they begin another. 0: none that could be a row.
  uint64_t inferred_columns(const SharedRows& array) const {
    std::map<uint64_t, uint64_t> steps;
    for (const Seen& a : seen_) {
      if (!in(array, a)) continue;
      Passes passes;
      add(passes, a, nullptr, 0);
      if (passes.conflicts == 0) continue;
      size_t before = 0, row = 0;  // lanes: the last one, and the one that begins its row
      bool any = false;
      int64_t along = 0;  // bytes from lane to lane within the row; 0: not known yet
      for (uint32_t m = a.pattern.mask; m != 0; m &= m - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(m));
        const int64_t at = a.pattern.offset[lane], step = any ? at - a.pattern.offset[before] : 0;
        if (!any || lane != before + 1) {
          row = lane, along = 0;
        } else if (std::abs(step) < static_cast<int64_t>(kFewestColumns * kWord) &&
                   (along == 0 || along == step)) {
          along = step;
        } else {
          const auto pitch = static_cast<uint64_t>(std::abs(at - a.pattern.offset[row]));
          if (pitch % kWord == 0 && pitch / kWord >= kFewestColumns) steps[pitch / kWord] += a.count;
          row = lane, along = 0;
        }
        any = true, before = lane;
      }
    }
    const auto most = std::max_element(steps.begin(), steps.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == steps.end() ? 0 : most->first;
  }

  /// An access as the GPU's compiler issues it.
  struct Issued {
    rules::Pattern pattern;
    uint64_t first = 0;
    bool absorbed = false;  ///< a part of another's
  };

  /// The access with `words` more in each row of its array (null: as it is); nothing where it would be
  /// misaligned.
  std::optional<Issued> issued(const Seen& a, const SharedRows* array, uint64_t words) const {
    Issued out{a.pattern, a.first};
    rules::Pattern& pattern = out.pattern;
    if (words > 0) {
      const auto moved = [&](uint64_t address) {
        return address + (address - array->begin) / (array->columns * kWord) * words * kWord;
      };
      out.first = moved(a.first);
      for (uint32_t m = pattern.mask; m != 0; m &= m - 1) {
        const auto l = static_cast<size_t>(std::countr_zero(m));
        const uint64_t at = moved(a.first + static_cast<uint64_t>(pattern.offset[l]));
        if (at % std::bit_floor(pattern.bytes) != 0) return {};
        pattern.offset[l] = static_cast<int64_t>(at - out.first);
      }
    }
    // Accesses that the compiler joins stay joined where rows stay aligned to what they are together.
    const uint32_t wide = wide_[a.instruction];
    if (wide > 0 && words * kWord % wide == 0) {
      out.absorbed = absorbed_[a.instruction];
      pattern.bytes = wide;
      out.first -= out.first % wide;
    }
    return out;
  }

  rules::Cost cost(const Seen& a, const Issued& as) const {
    return as.absorbed ? rules::Cost{}
                       : rules_.cost_of(a.instruction, as.pattern,
                                        static_cast<uint32_t>(as.first % rules::kAlignment));
  }

  /// Adds the access with longer rows; false where it would be misaligned.
  bool add(Passes& passes, const Seen& a, const SharedRows* array, uint64_t words) const {
    const auto as = issued(a, array, words);
    if (!as) return false;
    const rules::Cost once = cost(a, *as);
    (stores_[a.instruction] ? passes.stores : passes.loads) += once.wavefronts * a.count;
    passes.conflicts += once.conflicts * a.count;
    return true;
  }

  std::optional<Passes> of_array(const SharedRows& array, uint64_t words) const {
    Passes passes;
    for (const Seen& a : seen_)
      if (in(array, a) && !add(passes, a, &array, words)) return {};
    return passes;
  }

  Padding best_for(const SharedRows& array) const {
    Padding best;
    best.array = array.name, best.columns = array.columns, best.inferred = array.inferred;
    best.before = *of_array(array, 0);
    best.after = best.before;
    if (best.before.conflicts == 0) return best;
    for (uint64_t words = 1; words <= kMostPadding; ++words) {
      const auto passes = of_array(array, words);
      if (!passes || passes->all() >= best.after.all()) continue;
      best.words = words, best.after = *passes;
      best.more_bytes = array.rows() * words * kWord;
    }
    if (best.words > 0) picture(array, best);
    return best;
  }

  /// The lanes of the access with most conflicts; among equals the first in the program.
  void picture(const SharedRows& array, Padding& padding) const {
    const Seen* worst = nullptr;
    uint64_t most = 0;
    const auto before = [](const Seen& a, const Seen& b) {
      return std::pair(a.instruction, a.first) < std::pair(b.instruction, b.first);
    };
    for (const Seen& a : seen_) {
      if (!in(array, a)) continue;
      const uint64_t conflicts = cost(a, *issued(a, nullptr, 0)).conflicts;
      if (conflicts == 0 || conflicts < most) continue;
      if (conflicts == most && worst && !before(a, *worst)) continue;
      most = conflicts, worst = &a;
    }
    if (!worst) return;
    padding.banks_before = bank_use(array, *worst, 0);
    padding.banks_after = bank_use(array, *worst, padding.words);
  }

  BankUse bank_use(const SharedRows& array, const Seen& a, uint64_t words) const {
    BankUse out;
    const Issued as = *issued(a, &array, words);  // it was tried: it is aligned
    out.passes = cost(a, as).wavefronts;
    for (uint32_t m = as.pattern.mask; m != 0; m &= m - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(m));
      const uint64_t from = as.first + static_cast<uint64_t>(as.pattern.offset[lane]) - array.begin;
      for (uint64_t word = from / kWord; word <= (from + as.pattern.bytes - 1) / kWord; ++word)
        out.lanes.push_back(lane), out.words.push_back(word);
    }
    return out;
  }

  const std::vector<Seen>& seen_;
  const engine::Program& program_;
  rules::AccessTotals rules_;
  std::vector<uint32_t> wide_;
  std::vector<bool> absorbed_, stores_;
  std::vector<SharedRows> arrays_;
};

}  // namespace

std::string source_name(const std::string& symbol) {
  const std::string name = demangled(symbol);
  const size_t at = name.rfind("::");
  return at == name.npos ? name : name.substr(at + 2);
}

bool SharedAccesses::SameAccess::operator()(size_t a, size_t b) const {
  const Seen &x = (*seen)[a], &y = (*seen)[b];
  return x.instruction == y.instruction && x.first == y.first && x.pattern == y.pattern;
}

size_t SharedAccesses::HashAccess::operator()(size_t a) const {
  const Seen& x = (*seen)[a];
  uint64_t h = x.first;
  const auto add = [&](uint64_t v) { h = (std::rotl(h, 23) ^ v) * 0x9e3779b97f4a7c15u; };
  add(uint64_t{x.instruction} << 32 | x.pattern.mask);
  for (int64_t o : x.pattern.offset) add(static_cast<uint64_t>(o));
  return h ^ h >> 29;
}

void SharedAccesses::launch_begins(const engine::Program& program, int workers) {
  program_ = &program;
  recent_.assign(static_cast<size_t>(workers), {});
}

/// The place in `seen_` of an access like this, which may be new.
size_t SharedAccesses::number_of(const events::Memory& e) {
  Seen& a = seen_.emplace_back();
  a.instruction = e.instruction, a.first = e.first;
  a.pattern.space = e.space, a.pattern.mask = e.mask, a.pattern.bytes = e.bytes;
  for (uint32_t m = e.mask; m != 0; m &= m - 1) {
    const auto l = static_cast<size_t>(std::countr_zero(m));
    a.pattern.offset[l] = e.offsets[l];
  }
  const auto [it, fresh] = numbers_.insert(seen_.size() - 1);
  if (!fresh) seen_.pop_back();
  return *it;
}

void SharedAccesses::memory(int worker, const events::Memory& e) {
  if (e.space != ir::Space::Shared || e.block >= kBlocks || full_.load(std::memory_order_relaxed) ||
      (enough_ && *enough_))
    return;
  auto& recent = recent_[static_cast<size_t>(worker)];
  if (recent.empty()) recent.resize(kRecent);
  const uint64_t hash =
      (e.first * 0x9e3779b97f4a7c15u ^ e.instruction * uint64_t{0xd6e8feb86659fd93} ^ e.serial);
  Recent& last = recent[(hash ^ hash >> 32) % kRecent];
  const bool known = e.serial != 0 && last.serial == e.serial && last.first == e.first &&
                     last.instruction == e.instruction && last.mask == e.mask;
  std::lock_guard lock(mutex_);
  if (accesses_ >= kMostAccesses) return;
  if (!known) last = {e.serial, e.first, e.instruction, e.mask, number_of(e)};
  ++seen_[last.number].count;
  if (++accesses_ < kMostAccesses) return;
  full_ = true;
  if (enough_) *enough_ = true;
}

void SharedAccesses::block_ends(int, uint64_t) {
  if (!enough_) return;
  std::lock_guard lock(mutex_);
  if (++ended_ >= kBlocks) *enough_ = true;
}

PaddingTrial try_padding(const SharedAccesses& seen, rules::Capability capability,
                         const std::map<std::string, uint64_t>& columns, uint64_t dynamic_bytes, bool infer) {
  if (!seen.program()) return {};
  return Trial(seen, capability, columns, dynamic_bytes, infer).result();
}

}  // namespace ww::forecast
