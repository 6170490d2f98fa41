#include "checks/races/clock.h"

#include <algorithm>
#include <vector>

namespace ww::checks::races {

namespace {

constexpr u32 kLanesOfWarp = 32;
constexpr u32 kBits = 4;  // of a block's number, for each level
constexpr u32 kChildren = 1u << kBits;

struct WarpPart : Part {
  std::array<Segment, kLanesOfWarp> until{};
};

struct BlockPart : Part {
  Segment all = 0;             // of all its threads
  Segment lone = 0;            // of its segments that belong to no warp
  std::vector<PartRef> warps;  // what is known of lanes beyond `all`

  const WarpPart* warp(size_t w) const {
    return w < warps.size() ? static_cast<const WarpPart*>(warps[w].get()) : nullptr;
  }
};

struct InnerPart : Part {
  std::array<PartRef, kChildren> children;
};

struct SpansPart : Part {
  std::vector<Span> list;  // in order, apart from each other

  bool has(Segment s) const {
    const auto after =
        std::partition_point(list.begin(), list.end(), [&](const Span& x) { return x.until < s; });
    return after != list.end() && after->after < s;
  }
};

const std::vector<Span>& spans_of(const PartRef& r) { return static_cast<const SpansPart*>(r.get())->list; }
const BlockPart& block_of(const PartRef& r) { return *static_cast<const BlockPart*>(r.get()); }
const InnerPart& inner_of(const PartRef& r) { return *static_cast<const InnerPart*>(r.get()); }

/// The part, for a change: a copy if others share it.
template <class T>
T& own(PartRef& r) {
  if (!r)
    r = PartRef(new T);
  else if (!r.alone())
    r = PartRef(new T(*static_cast<const T*>(r.get())));
  return *static_cast<T*>(r.get());
}

u32 child_of(u32 block, u32 level) { return block >> (kBits * (level - 1)) & (kChildren - 1); }

/// Whether a warp's part says more of a lane than `than` (where there is one) and `all` do.
bool says_more(const WarpPart& w, const WarpPart* than, Segment all) {
  constexpr u32 kYes = ~u32{0};  // as wide as a segment, so that the compiler takes several lanes at once
  u32 more = 0;
  if (!than)
    for (const Segment s : w.until) more |= s > all ? kYes : 0;
  else
    for (u32 l = 0; l < kLanesOfWarp; ++l)
      more |= (w.until[l] > than->until[l] ? kYes : 0) & (w.until[l] > all ? kYes : 0);
  return more != 0;
}

bool block_includes(const BlockPart& a, const BlockPart& b) {
  if (b.all > a.all || b.lone > std::max(a.lone, a.all)) return false;
  for (size_t w = 0; w < b.warps.size(); ++w) {
    const WarpPart* theirs = b.warp(w);
    if (theirs && theirs != a.warp(w) && says_more(*theirs, a.warp(w), a.all)) return false;
  }
  return true;
}

/// What all threads have done says more than parts for single lanes up to there.
void drop_known(BlockPart& b) {
  for (PartRef& w : b.warps)
    if (w && !says_more(*static_cast<const WarpPart*>(w.get()), nullptr, b.all)) w = {};
  while (!b.warps.empty() && !b.warps.back()) b.warps.pop_back();
}

bool join_blocks(PartRef& to, const PartRef& from) {
  const BlockPart& b = block_of(from);
  if (block_includes(block_of(to), b)) return false;
  if (block_includes(b, block_of(to))) {
    to = from;
    return true;
  }
  BlockPart& a = own<BlockPart>(to);
  a.lone = std::max(a.lone, b.lone);
  if (b.all > a.all) {
    a.all = b.all;
    drop_known(a);
  }
  if (b.warps.size() > a.warps.size()) a.warps.resize(b.warps.size());
  for (size_t w = 0; w < b.warps.size(); ++w) {
    const WarpPart* theirs = b.warp(w);
    if (!theirs || theirs == a.warp(w) || !says_more(*theirs, a.warp(w), a.all)) continue;
    if (!a.warps[w] || !says_more(*a.warp(w), theirs, a.all)) {
      a.warps[w] = b.warps[w];
    } else {
      auto& until = own<WarpPart>(a.warps[w]).until;
      for (u32 l = 0; l < kLanesOfWarp; ++l) until[l] = std::max(until[l], theirs->until[l]);
    }
  }
  return true;
}

bool join_parts(PartRef& to, const PartRef& from, u32 level) {
  if (to == from || !from) return false;
  if (!to) {
    to = from;
    return true;
  }
  if (level == 0) return join_blocks(to, from);
  const auto& theirs = inner_of(from).children;
  bool changed = false, equal = true;
  for (u32 k = 0; k < kChildren; ++k) {
    if (to.alone()) {
      changed |= join_parts(static_cast<InnerPart*>(to.get())->children[k], theirs[k], level - 1);
    } else {
      PartRef child = inner_of(to).children[k];
      if (join_parts(child, theirs[k], level - 1)) {
        own<InnerPart>(to).children[k] = std::move(child);
        changed = true;
      }
    }
    equal &= inner_of(to).children[k] == theirs[k];
  }
  if (equal) to = from;  // shared from now on
  return changed;
}

bool part_includes(const PartRef& a, const PartRef& b, u32 level) {
  if (a == b || !b) return true;
  if (!a) return false;
  if (level == 0) return block_includes(block_of(a), block_of(b));
  for (u32 k = 0; k < kChildren; ++k)
    if (!part_includes(inner_of(a).children[k], inner_of(b).children[k], level - 1)) return false;
  return true;
}

/// A part over one with fewer levels.
PartRef raised(PartRef r, u32 from, u32 to) {
  for (; r && from < to; ++from) {
    PartRef above;
    own<InnerPart>(above).children[0] = std::move(r);
    r = std::move(above);
  }
  return r;
}

u32 height_for(u32 block) {
  u32 height = 0;
  for (; block; block >>= kBits) ++height;
  return height;
}

}  // namespace

void Clock::raise(u32 height) {
  if (height <= height_) return;
  root_ = raised(std::move(root_), height_, height);
  height_ = height;
}

bool Clock::covers(u32 block, u32 warp, u32 lane, Segment s) const {
  if (spans_ && static_cast<const SpansPart*>(spans_.get())->has(s)) return true;
  if (height_for(block) > height_) return false;
  const PartRef* at = &root_;
  for (u32 level = height_; *at && level > 0; --level) at = &inner_of(*at).children[child_of(block, level)];
  if (!*at) return false;
  const BlockPart& b = block_of(*at);
  if (s <= b.all) return true;
  if (warp == kLoneWarp) return s <= b.lone;
  const WarpPart* w = b.warp(warp);
  return w && s <= w->until[lane];
}

bool Clock::surely_includes(const Clock& other) const {
  if ((root_ == other.root_ || !other.root_) && (spans_ == other.spans_ || !other.spans_)) return true;
  return origin_.whole && origin_.log == other.origin_.log && origin_.time >= other.origin_.time;
}

bool Clock::includes(const Clock& other) const {
  if (surely_includes(other)) return true;
  if (!spans_include(other)) return false;
  if (!root_) return !other.root_;
  if (height_ == other.height_) return part_includes(root_, other.root_, height_);
  const u32 height = std::max(height_, other.height_);
  return part_includes(raised(root_, height_, height), raised(other.root_, other.height_, height), height);
}

bool Clock::add(const Entry& e) {
  if (!e.until || !e.lanes) return false;
  raise(height_for(e.block));
  // Parts are copied only if there is something new.
  const PartRef* known = &root_;
  for (u32 level = height_; *known && level > 0; --level)
    known = &inner_of(*known).children[child_of(e.block, level)];
  u32 lanes = e.lanes;
  if (*known) {
    const BlockPart& b = block_of(*known);
    if (e.until <= b.all || (e.warp == kLoneWarp && e.until <= b.lone)) return false;
    if (const WarpPart* w = b.warp(e.warp)) {
      for (u32 l = 0; l < kLanesOfWarp; ++l) lanes &= ~(u32{w->until[l] >= e.until} << l);
      if (!lanes) return false;
    }
  }
  PartRef* at = &root_;
  for (u32 level = height_; level > 0; --level) at = &own<InnerPart>(*at).children[child_of(e.block, level)];
  BlockPart& b = own<BlockPart>(*at);
  if (e.warp == kAnyWarp) {
    b.all = e.until;
    drop_known(b);
  } else if (e.warp == kLoneWarp) {
    b.lone = e.until;
  } else {
    if (e.warp >= b.warps.size()) b.warps.resize(e.warp + 1);
    auto& until = own<WarpPart>(b.warps[e.warp]).until;
    for (; lanes; lanes &= lanes - 1) until[static_cast<u32>(__builtin_ctz(lanes))] = e.until;
  }
  origin_ = {};
  return true;
}

bool Clock::spans_include(const Clock& other) const {
  if (!other.spans_ || spans_ == other.spans_) return true;
  const auto& theirs = spans_of(other.spans_);
  return spans_ && std::all_of(theirs.begin(), theirs.end(), [&](const Span& s) {
           const auto& own = spans_of(spans_);
           return std::any_of(own.begin(), own.end(),
                              [&](const Span& o) { return o.after <= s.after && s.until <= o.until; });
         });
}

bool Clock::add(const Span& s) {
  if (s.after >= s.until) return false;
  Clock one;
  own<SpansPart>(one.spans_).list = {s};
  if (spans_include(one)) return false;
  std::vector<Span> rest;
  Span all = s;
  for (const Span& o : spans_ ? spans_of(spans_) : std::vector<Span>{})
    if (o.until < all.after || o.after > all.until)
      rest.push_back(o);
    else
      all = {std::min(all.after, o.after), std::max(all.until, o.until)};
  rest.push_back(all);
  std::sort(rest.begin(), rest.end(), [](const Span& a, const Span& b) { return a.after < b.after; });
  own<SpansPart>(spans_).list = std::move(rest);
  origin_ = {};
  return true;
}

bool Clock::join(const Clock& other) {
  if (surely_includes(other)) return false;
  if (other.surely_includes(*this)) {
    *this = other;
    return true;
  }
  bool changed = join_trees(other);
  if (!spans_ && other.spans_) {
    spans_ = other.spans_;
    changed = true;
  } else if (other.spans_ && spans_ != other.spans_) {
    for (const Span& s : spans_of(PartRef(other.spans_))) changed |= add(s);
  }
  if (changed) origin_ = root_ == other.root_ && spans_ == other.spans_ ? other.origin_ : Origin{};
  return changed;
}

bool Clock::join_trees(const Clock& other) {
  raise(other.height_);
  bool changed;
  if (height_ == other.height_)
    changed = join_parts(root_, other.root_, height_);
  else
    changed = join_parts(root_, raised(other.root_, other.height_, height_), height_);
  return changed;
}

Clock Clock::without(u32 block) const {
  if (!root_ || height_for(block) > height_) return *this;
  const PartRef* known = &root_;
  for (u32 level = height_; *known && level > 0; --level)
    known = &inner_of(*known).children[child_of(block, level)];
  if (!*known) return *this;
  const Segment lone = block_of(*known).lone;
  Clock rest = *this;
  rest.origin_.whole = false;
  // From the block upwards: what is empty now goes.
  std::vector<PartRef*> path{&rest.root_};
  for (u32 level = height_; level > 0; --level)
    path.push_back(&own<InnerPart>(*path.back()).children[child_of(block, level)]);
  *path.back() = {};
  if (lone) own<BlockPart>(*path.back()).lone = lone;
  while (!*path.back() && path.size() > 1) {
    path.pop_back();
    for (const PartRef& child : inner_of(*path.back()).children)
      if (child) return rest;
    *path.back() = {};
  }
  if (rest.root_) return rest;
  Clock spans;
  spans.spans_ = rest.spans_;
  return spans;
}

}  // namespace ww::checks::races
