#include "checks/races/gathering.h"

#include <algorithm>

namespace ww::checks::races {

SharedClock Gathering::made(Own what, u32 block) const {
  if (what == Own::Keep && own_.empty() && whole_.size() <= 1) return whole_.empty() ? nullptr : whole_[0];
  const auto dropped = [&](const Entry& e) {
    return what == Own::Drop && e.block == block && e.warp != kLoneWarp;
  };
  Clock sum;
  std::vector<Reach> reaches;  // in the order in which they came
  std::unordered_map<const Log*, size_t> at;
  const auto take = [&](const Clock& c) {
    for (const Entry& e : c.entries)
      if (!dropped(e)) sum.add(e);
    for (const Reach& r : c.reaches) {
      const auto [place, fresh] = at.try_emplace(r.log, reaches.size());
      if (fresh)
        reaches.push_back(r);
      else
        reaches[place->second].length = std::max(reaches[place->second].length, r.length);
    }
  };
  take(own_);
  for (const SharedClock& c : whole_) take(*c);
  if (what != Own::Keep)
    std::erase_if(reaches, [&](const Reach& r) {
      if (!r.log->tells_only_of(block)) return false;
      if (what == Own::Entries)
        for (const Entry& e : r.log->latest(block, r.length)) sum.add(e);
      return true;
    });
  if (reaches.size() > kCompared)
    sum.reaches = std::move(reaches);
  else
    for (const Reach& r : reaches) sum.add(r);
  return sum.empty() ? nullptr : std::make_shared<const Clock>(std::move(sum));
}

SharedClock Gathering::all() const { return made(Own::Keep, 0); }
SharedClock Gathering::all_but(u32 block) const { return made(Own::Drop, block); }
SharedClock Gathering::all_with_entries_of(u32 block) const { return made(Own::Entries, block); }

}  // namespace ww::checks::races
