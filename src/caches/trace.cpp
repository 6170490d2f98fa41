#include "caches/trace.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "engine/decode/program.h"
#include "ir/accesses.h"
#include "rules/hashed_numbers.h"

namespace ww::caches {

namespace {

u64 mixed(u64 h, u64 v) {
  h = (std::rotl(h, 25) ^ v) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 31;
}

u64 hash_of(const rules::Pattern& p) { return rules::hash_of_lanes(mixed(p.mask, p.bytes), p.offset); }

constexpr u32 kNone = ~u32{0};

/// Whether L1 keeps nothing of what it loads from global memory: .cg, .cv and .lu, L1::no_allocate, volatile
/// and mmio, and relaxed and acquire for more than the block (data/measured/h100-l1/kinds.csv).
bool passes_l1(const ir::Instruction& in) {
  using isa::Mod, isa::Slot;
  const Mod cache = in.mod(Slot::loadcache), order = in.mod(Slot::loadsem);
  if (cache == Mod::cg || cache == Mod::cv || cache == Mod::lu) return true;
  if (in.has(Mod::cg) || in.mod(Slot::l1evict) == Mod::l1_no_allocate) return true;  // the first: cp.async.cg
  if (order == Mod::volatile_ || order == Mod::mmio) return true;
  return (order == Mod::relaxed || order == Mod::acquire) && in.mod(Slot::scope) != Mod::cta;
}

u64 bytes_of(const BlockTrace& t) { return 96 + 8 * t.first.size(); }

}  // namespace

u64 BlockShape::bytes() const {
  return slots.size() * sizeof(TraceSlot) + patterns.size() * sizeof(rules::Pattern) +
         events.size() * sizeof(TraceEvent) + segments.size() * sizeof(TraceSegment);
}

bool BlockShape::same(const BlockShape& o) const {
  return hash == o.hash && complete == o.complete && slots == o.slots && patterns == o.patterns &&
         events == o.events;
}

u64 origin_of(const BlockTrace& block) {
  constexpr u64 kAlignment = 512;  // of allocations
  u64 lowest = ~u64{0};
  for (u64 address : block.first)
    if (address != 0) lowest = std::min(lowest, address);  // 0: of local memory
  return lowest == ~u64{0} ? 0 : lowest / kAlignment * (kAlignment / kLineBytes);
}

/// A block that runs.
struct TraceRecorder::Building {
  u64 block = 0;
  BlockShape shape;
  std::vector<u64> first;    // by slot
  std::vector<u32> slot;     // by instruction
  std::vector<u32> pattern;  // in the shape, by Worker::patterns
  u64 bytes = 0;             // of events and patterns
  u32 phase = 0;
  bool released = false;  // a barrier, since the last request
  int warp = -1;          // whose turn it is

  void begin(u64 number, size_t instructions) {
    block = number;
    shape.slots.clear(), shape.patterns.clear(), shape.events.clear(), shape.segments.clear();
    shape.hash = 0, shape.complete = true;
    first.clear(), pattern.clear();
    slot.assign(instructions, kNone);
    bytes = 0, phase = 0, released = false, warp = -1;
  }

  /// Of an instruction, with the address that its others are counted from.
  u32 slot_of(const TraceSlot& instruction, u64 address) {
    const u32 at = slot[instruction.instruction];
    return at != kNone ? at : new_slot(instruction, address);
  }
  u32 new_slot(const TraceSlot& instruction, u64 address) {
    const auto at = static_cast<u32>(shape.slots.size());
    slot[instruction.instruction] = at;
    shape.slots.push_back(instruction);
    first.push_back(address);
    return at;
  }

  /// Of a pattern of the worker.
  u32 pattern_of(const std::vector<rules::Pattern>& patterns, u32 number) {
    if (number < pattern.size() && pattern[number] != kNone) return pattern[number];
    return new_pattern(patterns, number);
  }
  u32 new_pattern(const std::vector<rules::Pattern>& patterns, u32 number) {
    if (number >= pattern.size()) pattern.resize(patterns.size(), kNone);
    pattern[number] = static_cast<u32>(shape.patterns.size());
    shape.patterns.push_back(patterns[number]);
    bytes += sizeof(rules::Pattern);
    return pattern[number];
  }

