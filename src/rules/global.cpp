#include <algorithm>
#include <bit>
#include <set>

#include "rules/rules.h"

namespace ww::rules {

namespace {

constexpr int64_t piece(int64_t address, int64_t size) {
  return address >= 0 ? address / size : (address - size + 1) / size;
}

void add_sized(Cost& c, const std::vector<Piece>& pieces) {
  for (const Piece& p : pieces) ++c.sized[p.bytes <= 32 ? 0 : p.bytes <= 64 ? 1 : 2];
  c.transactions += pieces.size();
}

/// 1.0 and 1.1: a half-warp's words in order and aligned make one transaction (of 16-byte words: two),
/// anything else one for each lane.
void add_strict_half(std::vector<Piece>& out, const Access& half) {
  if (half.mask == 0) return;
  const int64_t word = half.bytes;
  const int base = std::countr_zero(half.mask) & 16;
  const int first = std::countr_zero(half.mask);
  const int64_t start = half.address[static_cast<size_t>(first)] - (first - base) * word;
  bool in_order = (word == 4 || word == 8 || word == 16) && piece(start, 16 * word) * 16 * word == start;
  for (int l = base; l < base + 16; ++l)
    if (half.active(l) && half.address[static_cast<size_t>(l)] != start + (l - base) * word) in_order = false;
  if (in_order) {
    const auto size = std::min<u32>(128, 16 * half.bytes);
    for (int64_t at = start; at < start + 16 * word; at += size) out.push_back({at, size});
  } else {
    for (u32 m = half.mask; m != 0; m &= m - 1)
      out.push_back({piece(half.address[static_cast<size_t>(std::countr_zero(m))], 32) * 32, 32});
  }
}

/// 1.2 and 1.3: the distinct segments of a half-warp, each cut down to the part that is touched.
void add_segments(std::vector<Piece>& out, const Access& half) {
  const int64_t size = half.bytes == 1 ? 32 : half.bytes == 2 ? 64 : 128;
  std::set<int64_t> segments;
  const auto each = [&](auto use) {
    for (u32 m = half.mask; m != 0; m &= m - 1) {
      int64_t from = half.address[static_cast<size_t>(std::countr_zero(m))];
      use(from, from + half.bytes - 1);
    }
  };
  each([&](int64_t from, int64_t to) {
    for (int64_t s = piece(from, size); s <= piece(to, size); ++s) segments.insert(s);
  });
  for (int64_t s : segments) {
    int64_t low = (s + 1) * size, high = s * size;
    each([&](int64_t from, int64_t to) {
      if (to < s * size || from >= (s + 1) * size) return;
      low = std::min(low, std::max(from, s * size));
      high = std::max(high, std::min(to, (s + 1) * size - 1));
    });
    u32 bytes = static_cast<u32>(size);
    while (bytes > 32 && piece(low, bytes / 2) == piece(high, bytes / 2)) bytes /= 2;
    out.push_back({piece(low, bytes) * bytes, bytes});
  }
}

/// The aligned pieces of `size` bytes that the access touches.
std::vector<Piece> aligned_pieces(const Access& a, u32 size) {
  std::set<int64_t> numbers;
  for (u32 m = a.mask; m != 0; m &= m - 1) {
    const int64_t from = a.address[static_cast<size_t>(std::countr_zero(m))];
    for (int64_t p = piece(from, size); p <= piece(from + a.bytes - 1, size); ++p) numbers.insert(p);
  }
  std::vector<Piece> out;
  for (int64_t p : numbers) out.push_back({p * size, size});
  return out;
}

/// 1.x.
std::vector<Piece> half_warp_pieces(Capability cc, const Access& a) {
  std::vector<Piece> out;
  for (u32 half : kHalfWarps)
    cc < 12 ? add_strict_half(out, part(a, half)) : add_segments(out, part(a, half));
  return out;
}

/// 2.x: the parts in which a warp's wide words are processed, each with its distinct pieces.
u64 pieces_in_parts(const Access& a, u32 size) {
  const int lanes = a.bytes >= 16 ? 8 : a.bytes >= 8 ? 16 : 32;
  u64 sum = 0;
  for (int l = 0; l < 32; l += lanes)
    sum += distinct_pieces(part(a, static_cast<u32>(((u64{1} << lanes) - 1) << l)), size);
  return sum;
}

/// Lanes of the even (or odd) quads of a half-warp.
u32 quads(int half, int odd) { return (odd ? 0xf0f0u : 0x0f0fu) << 16 * half; }

/// nvprof's gld_transactions on 5.x and 6.x: four for each of the four groups (half-warp, quad parity) that
/// has an active lane.
u64 quad_load_transactions(const Access& a) {
  u64 groups = 0;
  for (int half : {0, 1})
    for (int odd : {0, 1}) groups += (a.mask & quads(half, odd)) != 0;
  return 4 * groups;
}

/// nvprof's gst_transactions on 5.x and 6.x: sectors of even and odd quads apart, together where both touch
/// the same ones.
u64 quad_store_transactions(const Access& a) {
  u64 sum = 0;
  for (int half : {0, 1}) {
    std::set<int64_t> sectors[2];
    for (int odd : {0, 1})
      for (u32 m = a.mask & quads(half, odd); m != 0; m &= m - 1) {
        int64_t from = a.address[static_cast<size_t>(std::countr_zero(m))];
        for (int64_t s = piece(from, 32); s <= piece(from + a.bytes - 1, 32); ++s) sectors[odd].insert(s);
      }
    sum += sectors[0].size() + (sectors[0] == sectors[1] ? 0 : sectors[1].size());
  }
  return sum;
}

}  // namespace

std::vector<Piece> global_pieces(Capability cc, const Access& a, bool store) {
  if (cc < 20) return half_warp_pieces(cc, a);
  return aligned_pieces(a, cc < 30 && !store ? 128 : 32);
}

Cost global_cost(Capability cc, const Access& a, bool store) {
  Cost c;
  c.requests = 1;
  c.threads = static_cast<u64>(std::popcount(a.mask));
  c.bytes = c.threads * a.bytes;
  if (cc < 20) {
    add_sized(c, half_warp_pieces(cc, a));
    return c;
  }
  c.sectors = distinct_pieces(a, 32);
  if (cc < 30) {
    c.lines = store ? 0 : pieces_in_parts(a, 128);
    c.transactions = store ? c.sectors : c.lines;
  } else if (cc < 50) {
    c.transactions = c.sectors;
  } else if (cc < 70) {
    c.transactions = store ? quad_store_transactions(a) : quad_load_transactions(a);
  } else {
    c.lines = distinct_pieces(a, 128);
    c.transactions = c.sectors;
  }
  return c;
}

}  // namespace ww::rules
