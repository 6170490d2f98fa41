#include "values.h"

#include <bit>
#include <cmath>
#include <limits>

namespace ww::reference {

using isa::Mod;
using isa::Op;
using isa::Slot;
using isa::Type;
using Int = __int128;
using Unsigned = unsigned __int128;

uint64_t cut(uint64_t value, int bits) { return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1); }

namespace {

/// The number that the bits mean under an integer type.
Int number(uint64_t value, Type type) {
  int bits = isa::bits(type);
  value = cut(value, bits);
  if (isa::is_signed(type) && value >> (bits - 1) & 1) return Int(value) - (Int(1) << bits);
  return Int(value);
}

Int lowest(Type type) { return isa::is_signed(type) ? -(Int(1) << (isa::bits(type) - 1)) : Int(0); }
Int highest(Type type) { return (Int(1) << (isa::bits(type) - isa::is_signed(type))) - 1; }
uint64_t clamp(Int v, Type type) {
  return cut(uint64_t(v < lowest(type)    ? lowest(type)
                      : v > highest(type) ? highest(type)
                                          : v),
             isa::bits(type));
}

bool logic(Mod op, bool a, bool b) { return op == Mod::and_ ? a && b : op == Mod::or_ ? a || b : a != b; }

template <class T>
bool compare(Mod op, T a, T b, bool unordered) {
  switch (op) {
    case Mod::eq:
      return !unordered && a == b;
    case Mod::ne:
      return !unordered && a != b;
    case Mod::lt:
    case Mod::lo:
      return !unordered && a < b;
    case Mod::le:
    case Mod::ls:
      return !unordered && a <= b;
    case Mod::gt:
    case Mod::hi:
      return !unordered && a > b;
    case Mod::ge:
    case Mod::hs:
      return !unordered && a >= b;
    case Mod::equ:
      return unordered || a == b;
    case Mod::neu:
      return unordered || a != b;
    case Mod::ltu:
      return unordered || a < b;
    case Mod::leu:
      return unordered || a <= b;
    case Mod::gtu:
      return unordered || a > b;
    case Mod::geu:
      return unordered || a >= b;
    case Mod::num:
      return !unordered;
    default:
      return unordered;  // nan
  }
}

int leading_bit(Int v) {  // index of the highest set bit; -1: none
  int at = -1;
  for (int k = 0; k < 64; ++k)
    if (v >> k & 1) at = k;
  return at;
}

bool evaluate_integer(const ir::Instruction& in, const std::vector<uint64_t>& s, uint64_t& d) {
  Type type = in.type();
  int bits = isa::bits(type);
  auto n = [&](size_t k) { return number(s[k], type); };
  auto low = [&](Int v) { d = cut(uint64_t(v), bits); };
  bool sign = isa::is_signed(type);
  auto product = [&]() -> Unsigned { return Unsigned(n(0)) * Unsigned(n(1)); };
  auto high = [&] { return sign ? Int(product()) >> bits : Int(product() >> bits); };
  switch (in.op) {
    case Op::add_int:
      low(n(0) + n(1));
      return true;
    case Op::add_sat_s32:
      d = clamp(n(0) + n(1), type);
      return true;
    case Op::sub_int:
      low(n(0) - n(1));
      return true;
    case Op::sub_sat_s32:
      d = clamp(n(0) - n(1), type);
      return true;
    case Op::mul_lo:
      low(Int(product()));
      return true;
    case Op::mul_hi:
      low(high());
      return true;
    case Op::mul_wide:
      d = cut(uint64_t(product()), 2 * bits);
      return true;
    case Op::mad_lo:
      low(Int(product() + Unsigned(n(2))));
      return true;
    case Op::mad_hi:
      low(high() + n(2));
      return true;
    case Op::mad_wide:
      d = cut(uint64_t(product()) + s[2], 2 * bits);
      return true;
    case Op::sad:
      low(n(2) + (n(0) < n(1) ? n(1) - n(0) : n(0) - n(1)));
      return true;
    case Op::div_int:
      low(n(1) == 0 ? Int(-1) : n(0) / n(1));
      return true;  // by zero: as the chapter says
    case Op::rem_int:
      low(n(1) == 0 ? Int(-1) : n(0) % n(1));
      return true;
    case Op::abs_int:
      low(n(0) < 0 ? -n(0) : n(0));
      return true;
    case Op::neg_int:
      low(-n(0));
      return true;
    case Op::min_int:
      low(n(0) < n(1) ? n(0) : n(1));
      return true;
    case Op::max_int:
      low(n(0) < n(1) ? n(1) : n(0));
      return true;
    case Op::popc:
      d = 0;
      for (int k = 0; k < bits; ++k) d += s[0] >> k & 1;
      return true;
    case Op::clz:
      d = uint64_t(bits - 1 - leading_bit(number(s[0], type)));
      return true;
    case Op::bfind: {
      Int v = n(0);
      if (v < 0) v = ~v;
      d = cut(uint64_t(leading_bit(v)), 32);
      return true;
    }
    case Op::brev:
      d = 0;
      for (int k = 0; k < bits; ++k) d |= (s[0] >> k & 1) << (bits - 1 - k);
      return true;
    case Op::bfe: {  // bit by bit, as the manual writes it
      // The low 8 bits count, as the manual says; for 64-bit values all of them, as an H200 does
      // (docs/conformance.md).
      auto amount = [&](uint64_t v) { return int64_t(bits == 64 ? uint32_t(v) : v & 0xff); };
      int64_t position = amount(s[1]), length = amount(s[2]), most = bits - 1;
      bool fill = sign && length > 0 && (s[0] >> std::min(position + length - 1, most) & 1);
      d = 0;
      for (int k = 0; k <= most; ++k) {
        bool bit = k < length && position + k <= most ? s[0] >> (position + k) & 1 : fill;
        d |= uint64_t{bit} << k;
      }
      return true;
    }
    case Op::bfi: {
      auto amount = [&](uint64_t v) { return int64_t(bits == 64 ? uint32_t(v) : v & 0xff); };
      int64_t position = amount(s[2]), length = amount(s[3]);
      d = s[1];
      for (int k = 0; k < length && position + k < bits; ++k)
        d = (d & ~(uint64_t{1} << (position + k))) | (s[0] >> k & 1) << (position + k);
      return true;
    }
    case Op::and_:
      d = s[0] & s[1];
      return true;
    case Op::or_:
      d = s[0] | s[1];
      return true;
    case Op::xor_:
      d = s[0] ^ s[1];
      return true;
    case Op::not_:
      low(Int(~s[0]));
      return true;
    case Op::cnot:
      d = s[0] == 0;
      return true;
    case Op::lop3:
      d = 0;
      for (int k = 0; k < 32; ++k)
        d |= (s[3] >> ((s[0] >> k & 1) << 2 | (s[1] >> k & 1) << 1 | (s[2] >> k & 1)) & 1) << k;
      return true;
    case Op::shl:
      d = s[1] >= uint64_t(bits) ? 0 : cut(s[0] << s[1], bits);
      return true;
    case Op::shr:
      low(n(0) >> (s[1] >= uint64_t(bits) ? 127 : int(s[1])));
      return true;
    case Op::shf_l:
    case Op::shf_r: {
      uint64_t by = in.mod(Slot::edge) == Mod::clamp ? std::min<uint64_t>(s[2], 32) : s[2] % 32;
      Unsigned both = Unsigned(s[1]) << 32 | s[0];
      d = cut(uint64_t(in.op == Op::shf_l ? (both << by) >> 32 : both >> by), 32);
      return true;
    }
    case Op::prmt:
      d = 0;
      for (int k = 0; k < 4; ++k) {
        unsigned pick = unsigned(s[2] >> 4 * k) & 15;
        uint64_t byte = ((s[1] << 32 | s[0]) >> 8 * (pick & 7)) & 0xff;
        if (pick & 8) byte = byte & 0x80 ? 0xff : 0;
        d |= byte << 8 * k;
      }
      return true;
    default:
      return false;
  }
}

template <class T>
T from_bits(uint64_t v) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<float>(uint32_t(v));
  else
    return std::bit_cast<double>(v);
}
template <class T>
uint64_t to_bits(T v) {
  if constexpr (sizeof(T) == 4)
    return std::isnan(v) ? 0x7fffffff : std::bit_cast<uint32_t>(v);
  else
    return std::bit_cast<uint64_t>(v);
}
template <class T>
T flushed(T v, bool on) {
  return on && std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(T(0), v) : v;
}
template <class T>
bool below(T a, T b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

template <class T>
bool evaluate_float(const ir::Instruction& in, const std::vector<uint64_t>& s, uint64_t& d) {
  bool ftz = in.has(Mod::ftz), sat = in.has(Mod::sat);
  auto x = [&](size_t k) { return flushed(from_bits<T>(s[k]), ftz); };
  auto done = [&](T v) {
    v = flushed(v, ftz);
    if (sat) v = v > 0 ? (v < 1 ? v : T(1)) : T(0);  // NaN: 0
    d = to_bits(v);
    return true;
  };
  switch (in.op) {
    case Op::add_f32:
    case Op::add_f64:
      return done(x(0) + x(1));
    case Op::sub_f32:
    case Op::sub_f64:
      return done(x(0) - x(1));
    case Op::mul_f32:
    case Op::mul_f64:
      return done(x(0) * x(1));
    case Op::fma_f32:
    case Op::fma_f64:
      return done(std::fma(x(0), x(1), x(2)));
    case Op::div_f32:
    case Op::div_f64:
      return done(x(0) / x(1));
    case Op::sqrt_f32:
    case Op::sqrt_f64:
      return done(std::sqrt(x(0)));
    case Op::abs_f32:
    case Op::abs_f64:
      return done(std::fabs(x(0)));
    case Op::neg_f32:
    case Op::neg_f64:
      return done(-x(0));
    case Op::min_f32:
    case Op::min_f64:
      return done(std::isnan(x(0)) ? x(1) : std::isnan(x(1)) ? x(0) : below(x(1), x(0)) ? x(1) : x(0));
    case Op::max_f32:
    case Op::max_f64:
      return done(std::isnan(x(0)) ? x(1) : std::isnan(x(1)) ? x(0) : below(x(0), x(1)) ? x(1) : x(0));
    default:
      return false;
  }
}

bool evaluate_compare(const ir::Instruction& in, const std::vector<uint64_t>& s, uint64_t& p, uint64_t& q) {
  Type type = in.type();
  bool r = false;
  switch (in.op) {
    case Op::setp_int:
    case Op::setp_int_bool: {
      Mod op = in.mod(Slot::icmp);
      bool as_unsigned = op == Mod::lo || op == Mod::ls || op == Mod::hi || op == Mod::hs;
      Int a = as_unsigned ? Int(s[0]) : number(s[0], type), b = as_unsigned ? Int(s[1]) : number(s[1], type);
      r = compare(op, a, b, false);
      break;
    }
    case Op::setp_fp:
    case Op::setp_fp_bool: {
      bool ftz = in.has(Mod::ftz);
      double a = type == Type::f32 ? double(flushed(from_bits<float>(s[0]), ftz)) : from_bits<double>(s[0]);
      double b = type == Type::f32 ? double(flushed(from_bits<float>(s[1]), ftz)) : from_bits<double>(s[1]);
      r = compare(in.mod(Slot::fcmp), a, b, std::isnan(a) || std::isnan(b));
      break;
    }
    default:
      return false;
  }
  p = r, q = !r;
  if (in.mod(Slot::logic) != Mod::none) {
    p = logic(in.mod(Slot::logic), r, s[2]);
    q = logic(in.mod(Slot::logic), !r, s[2]);
  }
  return true;
}

double rounded(double v, Mod mode) {
  return mode == Mod::rzi   ? std::trunc(v)
         : mode == Mod::rmi ? std::floor(v)
         : mode == Mod::rpi ? std::ceil(v)
                            : std::nearbyint(v);
}

bool evaluate_conversion(const ir::Instruction& in, const std::vector<uint64_t>& s, uint64_t& d) {
  if (in.op != Op::cvt_int && in.op != Op::cvt_int_sat && in.op != Op::cvt_int_to_fp &&
      in.op != Op::cvt_fp_to_int && in.op != Op::cvt_fp)
    return false;
  Type to = in.type(Slot::dtype), from = in.type(Slot::atype);
  auto real = [&] {
    return from == Type::f32 ? double(flushed(from_bits<float>(s[0]), in.has(Mod::ftz)))
                             : from_bits<double>(s[0]);
  };
  switch (in.op) {
    case Op::cvt_int:
      d = cut(uint64_t(number(s[0], from)), isa::bits(to));
      return true;
    case Op::cvt_int_sat:
      d = clamp(number(s[0], from), to);
      return true;
    case Op::cvt_int_to_fp: {  // only .rn is known here
      int64_t v = int64_t(number(s[0], from));
      bool big = !isa::is_signed(from);
      d = to == Type::f32 ? to_bits(big ? float(uint64_t(v)) : float(v))
                          : to_bits(big ? double(uint64_t(v)) : double(v));
      return true;
    }
    case Op::cvt_fp_to_int: {
      double v = rounded(real(), in.mod(Slot::irnd));
      if (std::isnan(v))
        d = from != Type::f64 && isa::bits(to) != 64 ? 0 : uint64_t{1} << (isa::bits(to) - 1);
      else if (v <= -0x1p100)
        d = clamp(lowest(to), to);
      else
        d = v >= 0x1p100 ? clamp(highest(to), to) : clamp(Int(v), to);
      return true;
    }
    default: {
      double v = real();
      Mod mode = in.mod(Slot::cvtrnd);
      if (mode == Mod::rni || mode == Mod::rzi || mode == Mod::rmi || mode == Mod::rpi) v = rounded(v, mode);
      // A NaN of f64 keeps its sign and the top of its payload as f32, as on an H200 (docs/conformance.md).
      if (to == Type::f32 && from == Type::f64 && std::isnan(v))
        d = std::bit_cast<uint32_t>(float(v));
      else
        d = to == Type::f32 ? to_bits(flushed(float(v), in.has(Mod::ftz))) : to_bits(v);
      return true;
    }
  }
}

}  // namespace

