#include "rules/patterns.h"

#include <algorithm>
#include <bit>

#include "engine/decode/program.h"
#include "rules/hashed_numbers.h"

namespace ww::rules {

namespace {

u64 hash_of(const Pattern& p) {
  u64 h = (u64{p.mask} << 32 | p.bytes << 8) ^ static_cast<u64>(p.space);
  h = hash_of_lanes(h, p.offset);
  if (p.from_mask != 0) h = hash_of_lanes(h ^ (u64{p.from_mask} << 32 | p.from_alignment), p.from);
  return h;
}

/// An alignment that accesses of this width are sure to have: 2 to this.
u32 granule_of(u32 bytes) { return std::min(5, std::countr_zero(bytes)); }

/// How often one instruction met one pattern, by alignment of the first address in granules. Most patterns of
/// irregular accesses come once: only what comes a second time gets room for all alignments.
struct Bin {
  u32 instruction = 0, pattern = 0;
  u32 granule = 0;  // alignments are multiples of 2 to this
  u32 once = 0;     // the alignment it came with, while there are no counts
  std::unique_ptr<u64[]> counts;

  size_t size() const { return kAlignment >> granule; }
  u64* all() {
    if (!counts) {
      counts = std::make_unique<u64[]>(size());
      counts[once] = 1;
    }
    return counts.get();
  }
};

}  // namespace

struct PatternObserver::Worker {
  struct Cached {
    u64 serial = 0, from_serial = 0;
    u32 mask = 0, from_mask = 0, from_alignment = 0;
    u32 granule = 0;
    ir::Space space = ir::Space::None;  // of a generic access: from time to time another
    u64* counts = nullptr;              // of the bin; null: not cached
  };
  /// The side of a copy that is told first: where its lanes read.
  struct Source {
    u32 instruction = ~u32{0}, mask = 0, alignment = 0;
    u64 serial = 0;
    std::array<int64_t, 32> offset{};
  };
  static constexpr size_t kWarps = 32;

  AccessHistogram histogram;  // its patterns, so far
  HashedNumbers interned, binned;
  std::vector<Bin> bins;
  std::vector<std::unique_ptr<std::array<Cached, kWarps>>>
      last;  // by instruction, by warp: each learns its addresses for itself
  Source source;

  static void set_offsets(const events::Memory& e, std::array<int64_t, 32>& offsets) {
    if (e.mask == ~u32{0}) {
      std::copy(e.offsets, e.offsets + 32, offsets.begin());
      return;
    }
    for (u32 l = 0; l < 32; ++l) offsets[l] = e.offsets[l] & -int64_t{e.mask >> l & 1};  // without branches
  }

  /// Adds the access to its bin, which is returned.
  Bin& add(const events::Memory& e, const Source* from) {
    std::vector<Pattern>& patterns = histogram.patterns;
    Pattern& p = patterns.emplace_back();
    p.space = e.space, p.mask = e.mask, p.bytes = e.bytes;
    set_offsets(e, p.offset);
    if (from) p.from_mask = from->mask, p.from_alignment = from->alignment, p.from = from->offset;
    const auto fresh = static_cast<u32>(patterns.size() - 1);
    const u32 pattern = interned.find(hash_of(p), fresh, [&](u32 n) { return patterns[n] == p; });
    if (pattern != fresh) patterns.pop_back();
    const u64 key = (u64{e.instruction} << 32 | pattern) * 0x9e3779b97f4a7c15u;
    const auto next = static_cast<u32>(bins.size());
    const u32 number = binned.find(key ^ key >> 32, next, [&](u32 n) {
      return bins[n].instruction == e.instruction && bins[n].pattern == pattern;
    });
    const u32 granule = granule_of(e.bytes);
    const u32 alignment = e.first % kAlignment >> granule;
    if (number == next)
      bins.push_back({e.instruction, pattern, granule, alignment, nullptr});
    else
      ++bins[number].all()[alignment];
    return bins[number];
  }
};

PatternObserver::PatternObserver(Take take, size_t limit) : take_(std::move(take)), limit_(limit) {}
PatternObserver::~PatternObserver() = default;

void PatternObserver::launch_begins(const engine::Program& program, int workers) {
  program_ = &program;
  workers_.clear();
  for (int k = 0; k < workers; ++k) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->last.resize(program.infos.size());
  }
}

void PatternObserver::memory(int worker, const events::Memory& e) {
  if (!e.linear) return;
  Worker& w = *workers_[static_cast<size_t>(worker)];
  auto& of_instruction = w.last[e.instruction];
  if (!of_instruction) of_instruction = std::make_unique<std::array<Worker::Cached, Worker::kWarps>>();
  Worker::Cached& last = (*of_instruction)[e.warp % Worker::kWarps];
  if (!e.asynchronous && last.counts && last.serial == e.serial && last.mask == e.mask &&
      last.space == e.space && last.from_mask == 0) {
    ++last.counts[e.first % kAlignment >> last.granule];
    return;
  }
  const Worker::Source* from = nullptr;
  if (e.asynchronous && e.space == ir::Space::Global) {
    w.source = {e.instruction, e.mask, static_cast<u32>(e.first % kAlignment), e.serial, {}};
    Worker::set_offsets(e, w.source.offset);
  } else if (e.asynchronous && w.source.instruction == e.instruction) {
    w.source.instruction = ~u32{0};
    from = &w.source;
  }
  Worker::Cached now{e.serial, 0, e.mask, 0, 0, 0, e.space, nullptr};
  if (from) now.from_serial = from->serial, now.from_mask = from->mask, now.from_alignment = from->alignment;
  const bool known = now.serial != 0 && (now.from_mask == 0 || now.from_serial != 0);
  if (last.counts && known && last.serial == now.serial && last.mask == now.mask && last.space == now.space &&
      last.from_mask == now.from_mask && last.from_serial == now.from_serial &&
      last.from_alignment == now.from_alignment) {
    ++last.counts[e.first % kAlignment >> last.granule];
    return;
  }
  if (w.histogram.patterns.size() >= limit_ || w.bins.size() >= limit_) hand_on(worker);
  Bin& bin = w.add(e, from);
  now.granule = bin.granule;
  if (known) now.counts = bin.all();
  last = now;
}

void PatternObserver::hand_on(int worker) {
  Worker& w = *workers_[static_cast<size_t>(worker)];
  AccessHistogram& h = w.histogram;
  h.by_instruction.resize(w.last.size());
  for (const Bin& bin : w.bins) {
    auto& entries = h.by_instruction[bin.instruction];
    if (!bin.counts) {
      entries.push_back({bin.pattern, bin.once << bin.granule, 1});
      continue;
    }
    for (u32 k = 0; k < bin.size(); ++k)
      if (bin.counts[k] != 0) entries.push_back({bin.pattern, k << bin.granule, bin.counts[k]});
  }
  take_(worker, *program_, h);
  h.patterns.clear();
  for (auto& entries : h.by_instruction) entries.clear();
  w.interned.clear();
  w.binned.clear();
  w.bins.clear();
  for (auto& of_instruction : w.last)
    if (of_instruction) of_instruction->fill({});
}

void PatternObserver::finish() {
  for (size_t k = 0; k < workers_.size(); ++k) hand_on(static_cast<int>(k));
  workers_.clear();
}

}  // namespace ww::rules
