#include <fmt/format.h>

#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/half.h"
#include "base/text.h"
#include "cli/launch/argument_kinds.h"

namespace ww::cli {

namespace {

using npy::Dtype;
constexpr TypeName kTypes[] = {
    {"s8", Dtype::I1},  {"s16", Dtype::I2}, {"s32", Dtype::I4}, {"s64", Dtype::I8},  {"u8", Dtype::U1},
    {"u16", Dtype::U2}, {"u32", Dtype::U4}, {"u64", Dtype::U8}, {"b8", Dtype::U1},   {"b16", Dtype::U2},
    {"b32", Dtype::U4}, {"b64", Dtype::U8}, {"f16", Dtype::F2}, {"bf16", Dtype::U2}, {"f32", Dtype::F4},
    {"f64", Dtype::F8}, {"bool", Dtype::B1}};

int bits_of(std::string_view type) {
  return std::atoi(std::string(type.substr(type.find_first_of("123456789"))).c_str());
}

template <class T>
ScalarArgument scalar(T value, size_t bytes = sizeof(T)) {
  ScalarArgument out;  // its type and text come later
  out.bytes.resize(bytes);
  std::memcpy(out.bytes.data(), &value, bytes);
  return out;
}

Result<LaunchArgument> boolean(std::string_view text) {
  if (text == "1" || text == "true") return LaunchArgument(scalar(uint8_t{1}));
  if (text == "0" || text == "false") return LaunchArgument(scalar(uint8_t{0}));
  return error(fmt::format("'{}' is not a bool", printable(text)), "bool:1 or bool:0");
}

Result<LaunchArgument> integer(std::string_view type, std::string_view text) {
  std::string_view digits = text;
  bool negative = !digits.empty() && digits[0] == '-';
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2), base = 16;
  uint64_t value = 0;
  auto [end, trouble] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (trouble == std::errc::invalid_argument || end != digits.data() + digits.size())
    return error(fmt::format("'{}' is not an integer", printable(text)),
                 fmt::format("for example {}:7 or {}:0x1f", type, type));
  int bits = bits_of(type);
  // b types take what either a signed or an unsigned one takes.
  uint64_t most = ~uint64_t{0} >> (64 - bits) >> (type[0] == 's' ? 1 : 0);
  uint64_t least = type[0] == 'u' ? 0 : uint64_t{1} << (bits - 1);
  if (trouble != std::errc() || value > (negative ? least : most))
    return error(fmt::format("{} does not fit {}", printable(text), type),
                 fmt::format("{}{} … {}", least ? "-" : "", least, most));
  return LaunchArgument(scalar(negative ? 0 - value : value, static_cast<size_t>(bits / 8)));
}

/// Rounded towards zero and its last bit made 1 where that was not exact: a second rounding to a shorter type
/// is then as if it had been the only one.
float round_to_odd(double value) {
  auto single = static_cast<float>(value);
  if (std::isnan(value) || std::isinf(value) || single == value) return single;
  if (std::isinf(single) || std::fabs(static_cast<double>(single)) > std::fabs(value))
    single = std::nextafterf(single, 0);
  return std::bit_cast<float>(std::bit_cast<uint32_t>(single) | 1);
}

Result<LaunchArgument> floating(std::string_view type, std::string_view text) {
  std::string copy(text);
  const char* begin = copy.c_str();
  char* end = nullptr;
  double wide = std::strtod(begin, &end);
  if (copy.empty() || std::isspace(static_cast<unsigned char>(copy[0])) || end != begin + copy.size())
    return error(fmt::format("'{}' is not a number", printable(text)),
                 fmt::format("for example {}:1.5, {}:1e-3, {}:inf or {}:nan", type, type, type, type));
  bool finite = copy.find_first_of("iInN") == copy.npos;  // the number itself is inf or nan
  float narrow = std::strtof(begin, nullptr);
  double rounded = wide;
  LaunchArgument out = scalar(wide);
  if (type == "f32") out = scalar(narrow), rounded = narrow;
  if (type == "f16") {
    f16 half = to_f16(round_to_odd(wide));
    out = scalar(half.bits), rounded = to_float(half);
  } else if (type == "bf16") {
    bf16 half = to_bf16(round_to_odd(wide));
    out = scalar(half.bits), rounded = to_float(half);
  }
  if (finite && !std::isfinite(rounded))
    return error(fmt::format("{} is out of the range of {}", printable(text), type));
  return out;
}

}  // namespace

std::vector<std::string> type_names() {
  std::vector<std::string> out;
  for (const TypeName& type : kTypes) out.emplace_back(type.name);
  return out;
}

const TypeName* type_named(std::string_view name) {
  for (const TypeName& type : kTypes)
    if (type.name == name) return &type;
  return nullptr;
}

Result<LaunchArgument> hexadecimal(std::string_view text) {
  ScalarArgument out{"hex", std::string(text), {}};
  for (size_t i = 0; i + 1 < text.size() + text.size() % 2; i += 2) {
    unsigned value = 0;
    auto [end, trouble] =
        std::from_chars(text.data() + i, text.data() + std::min(i + 2, text.size()), value, 16);
    if (trouble != std::errc() || end != text.data() + i + 2)
      return error(fmt::format("'{}' are no bytes", printable(shortened(text, 40))),
                   "two hexadecimal digits for each byte, for example hex:0000803f");
    out.bytes.push_back(static_cast<std::byte>(value));
  }
  if (out.bytes.empty()) return error("hex: holds no bytes", "for example hex:0000803f");
  return LaunchArgument(std::move(out));
}

bool is_number(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  (void)std::strtod(copy.c_str(), &end);
  return !copy.empty() && !std::isspace(static_cast<unsigned char>(copy[0])) &&
         end == copy.c_str() + copy.size();
}

bool is_integer(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text.starts_with("0x") || text.starts_with("0X"))
    return text.find_first_not_of("0123456789abcdefABCDEF", 2) == text.npos;
  return text.find_first_not_of("0123456789") == text.npos;
}

Result<LaunchArgument> typed_scalar(std::string_view type, std::string_view text) {
  auto parsed = type == "bool"                     ? boolean(text)
                : type[0] == 'f' || type == "bf16" ? floating(type, text)
                                                   : integer(type, text);
  if (parsed) std::get<ScalarArgument>(*parsed).type = type, std::get<ScalarArgument>(*parsed).text = text;
  return parsed;
}

std::string element_of(npy::Dtype dtype) {
  for (const TypeName& type : kTypes)
    if (type.dtype == dtype) return std::string(type.name);
  return "u8";
}

Result<ScalarArgument> with_type(const ScalarArgument& number, std::string_view type) {
  auto parsed = typed_scalar(type, number.text);
  if (!parsed) return parsed.error();
  auto out = std::get<ScalarArgument>(std::move(*parsed));
  out.raw = number.raw;
  return out;
}

}  // namespace ww::cli
