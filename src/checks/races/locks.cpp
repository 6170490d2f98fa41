#include "checks/races/locks.h"

#include <algorithm>
#include <cstring>

#include "checks/races.h"
#include "engine/decode/decode.h"

namespace ww::checks {

namespace races {

void Locks::stores(const Holder& t, u64 word) {
  const auto at = taken_.find(key(t));
  if (at != taken_.end() && at->second.word == word) taken_.erase(at);
}

void Locks::fence(const Holder& t, Scope scope) {
  const auto at = taken_.find(key(t));
  if (at != taken_.end()) at->second.has = std::max(scope, at->second.has.value_or(scope));
}

void Locks::barrier(u64 block) {
  for (auto& [thread, lock] : taken_)
    if (thread >> 10 == block) lock.has = kGpu;
}

void Locks::add(u64 word, const Access& a) {
  if (open_.size() >= kMostWords && !open_.count(word)) return;
  std::vector<Access>& list = open_[word];
  for (const Access& known : list)
    if (known.by == a.by && known.write == a.write) return;
  if (list.size() < kMostOfWord) list.push_back(a);
}

}  // namespace races

using races::first_lane;
using races::Holder;
using races::kWordBytes;
using races::Scope;

namespace {

/// What an operand is in a lane.
u64 lane_value(const engine::Program& program, const engine::InstInfo& info, const engine::Warp& warp,
               const ir::Operand& o, u32 lane, u32 bytes) {
  u64 value = o.bits;
  if (o.kind == ir::Operand::Kind::Register) {
    const int number = program.module->symbols[info.function->symbol].function;
    const engine::FunctionCode* code = program.by_number[static_cast<size_t>(number)];
    const auto stride = static_cast<u32>(engine::lane_bytes(info.function->registers[o.reg].type));
    std::memcpy(&value, warp.regs + code->slots[o.reg] + size_t{lane} * stride, std::min<u32>(stride, 8));
  }
  return bytes < 8 ? value & ((u64{1} << 8 * bytes) - 1) : value;
}

}  // namespace

std::vector<Races::Change> Races::changes_of(const events::Memory& e) const {
  std::vector<Change> all;
  const engine::InstInfo& info = info_of(e.instruction);
  const auto& operands = info.instruction->operands;
  const bool compares = info.instruction->op == isa::Op::atom_cas, shared = e.space == ir::Space::Shared;
  if (!e.state || operands.size() < (compares ? 4u : 3u) || e.bytes > 8 || (shared && cluster_.count() > 1))
    return all;
  std::unordered_map<u64, u64> became;  // by the lanes before
  for (u32 m = e.mask; m; m &= m - 1) {
    Change c;
    c.lane = first_lane(m);
    const u64 address = e.first + static_cast<u64>(e.offsets[c.lane]);
    const uint8_t* there = nullptr;
    if (shared && address + e.bytes <= e.state->shared_bytes) there = e.state->shared + address;
    if (!shared && facts_.memory)
      if (const auto in = facts_.memory->find(address); in && address + e.bytes <= in->base + in->size)
        there = facts_.memory->host(address);
    if (!there) continue;
    c.word = key_of(shared, e.block, address);
    std::memcpy(&c.was, there, e.bytes);
    if (const auto at = became.find(c.word); at != became.end()) c.was = at->second;
    const auto value = [&](size_t k) {
      return lane_value(*program_, info, *e.state, operands[k], c.lane, e.bytes);
    };
    c.becomes = value(compares ? 3 : 2);
    if (c.was == c.becomes || (compares && c.was != value(2))) continue;
    became[c.word] = c.becomes;
    all.push_back(c);
  }
  return all;
}

/// Lanes whose exchange or compare-and-swap changes a word have taken a lock, or have given it back.
void Races::swaps(const events::Memory& e, const Access& a, const std::vector<Change>& changes) {
  for (const Change& c : changes) {
    const Holder t{e.block, e.warp, c.lane};
    const races::Locks::Taken* held = locks_.held(t);
    if (held && held->word == c.word) {
      locks_.stores(t, c.word);
      continue;
    }
    races::Locks::Taken lock;
    lock.word = c.word, lock.was = c.was, lock.becomes = c.becomes;
    lock.first = !order_.is_flag(lock.word);
    if (a.kind.acquires) lock.has = a.kind.scope;
    locks_.takes(t, lock);
  }
}

/// An access by a thread that may hold a lock, against those of who was the first to take it. What orders
/// them is the lock alone, and this thread could have taken it before: then the other's missing fence counts.
void Races::meet_locks(const events::Memory& e, Access& a) {
  for (u32 m = e.mask; m; m &= m - 1) {
    const u32 lane = first_lane(m);
    const Holder t{e.block, e.warp, lane};
    const u64 begin = e.first + static_cast<u64>(e.offsets[lane]), end = begin + e.bytes;
    if (a.write) locks_.stores(t, key_of(a.shared, e.block, begin));
    const races::Locks::Taken* held = locks_.held(t);
    if (!held) continue;
    for (u64 word = begin / kWordBytes; word * kWordBytes < end; ++word) {
      const u64 key = key_of(a.shared, e.block, word * kWordBytes);
      a.bytes = races::bytes_of_word(word, begin, end);
      if (const auto* known = locks_.at(key))
        for (const races::Locks::Access& other : *known) {
          if (other.by == t || !(other.write || a.write) || !(other.bytes & a.bytes)) continue;
          const bool same_block = other.by.block == e.block;
          if (other.under.has && *other.under.has >= (same_block ? races::kCta : races::kGpu)) continue;
          if (!held->taken_alike(other.under)) continue;
          if (never_race(kinds_[other.instruction], other.write, a)) continue;
          if (order_.only_through(held->word, other.segment, other.by.lane, *a.block, e.warp, lane))
            report_first_lock(other, a, lane, word);
        }
      if (held->first && held->has != races::kGpu)
        locks_.add(key, {t, a.instruction, a.bytes, a.now, a.write, *held});
    }
  }
}

void Races::report_first_lock(const races::Locks::Access& first, const Access& a, u32 lane, u64 word) {
  const bool same_block = first.by.block == a.block->number;
  Found& f =
      found_[{first.instruction, a.instruction, u32{a.shared} | u32{first.write} << 2 | u32{a.write} << 3}];
  ++f.count;
  f.luck = kinds_[first.instruction].strong && a.kind.strong;
  ++(f.luck ? f.by_luck : f.different);
  if (f.count > 1) return;
  f.one = {first.by.block, first.by.warp, first.by.lane};
  f.other = {a.block->number, a.site->warp, lane};
  f.address = word * kWordBytes + first_lane(first.bytes & a.bytes);
  f.bytes = static_cast<u32>(__builtin_popcount(first.bytes & a.bytes));
  f.shared = a.shared, f.same_block = same_block;
  f.same_warp = same_block && first.by.warp == a.site->warp;
  f.writes = first.write, f.other_writes = a.write;
  f.lacks_fence = f.first_lock = true;
}

}  // namespace ww::checks
