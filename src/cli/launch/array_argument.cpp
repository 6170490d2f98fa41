#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "base/expression.h"
#include "base/text.h"
#include "cli/launch/argument_kinds.h"

namespace ww::cli {

namespace {

using npy::Dtype;

Diagnostic unknown_type(std::string_view name) {
  const std::vector<std::string> names = type_names();
  std::string near = nearest(name, names);
  return error(
      fmt::format("'{}' is not a type", printable(name)),
      near.empty() ? fmt::format("{}", fmt::join(names, ", ")) : fmt::format("did you mean {}?", near));
}

/// "f32[64,32]" into the argument.
Status element_type(std::string_view text, ArrayArgument& out) {
  size_t open = text.find('[');
  std::string_view name = text.substr(0, open);
  const TypeName* type = type_named(name);
  if (!type) return unknown_type(name);
  out.dtype = type->dtype;
  out.bfloat = name == "bf16";
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

struct KindName {
  std::string_view name;
  ArrayArgument::Kind kind;
};
constexpr KindName kKinds[] = {{"in", ArrayArgument::Kind::In},       {"inout", ArrayArgument::Kind::InOut},
                               {"out", ArrayArgument::Kind::Out},     {"random", ArrayArgument::Kind::Random},
                               {"range", ArrayArgument::Kind::Range}, {"numpy", ArrayArgument::Kind::Numpy}};

/// "+3" at the end of an array: taken off, and its number kept.
Status take_skipped(std::string_view& text, ArrayArgument& out) {
  const size_t plus = text.rfind('+');
  if (plus == text.npos || plus == 0 || text.find_first_not_of("0123456789", plus + 1) != text.npos)
    return {};
  const std::string_view before = text.substr(0, plus), number = text.substr(plus + 1);
  if (number.empty() || !(before.ends_with(']') || before.ends_with(".npy"))) return {};
  const auto [end, trouble] = std::from_chars(number.data(), number.data() + number.size(), out.skipped);
  if (trouble != std::errc()) return error(fmt::format("+{} is more than any array has", printable(number)));
  text = before;
  return {};
}

}  // namespace

std::optional<ArrayArgument::Kind> array_kind(std::string_view name) {
  for (const KindName& known : kKinds)
    if (known.name == name) return known.kind;
  return {};
}

Result<LaunchArgument> array_argument(ArrayArgument::Kind kind, std::string_view form,
                                      std::string_view text) {
  using Kind = ArrayArgument::Kind;
  ArrayArgument out;
  out.kind = kind;
  if (kind == Kind::Numpy) {
    if (text.empty()) return error("numpy: has no expression", "for example 'numpy:np.arange(n)'");
    out.path = text;
    return LaunchArgument(std::move(out));
  }
  if (auto ok = take_skipped(text, out); !ok) return ok.error();
  if (kind == Kind::In || kind == Kind::InOut) {
    out.path = text;
    if (out.path.empty()) return error(fmt::format("{}: names no file", form), kForms);
    return LaunchArgument(std::move(out));
  }
  const size_t close = text.find(']');
  const auto type = text.substr(0, close == text.npos ? text.find(':') : close + 1);
  if (auto ok = element_type(type, out); !ok) return ok.error();
  const std::string_view rest = text.substr(type.size());
  if (!rest.empty() && !rest.starts_with(':'))
    return error(fmt::format("'{}' after the shape means nothing", printable(rest)));
  if (rest == ":") return error(fmt::format("{}: names no file", form), kForms);
  if (!rest.empty()) out.path = rest.substr(1);
  if (out.skipped > 0 && out.skipped >= *npy::bytes_of(Dtype::U1, out.shape))
    return error(fmt::format("+{} is behind the end of the array", out.skipped));
  return LaunchArgument(std::move(out));
}

Result<LaunchArgument> texture_argument(std::string_view text) {
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
  const size_t next = rest.find(':');
  const auto kind = next == rest.npos ? std::nullopt : array_kind(rest.substr(0, next));
  auto texels = kind ? array_argument(*kind, rest.substr(0, next), rest.substr(next + 1))
                     : array_argument(out.surface ? Kind::Out : Kind::Random, "tex", rest);
  if (!texels) return texels;
  out.texels = std::get<ArrayArgument>(std::move(*texels));
  if (out.texels.skipped > 0)
    return error(fmt::format("a texture or surface has no place to begin: +{}", out.texels.skipped));
  if (!out.surface && out.texels.writes())
    return error("a kernel cannot write to a texture", "surf:… is written");
  return LaunchArgument(std::move(out));
}

}  // namespace ww::cli
