#include "rules/patterns.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <unordered_map>

#include "engine/decode/program.h"

namespace ww::rules {

namespace {

struct Hash {
  size_t operator()(const Pattern& p) const {
    u64 h = (u64{p.mask} << 32 | p.bytes << 8) ^ static_cast<u64>(p.space);
    for (int64_t o : p.offset) h = (std::rotl(h, 23) ^ static_cast<u64>(o)) * 0x9e3779b97f4a7c15u;
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
    u64 serial = 0;
    u32 mask = 0;
    Bin* bin = nullptr;
  };
  struct Instruction {
    std::array<Cached, 32> last;  // by warp: each learns its addresses for itself
    std::unordered_map<u32, Bin*> bins;
  };

  std::unordered_map<Pattern, u32, Hash> interned;
  std::vector<Pattern> patterns;
  std::deque<Bin> bins;
  std::vector<std::unique_ptr<Instruction>> instructions;

  Bin* find(Instruction& at, const events::Memory& e) {
    Pattern p{e.space, e.mask, e.bytes, {}};
    for (u32 m = e.mask; m != 0; m &= m - 1) {
      int l = std::countr_zero(m);
      p.offset[static_cast<size_t>(l)] = e.offsets[l];
    }
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
  Worker::Cached& last = at->last[e.warp % 32];
  if (e.serial == 0 || last.serial != e.serial || last.mask != e.mask || !last.bin) {
    if (w.patterns.size() >= limit_ || w.bins.size() >= limit_) {
      hand_on(w);
      at = std::make_unique<Worker::Instruction>();
    }
    at->last[e.warp % 32] = {e.serial, e.mask, w.find(*at, e)};
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
