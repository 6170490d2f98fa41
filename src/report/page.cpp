#include "report/page.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/frame.h"
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

std::string write_page(const Page& page) {
  return fill_frame(page_frame(), page.language, page.study.empty() ? page.table.title : page.study,
                    page_data(page));
}

std::string write_watch_page(const std::string& title, const std::string& language, const std::string& data) {
  return fill_frame(watch_frame(), language, title, data);
}

std::string write_launch_page(const std::string& title, const std::string& language,
                              const std::string& data) {
  return fill_frame(launch_frame(), language, title, data);
}

}  // namespace ww::report
