// What is said of an undefined value, and where it came from.
#include <fmt/format.h>

#include "base/symbol_name.h"
#include "checks/text.h"
#include "checks/values.h"
#include "checks/values/spaces.h"

namespace ww::checks {

u32 Values::origin_at(Block& b, const events::Site& site, Origin o) {
  auto [it, fresh] = b.by_instruction.try_emplace(site.instruction, 0);
  if (fresh) {
    it->second = static_cast<u32>(b.origins.size());
    b.origins.push_back(o);
  }
  return it->second << 1;
}

std::string Values::place_name(ir::Space space, u64 address) const {
  if (space == ir::Space::Local) return "local memory";
  if (space == ir::Space::Shared) {
    for (const engine::SharedVariable& v : program_->shared)
      if (address >= v.offset && (v.bytes == 0 || address < u64{v.offset} + v.bytes))
        return fmt::format("{} ({} bytes into it)", demangled(program_->module->symbols[v.symbol].name),
                           address - v.offset);
    return "shared memory";
  }
  const auto a = facts_.memory ? facts_.memory->find(address) : std::nullopt;
  if (!a) return "global memory";
  return a->name.empty()
             ? fmt::format("an allocation of {} bytes, {} bytes into it", a->size, address - a->base)
             : fmt::format("{} ({} bytes into it)", demangled(a->name), address - a->base);
}

u64 Values::allocation_at(ir::Space space, u64 address) const {
  const auto a = space == ir::Space::Global && facts_.memory ? facts_.memory->find(address) : std::nullopt;
  return a ? a->base : 0;
}

void Values::tell_load(Block& b, const events::Memory& e) {
  if (!b.told.insert(e.instruction).second) return;
  for (u32 m = e.mask; m; m &= m - 1) {
    const int l = __builtin_ctz(m);
    const WrittenBytes::Missing missing =
        written_.count_missing(within(e.space, e.first) + static_cast<u64>(e.offsets[l]), e.bytes);
    if (!missing.bytes) continue;
    Finding f;
    f.kind = "unwritten";
    f.severity = Severity::Warning;
    f.kernel = demangled(program_->module->symbols[program_->entry->symbol].name);
    f.message = "uninitialised global memory is loaded";
    f.parties.push_back(party(*program_, e, l, "loads " + bytes_of(e.bytes)));
    f.more.push_back(fmt::format("{} of them are uninitialised; they are in {}", missing.bytes,
                                 place_name(e.space, missing.first)));
    f.allocation = allocation_at(e.space, missing.first);
    return findings_.add(std::move(f));
  }
}

void Values::tell(Block& b, const events::Site& site, int lane, const char* message, std::string what,
                  u32 origin) {
  if (every_load_ || !b.told.insert(site.instruction).second) return;
  Finding f = finding(b, site, lane, message, std::move(what), origin);
  // Library code (CUB's items beyond the end of a tile) branches on variables that it has not set and drops
  // what comes out; a mistake of that kind mostly does not survive the compiler.
  const bool unset = origin >> 1 == 0;
  if (unset && now_->plans[site.instruction].rule == Rule::Branch) f.severity = Severity::Hint;
  findings_.add(std::move(f));
}

Finding Values::finding(const Block& b, const events::Site& site, int lane, const char* message,
                        std::string what, u32 origin) const {
  Finding f;
  f.kind = "uninitialised";
  f.kernel = demangled(program_->module->symbols[program_->entry->symbol].name);
  f.message = message;
  f.parties.push_back(party(*program_, site, lane, std::move(what)));
  const size_t number = origin >> 1;
  if (number == 0 || number >= b.origins.size()) {
    f.more.push_back("it is a variable of the thread that was never initialised");
    return f;
  }
  const Origin& o = b.origins[number];
  events::Site from = site;
  from.instruction = o.instruction;
  from.warp = o.warp;
  if (o.kind == Origin::Kind::Shuffle) {
    f.parties.push_back(party(*program_, from, o.lane,
                              fmt::format("shuffles from lane {}, which does not take part", o.address)));
    f.more.push_back(
        "a shuffle from a lane that does not exist, has exited, takes no part or is not in the mask has an "
        "undefined result");
    return f;
  }
  if (o.kind == Origin::Kind::Width) {
    f.parties.push_back(
        party(*program_, from, o.lane, fmt::format("shuffles with a width of {} lanes", o.address)));
    f.more.push_back("the result is undefined where the width is no power of two");
    return f;
  }
  Party& loads =
      f.parties.emplace_back(party(*program_, from, o.lane, "loads " + bytes_of(o.bytes, "uninitialised ")));
  // An instruction's origin is what the first of its block's threads loaded: another one's bytes are others.
  loads.everyone = o.warp != site.warp || o.lane != lane;
  if (o.address || o.space != ir::Space::Global)
    f.more.push_back((loads.everyone ? "the first uninitialised bytes that it loads are in "
                                     : "the uninitialised bytes are in ") +
                     place_name(o.space, o.address));
  f.allocation = allocation_at(o.space, o.address);
  return f;
}

}  // namespace ww::checks
