#include "checks/values/matrices.h"

#include <cstring>

namespace ww::checks {

namespace {
constexpr u32 kAll = ~u32{0};
}

bool carry_rows(const Plan& p, const Frame& f, const u8 (*rows)[16]) {
  bool any = false;
  for (size_t q = 0; q < p.list.size(); ++q) {
    const Value& v = p.list[q];
    if (v.kind != Value::Kind::Register) continue;
    for (u32 l = 0; l < 32; ++l) {
      // PTX ISA, ldmatrix: a lane holds two neighbours of row lane / 4; transposed, of that column.
      const u32 row = l / 4, column = l % 4 * 2;
      u8 bits[4];
      for (u32 k = 0; k < 2; ++k) {
        const u32 r = p.transposed ? column + k : row, c = p.transposed ? row : column + k;
        std::memcpy(bits + 2 * k, rows[8 * q + r] + 2 * size_t{c}, 2);
      }
      std::memcpy(f.bits(v) + size_t{l} * v.stride, bits, 4);
      any |= bits[0] || bits[1] || bits[2] || bits[3];
    }
  }
  return any;
}

void carry_added(const Plan& p, const Frame& f) {
  const std::vector<Value>& added = p.factors[2];
  for (size_t k = 0; k < p.list.size(); ++k) {
    const Value& v = p.list[k];
    if (v.kind != Value::Kind::Register) continue;
    u64 out[32] = {};
    const bool carries = added.size() == p.list.size() && added[k].kind == Value::Kind::Register;
    const u32 lanes = carries ? undefined_lanes(f, added[k], kAll) : 0;
    for (u32 m = lanes; m; m &= m - 1) out[__builtin_ctz(m)] = ~u64{0};
    const u32 origin = lanes ? f.origin(added[k]) | 1 : 0;
    write(f, v, out, kAll, false);
    if (lanes) f.origin(v) = origin;
  }
}

bool carry_product(const Plan& p, const Frame& f) {
  // PTX ISA, "Matrix fragments for mma": registers of A alternate between the upper and the lower 8 rows,
  // each lane has row lane / 4 of them and column lane / 4 of B.
  u32 rows = 0, columns = 0, origin = 0;
  const auto see = [&](const Value& v) {
    const u32 lanes = undefined_lanes(f, v, kAll);
    if (lanes && !origin) origin = f.origin(v) | 1;
    return lanes;
  };
  for (size_t k = 0; k < p.factors[0].size(); ++k)
    for (u32 m = see(p.factors[0][k]); m; m &= m - 1)
      rows |= u32{1} << (static_cast<u32>(__builtin_ctz(m)) / 4 + (p.eight_rows ? 0 : 8 * (k & 1)));
  for (const Value& v : p.factors[1])
    for (u32 m = see(v); m; m &= m - 1) columns |= u32{1} << static_cast<u32>(__builtin_ctz(m)) / 4;
  const std::vector<Value>& added = p.factors[2];
  std::vector<u32> of_added(p.list.size());
  for (size_t k = 0; k < added.size() && k < p.list.size(); ++k) of_added[k] = see(added[k]);
  bool any = false;
  const bool packed = !p.eight_rows && p.list.size() == 2;  // two halves in each register
  for (size_t k = 0; k < p.list.size(); ++k) {
    const Value& v = p.list[k];
    if (v.kind != Value::Kind::Register) continue;
    u64 out[32] = {};
    for (u32 l = 0; l < 32; ++l) {
      const u32 half = p.eight_rows ? 0 : static_cast<u32>(packed ? k : k / 2);
      const bool row = rows >> (l / 4 + 8 * half) & 1;
      const auto column = [&](u32 n) { return columns >> (l % 4 * 2 + n) & 1; };
      const bool c = of_added[k] >> l & 1;
      if (packed)
        out[l] = (row || c || column(0) ? 0xffffu : 0) | (row || c || column(1) ? 0xffff0000u : 0);
      else
        out[l] = row || c || column(k & 1) ? ~u64{0} : 0;
      any |= out[l] != 0;
    }
    write(f, v, out, kAll, false);
    if (origin) f.origin(v) = origin;
  }
  return any;
}

}  // namespace ww::checks
