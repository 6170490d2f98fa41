#include "checks/races.h"

#include <algorithm>

#include "ir/accesses.h"
#include "ir/flow.h"

namespace ww::checks {

using races::Cell;
using races::Record;
using races::Scope;
using races::Segment;

namespace {

constexpr u32 kWarpLanes = 32;
constexpr u32 kWordBytes = 4;
constexpr u32 kWholeWord = 15;
constexpr u32 kLoneWarp = races::kAnyWarp - 1;
constexpr u64 kSharedKey = u64{1} << 63;

Scope race_scope(isa::Mod scope) {
  switch (scope) {
    case isa::Mod::cta:
      return races::kCta;
    case isa::Mod::cluster:
      return races::kCluster;
    default:
      return races::kGpu;
  }
}

u32 first_lane(u32 mask) { return static_cast<u32>(__builtin_ctz(mask)); }

/// Bytes of the word at 4 · word that lie in [begin, end).
u32 bytes_of_word(u64 word, u64 begin, u64 end) {
  const u64 at = word * kWordBytes;
  u32 bytes = kWholeWord;
  if (begin > at) bytes &= kWholeWord << (begin - at);
  if (end < at + kWordBytes) bytes &= kWholeWord >> (at + kWordBytes - end);
  return bytes & kWholeWord;
}

}  // namespace

void Races::launch_begins(const engine::Program& program, int /*workers*/) {
  program_ = &program;
  cluster_ = {1, 1, 1};
  const u32* own = program.entry->cluster;
  if (own[0]) cluster_ = {own[0], std::max<u32>(1, own[1]), std::max<u32>(1, own[2])};
  if (facts_.cluster.count() > 1) cluster_ = facts_.cluster;
  if (order_.newest() > Record::kNewest / 2) {
    global_.clear();
    spare_.clear();
    order_ = {};
  }
  global_.forget_releases();
  order_.begin_launch(static_cast<u32>(facts_.block.count()));
  kinds_.assign(program.infos.size() + 1, {});
  runs_ = {};
  any_released_ = false;
  places_.clear();
  last_place_ = nullptr;
  found_.clear();
}

u32 Races::cluster_of(u64 block) const {
  if (cluster_.count() == 1) return static_cast<u32>(block);
  const u64 nx = facts_.grid.x, ny = facts_.grid.y;
  return static_cast<u32>(block % nx / cluster_.x +
                          (nx / cluster_.x) * (block / nx % ny / cluster_.y +
                                               (ny / cluster_.y) * (block / nx / ny / cluster_.z)));
}

void Races::block_begins(int /*worker*/, u64 block) {
  order_.begin_block(block, cluster_of(block));
  if (spare_.empty()) spare_.push_back(std::make_unique<Place>());
  auto& place = places_[block];
  place = std::move(spare_.back());
  spare_.pop_back();
  if (cluster_.count() > 1) place->shadow.clear();
  place->shadow.forget_releases();
  const u64 warps = (facts_.block.count() + kWarpLanes - 1) / kWarpLanes;
  place->groups.assign(warps, {});
  place->bulk_groups.assign(warps, {});
  last_place_ = nullptr;
}

void Races::block_ends(int /*worker*/, u64 block) {
  last_place_ = nullptr;
  // Others of the cluster may still use its shared memory.
  const auto at = places_.find(block);
  if (at == places_.end()) return;
  races::BlockOrder& b = order_.block(block);
  if (!at->second->copying.empty()) {
    for (const Copying& c : at->second->copying)
      if (c.space == ir::Space::Global) finish(*at->second, b, c, b.warps[c.warp].now);
    at->second->copying.clear();
    at->second->shadow.clear();
  }
  order_.end_block(block);
  if (cluster_.count() > 1) return;
  spare_.push_back(std::move(at->second));
  places_.erase(at);
}

void Races::launch_ends() {
  write_findings();
  order_.end_launch();
  places_.clear();
  last_place_ = nullptr;
  program_ = nullptr;
}

Races::Place& Races::place(u64 block) {
  if (!last_place_ || last_block_ != block) last_place_ = places_.at(block).get(), last_block_ = block;
  return *last_place_;
}

std::pair<u64, u64> Races::shared_place(u64 block, u64 address) const {
  if (address < engine::kClusterStep) return {block, address};
  const u64 rank = address / engine::kClusterStep - 1;
  const u64 nx = facts_.grid.x, ny = facts_.grid.y;
  const u64 x = block % nx / cluster_.x * cluster_.x + rank % cluster_.x;
  const u64 y = block / nx % ny / cluster_.y * cluster_.y + rank / cluster_.x % cluster_.y;
  const u64 z = block / nx / ny / cluster_.z * cluster_.z + rank / cluster_.x / cluster_.y;
  return {x + nx * (y + ny * z), address % engine::kClusterStep};
}

u64 Races::key_of(bool shared, u64 block, u64 address) const {
  if (!shared) return address / kWordBytes;
  const auto [owner, at] = shared_place(block, address);
  return kSharedKey | owner << 24 | at / kWordBytes;
}

const Races::Kind& Races::kind_of(const events::Memory& e) {
  Kind& k = kinds_[std::min<size_t>(e.instruction, kinds_.size() - 1)];
  if (k.known) return k;
  k.known = true;
  k.update = e.atomic();
  k.asynchronous = e.asynchronous;
  k.writes = !e.load() && !e.asynchronous;
  k.is_volatile = e.order == isa::Mod::volatile_;
  k.strong = k.update || (e.order != isa::Mod::none && e.order != isa::Mod::weak);
  k.scope = k.is_volatile || e.scope == isa::Mod::none ? races::kGpu : race_scope(e.scope);
  k.acquires = e.order == isa::Mod::acquire || e.order == isa::Mod::acq_rel;
  k.releases = e.order == isa::Mod::release || e.order == isa::Mod::acq_rel;
  return k;
}

// ---- accesses ----

void Races::memory(int /*worker*/, const events::Memory& e) {
  if (e.space != ir::Space::Global && e.space != ir::Space::Shared) return;
  if (!e.linear || e.range == isa::Range::Mbarrier) return;
  races::BlockOrder& b = order_.block(e.block);
  Access a;
  a.site = &e;
  a.event = &e;
  a.block = &b;
  a.warp = &b.warps[e.warp];
  a.kind = kind_of(e);
  a.write = !e.load();
  a.shared = e.space == ir::Space::Shared;
  a.pending = e.asynchronous && a.write;
  if (a.kind.strong) synchronise(e, a.kind, b, false);
  a.now = a.warp->now;
  const bool own_shared = a.shared && cluster_.count() == 1;
  a.old = own_shared ? b.floor : order_.old();
  if (!a.kind.strong && !a.pending && e.bytes % kWordBytes == 0 && e.first % kWordBytes == 0 &&
      weak_runs(e, a))
    return;
  races::Shadow* const own = a.shared ? &place(b.number).shadow : &global_;
  Place* copies = nullptr;
  for (u32 m = e.mask; m;) {
    a.low = a.high = first_lane(m);
    const u64 address = e.first + static_cast<u64>(e.offsets[a.low]);
    for (m &= m - 1; m && e.offsets[first_lane(m)] == e.offsets[a.low]; m &= m - 1) a.high = first_lane(m);
    races::Shadow* shadow = own;
    u64 begin = address;
    if (a.shared && address >= engine::kClusterStep) {
      const auto [owner, at] = shared_place(e.block, address);
      if (!places_.count(owner)) continue;
      shadow = &place(owner).shadow;
      begin = at;
    }
    const u64 end = begin + e.bytes;
    for (u64 word = begin / kWordBytes; word * kWordBytes < end; ++word) {
      a.word = word;
      a.bytes = bytes_of_word(word, begin, end);
      a.first_byte = static_cast<u32>(std::max(begin, word * kWordBytes) - begin);
      touch(*shadow, a);
    }
    if (a.pending) {
      copies = &place(b.number);
      copies->copying.push_back({e.warp, a.low, e.instruction, 0, false, false, 0, e.space, begin, e.bytes});
    }
  }
  if (a.kind.strong && a.write) synchronise(e, a.kind, b, true);
}

/// A run of words that another group has read, as far as the first of them says.
bool Races::follows_reads(races::Shadow::Page& page, const races::RunAccess& r, const Access& a) {
  const Segment first = page.others[0].stamp[r.at];
  const Kind& k = kinds_[page.others[0].bits[r.at] >> 14];
  if (first <= r.old || first > order_.newest() || r.apart || k.strong || k.writes) return false;
  const auto& who = order_.owner(first);
  const bool same_block = who.block == a.block->number;
  const bool same_group = a.shared ? who.warp == a.site->warp : same_block;
  if (same_group || (a.shared && !same_block) || (same_block && first <= a.block->floor)) return false;
  return read_run_second(page, r, first);
}

/// A weak access run by run. False: it must be looked at lane by lane.
bool Races::weak_runs(const events::Memory& e, Access& a) {
  if (a.shared && e.first >= engine::kClusterStep) return false;
  const u32 words = e.bytes / kWordBytes;
  if (words & (words - 1)) return false;
  races::Runs& runs = runs_[e.serial % runs_.size()];
  if (!e.serial || runs.serial != e.serial || runs.mask != e.mask || runs.bytes != e.bytes) {
    races::find_runs(runs, e.mask, e.bytes, e.offsets);
    runs.serial = e.serial;
    for (u32 k = 0; k < runs.count; ++k)
      if (runs.run[k].offset % kWordBytes || (a.shared && runs.run[k].offset >= engine::kClusterStep / 2)) {
        runs.mask = 0;
        return false;
      }
  }
  races::Shadow& shadow = a.shared ? place(a.block->number).shadow : global_;
  races::RunAccess r;
  r.now = a.now, r.old = a.old;
  r.instruction = e.instruction;
  r.apart = a.warp->apart;
  r.shift = first_lane(words);
  for (u32 k = 0; k < runs.count; ++k) {
    const races::Run& run = runs.run[k];
    u64 word = (e.first + static_cast<u64>(run.offset)) / kWordBytes;
    if (run.one_place || (run.lanes == 1 && words == 1)) {
      a.low = run.lane, a.high = run.lane + run.lanes - 1u;
      for (u32 n = 0; n < words; ++n) {
        a.word = word + n;
        if (!a.write) {
          r.at = a.word % races::Shadow::kPageWords;
          r.lane = a.low;
          if (read_one(shadow.page(a.word), r, a.high)) continue;
        }
        a.first_byte = n * kWordBytes;
        touch(shadow, a);
      }
      continue;
    }
    const u64 end = word + u64{run.lanes} * words, begin = word;
    while (word < end) {
      r.at = word % races::Shadow::kPageWords;
      r.count = static_cast<u32>(std::min<u64>(end - word, races::Shadow::kPageWords - r.at));
      r.lane = run.lane + static_cast<u32>((word - begin) / words);
      races::Shadow::Page& page = shadow.page(word);
      const bool whole = (word - begin) % words == 0;
      if (!whole || !(a.write ? write_run(page, r) : read_run(page, r) || follows_reads(page, r, a)))
        for (u32 n = 0; n < r.count; ++n) {
          a.word = word + n;
          a.low = a.high = run.lane + static_cast<u32>((a.word - begin) / words);
          a.first_byte = static_cast<u32>((a.word - begin) % words) * kWordBytes;
          touch(shadow, a);
        }
      word += r.count;
    }
  }
  return true;
}

void Races::touch(races::Shadow& shadow, Access& a) {
  races::Shadow::Page& page = shadow.page(a.word);
  const u32 at = a.word % races::Shadow::kPageWords;
  Cell cell = page.load(at);
  touch(shadow, cell, a);
  page.store(at, cell);
}

void Races::touch(races::Shadow& shadow, Cell& cell, Access& a) {
  if (cell.write.stamp == Record::kSplit) return touch_bytes(shadow, cell, a);
  const auto fits = [&](const Record& r) { return r.segment() <= a.old || r.bytes() == a.bytes; };
  if (fits(cell.write) && fits(cell.others[0]) && fits(cell.others[1])) [[likely]]
    return touch_whole(cell, a);
  const u32 number = shadow.new_bytes();
  races::Shadow::Bytes& bytes = shadow.bytes(number);
  for (u32 k = 0; k < kWordBytes; ++k) {
    if (cell.write.bytes() >> k & 1) bytes[k].write = cell.write;
    for (size_t o = 0; o < cell.others.size(); ++o)
      if (cell.others[o].bytes() >> k & 1) bytes[k].others[o] = cell.others[o];
  }
  cell = {};
  cell.write.stamp = Record::kSplit;
  cell.write.bits = number;
  touch_bytes(shadow, cell, a);
}

void Races::touch_bytes(races::Shadow& shadow, Cell& cell, Access& a) {
  races::Shadow::Bytes& bytes = shadow.bytes(cell.write.bits);
  for (u32 k = 0; k < kWordBytes; ++k)
    if (a.bytes >> k & 1) touch_whole(bytes[k], a);
}

void Races::touch_whole(Cell& cell, const Access& a) {
  if (a.write)
    write(cell, a);
  else
    read(cell, a);
}

bool Races::ordered(const Record& r, const Access& a) const {
  const Segment s = r.segment();
  if (s <= a.old) return true;
  if (s > order_.newest()) return false;
  const auto before = [&](u32 of, u32 lane) { return order_.before(s, of, *a.block, a.site->warp, lane); };
  if (!before(r.low(), a.low)) return false;
  if (a.high != a.low && !before(r.low(), a.high)) return false;
  if (r.high() == r.low()) return true;
  return before(r.high(), a.low) && (a.high == a.low || before(r.high(), a.high));
}

/// Whether the last write was an atomic update that comes before the access: it has read what the atomics
/// before it wrote, and so (observation, then causality order in the PTX manual) those come before the
/// access, too.
bool Races::observes(const Record& write, const Access& a) const {
  return write.segment() > a.old && kinds_[write.instruction()].update && ordered(write, a);
}

void Races::read(Cell& cell, const Access& a) {
  const auto live = [&](const Record& r) { return r.segment() > a.old; };
  if (live(cell.write)) meet(cell.write, true, a);
  auto& others = cell.others;
  if (live(others[0]) && live(others[1])) {
    if ((others[1].stamp & Record::kFlag) && !a.kind.strong && !a.warp->apart) return;
  }
  const bool observed = observes(cell.write, a);
  for (const Record& r : others)
    if (live(r) && kinds_[r.instruction()].writes && !observed) meet(r, true, a);
  keep(cell, {a.now, Record::packed(a.site->instruction, a.bytes, a.low, a.high)}, a);
}

void Races::write(Cell& cell, const Access& a) {
  const auto live = [&](const Record& r) { return r.segment() > a.old; };
  Record& last = cell.write;
  // One more update by an instruction whose updates by two other groups are known.
  if (a.kind.update && (cell.others[0].stamp & Record::kFlag) && !a.warp->apart && last.stamp > a.old &&
      live(cell.others[0]) && live(cell.others[1]) &&
      (a.kind.scope == races::kGpu || a.old == a.block->floor)) {
    const u32 own = a.site->instruction;
    if (last.instruction() == own && cell.others[0].instruction() == own &&
        cell.others[1].instruction() == own) {
      last = {a.now, Record::packed(own, a.bytes, a.low, a.high)};
      return;
    }
  }
  if (live(last)) meet(last, true, a);
  const bool observed = observes(last, a);
  for (const Record& r : cell.others) {
    const bool writes = live(r) && kinds_[r.instruction()].writes;
    if (live(r) && !(writes && observed)) meet(r, writes, a);
  }
  const Record mine{a.pending ? Record::kPending : a.now,
                    Record::packed(a.site->instruction, a.bytes, a.low, a.high)};
  if (a.kind.strong) {
    const bool both_far =
        live(cell.others[0]) && live(cell.others[1]) && (cell.others[0].stamp & Record::kFlag);
    if (live(last) && kinds_[last.instruction()].strong && !both_far && !ordered(last, a))
      keep(cell, last, a);
  } else {
    cell.others = {};
    // Lanes of one instruction that write the same word.
    if (a.low != a.high) report(mine, true, a.low, a.high, a);
  }
  last = mine;
}

/// Keeps one more access than the last write: of three that are not ordered, two that differ most.
void Races::keep(Cell& cell, Record r, const Access& a) {
  auto& others = cell.others;
  const auto class_of = [&](const Record& x) {
    const Kind& k = kinds_[x.instruction()];
    return k.writes ? 2 : k.strong ? 1 : 0;
  };
  const auto group = [&](const Record& x) {
    const auto& who = order_.owner(x.segment());
    return a.shared ? who.warp : who.block;
  };
  const auto set = [&](size_t k) {
    others[k] = r;
    others[0].stamp &= ~Record::kFlag;
    others[1].stamp &= ~Record::kFlag;
    const Segment newest = order_.newest();
    for (const Record& x : others)
      if (x.segment() <= a.old || x.segment() > newest) return;
    const int c = class_of(others[0]);
    if (c == 1 || c != class_of(others[1]) || group(others[0]) == group(others[1])) return;
    others[c == 2 ? 0 : 1].stamp |= Record::kFlag;
  };
  const int own_class = class_of(r);
  size_t free = others.size();
  for (size_t k = 0; k < others.size(); ++k) {
    Record& o = others[k];
    if (o.segment() <= a.old) {
      free = k;
      continue;
    }
    if (class_of(o) != own_class) continue;
    const bool same_lanes = o.low() == r.low() && o.high() == r.high();
    if (o.segment() == r.segment() && (same_lanes || o.instruction() == r.instruction())) {
      o.bits = Record::packed(r.instruction(), r.bytes(), std::min(o.low(), r.low()),
                              std::max(o.high(), r.high()));
      return;
    }
    if (ordered(o, a)) return set(k);
  }
  if (free < others.size()) return set(free);
  if (r.segment() > order_.newest()) return;
  for (size_t k = 0; k < others.size(); ++k)
    if (others[k].segment() > order_.newest()) return;
  for (size_t k = 0; k < others.size(); ++k)
    if (group(others[k]) == group(r) && others[k].segment() == r.segment()) {
      if (class_of(others[k]) == own_class)
        others[k].bits =
            Record::packed(others[k].instruction(), r.bytes(), std::min(others[k].low(), r.low()),
                           std::max(others[k].high(), r.high()));
      return;
    }
  if (group(others[0]) == group(others[1]) && group(r) != group(others[0])) set(1);
}

void Races::meet(const Record& r, bool is_write, const Access& a) {
  if (!is_write && !a.write) return;
  if (r.segment() == a.now && r.low() == r.high() && a.low == a.high && a.low == r.low()) return;
  if (ordered(r, a)) return;
  const bool pending = r.segment() > order_.newest();
  const Kind& other = kinds_[r.instruction()];
  if (other.strong && a.kind.strong && !pending) {
    const auto& who = order_.owner(r.segment());
    const Scope scope = std::min(other.scope, a.kind.scope);
    if (who.block == a.block->number || scope == races::kGpu ||
        (scope == races::kCluster && cluster_of(who.block) == a.block->cluster && cluster_.count() > 1)) {
      if (!depends_on_luck(r, is_write, a)) return;
    } else if (order_.before_but_for_a_fence(r.segment(), r.low(), *a.block, a.site->warp, a.low)) {
      return;  // what an atomic has seen comes before the thread's next atomic
    }
  }
  for (u32 lane : {a.low, a.high})
    for (u32 of : {r.low(), r.high()})
      if (pending || !order_.before(r.segment(), of, *a.block, a.site->warp, lane))
        return report(r, is_write, of, lane, a);
}

/// Volatile accesses do not race by the manual, but what is read depends on the schedule: unless it is a flag
/// that the other one waits for in a loop, and that the writer sets behind a fence.
bool Races::depends_on_luck(const Record& r, bool is_write, const Access& a) {
  const Kind& other = kinds_[r.instruction()];
  if (!other.is_volatile && !a.kind.is_volatile) return false;
  const bool looks = (a.kind.update && !is_write) || (other.update && !a.write);
  if (looks) return false;
  if (order_.before_but_for_a_fence(r.segment(), r.low(), *a.block, a.site->warp, a.low)) return false;
  if (is_write && a.write) return true;
  if (!in_loop(is_write ? a.site->instruction : r.instruction())) return true;
  const u64 word = a.shared ? key_of(true, a.block->number, a.word * kWordBytes) : a.word;
  return is_write ? !order_.is_flag(word) : !order_.has_fenced(*a.block, a.site->warp, a.low);
}

/// Whether an instruction lies in a loop.
bool Races::in_loop(u32 instruction) {
  Kind& k = kinds_[instruction];
  if (k.loop == Kind::Loop::Unknown) {
    const engine::InstInfo& info = program_->infos[instruction];
    const ir::Flow flow = ir::flow_of(*info.function);
    std::vector<bool> reached(flow.successors.size());
    std::vector<ir::BlockId> next = flow.successors[info.block];
    while (!next.empty()) {
      const ir::BlockId b = next.back();
      next.pop_back();
      if (reached[b]) continue;
      reached[b] = true;
      next.insert(next.end(), flow.successors[b].begin(), flow.successors[b].end());
    }
    k.loop = reached[info.block] ? Kind::Loop::Inside : Kind::Loop::Outside;
  }
  return k.loop == Kind::Loop::Inside;
}

// ---- synchronisation ----

void Races::synchronise(const events::Memory& e, const Kind& k, races::BlockOrder& b, bool after) {
  const bool shared = e.space == ir::Space::Shared;
  const bool apart = b.warps[e.warp].apart;
  if (!any_released_ && !apart && !k.releases) return;
  bool released = false;
  for (u32 m = e.mask; m; m &= m - 1) {
    const u32 lane = first_lane(m);
    const u64 address = e.first + static_cast<u64>(e.offsets[lane]);
    const auto [owner, at] = shared ? shared_place(e.block, address) : std::pair<u64, u64>{0, address};
    if (shared && !places_.count(owner)) continue;
    auto& page = (shared ? place(owner).shadow : global_).page(at / kWordBytes);
    const u64 key = key_of(shared, e.block, address);
    if (!after) {
      if (page.synchronises && !e.store()) order_.strong_read(key, b, e.warp, lane, k.scope, k.acquires);
      continue;
    }
    if (!page.synchronises && !apart && !k.releases) continue;
    released = order_.strong_write(key, b, e.warp, lane, k.scope, k.releases, e.store());
    page.synchronises |= released;
    any_released_ |= released;
  }
  if (after && k.releases) order_.new_segment(b, e.warp);
}

void Races::barrier_arrival(int /*worker*/, const events::BarrierArrival& e) { order_.arrive(e); }
void Races::barrier_release(int /*worker*/, const events::BarrierRelease& e) { order_.release(e); }

void Races::cluster_barrier(int /*worker*/, const events::ClusterBarrier& e) {
  races::BlockOrder& b = order_.block(e.block);
  const u64 key = u64{1} << 62 | u64{b.cluster} << 32 | (e.phase & 0xffffffff);
  if (e.waits) {
    for (u32 m = e.mask; m; m &= m - 1) order_.acquire(key, b, e.warp, first_lane(m), races::kCluster);
  } else if (e.order != isa::Mod::relaxed) {
    order_.release_all(key, b, e.warp, e.mask, races::kCluster);
  }
}

void Races::fence(int /*worker*/, const events::Fence& e) {
  if (e.scope != isa::Mod::none) order_.fence(e, race_scope(e.scope));
}

void Races::warp_sync(int /*worker*/, const events::WarpSync& e) {
  // Only bar.warp.sync orders memory; shuffles and votes exchange registers.
  if (e.named) order_.warp_sync(e, e.named);
}

// ---- asynchronous copies ----

void Races::finish(Place& p, races::BlockOrder& /*b*/, const Copying& c, Segment segment) {
  races::Shadow& shadow = c.space == ir::Space::Global ? global_ : p.shadow;
  const auto done = [&](Cell& cell) {
    Record& w = cell.write;
    if (w.segment() == Record::kPending && w.instruction() == c.instruction && w.low() == c.lane)
      w.stamp = segment;
  };
  for (u64 word = c.address / kWordBytes; word * kWordBytes < c.address + c.bytes; ++word) {
    races::Shadow::Page& page = shadow.page(word);
    const u32 at = word % races::Shadow::kPageWords;
    Cell cell = page.load(at);
    if (cell.write.stamp == Record::kSplit)
      for (Cell& byte : shadow.bytes(cell.write.bits)) done(byte);
    else
      done(cell);
    page.store(at, cell);
  }
}

void Races::copy_groups(int /*worker*/, const events::CopyGroups& e) {
  if (e.what == events::Grouped::Matrix) return;
  const bool bulk = e.what == events::Grouped::Bulk;
  races::BlockOrder& b = order_.block(e.block);
  Place& p = place(e.block);
  auto& groups = (bulk ? p.bulk_groups : p.groups)[e.warp];
  if (e.committed) {
    for (u32 m = e.mask; m; m &= m - 1) ++groups[first_lane(m)];
    for (Copying& c : p.copying)
      if (c.bulk == bulk && !c.tracked && c.warp == e.warp && (e.mask >> c.lane & 1) && !c.group)
        c.group = groups[c.lane];
    return;
  }
  if (e.reading_only) return;
  std::erase_if(p.copying, [&](const Copying& c) {
    if (c.bulk != bulk || c.tracked || c.warp != e.warp || !(e.mask >> c.lane & 1)) return false;
    if (!e.everything && (!c.group || c.group + e.pending > groups[c.lane])) return false;
    finish(p, b, c, b.warps[c.warp].now);
    return true;
  });
}

void Races::bulk_access(int /*worker*/, const events::BulkAccess& e) {
  if (e.space != ir::Space::Global && e.space != ir::Space::Shared) return;
  if (e.group == events::Grouped::Matrix) return;
  races::BlockOrder& b = order_.block(e.block);
  Access a;
  a.site = &e;
  a.block = &b;
  a.warp = &b.warps[e.warp];
  a.write = e.direction != isa::Direction::Read;
  a.shared = e.space == ir::Space::Shared;
  a.pending = a.write;
  Kind& k = kinds_[e.instruction];
  k.known = k.asynchronous = true;
  if (e.direction == isa::Direction::Update) k.strong = true, k.scope = races::kGpu;
  a.kind = k;
  // Reductions are atomic, and nobody can tell when: they are not looked at further.
  if (e.direction == isa::Direction::Update) return;
  a.now = a.warp->now;
  a.old = a.shared && cluster_.count() == 1 ? b.floor : order_.old();
  a.low = a.high = first_lane(e.mask);
  for (const events::Piece& piece : e.pieces) {
    u64 owner = e.block, begin = piece.address;
    if (a.shared) std::tie(owner, begin) = shared_place(e.block, piece.address);
    if (a.shared && !places_.count(owner)) continue;
    races::Shadow& shadow = a.shared ? place(owner).shadow : global_;
    const u64 end = begin + piece.bytes;
    for (u64 word = begin / kWordBytes; word * kWordBytes < end; ++word) {
      a.word = word;
      a.bytes = bytes_of_word(word, begin, end);
      touch(shadow, a);
    }
    if (a.write)
      place(owner).copying.push_back({e.warp, a.low, e.instruction, 0, true, e.tracked,
                                      e.tracked ? key_of(true, e.block, e.mbarrier) : 0, e.space, begin,
                                      piece.bytes});
  }
}

void Races::mbarrier(int /*worker*/, const events::Mbarrier& e) {
  using What = events::Mbarrier::What;
  races::BlockOrder& b = order_.block(e.block);
  const u64 mbarrier = key_of(true, e.block, e.address);
  const u64 key = mbarrier | u64{e.phase} << 62;
  const u32 lane = first_lane(e.mask);
  Place& p = place(e.block);
  const Scope scope = e.scope == isa::Mod::cluster ? races::kCluster : races::kCta;
  const auto owner = shared_place(e.block, e.address).first;
  const Scope reach = owner != e.block ? races::kCluster : scope;
  switch (e.what) {
    case What::Init:
    case What::Invalidate:
      for (u64 phase : {u64{0}, u64{1} << 62}) order_.forget(mbarrier | phase);
      break;
    case What::Arrive:
      if (program_->infos[e.instruction].instruction->op == isa::Op::cp_async_mbarrier)
        std::erase_if(p.copying, [&](const Copying& c) {
          if (c.bulk || c.warp != e.warp || c.lane != lane) return false;
          finish(p, b, c, b.warps[c.warp].now);
          return true;
        });
      if (e.order != isa::Mod::relaxed) order_.release_all(key, b, e.warp, e.mask, reach);
      break;
    case What::Passed: {
      Segment done = 0;
      std::erase_if(p.copying, [&](const Copying& c) {
        if (!c.tracked || c.mbarrier != mbarrier) return false;
        if (!done) done = order_.lone_segment(b.number);
        finish(p, b, c, done);
        return true;
      });
      if (done) order_.release_entry(key, {b.number, kLoneWarp, ~0u, done}, b, races::kCta);
      if (e.order != isa::Mod::relaxed) order_.acquire(key, b, e.warp, lane, reach);
      break;
    }
    default:
      break;
  }
}

}  // namespace ww::checks
