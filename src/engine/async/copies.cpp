#include "engine/async/copies.h"

#include <algorithm>
#include <cstring>

namespace ww::engine {

namespace {

void carry_out(const AsyncCopy::Run& r) {
  if (r.bytes != r.size) {
    if (r.bytes) std::memcpy(r.to, r.from, r.bytes);
    std::memset(r.to + r.bytes, 0, r.size - r.bytes);
    return;
  }
  switch (r.size) {  // known sizes are a load and a store
    case 4:
      std::memcpy(r.to, r.from, 4);
      break;
    case 8:
      std::memcpy(r.to, r.from, 8);
      break;
    case 16:
      std::memcpy(r.to, r.from, 16);
      break;
    default:
      std::memcpy(r.to, r.from, r.size);
      break;
  }
}

/// Calls `each` with what the lanes of the mask have in the run.
template <class F>
void parts_of(const AsyncCopy::Run& run, u32 mask, F&& each) {
  const u32 size = run.size / run.lanes;
  for (u32 n = 0; n < run.lanes; ++n) {
    if (!(mask >> (run.lane + n) & 1)) continue;
    AsyncCopy::Run one = run;
    if (run.lanes > 1) {
      one.to += n * size;
      one.from += n * size;
      one.size = one.bytes = size;
      one.lane = static_cast<u8>(run.lane + n);
      one.lanes = 1;
    }
    each(one);
  }
}

}  // namespace

AsyncCopy& AsyncCopies::begin() {
  if (free_.empty()) {
    storage_.emplace_back();
    free_.push_back(&storage_.back());
  }
  AsyncCopy* copy = free_.back();
  free_.pop_back();
  pending_.push_back(copy);
  copy->lanes = copy->group = copy->count = 0;
  return *copy;
}

/// Takes the lanes out of pending copies, as ones that stand just before them.
AsyncCopy& AsyncCopies::split_off(size_t place, u32 lanes) {
  AsyncCopy& part = begin();
  std::rotate(pending_.begin() + static_cast<std::ptrdiff_t>(place), pending_.end() - 1, pending_.end());
  AsyncCopy& from = *pending_[place + 1];
  AsyncCopy rest;
  for (u32 k = 0; k < from.count; ++k) {
    parts_of(from.runs[k], lanes, [&](const AsyncCopy::Run& r) { part.runs[part.count++] = r; });
    parts_of(from.runs[k], from.lanes & ~lanes,
             [&](const AsyncCopy::Run& r) { rest.runs[rest.count++] = r; });
  }
  part.lanes = lanes;
  part.group = rest.group = from.group;
  rest.lanes = from.lanes & ~lanes;
  from = rest;
  return part;
}

/// Those of the lanes that have committed so many groups.
u32 AsyncCopies::with_groups(u32 lanes, u32 groups) const {
  if (lanes && (lanes & ~alike_) == 0) return committed_[__builtin_ctz(lanes)] == groups ? lanes : 0;
  u32 same = 0;
  for (u32 m = lanes; m; m &= m - 1)
    if (committed_[__builtin_ctz(m)] == groups) same |= m & -m;
  return same;
}

void AsyncCopies::commit(u32 lanes) {
  if (!lanes) return;
  if (lanes == kAllLanes)
    for (u32& groups : committed_) ++groups;
  else
    for (u32 m = lanes; m; m &= m - 1) ++committed_[__builtin_ctz(m)];
  if (lanes != alike_) alike_ = committed_any_ ? 0 : lanes;
  committed_any_ = true;
  for (size_t k = 0; k < pending_.size(); ++k) {
    if (pending_[k]->group) continue;
    while (const u32 mine = pending_[k]->lanes & lanes) {
      const u32 group = committed_[__builtin_ctz(mine)], same = with_groups(mine, group);
      if (same == pending_[k]->lanes) {
        pending_[k]->group = group;
        break;
      }
      split_off(k, same).group = group;
      ++k;
    }
  }
}

void AsyncCopies::finish(u32 lanes, u64 open) {
  size_t kept = 0;
  for (size_t k = 0; k < pending_.size(); ++k) {
    AsyncCopy& copy = *pending_[k];
    u32 due = copy.lanes & lanes;
    if (open != kEverything) {
      u32 old = 0;
      const u32 first = due ? committed_[__builtin_ctz(due)] : 0;
      if (copy.group == 0)
        old = 0;
      else if (with_groups(due, first) == due)
        old = copy.group + open <= first ? due : 0;
      else
        for (u32 m = due; m; m &= m - 1)
          if (copy.group + open <= committed_[__builtin_ctz(m)]) old |= m & -m;
      due = old;
    }
    if (due == copy.lanes) {
      for (u32 n = 0; n < copy.count; ++n) carry_out(copy.runs[n]);
      free_.push_back(&copy);
      continue;
    }
    if (due) {
      AsyncCopy rest;
      for (u32 n = 0; n < copy.count; ++n) {
        parts_of(copy.runs[n], due, carry_out);
        parts_of(copy.runs[n], copy.lanes & ~due,
                 [&](const AsyncCopy::Run& r) { rest.runs[rest.count++] = r; });
      }
      rest.lanes = copy.lanes & ~due;
      rest.group = copy.group;
      copy = rest;
    }
    pending_[kept++] = &copy;
  }
  pending_.resize(kept);
}

void AsyncCopies::clear() {
  free_.insert(free_.end(), pending_.begin(), pending_.end());
  pending_.clear();
  std::fill(std::begin(committed_), std::end(committed_), 0);
  alike_ = kAllLanes;
  committed_any_ = false;
}

}  // namespace ww::engine
