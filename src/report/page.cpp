#include "report/page.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/page_assets.h"

namespace ww::report {

const std::vector<std::string>& languages() {
  static const std::vector<std::string> kAll = {"en", "pl", "cs", "ru"};
  return kAll;
}

Status check_language(const std::string& language) {
  std::string all;
  for (const auto& known : languages()) {
    if (known == language) return {};
    all += (all.empty() ? "" : ", ") + known;
  }
  return error(fmt::format("there is no page in the language '{}'", printable(language)), "one of " + all);
}

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string write_page(const Page& page) {
  const std::string title = escaped(printable(page.study.empty() ? page.table.title : page.study));
  const std::pair<std::string_view, std::string> gaps[] = {
      {"@LANGUAGE@", page.language}, {"@TITLE@", title}, {"@DATA@", page_data(page)}};
  std::string out;
  std::string_view rest = page_frame();
  for (const auto& [gap, text] : gaps) {
    const size_t at = rest.find(gap);
    out.append(rest.substr(0, at)).append(text);
    rest.remove_prefix(at + gap.size());
  }
  return out.append(rest);
}

}  // namespace ww::report
