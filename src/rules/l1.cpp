// Global accesses in L1: lookups of its tags, passes through its data banks.
#include <algorithm>
#include <array>
#include <bit>

#include "rules/rules.h"

namespace ww::rules {

namespace {

constexpr u32 kTagBanks = 4;

/// The parities that make the two bits of a tag's bank: bits of the line's number. Found on an H200: of lines
/// of which four take four lookups, the differences span the kernel of a linear map
/// (data/measured/README.md, h200-l1). Bits above 2^25 were not asked about.
constexpr u64 kBankBits[] = {0x1ef7ab5, 0x2bad5da};

/// The banks by nine bits of the line's number at a time, to be combined by exclusive or.
constexpr u32 kBitsAtOnce = 9;
constexpr auto kBankOfBits = [] {
  std::array<std::array<uint8_t, 1 << kBitsAtOnce>, 3> banks{};
  for (size_t part = 0; part < banks.size(); ++part)
    for (u64 bits = 0; bits < banks[part].size(); ++bits)
      for (u32 b = 0; b < 2; ++b)
        banks[part][bits] |=
            static_cast<uint8_t>((std::popcount(bits << part * kBitsAtOnce & kBankBits[b]) & 1) << b);
  return banks;
}();

u32 tag_bank(int64_t line) {
  static_assert(kBankBits[0] >> 3 * kBitsAtOnce == 0 && kBankBits[1] >> 3 * kBitsAtOnce == 0);
  constexpr u64 kMask = (u64{1} << kBitsAtOnce) - 1;
  const auto bits = static_cast<u64>(line);
  return kBankOfBits[0][bits & kMask] ^ kBankOfBits[1][bits >> kBitsAtOnce & kMask] ^
         kBankOfBits[2][bits >> 2 * kBitsAtOnce & kMask];
}

struct Lines {
  std::array<int64_t, 32> number;
  size_t count = 0;
};

Lines lines_of(const Access& a) {
  Lines out;
  for (u32 m = a.mask; m != 0; m &= m - 1) {
    const int64_t line = a.address[static_cast<size_t>(std::countr_zero(m))] >> 7;
    const auto end = out.number.begin() + static_cast<long>(out.count);
    if (std::find(out.number.begin(), end, line) == end) out.number[out.count++] = line;
  }
  return out;
}

/// A lookup takes a line of each bank.
u64 lookups(const Lines& lines, int64_t moved_by) {
  std::array<u64, kTagBanks> of_bank{};
  for (size_t i = 0; i < lines.count; ++i) ++of_bank[tag_bank(lines.number[i] + moved_by)];
  return *std::max_element(of_bank.begin(), of_bank.end());
}

}  // namespace

u64 tag_lookups(const Access& a) { return lookups(lines_of(a), 0); }

L1Passes l1_passes(Capability cc, const Access& a, const Cost& c, bool store) {
  if (cc < 20) return {};
  if (cc < 30) return {std::max(c.lines, u64{1}), 0};
  L1Passes out{shared_cost(cc, a, store).wavefronts, 0};
  if (cc < 70) return out;
  const Lines lines = lines_of(a);
  if (lines.count < 2) {
    out.lookups = kPlaces;
    return out;
  }
  // Of the place only that within the line counts, so that blocks that do alike cost alike. The low bits of
  // the lines take all values, the others many.
  constexpr int64_t kStep = 2 * kPlaces + 1;
  for (u64 place = 0; place < kPlaces; ++place)
    out.lookups += lookups(lines, static_cast<int64_t>(place) * kStep - lines.number[0]);
  return out;
}

}  // namespace ww::rules
