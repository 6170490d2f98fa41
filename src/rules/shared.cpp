#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "base/round.h"
#include "rules/rules.h"

namespace ww::rules {

namespace {

/// Words that the lanes want from each bank.
struct Banks {
  u32 degree = 0;  // most of them in one bank; each counts once, or as often as lanes want it
  u32 least = 0;   // passes if they were spread evenly; each counts once

  /// `banks`: 16 or 32. `pairs`: words i and i + 32 of an aligned piece of 64 words do not conflict (3.x in
  /// its usual 4-byte mode).
  Banks(const Access& a, u32 banks, bool pairs, bool every_lane) {
    if (a.mask == 0) return;
    // Rows of words, one in each bank, around the first lane's. Words farther away are sorted.
    constexpr int64_t kRows = 64;
    std::array<u32, kRows> rows{};
    std::array<int64_t, 32 * 9> far;
    size_t far_count = 0;
    std::array<u32, 32> wanted{};  // by bank
    u32 words = 0;
    const int shift = banks == 16 ? 4 : 5;
    const auto word_of = [&](int64_t w) { return pairs ? (w >> 6) * 32 + (w & 31) : w; };
    const auto bank_of = [&](int64_t word) { return static_cast<u32>(word) & (banks - 1); };
    const auto count = [&](int64_t word, u32 times) {
      degree = std::max(degree, wanted[bank_of(word)] += times);
    };
    const int64_t first =
        (word_of(a.address[static_cast<size_t>(std::countr_zero(a.mask))] >> 2) >> shift) - kRows / 2;
    for (u32 m = a.mask; m != 0; m &= m - 1) {
      const int64_t from = a.address[static_cast<size_t>(std::countr_zero(m))];
      for (int64_t w = from >> 2, last = (from + a.bytes - 1) >> 2; w <= last; ++w) {
        const int64_t word = word_of(w);
        const auto row = static_cast<u64>((word >> shift) - first);
        if (row >= kRows) {
          far[far_count++] = word;
          if (every_lane) count(word, 1);
          continue;
        }
        const u32 fresh = ~rows[row] >> bank_of(word) & 1;
        rows[row] |= fresh << bank_of(word);
        words += fresh;
        count(word, every_lane ? 1 : fresh);
      }
    }
    if (far_count > 0) {
      std::sort(far.begin(), far.begin() + static_cast<long>(far_count));
      for (size_t k = 0; k < far_count; ++k) {
        if (k > 0 && far[k] == far[k - 1]) continue;
        ++words;
        if (!every_lane) count(far[k], 1);
      }
    }
    least = divide_up(words, banks);
  }
};

/// Lanes that get the same word in the same pass are one use.
void add_use(std::vector<BankUse>& uses, const BankUse& use) {
  for (BankUse& u : uses)
    if (u.pass == use.pass && u.bank == use.bank && u.word == use.word) {
      u.lanes |= use.lanes;
      return;
    }
  uses.push_back(use);
}

/// 1.x: a half-warp; lanes of one word conflict unless the word is the one that is broadcast in a step. Words
/// below 32 bits are never broadcast from one word to lanes that want other bytes of it (CUDA C programming
/// guide 2.3, 5.1.2.5).
u32 half_warp_steps(const Access& half, std::vector<BankUse>* uses = nullptr) {
  if (half.mask == 0) return 0;
  struct Want {
    int64_t at;
    u32 lane = 0;  // as a mask
    bool served = false;
  };
  std::vector<Want> wants;  // what each lane reads from each 32-bit word: an address
  for (u32 m = half.mask; m != 0; m &= m - 1) {
    int64_t from = half.address[static_cast<size_t>(std::countr_zero(m))];
    for (int64_t w = 0; w < std::max<int64_t>(1, half.bytes / 4); ++w)
      wants.push_back({from + 4 * w, m & -m});
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
      if (uses)
        add_use(*uses, {steps, static_cast<u32>(static_cast<u64>(w.at >> 2) % 16), w.at >> 2, w.lane});
      bank = true;
      --left;
    }
  }
  return steps;
}

/// Whether lanes l and l ^ 1 agree on their addresses, or all lanes l and l ^ 2; who takes no part agrees
/// with all.
bool neighbours_agree(const Access& a) {
  for (int bit : {1, 2}) {
    bool all = true;
    for (int l = 0; l < 32 && all; ++l)
      all = !a.active(l) || !a.active(l ^ bit) ||
            a.address[static_cast<size_t>(l)] == a.address[static_cast<size_t>(l ^ bit)];
    if (all) return true;
  }
  return false;
}

/// 2.0 and later: the words of a group from pass `first` on. Arguments as of Banks.
void add_words(std::vector<BankUse>& uses, const Access& group, u32 first, u32 banks, bool pairs,
               bool every_lane) {
  std::map<int64_t, u32> pass_of;  // by what a bank gives at once: a word, or a pair of words
  std::array<u32, 32> in_bank{};
  for (u32 m = group.mask; m != 0; m &= m - 1) {
    const int64_t from = group.address[static_cast<size_t>(std::countr_zero(m))];
    for (int64_t w = from >> 2; w <= (from + group.bytes - 1) >> 2; ++w) {
      const auto bank = static_cast<u32>(static_cast<u64>(w) % banks);
      auto [it, fresh] = pass_of.try_emplace(pairs ? (w >> 6) * 32 + (w & 31) : w, 0);
      if (fresh || every_lane) it->second = first + in_bank[bank]++;
      add_use(uses, {it->second, bank, w, m & -m});
    }
  }
}

Cost with_requests(const Access& a) {
  Cost c;
  c.requests = 1;
  c.threads = static_cast<u64>(std::popcount(a.mask));
  c.bytes = c.threads * a.bytes;
  return c;
}

}  // namespace

