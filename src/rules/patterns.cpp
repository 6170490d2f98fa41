#include "rules/patterns.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <unordered_map>
#include <utility>

#include "engine/decode/program.h"

namespace ww::rules {

namespace {

struct Hash {
  size_t operator()(const Pattern& p) const {
    u64 h = (u64{p.mask} << 32 | p.bytes << 8) ^ static_cast<u64>(p.space);
    const auto add = [&](u64 v) { h = (std::rotl(h, 23) ^ v) * 0x9e3779b97f4a7c15u; };
    for (int64_t o : p.offset) add(static_cast<u64>(o));
    if (p.from_mask != 0) {
      add(u64{p.from_mask} << 32 | p.from_alignment);
      for (int64_t o : p.from) add(static_cast<u64>(o));
    }
    return h ^ h >> 29;
  }
};

/// How often one instruction met one pattern, by alignment of the first address.
struct Bin {
  u32 pattern = 0;
  u32 granule = 1;  // alignments are multiples of this
  std::vector<u64> counts;
};

/// An alignment that accesses of this width are sure to have.
u32 granule_of(u32 bytes) { return std::min<u32>(32, 1u << std::countr_zero(bytes)); }

}  // namespace

struct PatternObserver::Worker {
  struct Cached {
    u64 serial = 0, from_serial = 0;
    u32 mask = 0, from_mask = 0, from_alignment = 0;
    Bin* bin = nullptr;
  };
  /// The side of a copy that is told first: where its lanes read.
  struct Source {
    u32 instruction = ~u32{0}, mask = 0, alignment = 0;
    u64 serial = 0;
    std::array<int64_t, 32> offset{};
  };
  /// Whether both are known to be one pattern.
  static bool same(const Cached& a, const Cached& b) {
    return b.serial != 0 && a.serial == b.serial && a.mask == b.mask && a.from_mask == b.from_mask &&
           (b.from_mask == 0 || (b.from_serial != 0 && a.from_serial == b.from_serial)) &&
           a.from_alignment == b.from_alignment;
  }
  struct Instruction {
    std::array<Cached, 32> last;  // by warp: each learns its addresses for itself
    std::unordered_map<u32, Bin*> bins;
  };

  std::unordered_map<Pattern, u32, Hash> interned;
  std::vector<Pattern> patterns;
  std::deque<Bin> bins;
  std::vector<std::unique_ptr<Instruction>> instructions;
  Source source;

  static std::array<int64_t, 32> offsets_of(const events::Memory& e) {
    std::array<int64_t, 32> offsets{};
    for (u32 m = e.mask; m != 0; m &= m - 1) {
      int l = std::countr_zero(m);
      offsets[static_cast<size_t>(l)] = e.offsets[l];
    }
    return offsets;
  }

  Bin* find(Instruction& at, const events::Memory& e, const Source& from) {
    Pattern p{e.space, e.mask, e.bytes, offsets_of(e), from.mask, from.alignment, from.offset};
    auto [it, fresh] = interned.try_emplace(p, static_cast<u32>(patterns.size()));
    if (fresh) patterns.push_back(p);
    Bin*& bin = at.bins[it->second];
    if (!bin) {
      u32 granule = granule_of(e.bytes);
      bins.push_back({it->second, granule, std::vector<u64>(kAlignment / granule)});
      bin = &bins.back();
    }
    return bin;
  }
};

PatternObserver::PatternObserver(Take take, size_t limit) : take_(std::move(take)), limit_(limit) {}
PatternObserver::~PatternObserver() = default;

void PatternObserver::launch_begins(const engine::Program& program, int workers) {
  program_ = &program;
  workers_.clear();
  for (int k = 0; k < workers; ++k) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->instructions.resize(program.infos.size());
  }
}

void PatternObserver::memory(int worker, const events::Memory& e) {
  if (!e.linear) return;
  Worker& w = *workers_[static_cast<size_t>(worker)];
  auto& at = w.instructions[e.instruction];
  if (!at) at = std::make_unique<Worker::Instruction>();
  Worker::Source from;  // none
  if (e.asynchronous && e.space == ir::Space::Global)
    w.source = {e.instruction, e.mask, static_cast<u32>(e.first % kAlignment), e.serial,
                Worker::offsets_of(e)};
  else if (e.asynchronous && w.source.instruction == e.instruction)
    from = std::exchange(w.source, {});
  Worker::Cached& last = at->last[e.warp % 32];
  const Worker::Cached now{e.serial, from.serial, e.mask, from.mask, from.alignment, nullptr};
  if (!last.bin || !Worker::same(last, now)) {
    if (w.patterns.size() >= limit_ || w.bins.size() >= limit_) {
      hand_on(w);
      at = std::make_unique<Worker::Instruction>();
    }
    at->last[e.warp % 32] = now;
    at->last[e.warp % 32].bin = w.find(*at, e, from);
  }
  Bin& bin = *at->last[e.warp % 32].bin;
  ++bin.counts[e.first % kAlignment / bin.granule];
}

void PatternObserver::hand_on(Worker& w) {
  AccessHistogram h;
  h.patterns = std::move(w.patterns);
  h.by_instruction.resize(w.instructions.size());
  for (size_t i = 0; i < w.instructions.size(); ++i) {
    if (!w.instructions[i]) continue;
    for (const auto& [pattern, bin] : w.instructions[i]->bins)
      for (u32 k = 0; k < bin->counts.size(); ++k)
        if (bin->counts[k] != 0) h.by_instruction[i].push_back({pattern, k * bin->granule, bin->counts[k]});
    w.instructions[i].reset();
  }
  w.interned.clear();
  w.patterns.clear();
  w.bins.clear();
  std::lock_guard lock(mutex_);
  take_(*program_, h);
}

void PatternObserver::finish() {
  for (auto& w : workers_) hand_on(*w);
  workers_.clear();
}

}  // namespace ww::rules