  void add(u32 at, u32 pattern, u32 of_warp, u64 address, bool local) {
    BlockShape& s = shape;
    if (warp != static_cast<int>(of_warp)) {
      if (!s.segments.empty()) s.segments.back().end = static_cast<u32>(s.events.size());
      if (released) ++phase, released = false;
      warp = static_cast<int>(of_warp);
      s.segments.push_back({phase, static_cast<u32>(s.events.size()), 0});
    }
    s.events.push_back({static_cast<int64_t>(address), pattern, static_cast<uint16_t>(at),
                        static_cast<uint8_t>(of_warp), local});
    bytes += sizeof(TraceEvent);
    s.hash = mixed(mixed(s.hash, address), u64{pattern} << 32 | u64{at} << 8 | of_warp);
  }
};

struct TraceRecorder::Worker {
  static constexpr size_t kWarps = 32;
  static constexpr size_t kPatterns = 4096;  // that are kept from block to block
  struct Cached {
    u64 serial = 0;
    u32 mask = 0, pattern = 0;
    bool local = false;
  };
  std::vector<std::unique_ptr<std::array<Cached, kWarps>>>
      last;  // by instruction, by warp: the pattern it had
  std::vector<rules::Pattern> patterns;
  rules::HashedNumbers numbers;  // of the patterns
  std::map<u64, Building> running;
  std::vector<Building> ended;  // whose memory others can have
  Building* current = nullptr;
  u64 current_block = ~u64{0};

  u32 number_of(const rules::Pattern& p) {
    const auto fresh = static_cast<u32>(patterns.size());
    const u32 number = numbers.find(hash_of(p), fresh, [&](u32 n) { return patterns[n] == p; });
    if (number == fresh) patterns.push_back(p);
    return number;
  }
  void forget_patterns() {
    patterns.clear();
    numbers.clear();
    for (auto& of_instruction : last)
      if (of_instruction) of_instruction->fill({});
  }
};

TraceRecorder::TraceRecorder(TraceLimits limits) : limits_(limits) {}
TraceRecorder::~TraceRecorder() = default;

void TraceRecorder::launch_begins(const engine::Program& program, int workers) {
  slots_.clear();
  for (u32 i = 0; i < program.infos.size(); ++i) {
    const ir::Instruction& in = *program.infos[i].instruction;
    bool read_only = false;
    for (const isa::MemoryEffect& m : ir::effects_of(in).memory)
      read_only |= m.path == isa::Path::ReadOnly || m.path == isa::Path::Texture;
    slots_.push_back({i, rules::access_kind(in, ir::Space::Global), false, read_only, passes_l1(in)});
  }
  workers_.clear();
  for (int k = 0; k < workers; ++k) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->last.resize(slots_.size());
  }
}

void TraceRecorder::block_begins(int worker, u64 block) {
  if (block >= end_.load(std::memory_order_relaxed)) return;
  Worker& w = *workers_[static_cast<size_t>(worker)];
  if (w.running.empty() && w.patterns.size() > Worker::kPatterns) w.forget_patterns();
  Building& b = w.running[block];
  if (!w.ended.empty()) {
    b = std::move(w.ended.back());
    w.ended.pop_back();
  }
  b.begin(block, slots_.size());
  w.current_block = ~u64{0};
}

/// The block's record; null where nothing more of it is kept.
TraceRecorder::Building* TraceRecorder::building(Worker& w, u64 block) const {
  if (w.current_block != block) {
    auto it = w.running.find(block);
    w.current = it == w.running.end() ? nullptr : &it->second;
    w.current_block = block;
  }
  if (!w.current) return nullptr;
  if (w.current->bytes >= limits_.block_bytes) w.current->shape.complete = false;
  return w.current->shape.complete ? w.current : nullptr;
}

void TraceRecorder::memory(int worker, const events::Memory& e) {
  const bool local = e.space == ir::Space::Local;
  if ((!local && e.space != ir::Space::Global) || !e.linear) return;
  Worker& w = *workers_[static_cast<size_t>(worker)];
  Building* b = building(w, e.block);
  if (!b) return;
  const u32 slot = b->slot_of(slots_[e.instruction], local ? 0 : e.first);
  auto& of_instruction = w.last[e.instruction];
  if (!of_instruction) of_instruction = std::make_unique<std::array<Worker::Cached, Worker::kWarps>>();
  Worker::Cached& last = (*of_instruction)[e.warp % Worker::kWarps];
  if (e.serial == 0 || last.serial != e.serial || last.mask != e.mask || last.local != local) {
    rules::Pattern p{e.space, e.mask, e.bytes, {}};
    for (u32 m = e.mask; m != 0; m &= m - 1) {
      const int l = std::countr_zero(m);
      p.offset[static_cast<size_t>(l)] = e.offsets[l];
    }
    last = {e.serial, e.mask, w.number_of(p), local};
  }
  b->add(slot, b->pattern_of(w.patterns, last.pattern), e.warp, local ? e.first : e.first - b->first[slot],
         local);
}

