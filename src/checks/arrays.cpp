#include "checks/arrays.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/array_bases.h"
#include "base/symbol_name.h"
#include "checks/text.h"
#include "ir/accesses.h"

namespace ww::checks {

namespace {

std::string what(const events::Memory& e) {
  return fmt::format("{} {}", e.load() ? "reads" : e.store() ? "writes" : "updates", bytes_of(e.bytes));
}

bool in_variables(ir::Space space) {
  return space == ir::Space::Shared || space == ir::Space::Local || space == ir::Space::Const;
}

u64 window_of(ir::Space space) {
  return space == ir::Space::Local   ? engine::kLocalWindow
         : space == ir::Space::Const ? engine::kConstWindow
                                     : engine::kSharedWindow;
}

}  // namespace

void Arrays::launch_begins(const engine::Program& program, int workers) {
  program_ = &program;
  reaches_.assign(static_cast<size_t>(workers), {});
  told_.assign(static_cast<size_t>(workers), {});
  allocations_.launch_begins(program, facts_, workers);
  Known& k = known_[&program];
  now_ = &k;
  if (k.module != program.module || k.infos != program.infos.data() || k.of.size() != program.infos.size()) {
    k = {program.module, program.infos.data(), {}, {}};
    find(program, k);
  }
}

/// The arrays of a program, and of which each instruction's address is made.
void Arrays::find(const engine::Program& program, Known& known) {
  known.of.assign(program.infos.size(), ir::kNone);
  const auto& shared = program.shared;
  for (const engine::SharedVariable& v : shared)
    known.arrays.push_back(
        {v.symbol, ir::Space::Shared, false, 0, v.offset, v.bytes ? u64{v.offset} + v.bytes : 0, 0});
  for (const engine::ConstantVariable& v : program.constants)
    known.arrays.push_back({v.symbol, ir::Space::Const, false, 0, v.offset, u64{v.offset} + v.bytes, 0});
  const size_t variables = known.arrays.size();
  struct Of {
    analysis::ArrayBases bases;
    std::vector<u32> array;  ///< by base
  };
  std::map<const ir::Function*, Of> functions;
  for (const auto& code : program.functions) {
    Of& of = functions[code->function];
    of.bases = analysis::array_bases(*program.module, *code->function);
    const auto& bases = of.bases.bases;
    for (const analysis::ArrayBase& base : bases) {
      of.array.push_back(ir::kNone);
      const ir::Variable& variable = program.module->variable(base.symbol);
      if (variable.space != ir::Space::Local) {
        // The only one has no neighbour.
        if ((variable.space == ir::Space::Shared ? shared.size() : program.constants.size()) > 1)
          for (u32 v = 0; v < variables; ++v)
            if (known.arrays[v].symbol == base.symbol) of.array.back() = v;
        continue;
      }
      const auto at = std::find_if(code->locals.begin(), code->locals.end(),
                                   [&](const auto& local) { return local.first == base.symbol; });
      if (at == code->locals.end() || base.offset >= variable.bytes) continue;
      u64 end = variable.bytes;  // of the array: where the next begins
      for (const analysis::ArrayBase& other : bases)
        if (other.symbol == base.symbol && other.offset > base.offset) end = std::min(end, other.offset);
      of.array.back() = static_cast<u32>(known.arrays.size());
      known.arrays.push_back({base.symbol, ir::Space::Local, base.symbol == of.bases.depot,
                              static_cast<u32>(base.offset), at->second + base.offset, at->second + end,
                              code->id});
    }
  }
  // Local variables into which others may run, though nothing in sight accesses them.
  for (const auto& code : program.functions) {
    const analysis::ArrayBases& known_bases = functions[code->function].bases;
    for (const auto& [symbol, at] : code->locals) {
      const ir::Variable& v = program.module->variable(symbol);
      const auto same = [&](const analysis::ArrayBase& b) { return b.symbol == symbol; };
      if (v.space != ir::Space::Local || symbol == known_bases.depot ||
          std::any_of(known_bases.bases.begin(), known_bases.bases.end(), same))
        continue;
      known.arrays.push_back({symbol, ir::Space::Local, false, 0, at, at + v.bytes, code->id});
    }
  }
  for (size_t k = 0; k < program.infos.size(); ++k) {
    const engine::InstInfo& info = program.infos[k];
    const auto of = functions.find(info.function);
    if (of == functions.end()) continue;
    for (const ir::Access& a : ir::accesses_of(*info.instruction)) {
      if (a.space != ir::Space::None && !in_variables(a.space)) continue;
      const ir::Operand& o = info.instruction->operands[static_cast<size_t>(a.operand)];
      if (o.kind != ir::Operand::Kind::Memory) continue;
      if (const u32 base = of->second.bases.of(o); base != ir::kNone) known.of[k] = of->second.array[base];
    }
  }
}

void Arrays::memory(int worker, const events::Memory& e) {
  if (e.space == ir::Space::Global && e.range == isa::Range::Lane) return judge_global(worker, e);
  if (!in_variables(e.space) || e.range != isa::Range::Lane) return;
  const u32 number = now_->of[e.instruction];
  if (number == ir::kNone) return;
  const Array& array = now_->arrays[number];
  if (array.space != e.space) return;
  const u64 window = window_of(array.space);
  u64 first = e.first >= window ? e.first - window : e.first;
  if (array.space == ir::Space::Local) first -= e.state->stack;  // within the function's frame
  const Reach& reach = reaches_[static_cast<size_t>(worker)].of(e);
  const auto low = static_cast<int64_t>(first) + reach.low, high = static_cast<int64_t>(first) + reach.high;
  if (low >= static_cast<int64_t>(array.begin) &&
      (array.end == 0 || high + e.bytes <= static_cast<int64_t>(array.end)))
    return;
  if (told_[static_cast<size_t>(worker)].insert(e.instruction | e.block << 32).second) judge(e, array, first);
}

void Arrays::judge_global(int worker, const events::Memory& e) {
  const int lane = allocations_.strays(worker, e);
  if (lane < 0 || !told_[static_cast<size_t>(worker)].insert(e.instruction | e.block << 32).second) return;
  const u64 at = e.first + static_cast<u64>(e.offsets[lane]), meant = allocations_.meant(e.instruction);
  const auto there = facts_.memory->find(at), own = facts_.memory->find(meant);
  if (!there || !own) return;
  Finding f;
  f.kind = "array";
  f.kernel = facts_.kernel;
  f.message = "an access that starts from one allocation lands in another";
  f.parties.push_back(party(*program_, e, lane, what(e)));
  f.more.push_back(fmt::format(
      "the kernel's argument points into an allocation of {} bytes at 0x{:x}; this is {} bytes {}", own->size,
      own->base, at > own->base ? at - own->base - own->size : own->base - at,
      at > own->base ? "past its end" : "before its beginning"));
  f.more.push_back(fmt::format("there lies an allocation of {} bytes at 0x{:x}", there->size, there->base));
  f.allocation = own->base;
  findings_.add(std::move(f));
}

std::string Arrays::name(const Array& array) const {
  if (array.part) return fmt::format("the local array at byte {} of the frame", array.within);
  return demangled(program_->module->symbols[array.symbol].name);
}

bool Arrays::lies_outside(ir::Space space, u64 at, const events::Memory& e) const {
  if (space == ir::Space::Const) return at >= e.state->constants_bytes;
  return space == ir::Space::Local || (at >= program_->shared_bytes && !program_->dynamic_shared);
}

void Arrays::judge(const events::Memory& e, const Array& array, u64 first) {
  const u64 end = array.end ? array.end : ~u64{0};
  for (u32 m = e.mask; m; m &= m - 1) {
    const int l = __builtin_ctz(m);
    const u64 at = first + static_cast<u64>(e.offsets[l]);
    if (at >= array.begin && at + e.bytes <= end) continue;
    const u64 touched = at >= array.begin && at < end ? end : at;  // the first byte outside
    const Array* there = nullptr;
    for (const Array& other : now_->arrays)
      if (other.space == array.space && other.function == array.function && touched >= other.begin &&
          (other.end == 0 || touched < other.end) && other.begin != array.begin)
        there = &other;
    // What lies in no variable at all is a wrong access to the block's, or the thread's memory, or the bank.
    if (!there && lies_outside(array.space, at, e)) continue;
    Finding f;
    f.kind = "array";
    f.kernel = demangled(program_->module->symbols[program_->entry->symbol].name);
    f.message = array.part && there && there->part
                    ? "an access to one local array leaves it and lands in another"
                    : fmt::format("an access to {} leaves the array{}", name(array),
                                  there ? fmt::format(" and lands in {}", name(*there)) : "");
    f.parties.push_back(party(*program_, e, l, what(e)));
    const std::string where = at < array.begin
                                  ? fmt::format("{} bytes before its beginning", array.begin - at)
                              : at >= end ? fmt::format("{} bytes past its end", at - end)
                                          : "across its end";
    f.more.push_back(array.end
                         ? fmt::format("{} has {} bytes; this is {}", name(array), end - array.begin, where)
                         : fmt::format("this is {} of {}", where, name(array)));
    if (array.part && there) f.more.push_back(fmt::format("there lies {}", name(*there)));
    findings_.add(std::move(f));
    return;
  }
}

}  // namespace ww::checks