std::span<const u32> lane_groups(Capability cc, const Access& a, bool store) {
  static constexpr u32 kWarp[] = {~u32{0}}, kQuarters[] = {0xff, 0xff00, 0xff0000, 0xff000000};
  if (cc < 20) return kHalfWarps;
  if (a.bytes < 8 || (cc >= 30 && cc < 50 && a.bytes == 8)) return kWarp;
  if (cc >= 30 && cc < 50) return kHalfWarps;
  const bool together = cc >= 50 && !store && neighbours_agree(a);
  if (a.bytes == 8) return together ? std::span<const u32>(kWarp) : kHalfWarps;
  return together ? std::span<const u32>(kHalfWarps) : kQuarters;
}

u32 bank_degree(const Access& a) { return Banks(a, 32, false, false).degree; }

Cost shared_cost(Capability cc, const Access& a, bool store) {
  Cost c = with_requests(a);
  for (u32 lanes : lane_groups(cc, a, store)) {
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
  for (u32 lanes : lane_groups(cc, a, true)) {
    const Access group = part(a, lanes);
    if (group.mask == 0) continue;
    const u32 banks = cc < 20 ? 16 : 32;
    const Banks all(group, banks, false, true);
    c.wavefronts += all.degree;
    c.conflicts += all.degree - all.least;
  }
  c.transactions = c.wavefronts;
  return c;
}

Cost copy_cost(Capability cc, const Access& from, const Access& to, bool through_l1) {
  constexpr int64_t kLine = 128;
  Cost c = shared_cost(cc, to, true);
  const u64 least = c.wavefronts - c.conflicts;
  if (through_l1) {
    c.wavefronts = std::max(c.wavefronts, shared_cost(cc, from, true).wavefronts);
  } else if (from.mask != 0) {
    std::set<std::array<int64_t, 3>> pieces;
    for (int lane = 0; lane < 32; ++lane) {
      if (!from.active(lane)) continue;
      const int64_t read = from.address[static_cast<size_t>(lane)],
                    written = to.address[static_cast<size_t>(lane)];
      pieces.insert({read & -kLine, written & -kLine, (read - written) & (kLine - 1)});
    }
    c.wavefronts = pieces.size() + (from.mask != ~u32{0});
  }
  c.conflicts = c.wavefronts - std::min(least, c.wavefronts);
  c.transactions = c.wavefronts;
  return c;
}

std::vector<BankUse> bank_uses(Capability cc, const Access& a, bool store, bool atomic) {
  std::vector<BankUse> uses;
  u32 first = 0;
  for (u32 lanes : lane_groups(cc, a, store || atomic)) {
    const Access group = part(a, lanes);
    if (group.mask == 0) continue;
    if (cc < 20 && !atomic) {
      std::vector<BankUse> steps;
      const u32 taken = half_warp_steps(group, &steps);
      for (BankUse& u : steps) u.pass += first;
      uses.insert(uses.end(), steps.begin(), steps.end());
      first += taken;
    } else {
      add_words(uses, group, first, bank_count(cc), cc >= 30 && cc < 50 && !atomic, atomic);
      for (const BankUse& u : uses) first = std::max(first, u.pass + 1);
    }
  }
  return uses;
}

}  // namespace ww::rules