void TraceRecorder::bulk_access(int worker, const events::BulkAccess& e) {
  if (e.space != ir::Space::Global || e.pieces.empty()) return;
  Worker& w = *workers_[static_cast<size_t>(worker)];
  Building* b = building(w, e.block);
  if (!b) return;
  using enum rules::AccessKind;
  const rules::AccessKind kind = e.direction == isa::Direction::Read    ? Load
                                 : e.direction == isa::Direction::Write ? Store
                                                                        : Atomic;
  const u32 slot = b->slot_of({e.instruction, kind, true}, e.pieces[0].address);
  // As if by lanes: 32 pieces of one length at a time.
  for (size_t k = 0; k < e.pieces.size();) {
    rules::Pattern p{e.space, 0, e.pieces[k].bytes, {}};
    const u64 first = e.pieces[k].address;
    for (size_t l = 0; l < p.offset.size() && k < e.pieces.size() && e.pieces[k].bytes == p.bytes; ++l, ++k) {
      p.mask |= u32{1} << l;
      p.offset[l] = static_cast<int64_t>(e.pieces[k].address - first);
    }
    b->add(slot, b->pattern_of(w.patterns, w.number_of(p)), e.warp, first - b->first[slot], false);
  }
}

void TraceRecorder::barrier_release(int worker, const events::BarrierRelease& e) {
  Worker& w = *workers_[static_cast<size_t>(worker)];
  if (auto it = w.running.find(e.block); it != w.running.end()) it->second.released = true;
}

void TraceRecorder::block_ends(int worker, u64 block) {
  Worker& w = *workers_[static_cast<size_t>(worker)];
  auto it = w.running.find(block);
  if (it == w.running.end()) return;
  Building b = std::move(it->second);
  w.running.erase(it);
  w.current_block = ~u64{0};
  if (!b.shape.segments.empty()) b.shape.segments.back().end = static_cast<u32>(b.shape.events.size());
  keep(block, b.shape, std::move(b.first));
  constexpr size_t kLarge = 1 << 16;  // events: so much memory is not kept for others
  if (b.shape.events.capacity() <= kLarge && w.ended.size() < 16) w.ended.push_back(std::move(b));
}

void TraceRecorder::keep(u64 block, const BlockShape& shape, std::vector<u64> first) {
  std::lock_guard lock(mutex_);
  if (block >= end_) return;
  BlockTrace trace{nullptr, std::move(first)};
  for (auto [it, last] = shapes_.equal_range(shape.hash); it != last;) {
    if (auto known = it->second.lock(); !known)
      it = shapes_.erase(it);
    else if (known->same(shape)) {
      trace.shape = known;
      break;
    } else
      ++it;
  }
  if (!trace.shape) {
    trace.shape = std::make_shared<const BlockShape>(shape);
    shapes_.emplace(trace.shape->hash, trace.shape);
    bytes_ += trace.shape->bytes();
  }
  bytes_ += bytes_of(trace);
  events_ += trace.shape->events.size();
  kept_.emplace(block, std::move(trace));
  // The longest beginning of the grid that the limits allow: a block with a lower number displaces those with
  // the highest.
  while (kept_.size() > 1 &&
         (bytes_ > limits_.bytes || (events_ > limits_.events && kept_.size() > limits_.blocks))) {
    auto last = std::prev(kept_.end());
    end_ = last->first;
    bytes_ -= bytes_of(last->second);
    events_ -= last->second.shape->events.size();
    if (last->second.shape.use_count() == 1) bytes_ -= last->second.shape->bytes();
    kept_.erase(last);
  }
}

std::map<u64, BlockTrace> TraceRecorder::take() { return std::move(kept_); }

}  // namespace ww::caches
