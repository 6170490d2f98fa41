#include "cli/launch/banks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "base/words.h"

namespace ww::cli {

namespace {

/// The bars of one access, and how many passes it takes.
struct Bars {
  std::string text;
  int64_t passes = 0;
};

Bars bars_of(const Json& use, size_t banks) {
  // A bar a third higher for twice the words: 1, 2, 4, 8, 16, 32.
  constexpr const char* kBars[] = {"·", "▁", "▂", "▃", "▅", "▆", "█"};
  std::set<uint64_t> words;
  for (const Json& word : *use.find("words")->get<Json::Array>())
    words.insert(static_cast<uint64_t>(word.as_double()));
  std::vector<uint64_t> asked(banks, 0);
  for (uint64_t word : words) ++asked[word % banks];
  std::string out;
  for (uint64_t n : asked)
    out += kBars[n == 0 ? 0 : std::min<size_t>(1 + std::bit_width(n - 1), std::size(kBars) - 1)];
  const auto passes = static_cast<int64_t>(use.find("passes")->as_double());
  return {out + "  " + counted(passes, "pass", "passes"), passes};
}

}  // namespace

std::string banks_text(const ShownGpu& on) {
  const auto view = parse_json(on.view, "the view");
  const Json* tried = view ? view->find("padding") : nullptr;
  const auto* list = tried ? tried->get<Json::Array>() : nullptr;
  std::string out;
  for (const Json& p : list ? *list : Json::Array()) {
    const auto number = [&](const char* key) { return static_cast<size_t>(p.find(key)->as_double()); };
    const size_t banks = number("banks"), columns = number("columns");
    if (banks == 0) continue;
    const Bars before = bars_of(*p.find("banks_before"), banks),
               after = bars_of(*p.find("banks_after"), banks);
    if (after.passes >= before.passes) continue;  // others than the worst gain
    out += fmt::format("  Words of {} that one access of a warp takes from each of the banks 0 to {}:\n",
                       printable(*p.find("array")->get<std::string>()), banks - 1);
    out += fmt::format("    rows of {:3} words  {}\n", columns, before.text);
    out += fmt::format("    rows of {:3} words  {}\n", columns + number("words"), after.text);
  }
  return out;
}

}  // namespace ww::cli
