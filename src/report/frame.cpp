#include "report/frame.h"

#include <utility>

#include "base/text.h"

namespace ww::report {

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

std::string fill_frame(std::string_view frame, const std::string& language, const std::string& title,
                       const std::string& data) {
  const std::pair<std::string_view, std::string> gaps[] = {
      {"@LANGUAGE@", language}, {"@TITLE@", escaped(printable(title))}, {"@DATA@", data}};
  std::string out;
  for (const auto& [gap, text] : gaps) {
    const size_t at = frame.find(gap);
    out.append(frame.substr(0, at)).append(text);
    frame.remove_prefix(at + gap.size());
  }
  return out.append(frame);
}

}  // namespace ww::report
