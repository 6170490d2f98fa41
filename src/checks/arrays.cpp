#include "checks/arrays.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/shared_bases.h"
#include "checks/names.h"
#include "ir/accesses.h"

namespace ww::checks {

void Arrays::launch_begins(const engine::Program& program, int workers) {
  program_ = &program;
  reaches_.assign(static_cast<size_t>(workers), {});
  told_.assign(static_cast<size_t>(workers), {});
  Bases& b = known_[&program];
  now_ = &b;
  if (b.module == program.module && b.infos == program.infos.data() &&
      b.variable.size() == program.infos.size())
    return;
  b.module = program.module;
  b.infos = program.infos.data();
  b.several = program.shared.size() > 1;
  b.variable.assign(program.infos.size(), ir::kNone);
  if (!b.several) return;
  std::map<const ir::Function*, std::vector<ir::SymbolId>> bases;
  for (size_t k = 0; k < program.infos.size(); ++k) {
    const engine::InstInfo& info = program.infos[k];
    for (const ir::Access& a : ir::accesses_of(*info.instruction)) {
      if (a.space != ir::Space::Shared && a.space != ir::Space::None) continue;
      auto [it, fresh] = bases.try_emplace(info.function);
      if (fresh) it->second = analysis::shared_bases(*program.module, *info.function);
      const ir::Operand& o = info.instruction->operands[static_cast<size_t>(a.operand)];
      if (o.kind != ir::Operand::Kind::Memory) continue;
      const ir::SymbolId symbol = o.reg != ir::kNone ? it->second[o.reg] : o.symbol;
      if (symbol == ir::kNone) continue;
      for (u32 v = 0; v < program.shared.size(); ++v)
        if (program.shared[v].symbol == symbol) b.variable[k] = v;
    }
  }
}

void Arrays::memory(int worker, const events::Memory& e) {
  if (!now_->several || e.space != ir::Space::Shared || e.range != isa::Range::Lane) return;
  const u32 variable = now_->variable[e.instruction];
  if (variable == ir::kNone) return;
  const engine::SharedVariable& v = program_->shared[variable];
  const Reach& reach = reaches_[static_cast<size_t>(worker)].of(e);
  const u64 first = e.first >= engine::kSharedWindow ? e.first - engine::kSharedWindow : e.first;
  const auto low = static_cast<int64_t>(first) + reach.low, high = static_cast<int64_t>(first) + reach.high;
  const bool dynamic = v.bytes == 0;
  if (low >= v.offset && (dynamic || high + e.bytes <= int64_t{v.offset} + v.bytes)) return;
  if (told_[static_cast<size_t>(worker)].insert(e.instruction | e.block << 32).second) judge(e, v);
}

void Arrays::judge(const events::Memory& e, const engine::SharedVariable& v) {
  const u64 first = e.first >= engine::kSharedWindow ? e.first - engine::kSharedWindow : e.first;
  const u64 end = v.bytes ? u64{v.offset} + v.bytes : ~u64{0};
  for (u32 m = e.mask; m; m &= m - 1) {
    const int l = __builtin_ctz(m);
    const u64 at = first + static_cast<u64>(e.offsets[l]);
    if (at >= v.offset && at + e.bytes <= end) continue;
    const engine::SharedVariable* there = nullptr;
    for (const engine::SharedVariable& other : program_->shared)
      if (&other != &v && at >= other.offset && (other.bytes == 0 || at < u64{other.offset} + other.bytes) &&
          other.offset != v.offset)
        there = &other;
    // What lies in no variable at all is a wrong access to the block's memory.
    if (!there && at >= program_->shared_bytes && !program_->dynamic_shared) continue;
    const auto name = [&](const engine::SharedVariable& x) {
      return readable(program_->module->symbols[x.symbol].name);
    };
    Finding f;
    f.kind = "array";
    f.kernel = readable(program_->module->symbols[program_->entry->symbol].name);
    f.message = fmt::format("an access to {} leaves the array{}", name(v),
                            there ? fmt::format(" and lands in {}", name(*there)) : "");
    f.parties.push_back(party(*program_, e, l,
                              fmt::format("{} {} bytes",
                                          e.load()    ? "reads"
                                          : e.store() ? "writes"
                                                      : "updates",
                                          e.bytes)));
    const std::string where = at < v.offset ? fmt::format("{} bytes before its beginning", v.offset - at)
                              : at >= end   ? fmt::format("{} bytes past its end", at - end)
                                            : "across its end";
    f.more.push_back(v.bytes ? fmt::format("{} has {} bytes; this is {}", name(v), v.bytes, where)
                             : fmt::format("this is {} of {}", where, name(v)));
    findings_.add(std::move(f));
    return;
  }
}

}  // namespace ww::checks
