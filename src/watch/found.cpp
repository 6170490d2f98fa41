#include "watch/found.h"

#include <bit>
#include <cstdlib>
#include <optional>
#include <tuple>

namespace ww::watch {

namespace {

constexpr size_t kMostFound = 20;

/// A thread as the recording numbers it.
struct Lane {
  u32 block = 0, warp = 0, lane = 0;
};

Lane lane_of(const Launch& l, const checks::Thread& t) {
  const u32 thread = (t.thread[2] * l.block[1] + t.thread[1]) * l.block[0] + t.thread[0];
  return {(t.block[2] * l.grid[1] + t.block[1]) * l.grid[0] + t.block[0], thread / 32, thread % 32};
}

struct Bytes {
  u64 from = 0, end = 0;  ///< in the space
};

/// What a lane touches: one piece, or several texels.
std::vector<Bytes> bytes_of(const Launch& l, const Event& e, u32 lane) {
  const Form& f = l.forms[e.form];
  std::vector<Bytes> out;
  const auto add = [&](int64_t offset) {
    const u64 from = e.first + static_cast<u64>(offset);
    out.push_back({from, from + f.pattern.bytes});
  };
  for (const auto& [of, offset] : f.fetched)
    if (of == lane) add(offset);
  if (out.empty()) add(f.pattern.offset[lane]);
  return out;
}

/// The first bytes that both touch; none where there are none.
Bytes common_of(const std::vector<Bytes>& one, const std::vector<Bytes>& other) {
  for (const Bytes& x : one)
    for (const Bytes& y : other)
      if (std::max(x.from, y.from) < std::min(x.end, y.end))
        return {std::max(x.from, y.from), std::min(x.end, y.end)};
  return {};
}

/// The accesses of this thread that stand at the party's place.
std::vector<u32> candidates(const Launch& l, const std::vector<std::pair<u32, u32>>& places,
                            const checks::Party& party, bool by_line) {
  const Lane at = lane_of(l, party.by);
  std::vector<u32> out;
  for (u32 i = 0; i < l.events.size(); ++i) {
    const Event& e = l.events[i];
    if (e.form == kNone || e.block != at.block || e.warp != at.warp || !((e.mask >> at.lane) & 1)) continue;
    const Site& site = l.sites[places[i].second];
    if (by_line ? site.line == party.where.line && site.file == party.where.file
                : site.ptx_line == party.ptx_line)
      out.push_back(i);
  }
  return out;
}

FoundParty party_of(const Launch& l, const checks::Party& party, std::optional<u32> event,
                    const Bytes* both) {
  FoundParty out;
  out.what = party.what;
  if (!event) return out;
  const Event& e = l.events[*event];
  out.ran = e.ran;
  out.array = l.forms[e.form].array;
  const Bytes own = bytes_of(l, e, lane_of(l, party.by).lane).front();
  const Bytes& shown = both ? *both : own;
  if (out.array == kNone) return out;
  out.from = shown.from - l.arrays[out.array].address;
  out.bytes = shown.end - shown.from;
  return out;
}

Found linked(const Launch& l, const std::vector<std::pair<u32, u32>>& places, const checks::Finding& f) {
  Found out;
  out.kind = f.kind;
  out.severity = f.severity == checks::Severity::Error     ? "error"
                 : f.severity == checks::Severity::Warning ? "warning"
                                                           : "hint";
  out.message = f.message;
  out.more = f.more;
  std::vector<std::vector<u32>> of;
  for (const checks::Party& party : f.parties) {
    of.push_back(candidates(l, places, party, false));
    // The same loads of an unrolled loop are kept under the first one's name.
    if (of.back().empty()) of.back() = candidates(l, places, party, true);
  }
  std::optional<std::tuple<u32, u32, u32, u32>> nearest;  // phases apart, events apart, and which
  Bytes both;
  if (f.parties.size() > 1) {
    const u32 one = lane_of(l, f.parties[0].by).lane, other = lane_of(l, f.parties[1].by).lane;
    for (const u32 i : of[0])
      for (const u32 j : of[1]) {
        if (i == j && one == other) continue;
        const Form &a = l.forms[l.events[i].form], &b = l.forms[l.events[j].form];
        const bool shared = a.pattern.space == ir::Space::Shared;
        if (a.pattern.space != b.pattern.space || (shared && l.events[i].block != l.events[j].block))
          continue;
        const Bytes common = common_of(bytes_of(l, l.events[i], one), bytes_of(l, l.events[j], other));
        if (common.from >= common.end) continue;
        const u32 phases = places[i].first > places[j].first ? places[i].first - places[j].first
                                                             : places[j].first - places[i].first;
        const std::tuple<u32, u32, u32, u32> found{phases, i > j ? i - j : j - i, i, j};
        if (nearest && *nearest <= found) continue;
        nearest = found;
        both = common;
      }
  }
  for (size_t k = 0; k < f.parties.size(); ++k) {
    std::optional<u32> event;
    if (nearest && k < 2)
      event = k == 0 ? std::get<2>(*nearest) : std::get<3>(*nearest);
    else if (!of[k].empty())
      event = of[k].front();
    out.parties.push_back(party_of(l, f.parties[k], event, nearest && k < 2 ? &both : nullptr));
  }
  return out;
}

}  // namespace

void link(Launch& launch, const std::vector<std::pair<u32, u32>>& places,
          const std::vector<checks::Finding>& findings) {
  for (const checks::Finding& f : findings)
    if (launch.found.size() < kMostFound) launch.found.push_back(linked(launch, places, f));
}

}  // namespace ww::watch
