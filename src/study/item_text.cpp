#include "study/item_text.h"

#include <fmt/format.h>

#include <charconv>

namespace ww::study {

namespace {

template <class T>
bool read_number(std::string_view text, T& number) {
  auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  return wrong == std::errc() && end == text.data() + text.size();
}

bool read_axis(std::string_view name, std::string_view value, kernels::Config& config) {
  if (name == "n") return read_number(value, config.n);
  if (name == "block") return read_number(value, config.shape.block);
  if (name == "r") return read_number(value, config.r);
  if (name == "k") return read_number(value, config.k);
  const size_t times = value.find('x');
  return name == "tile" && times != value.npos && read_number(value.substr(0, times), config.shape.rx) &&
         read_number(value.substr(times + 1), config.shape.ry);
}

}  // namespace

std::string item_text(const Item& item) {
  const kernels::Config& c = item.config;
  std::string text = fmt::format("{},n={}", item.kernel->name, c.n);
  if (c.shape.block > 0) text += fmt::format(",block={}", c.shape.block);
  if (c.shape.rx > 0) text += fmt::format(",tile={}x{}", c.shape.rx, c.shape.ry);
  if (c.r > 0) text += fmt::format(",r={}", c.r);
  if (c.k > 0) text += fmt::format(",k={}", c.k);
  return text;
}

Result<Item> item_of(std::string_view text) {
  const size_t comma = text.find(',');
  auto kernel = kernels::find_case(text.substr(0, comma));
  if (!kernel) return kernel.error();
  Item item{*kernel, {}};
  std::string_view rest = comma == text.npos ? "" : text.substr(comma + 1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    const size_t equals = part.find('=');
    if (equals == part.npos || !read_axis(part.substr(0, equals), part.substr(equals + 1), item.config))
      return error(fmt::format("'{}' of '{}' is no axis with its value", part, text),
                   "write n=…, block=…, tile=RXxRY, r=… or k=…");
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  return item;
}

}  // namespace ww::study
