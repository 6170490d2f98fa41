#include "field.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "base/half.h"

namespace ww::runtest {

namespace {

uint64_t mask_of(const Field& f) { return f.bits == 64 ? ~uint64_t{0} : (uint64_t{1} << f.bits) - 1; }

uint64_t canonical_nan(const Field& f) {
  return f.bits == 64 ? 0x7ff8000000000000u : f.bits == 32 ? 0x7fffffffu : 0x7fffu;
}

/// The bits of the number nearest to a text.
uint64_t float_bits(const Field& f, const std::string& text) {
  if (f.type == "f64") return std::bit_cast<uint64_t>(std::strtod(text.c_str(), nullptr));
  float single = std::strtof(text.c_str(), nullptr);
  if (f.type == "f16") return to_f16(single).bits;
  if (f.type == "bf16") return to_bf16(single).bits;
  return std::bit_cast<uint32_t>(single);
}

int64_t as_signed(const Field& f, uint64_t bits) {
  return static_cast<int64_t>(bits << (64 - f.bits)) >> (64 - f.bits);
}

/// Floats of one format on a line on which neighbours differ by 1.
int64_t on_line(const Field& f, uint64_t bits) {
  uint64_t sign = uint64_t{1} << (f.bits - 1);
  int64_t magnitude = static_cast<int64_t>(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

}  // namespace

bool set_type(Field& field, std::string_view type) {
  static constexpr std::pair<std::string_view, unsigned> kTypes[] = {
      {"b8", 8},    {"u8", 8},   {"s8", 8},     {"b16", 16},   {"u16", 16},   {"s16", 16},    {"f16", 16},
      {"bf16", 16}, {"b32", 32}, {"u32", 32},   {"s32", 32},   {"f32", 32},   {"b64", 64},    {"u64", 64},
      {"s64", 64},  {"f64", 64}, {"u16x2", 32}, {"s16x2", 32}, {"f16x2", 32}, {"bf16x2", 32}, {"pred", 32}};
  for (auto [name, bits] : kTypes)
    if (name == type) {
      field.type = type;
      field.bits = bits;
      return true;
    }
  return false;
}

std::optional<uint64_t> parse_value(const Field& f, std::string_view text) {
  std::string s(text);
  char* end = nullptr;
  if (s.starts_with("0x")) {
    uint64_t v = std::strtoull(s.c_str(), &end, 16);
    return *end || s.size() == 2 || (v & ~mask_of(f)) ? std::nullopt : std::optional(v);
  }
  if (f.is_float() && !f.packed()) {
    if (s == "nan") return canonical_nan(f);
    std::strtod(s.c_str(), &end);
    if (s.empty() || *end) return std::nullopt;
    return float_bits(f, s);
  }
  bool negative = s.starts_with("-");
  uint64_t v = 0;
  auto [stop, problem] = std::from_chars(s.data() + negative, s.data() + s.size(), v);
  if (problem != std::errc{} || stop != s.data() + s.size()) return std::nullopt;
  return (negative ? 0 - v : v) & mask_of(f);
}

std::optional<Bound> parse_bound(std::string_view kind, std::string_view size) {
  std::string text(size);
  char* end = nullptr;
  double v = std::strtod(text.c_str(), &end);
  if (text.empty() || *end) return std::nullopt;
  if (kind == "ulp") return Bound{Bound::Kind::Ulp, v};
  if (kind == "abs") return Bound{Bound::Kind::Abs, v};
  if (kind == "rel") return Bound{Bound::Kind::Rel, v};
  return std::nullopt;
}

std::optional<Expected> parse_expected(const Field& f, std::string_view text) {
  Expected e;
  if (text == "?") return e.kind = Expected::Kind::Open, e;
  if (text == "nan") return e.kind = Expected::Kind::AnyNan, e;
  size_t tilde = text.find('~');
  auto bits = parse_value(f, text.substr(0, tilde));
  if (!bits) return std::nullopt;
  e.bits = *bits;
  while (tilde != text.npos) {
    size_t next = text.find('~', tilde + 1);
    std::string_view part = text.substr(tilde + 1, next == text.npos ? next : next - tilde - 1);
    size_t colon = part.find(':');
    if (colon == part.npos) return std::nullopt;
    auto bound = parse_bound(part.substr(0, colon), part.substr(colon + 1));
    if (!bound) return std::nullopt;
    e.bounds.push_back(*bound);
    tilde = next;
  }
  return e;
}

bool is_nan(const Field& f, uint64_t bits) {
  if (!f.is_float() || f.packed()) return false;
  uint64_t infinity = f.type == "f64"   ? 0x7ff0000000000000u
                      : f.type == "f32" ? 0x7f800000u
                      : f.type == "f16" ? 0x7c00u
                                        : 0x7f80u;
  return (bits & (mask_of(f) >> 1)) > infinity;
}

double number(const Field& f, uint64_t bits) {
  if (f.type == "f64") return std::bit_cast<double>(bits);
  if (f.type == "f16") return to_float(f16{static_cast<uint16_t>(bits)});
  if (f.type == "bf16") return to_float(bf16{static_cast<uint16_t>(bits)});
  return std::bit_cast<float>(static_cast<uint32_t>(bits));
}

std::string shown(const Field& f, uint64_t bits) {
  if (f.type == "pred") return fmt::format("{}", bits);
  std::string hex = fmt::format("0x{:0{}x}", bits, f.bits / 4);
  if (f.packed() || f.type[0] == 'b') {
    if (f.type != "bf16") return hex;
  }
  if (f.is_float())
    return is_nan(f, bits) ? fmt::format("{} (nan)", hex) : fmt::format("{} ({:.9g})", hex, number(f, bits));
  if (f.type[0] == 's') return fmt::format("{}", as_signed(f, bits));
  return bits < 10000 ? fmt::format("{}", bits) : hex;
}

std::string shown(const Field& f, const Expected& e) {
  if (e.kind == Expected::Kind::Open) return "?";
  if (e.kind == Expected::Kind::AnyNan) return "nan";
  std::string text = shown(f, e.bits);
  for (const Bound& b : e.bounds)
    text += fmt::format(" ~{}:{:g}",
                        b.kind == Bound::Kind::Ulp   ? "ulp"
                        : b.kind == Bound::Kind::Abs ? "abs"
                                                     : "rel",
                        b.size);
  return text;
}

bool within(const Field& f, uint64_t want, uint64_t got, const std::vector<Bound>& bounds) {
  if (want == got) return true;
  if (f.packed() && f.is_float() && !bounds.empty()) {
    Field half = f;
    half.type = f.type.substr(0, f.type.size() - 2);
    half.bits = 16;
    return within(half, want & 0xffff, got & 0xffff, bounds) && within(half, want >> 16, got >> 16, bounds);
  }
  if (bounds.empty() || is_nan(f, want) || is_nan(f, got)) return false;
  double a = number(f, want), b = number(f, got);
  for (const Bound& bound : bounds) {
    bool near = bound.kind == Bound::Kind::Ulp
                    ? std::fabs(static_cast<double>(on_line(f, want) - on_line(f, got))) <= bound.size
                    : std::fabs(a - b) <= bound.size * (bound.kind == Bound::Kind::Rel ? std::fabs(a) : 1);
    if (near) return true;
  }
  return false;
}

bool matches(const Field& f, const Expected& e, uint64_t got) {
  switch (e.kind) {
    case Expected::Kind::Open:
      return true;
    case Expected::Kind::AnyNan:
      return is_nan(f, got);
    default:
      return within(f, e.bits, got, e.bounds);
  }
}

namespace {

uint64_t any_float(const Field& f, std::mt19937_64& random) {
  unsigned mantissa = f.type == "f64" ? 52 : f.type == "f32" ? 23 : f.type == "f16" ? 10 : 7;
  unsigned exponent_bits = f.bits - 1 - mantissa;
  uint64_t bias = (uint64_t{1} << (exponent_bits - 1)) - 1, top = (uint64_t{1} << exponent_bits) - 1;
  uint64_t sign = random() % 2 << (f.bits - 1), fraction = random() & ((uint64_t{1} << mantissa) - 1);
  switch (random() % 8) {
    case 0:
      return random() & mask_of(f);
    case 1: {  // special values
      uint64_t one = bias << mantissa, infinity = top << mantissa;
      const uint64_t specials[] = {0,
                                   1,
                                   (uint64_t{1} << mantissa) - 1,
                                   uint64_t{1} << mantissa,
                                   one,
                                   one + 1,
                                   one - 1,
                                   infinity - 1,
                                   infinity,
                                   infinity + 1,
                                   canonical_nan(f),
                                   one | uint64_t{1} << (mantissa - 1)};
      return sign | specials[random() % std::size(specials)];
    }
    case 2:
      return sign | (random() % 2 ? random() % 3 : top - 1 - random() % 3) << mantissa |
             fraction;  // near the limits
    case 3:
      return float_bits(f, std::to_string(static_cast<int>(random() % 2049) - 1024)) &
             mask_of(f);  // small integers
    case 4:
      return sign | (bias - 2 + random() % 5) << mantissa |
             (fraction & ~((uint64_t{1} << (mantissa - 3)) - 1));  // few bits
    case 5:
      return sign | (bias - mantissa + random() % (2 * mantissa)) << mantissa | fraction;
    default:
      return sign | (bias - 4 + random() % 9) << mantissa | fraction;
  }
}

uint64_t any_integer(const Field& f, std::mt19937_64& random) {
  uint64_t top = uint64_t{1} << (f.bits - 1);
  switch (random() % 6) {
    case 0:
      return (random() % 65 - 32) & mask_of(f);
    case 1:
      return (random() >> (random() % 64)) & mask_of(f);
    case 2:
      return (0 - (random() >> (random() % 64))) & mask_of(f);
    case 3:
      return (top + random() % 5 - 2) & mask_of(f);
    case 4:
      return (uint64_t{1} << (random() % f.bits)) - (random() % 2);
    default:
      return random() & mask_of(f);
  }
}

}  // namespace

uint64_t draw(const Field& f, const Draw& how, std::mt19937_64& random) {
  if (how.kind == Draw::Kind::OneOf) return how.values[random() % how.values.size()];
  if (how.kind == Draw::Kind::Range) {
    if (!f.is_float()) {
      auto low = static_cast<int64_t>(how.low), high = static_cast<int64_t>(how.high);
      return static_cast<uint64_t>(low +
                                   static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1))) &
             mask_of(f);
    }
    double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    return float_bits(f, fmt::format("{:.17g}", how.low + unit * (how.high - how.low)));
  }
  if (f.type == "pred") return random() % 2;
  for (;;) {
    uint64_t v;
    if (f.packed() && f.is_float()) {
      Field half = f;
      half.type = f.type.substr(0, f.type.size() - 2);
      half.bits = 16;
      v = any_float(half, random) | any_float(half, random) << 16;
    } else if (f.packed()) {
      Field half = f;
      half.bits = 16;
      v = any_integer(half, random) | any_integer(half, random) << 16;
    } else {
      v = f.is_float() ? any_float(f, random) : any_integer(f, random);
    }
    if (how.kind == Draw::Kind::Nonzero && v == 0) continue;
    if (how.kind == Draw::Kind::Finite && !std::isfinite(number(f, v))) continue;
    return v;
  }
}

}  // namespace ww::runtest
