#include "checks/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/json.h"
#include "base/uri.h"
#include "checks/text.h"

namespace ww::checks {

namespace {

/// A kind as a rule's identifier: "out-of-bounds write" → "out-of-bounds-write".
std::string rule_of(const Finding& f) {
  std::string id;
  for (char c : f.kind) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain)
      id += c;
    else if (!id.empty() && id.back() != '-')
      id += '-';
  }
  while (!id.empty() && id.back() == '-') id.pop_back();
  return id;
}

std::string_view level_of(const Finding& f) {
  switch (f.severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    default:
      return "note";
  }
}

std::string location(const Location& l, std::string_view message) {
  std::string text = fmt::format(
      "{{\"physicalLocation\":{{\"artifactLocation\":{{\"uri\":{}}},\"region\":{{\"startLine\":{}",
      json_quote(uri_of(l.file)), std::max(1, l.line));
  if (l.column > 0) text += fmt::format(",\"startColumn\":{}", l.column);
  text += "}}";
  if (!message.empty()) text += fmt::format(",\"message\":{{\"text\":{}}}", json_quote(message));
  return text + "}";
}

/// The line of the host in "main at app.cu:42".
std::string location(const HostTrace& trace, std::string_view message) {
  const size_t at = trace.empty() ? std::string::npos : trace[0].rfind(" at ");
  const size_t colon = trace.empty() ? std::string::npos : trace[0].rfind(':');
  if (at == std::string::npos || colon == std::string::npos || colon < at) return {};
  Location l;
  l.file = trace[0].substr(at + 4, colon - at - 4);
  l.line = std::atoi(trace[0].c_str() + colon + 1);
  return l.line > 0 ? location(l, message) : std::string();
}

std::string join(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& i : items) text += (text.empty() ? "" : ",") + i;
  return text;
}

std::string result(const Finding& f) {
  std::string message = render(f);
  message.erase(message.find_last_not_of('\n') + 1);
  std::string text = fmt::format("{{\"ruleId\":{},\"level\":\"{}\",\"message\":{{\"text\":{}}}",
                                 json_quote(rule_of(f)), level_of(f), json_quote(message));
  std::vector<std::string> places;
  for (const Party& p : f.parties)
    if (p.where.known()) places.push_back(location(p.where, p.what));
  // What only the host does, or the host and a kernel.
  if (places.empty() || !f.other.empty()) {
    const std::string called = location(f.launched, host_reads(f) ? "launched here" : "called here");
    const std::string other = location(f.other, host_reads(f) ? "read here" : "the other called here");
    for (const std::string& place : {called, other})
      if (!place.empty()) places.push_back(place);
  }
  if (!places.empty()) {
    text += ",\"locations\":[" + places[0] + "]";
    places.erase(places.begin());
    if (!places.empty()) text += ",\"relatedLocations\":[" + join(places) + "]";
  }
  return text + fmt::format(",\"occurrenceCount\":{}}}", std::max<u64>(1, f.count));
}

}  // namespace

std::string write_sarif(const std::vector<Finding>& findings) {
  std::vector<std::string> rules, ids, results;
  for (const Finding& f : findings) {
    const std::string id = rule_of(f);
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) {
      ids.push_back(id);
      rules.push_back(fmt::format("{{\"id\":{},\"shortDescription\":{{\"text\":{}}}}}", json_quote(id),
                                  json_quote(f.kind)));
    }
    results.push_back(result(f));
  }
  return fmt::format(
      "{{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{{"
      "\"tool\":{{\"driver\":{{\"name\":\"warpwright\",\"rules\":[{}]}}}},\"results\":[{}]}}]}}\n",
      join(rules), join(results));
}

}  // namespace ww::checks
