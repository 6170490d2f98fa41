#include <algorithm>
#include <bit>

#include "base/round.h"
#include "counters/rules/rules.h"

namespace ww::counters {

namespace {

/// Words that the lanes want from each bank.
struct Banks {
  std::vector<int64_t> words;  // distinct, unless every lane counts
  u32 degree = 0;              // most of them in one bank
  u32 least = 0;               // passes if they were spread evenly

  /// `pairs`: words i and i + 32 of an aligned piece of 64 words do not conflict (3.x in its usual 4-byte
  /// mode).
  Banks(const Access& a, u32 banks, bool pairs, bool every_lane) {
    for (u32 m = a.mask; m != 0; m &= m - 1) {
      int64_t from = a.address[static_cast<size_t>(std::countr_zero(m))];
      for (int64_t w = from >> 2; w <= (from + a.bytes - 1) >> 2; ++w)
        words.push_back(pairs ? (w >> 6) * 32 + (w & 31) : w);
    }
    std::sort(words.begin(), words.end());
    if (!every_lane) words.erase(std::unique(words.begin(), words.end()), words.end());
    std::array<u32, 32> in_bank{};
    for (int64_t w : words) degree = std::max(degree, ++in_bank[static_cast<u64>(w) % banks]);
    least = divide_up(static_cast<u32>(words.size()), banks);
  }
};

/// 1.x: a half-warp; lanes of one word conflict unless the word is the one that is broadcast in a step. Words
/// below 32 bits are never broadcast from one word to lanes that want other bytes of it (CUDA C programming
/// guide 2.3, 5.1.2.5).
u32 half_warp_steps(const Access& half) {
  if (half.mask == 0) return 0;
  struct Want {
    int64_t at;
    bool served = false;
  };
  std::vector<Want> wants;  // what each lane reads from each 32-bit word: an address
  for (u32 m = half.mask; m != 0; m &= m - 1) {
    int64_t from = half.address[static_cast<size_t>(std::countr_zero(m))];
    for (int64_t w = 0; w < std::max<int64_t>(1, half.bytes / 4); ++w) wants.push_back({from + 4 * w});
  }
  u32 steps = 0;
  for (size_t left = wants.size(); left > 0; ++steps) {
    // The address that most lanes still want is broadcast; every other bank serves one lane.
    int64_t broadcast = 0;
    size_t most = 0;
    for (const Want& w : wants) {
      if (w.served) continue;
      size_t same = static_cast<size_t>(std::count_if(
          wants.begin(), wants.end(), [&](const Want& o) { return !o.served && o.at == w.at; }));
      if (same > most) most = same, broadcast = w.at;
    }
    std::array<bool, 16> busy{};
    busy[static_cast<u64>(broadcast >> 2) % 16] = true;
    for (Want& w : wants) {
      if (w.served) continue;
      bool& bank = busy[static_cast<u64>(w.at >> 2) % 16];
      if (w.at != broadcast && bank) continue;
      w.served = true;
      bank = true;
      --left;
    }
  }
  return steps;
}

/// The groups of lanes that are served one after another.
std::vector<u32> groups(Capability cc, u32 bytes) {
  if (cc < 20 || (cc >= 50 && bytes >= 8)) return {kHalfWarps[0], kHalfWarps[1]};
  if (cc < 30 && bytes >= 8) {
    if (bytes == 8) return {kHalfWarps[0], kHalfWarps[1]};
    return {0xff, 0xff00, 0xff0000, 0xff000000};
  }
  if (cc < 50 && bytes >= 16) return {kHalfWarps[0], kHalfWarps[1]};
  return {~u32{0}};
}

Cost with_requests(const Access& a) {
  Cost c;
  c.requests = 1;
  c.threads = static_cast<u64>(std::popcount(a.mask));
  c.bytes = c.threads * a.bytes;
  return c;
}

}  // namespace

Cost shared_cost(Capability cc, const Access& a) {
  Cost c = with_requests(a);
  for (u32 lanes : groups(cc, a.bytes)) {
    const Access group = part(a, lanes);
    if (group.mask == 0) continue;
    if (cc < 20) {
      const u32 steps = half_warp_steps(group);
      c.wavefronts += steps;
      c.conflicts += steps - 1;
      continue;
    }
    const Banks banks(group, 32, cc >= 30 && cc < 50, false);
    c.wavefronts += banks.degree;
    c.conflicts += banks.degree - banks.least;
  }
  c.transactions = c.wavefronts;
  return c;
}

Cost shared_atomic_cost(Capability cc, const Access& a) {
  Cost c = with_requests(a);
  for (u32 lanes : groups(cc, a.bytes)) {
    const Access group = part(a, lanes);
    if (group.mask == 0) continue;
    const u32 banks = cc < 20 ? 16 : 32;
    const u32 degree = Banks(group, banks, false, true).degree;
    c.wavefronts += degree;
    c.conflicts += degree - Banks(group, banks, false, false).least;
  }
  c.transactions = c.wavefronts;
  return c;
}

}  // namespace ww::counters
