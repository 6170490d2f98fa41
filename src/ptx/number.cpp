#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "ptx/constant.h"

namespace ww::ptx {

namespace {

bool digits(std::string_view text, int base, uint64_t& value) {
  auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return status == std::errc() && end == text.data() + text.size() && !text.empty();
}

Constant real(double value) { return {Constant::Kind::Float, 0, value}; }

std::optional<Constant> floating_bits(std::string_view text) {
  Constant c;
  if (!digits(text.substr(2), 16, c.integer)) return std::nullopt;
  if ((text[1] | 32) == 'f' && text.size() == 10) {
    c.kind = Constant::Kind::Bits32;
    c.real = std::bit_cast<float>(static_cast<uint32_t>(c.integer));
    return c;
  }
  if ((text[1] | 32) == 'd' && text.size() == 18) {
    c.kind = Constant::Kind::Bits64;
    c.real = std::bit_cast<double>(c.integer);
    return c;
  }
  return std::nullopt;
}

std::optional<Constant> number(std::string_view text) {
  char second = text.size() > 1 ? static_cast<char>(text[1] | 32) : '\0';
  bool zero = text[0] == '0';
  if (zero && (second == 'f' || second == 'd')) return floating_bits(text);
  bool hexadecimal = zero && second == 'x';
  if (!hexadecimal && text.find_first_of(".eE") != text.npos) {
    double value = 0;
    auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || status == std::errc::invalid_argument) return std::nullopt;
    if (status != std::errc()) return std::nullopt;  // out of range
    return real(value);
  }
  bool is_unsigned = text.back() == 'U' || text.back() == 'u';
  if (is_unsigned) text.remove_suffix(1);
  Constant c;
  bool good = hexadecimal               ? digits(text.substr(2), 16, c.integer)
              : zero && second == 'b'   ? digits(text.substr(2), 2, c.integer)
              : zero && text.size() > 1 ? digits(text.substr(1), 8, c.integer)
                                        : digits(text, 10, c.integer);
  if (!good) return std::nullopt;
  c.kind = is_unsigned || c.integer >> 63 ? Constant::Kind::Unsigned : Constant::Kind::Signed;
  return c;
}

uint64_t extend(uint64_t value, ir::Type type) {
  int unused = 64 - isa::bits(type);
  if (unused <= 0) return value;
  return isa::is_signed(type) ? static_cast<uint64_t>(static_cast<int64_t>(value << unused) >> unused)
                              : value << unused >> unused;
}

}  // namespace

std::optional<Constant> read_number(Reader& in) {
  Token token = in.take();
  auto value = number(token.text);
  if (!value)
    in.error(token, fmt::format("'{}' is not a number", shown(token.text)),
             "numbers are 12, 0x1f, 017, 0b101 (each may end in U), 1.5, 0f and 8 or 0d and 16 hexadecimal "
             "digits, "
             "and fit in 64 bits");
  return value;
}

std::optional<uint64_t> bits_of(const Constant& c, ir::Type type) {
  using isa::Type;
  using isa::TypeClass;
  int width = isa::bits(type);
  TypeClass kind = isa::type_class(type);
  if (type == Type::pred) {
    if (!c.is_integer()) return std::nullopt;
    return c.integer != 0;
  }
  if (c.is_integer()) {
    if (type == Type::f32 || type == Type::f64) return std::nullopt;  // as ptxas
    return extend(c.integer, type);  // half and packed types: the bits themselves
  }
  if (type == Type::f32 || (kind == TypeClass::Bits && width == 32)) {
    if (c.kind == Constant::Kind::Bits32) return c.integer;
    if (type == Type::f32) return std::bit_cast<uint32_t>(static_cast<float>(c.real));
    return std::nullopt;
  }
  if (type == Type::f64 || (kind == TypeClass::Bits && width == 64)) {
    if (c.kind == Constant::Kind::Bits64) return c.integer;
    if (type == Type::f64) return std::bit_cast<uint64_t>(c.real);
  }
  return std::nullopt;
}

}  // namespace ww::ptx
