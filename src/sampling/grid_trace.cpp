#include "sampling/grid_trace.h"

namespace ww::sampling {

caches::BlockTrace RecordedGrid::block(u64 number) const {
  auto it = traces_.find(number);
  return it == traces_.end() ? caches::BlockTrace{} : it->second;
}

std::optional<caches::TraceDigest> RecordedGrid::digest() const {
  std::call_once(told_, [&] { digest_ = caches::digest_of(blocks_, traces_); });
  return digest_;
}

namespace {

/// First addresses by instruction.
std::map<u32, u64> firsts(const caches::BlockTrace& t) {
  std::map<u32, u64> out;
  for (size_t k = 0; k < t.first.size(); ++k) out[t.shape->slots[k].instruction] = t.first[k];
  return out;
}

}  // namespace

TranslatedGrid::TranslatedGrid(engine::Extent3 grid, const Sampler& sampler,
                               const std::array<u32, 3>& periods, std::map<u64, caches::BlockTrace> traces)
    : grid_(grid), sampler_(sampler), periods_(periods), traces_(std::move(traces)) {
  auto inner = traces_.find(sampler_.inner_block());
  if (inner == traces_.end()) return;
  const auto here = firsts(inner->second);
  for (size_t d = 0; d < 3; ++d) {
    const auto next = sampler_.neighbour(d);
    auto there = next ? traces_.find(*next) : traces_.end();
    if (there == traces_.end()) continue;
    for (auto [instruction, address] : firsts(there->second))
      if (auto it = here.find(instruction); it != here.end()) steps_[d][instruction] = address - it->second;
  }
}

caches::BlockTrace TranslatedGrid::block(u64 number) const {
  const auto at = sampler_.place(number), from = sampler_.representative(at, periods_);
  auto it = traces_.find(sampler_.number(from));
  if (it == traces_.end()) return {};
  caches::BlockTrace t = it->second;
  for (size_t d = 0; d < 3; ++d) {
    if (at[d] == from[d]) continue;
    for (size_t k = 0; k < t.first.size(); ++k)
      if (auto step = steps_[d].find(t.shape->slots[k].instruction); step != steps_[d].end())
        t.first[k] += step->second * (u64{at[d]} - from[d]);
  }
  return t;
}

bool TranslatedGrid::predicts(u64 number, const caches::BlockTrace& ran) const {
  const caches::BlockTrace mine = block(number);
  return mine.shape && ran.shape && mine.first == ran.first && mine.shape->same(*ran.shape);
}

}  // namespace ww::sampling
