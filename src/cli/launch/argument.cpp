#include "cli/launch/argument.h"

#include <fmt/format.h>

#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/expression.h"
#include "base/half.h"
#include "base/text.h"

namespace ww::cli {

namespace {

constexpr const char* kForms =
    "f32:1.5, s32:-7, 7, null, hex:00ff, {s32:1,f32:2.5}, in:FILE.npy, inout:FILE.npy, "
    "out:f32[64,32]:FILE.npy, random:f32[1024], tex:f32[64,64] or surf:f32[64,64]; n=7 names the parameter";
constexpr int kDeepest = 16;  // structs in structs

struct TypeName {
  std::string_view name;
  std::optional<npy::Dtype> dtype;
};

using npy::Dtype;
constexpr TypeName kTypes[] = {
    {"s8", Dtype::I1},  {"s16", Dtype::I2}, {"s32", Dtype::I4}, {"s64", Dtype::I8},
    {"u8", Dtype::U1},  {"u16", Dtype::U2}, {"u32", Dtype::U4}, {"u64", Dtype::U8},
    {"b8", Dtype::U1},  {"b16", Dtype::U2}, {"b32", Dtype::U4}, {"b64", Dtype::U8},
    {"f16", Dtype::F2}, {"bf16", {}},       {"f32", Dtype::F4}, {"f64", Dtype::F8}};

const TypeName* type_named(std::string_view name) {
  for (const TypeName& type : kTypes)
    if (type.name == name) return &type;
  return nullptr;
}

Diagnostic unknown_type(std::string_view name) {
  std::vector<std::string> names;
  for (const TypeName& type : kTypes) names.emplace_back(type.name);
  std::string near = nearest(name, names);
  return error(
      fmt::format("'{}' is not a type", printable(name)),
      near.empty() ? fmt::format("{}", fmt::join(names, ", ")) : fmt::format("did you mean {}?", near));
}

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

/// "f32[64,32]" into the argument.
Status element_type(std::string_view text, ArrayArgument& out) {
  size_t open = text.find('[');
  std::string_view name = text.substr(0, open);
  const TypeName* type = type_named(name);
  if (!type) return unknown_type(name);
  if (!type->dtype) return error(fmt::format(".npy files have no {}", name), "use u16, its bits");
  out.dtype = *type->dtype;
  auto wrong = error(fmt::format("'{}' has no shape", printable(text)),
                     fmt::format("for example {}[1024] or {}[64,32]", name, name));
  if (open == text.npos || text.back() != ']') return wrong;
  std::string_view numbers = text.substr(open + 1, text.size() - open - 2);
  std::string unknown;
  const auto no_names = [&](std::string_view n) -> Result<ExpressionValue> {
    unknown = n;
    return error("");
  };
  for (size_t begin = 0, end; begin <= numbers.size(); begin = end + 1) {
    end = begin;
    for (int depth = 0; end < numbers.size() && (depth > 0 || numbers[end] != ','); ++end)
      depth += (numbers[end] == '(') - (numbers[end] == ')');
    const std::string_view one = numbers.substr(begin, end - begin);
    const auto extent = evaluate(one, {}, no_names);
    if (!unknown.empty())
      return error(
          fmt::format("'{}' in {} is not a number", printable(unknown), printable(text)),
          "a shape consists of numbers, f32[1024*1024], and named arguments: n=1024 in=random:f32[n*n]");
    if (!extent || !std::holds_alternative<int64_t>(*extent) || std::get<int64_t>(*extent) <= 0) return wrong;
    out.shape.push_back(static_cast<uint64_t>(std::get<int64_t>(*extent)));
  }
  if (!npy::bytes_of(out.dtype, out.shape))
    return error(fmt::format("an array of {} is too large for any memory", text));
  return {};
}

Result<LaunchArgument> array(ArrayArgument::Kind kind, std::string_view form, std::string_view text) {
  using Kind = ArrayArgument::Kind;
  ArrayArgument out;
  out.kind = kind;
  if (kind == Kind::In || kind == Kind::InOut) {
    out.path = text;
  } else {
    size_t close = text.find(']');
    auto type = text.substr(0, close == text.npos ? text.find(':') : close + 1);
    if (auto ok = element_type(type, out); !ok) return ok.error();
    std::string_view rest = text.substr(type.size());
    if (kind == Kind::Random && !rest.empty())
      return error(fmt::format("'{}' after the shape means nothing", printable(rest)));
    if (kind == Kind::Out && rest.empty()) return LaunchArgument(std::move(out));
    if (kind == Kind::Out && rest.starts_with(':')) out.path = rest.substr(1);
  }
  if (kind != Kind::Random && out.path.empty()) return error(fmt::format("{}: names no file", form), kForms);
  return LaunchArgument(std::move(out));
}

/// "tex,linear,wrap:random:f32[64,64]"; what follows the first colon may be an array's type and shape alone.
Result<LaunchArgument> texture(std::string_view text) {
  TextureArgument out;
  out.surface = text.starts_with("surf");
  const size_t colon = text.find(':');
  const std::string_view head = text.substr(0, colon), rest = text.substr(colon + 1);
  const std::vector<std::string> known = {"clamp",   "wrap",       "mirror", "border", "linear",
                                          "nearest", "normalized", "float",  "x2",     "x4",
                                          "buffer",  "layered",    "cube"};
  for (size_t begin = head.find(','); begin != head.npos; begin = head.find(',', begin + 1)) {
    const std::string word(head.substr(begin + 1, head.find(',', begin + 1) - begin - 1));
    if (word == "clamp" || word == "wrap" || word == "mirror" || word == "border")
      out.address = word;
    else if (word == "linear" || word == "nearest")
      out.linear = word == "linear";
    else if (word == "normalized")
      out.normalized = true;
    else if (word == "float")
      out.as_float = true;
    else if (word == "x2" || word == "x4")
      out.channels = word[1] - '0';
    else if (word == "buffer" || word == "layered" || word == "cube")
      out.shape += (out.shape.empty() ? "" : " ") + word;
    else {
      const std::string near = nearest(word, known);
      return error(
          fmt::format("'{}' is not a property of a texture", printable(word)),
          near.empty() ? fmt::format("{}", fmt::join(known, ", ")) : fmt::format("did you mean {}?", near));
    }
  }
  if ((out.address == "wrap" || out.address == "mirror") && !out.normalized && !out.surface)
    return error(fmt::format("{} is for normalized coordinates only; without them a GPU clamps", out.address),
                 fmt::format("tex,{},normalized:…", out.address));
  if (out.surface && (out.linear || out.normalized || out.as_float || out.address != "clamp"))
    return error("a surface has no addressing and no filter", "surf:f32[64,64] or surf,layered:…");
  using Kind = ArrayArgument::Kind;
  const std::string_view kind = rest.substr(0, rest.find(':'));
  auto texels = kind == "in"       ? array(Kind::In, kind, rest.substr(3))
                : kind == "inout"  ? array(Kind::InOut, kind, rest.substr(6))
                : kind == "out"    ? array(Kind::Out, kind, rest.substr(4))
                : kind == "random" ? array(Kind::Random, kind, rest.substr(7))
                                   : array(out.surface ? Kind::Out : Kind::Random, "tex", rest);
  if (!texels) return texels;
  out.texels = std::get<ArrayArgument>(std::move(*texels));
  if (!out.surface && out.texels.writes())
    return error("a kernel cannot write to a texture", "surf:… is written");
  return LaunchArgument(std::move(out));
}

/// Bytes as they lie in memory, two digits each.
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

/// A number without a type.
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

Result<LaunchArgument> parse(std::string_view text, int depth);

/// Characters before '=' if that is a name: "n", "p.x", "v[2].y", "2+8"; else 0.
size_t name_length(std::string_view text) {
  const size_t length =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]+");
  return length == text.npos || text[length] != '=' ? 0 : length;
}

/// "{a,b,{c,d}}"; commas inside of brackets separate nothing.
Result<LaunchArgument> structure(std::string_view text, int depth) {
  const auto wrong = [&](const char* why) {
    return error(fmt::format("'{}' {}", printable(shortened(text, 60)), why), "for example {s32:1,f32:2.5}");
  };
  if (text.back() != '}') return wrong("does not end with '}'");
  if (depth >= kDeepest) return wrong("holds too many structs in structs");
  StructArgument out;
  int open = 0;
  size_t begin = 1;
  for (size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    const bool end = i + 1 == text.size();
    if (!end && (c == '{' || c == '[')) ++open;
    if (!end && (c == '}' || c == ']') && --open < 0) return wrong("has a bracket that nothing opened");
    if (!end && (c != ',' || open > 0)) continue;
    if (open > 0) return wrong("has a bracket that nothing closes");
    std::string_view piece = text.substr(begin, i - begin);
    const size_t name = name_length(piece);
    if (name > 0) out.names.emplace_back(piece.substr(0, name)), piece.remove_prefix(name + 1);
    auto member = parse(piece, depth + 1);
    if (!member) return member;
    if (auto* number = std::get_if<ScalarArgument>(&*member); number && number->type.empty()) {
      auto typed = with_type(*number, is_integer(number->text) ? "s32" : "f32");
      if (!typed) return typed.error();
      *number = std::move(*typed);
      number->guessed = true;
    }
    out.members.push_back(std::move(*member));
    begin = i + 1;
  }
  if (!out.names.empty() && out.names.size() != out.members.size())
    return wrong("names some of its members and others not");
  return LaunchArgument(std::move(out));
}

Result<LaunchArgument> typed(std::string_view type, std::string_view text) {
  auto parsed = type[0] == 'f' || type == "bf16" ? floating(type, text) : integer(type, text);
  if (parsed) std::get<ScalarArgument>(*parsed).type = type, std::get<ScalarArgument>(*parsed).text = text;
  return parsed;
}

Result<LaunchArgument> parse(std::string_view text, int depth) {
  if (text.starts_with("raw:")) {
    auto meant = parse(text.substr(4), depth);
    if (!meant) return meant;
    if (auto* number = std::get_if<ScalarArgument>(&*meant)) number->raw = true;
    if (auto* array = std::get_if<ArrayArgument>(&*meant)) array->raw = true;
    return meant;
  }
  for (const char* kind : {"tex:", "tex,", "surf:", "surf,"})
    if (text.starts_with(kind) && text.find(':') != text.npos) return texture(text);
  if (text.starts_with('@')) {
    if (text.size() == 1)
      return error("@ names no array", "@out is the array that a kernel before got as 'out'");
    return LaunchArgument(
        ArrayArgument{ArrayArgument::Kind::Shared, Dtype::F4, {}, std::string(text.substr(1)), false});
  }
  if (text == "null" || text == "nullptr") return typed("u64", "0");
  if (text.starts_with('{')) return structure(text, depth);
  if (is_number(text)) return LaunchArgument(ScalarArgument{"", std::string(text), {}});
  size_t colon = text.find(':');
  if (colon == text.npos) return error("it has no prefix such as 'f32:' or 'in:'", kForms);
  std::string_view kind = text.substr(0, colon), rest = text.substr(colon + 1);
  using Kind = ArrayArgument::Kind;
  if (kind == "hex") return hexadecimal(rest);
  if (kind == "in") return array(Kind::In, kind, rest);
  if (kind == "inout") return array(Kind::InOut, kind, rest);
  if (kind == "out") return array(Kind::Out, kind, rest);
  if (kind == "random") return array(Kind::Random, kind, rest);
  if (!type_named(kind)) return error(fmt::format("'{}' is not a kind of argument", printable(kind)), kForms);
  return typed(kind, rest);
}

}  // namespace

