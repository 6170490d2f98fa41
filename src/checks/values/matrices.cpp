#include "checks/values/matrices.h"

#include <cstring>

namespace ww::checks {

namespace {

using engine::Fragment;

constexpr u32 kAll = ~u32{0};

/// visit(register, lane, element, place, number of the matrix) for each element of a fragment.
template <class F>
void each_element(const Fragment& f, size_t registers, u32 lanes, size_t r, const F& visit) {
  if (r >= registers) return;
  for (u32 m = lanes; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    for (int e = 0; e < f.per_register(); ++e)
      visit(static_cast<u32>(lane), static_cast<u32>(e), f.place(lane, static_cast<int>(r), e),
            f.quads ? lane >> 2 & 3 : 0);
  }
}

u64 element_mask(const Fragment& f) {
  const int bits = f.element_bits();
  return bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1;
}

u64 register_bits(const Frame& f, const Value& v, u32 lane) {
  u64 bits = 0;
  std::memcpy(&bits, f.bits(v) + size_t{lane} * v.stride, v.stride);
  return bits;
}

/// Calls visit(place, number of the matrix) for each undefined element of a fragment in these registers.
template <class F>
void each_undefined(const Fragment& of, const std::vector<Value>& registers, const Frame& f, u32& origin,
                    const F& visit) {
  for (size_t r = 0; r < registers.size(); ++r) {
    const Value& v = registers[r];
    const u32 lanes = undefined_lanes(f, v, kAll);
    if (!lanes) continue;
    if (!origin) origin = f.origin(v) | 1;
    each_element(of, registers.size(), lanes, r, [&](u32 lane, u32 e, Fragment::Place at, int matrix) {
      const u32 shift = e * static_cast<u32>(of.element_bits());
      if (register_bits(f, v, lane) >> shift & element_mask(of)) visit(at, matrix);
    });
  }
}

/// PTX ISA, ldmatrix: a lane holds two neighbours of row lane / 4; transposed, of that column.
u8* pair_element(const Plan& p, u8 (*rows)[16], size_t matrix, u32 lane, u32 k) {
  const u32 row = lane / 4, column = lane % 4 * 2 + k;
  const u32 r = p.transposed ? column : row, c = p.transposed ? row : column;
  return rows[8 * matrix + r] + 2 * size_t{c};
}

}  // namespace

int Matrices::lines() const {
  const engine::Shape& s = moved.shape;
  const int rows = moved.role == Fragment::Role::B ? s.k : s.m;
  return by_columns ? (moved.role == Fragment::Role::A ? s.k : s.n) : rows;
}
int Matrices::line_elements() const {
  const engine::Shape& s = moved.shape;
  const int rows = moved.role == Fragment::Role::B ? s.k : s.m;
  return by_columns ? rows : (moved.role == Fragment::Role::A ? s.k : s.n);
}

bool carry_rows(const Plan& p, const Frame& f, const u8 (*rows)[16]) {
  bool any = false;
  for (size_t q = 0; q < p.list.size(); ++q) {
    const Value& v = p.list[q];
    if (v.kind != Value::Kind::Register) continue;
    for (u32 l = 0; l < 32; ++l) {
      u8 bits[4];
      for (u32 k = 0; k < 2; ++k)
        std::memcpy(bits + 2 * k, pair_element(p, const_cast<u8(*)[16]>(rows), q, l, k), 2);
      std::memcpy(f.bits(v) + size_t{l} * v.stride, bits, 4);
      any |= bits[0] || bits[1] || bits[2] || bits[3];
    }
  }
  return any;
}

u32 carry_to_rows(const Plan& p, const Frame& f, u8 (*rows)[16]) {
  u32 origin = 0;
  for (size_t q = 0; q < p.list.size(); ++q) {
    const Value& v = p.list[q];
    if (v.kind != Value::Kind::Register) continue;
    if (!origin && undefined_lanes(f, v, kAll)) origin = f.origin(v);
    for (u32 l = 0; l < 32; ++l)
      for (u32 k = 0; k < 2; ++k)
        std::memcpy(pair_element(p, rows, q, l, k), f.bits(v) + size_t{l} * v.stride + 2 * k, 2);
  }
  return origin;
}

void see_factors(const Plan& p, const Frame& f, UndefinedLines& lines) {
  const engine::Fragments& of = p.matrices->of;
  const auto at = [](int matrix, int of_each, int k) { return static_cast<size_t>(matrix * of_each + k); };
  each_undefined(of.a, p.matrices->factors[0], f, lines.origin,
                 [&](Fragment::Place e, int matrix) { lines.rows.set(at(matrix, of.a.shape.m, e.row)); });
  each_undefined(of.b, p.matrices->factors[1], f, lines.origin, [&](Fragment::Place e, int matrix) {
    lines.columns.set(at(matrix, of.b.shape.n, e.column));
  });
  if (undefined_lanes(f, p.matrices->metadata, kAll)) {
    lines.rows.set();
    if (!lines.origin) lines.origin = f.origin(p.matrices->metadata) | 1;
  }
}

bool carry_product(const Plan& p, const Frame& f, const UndefinedLines& lines, bool adds) {
  const engine::Fragments& of = p.matrices->of;
  const int m = of.d.shape.m, n = of.d.shape.n;
  static thread_local std::vector<u8> added;
  added.assign(static_cast<size_t>((of.d.quads ? 4 : 1) * m * n), 0);
  const auto at = [&](Fragment::Place e, int matrix) {
    return static_cast<size_t>((matrix * m + e.row) * n + e.column);
  };
  u32 origin = lines.origin;
  if (adds)
    each_undefined(of.c, p.matrices->factors[2], f, origin,
                   [&](Fragment::Place e, int matrix) { added[at(e, matrix)] = 1; });
  bool any = false;
  for (size_t r = 0; r < p.list.size(); ++r) {
    const Value& v = p.list[r];
    if (v.kind != Value::Kind::Register) continue;
    u64 out[32] = {};
    each_element(of.d, p.list.size(), kAll, r, [&](u32 lane, u32 e, Fragment::Place place, int matrix) {
      if (lines.rows[static_cast<size_t>(matrix * m + place.row)] ||
          lines.columns[static_cast<size_t>(matrix * n + place.column)] || added[at(place, matrix)])
        out[lane] |= element_mask(of.d) << e * static_cast<u32>(of.d.element_bits()), any = true;
    });
    write(f, v, out, kAll, false);
    if (origin) f.origin(v) = origin;
  }
  return any;
}

namespace {

/// visit(line, bit in it, lane, bit in the register) for each element of register r.
template <class F>
void each_in_lines(const Plan& p, size_t r, const F& visit) {
  const Matrices& m = *p.matrices;
  const auto bits = static_cast<u32>(m.moved.element_bits());
  each_element(m.moved, p.list.size(), kAll, r, [&](u32 lane, u32 e, Fragment::Place at, int) {
    const int line = m.by_columns ? at.column : at.row, along = m.by_columns ? at.row : at.column;
    visit(static_cast<u32>(line), static_cast<u32>(along) * bits, lane, e * bits);
  });
}

}  // namespace

void carry_from_lines(const Plan& p, const Frame& f, const MatrixLines& lines) {
  for (size_t r = 0; r < p.list.size(); ++r) {
    const Value& v = p.list[r];
    if (v.kind != Value::Kind::Register) continue;
    u64 out[32] = {};
    each_in_lines(p, r, [&](u32 line, u32 at, u32 lane, u32 to) {
      u64 bits = 0;
      std::memcpy(&bits, lines[line] + at / 8, static_cast<size_t>(p.matrices->moved.element_bits() + 7) / 8);
      out[lane] |= (bits >> at % 8 & element_mask(p.matrices->moved)) << to;
    });
    write(f, v, out, kAll, false);
  }
}

u32 carry_to_lines(const Plan& p, const Frame& f, MatrixLines& lines) {
  u32 origin = 0;
  for (size_t r = 0; r < p.list.size(); ++r) {
    const Value& v = p.list[r];
    if (v.kind != Value::Kind::Register || !undefined_lanes(f, v, kAll)) continue;
    if (!origin) origin = f.origin(v);
    each_in_lines(p, r, [&](u32 line, u32 at, u32 lane, u32 from) {
      const u64 bits = register_bits(f, v, lane) >> from & element_mask(p.matrices->moved);
      std::memcpy(lines[line] + at / 8, &bits, static_cast<size_t>(p.matrices->moved.element_bits()) / 8);
    });
  }
  return origin;
}

}  // namespace ww::checks