uint64_t extend(uint64_t value, Type type, int to_bits) {
  int bits = isa::bits(type);
  value = cut(value, bits);
  if (isa::is_signed(type) && bits < 64 && value >> (bits - 1) & 1) value |= ~uint64_t{0} << bits;
  return cut(value, to_bits);
}

bool evaluate(const ir::Instruction& in, const std::vector<uint64_t>& s, uint64_t& first, uint64_t& second) {
  switch (in.op) {
    case Op::mov:
      first = s[0];
      return true;
    case Op::cvta_to:
      first = s[0];
      return true;  // global addresses are generic ones
    case Op::selp:
      first = s[2] ? s[0] : s[1];
      return true;
    default:
      break;
  }
  if (evaluate_compare(in, s, first, second) || evaluate_conversion(in, s, first) ||
      evaluate_integer(in, s, first))
    return true;
  return in.type() == Type::f64 ? evaluate_float<double>(in, s, first) : evaluate_float<float>(in, s, first);
}

uint64_t updated(Mod operation, Type type, uint64_t old, uint64_t b, uint64_t c) {
  Int x = number(old, type), y = number(b, type);
  switch (operation) {
    case Mod::add:
      return cut(old + b, isa::bits(type));
    case Mod::min:
      return x < y ? old : b;
    case Mod::max:
      return x < y ? b : old;
    case Mod::and_:
      return old & b;
    case Mod::or_:
      return old | b;
    case Mod::xor_:
      return old ^ b;
    case Mod::inc:
      return x >= y ? 0 : old + 1;
    case Mod::dec:
      return x == 0 || x > y ? b : old - 1;
    case Mod::cas:
      return old == b ? c : old;
    default:
      return b;  // exch
  }
}

}  // namespace ww::reference