std::string element_of(npy::Dtype dtype) {
  for (const TypeName& type : kTypes)
    if (type.dtype == dtype) return std::string(type.name);
  return "u8";  // booleans
}

Result<ScalarArgument> with_type(const ScalarArgument& number, std::string_view type) {
  auto parsed = typed(type, number.text);
  if (!parsed) return parsed.error();
  auto out = std::get<ScalarArgument>(std::move(*parsed));
  out.raw = number.raw;
  return out;
}

Result<LaunchArgument> parse_argument(std::string_view text, std::string_view option) {
  auto parsed = parse(text, 0);
  if (parsed) return parsed;
  Diagnostics why = parsed.error();
  for (auto& d : why)
    d.message = fmt::format("{} '{}': {}", option, printable(shortened(text, 200)), d.message);
  return why;
}

Result<NamedArgument> parse_named_argument(std::string_view text) {
  const size_t length = name_length(text);
  NamedArgument out;
  out.text = text;
  std::string_view name = text.substr(0, length);
  if (length > 0) {
    const size_t end = std::min(name.find_first_of(".+["), name.size());
    out.name = name.substr(0, end);
    out.path = name.substr(end);
    if (out.path.starts_with('.')) out.path.erase(0, 1);
    if (out.name.empty())
      return error(fmt::format("--arg '{}' names nothing before '='", printable(shortened(text, 200))),
                   "for example n=5, p.x=1 or 2=f32:1 (the second argument)");
    text.remove_prefix(length + 1);
  }
  auto value = parse_argument(text, length > 0 ? "--arg " + printable(name) + "=" : "--arg");
  if (!value) return value.error();
  out.value = std::move(*value);
  return out;
}

}  // namespace ww::cli
