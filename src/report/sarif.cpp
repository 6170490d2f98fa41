#include "report/sarif.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "base/json.h"
#include "base/uri.h"

namespace ww::report {

namespace {

std::string result(const std::string& rule, const std::string& message, const std::string& kernel,
                   const std::string& file) {
  return fmt::format(R"({{"ruleId":{},"level":"error","message":{{"text":{}}},"locations":[{{)"
                     R"("physicalLocation":{{"artifactLocation":{{"uri":{}}},"region":{{"startLine":1}}}},)"
                     R"("logicalLocations":[{{"name":{},"kind":"function"}}]}}]}})",
                     json_quote(rule), json_quote(message), json_quote(uri_of(file)), json_quote(kernel));
}

}  // namespace

std::string sarif_of(const Comparison& comparison, const std::string& after, const std::string& version) {
  std::set<std::string> rules;
  std::string results;
  const auto add = [&](const std::string& rule, const std::string& message, const std::string& kernel) {
    rules.insert(rule);
    results += (results.empty() ? "" : ",\n") + result(rule, message, kernel, after);
  };
  for (const Difference& d : comparison.differences) {
    if (d.verdict != Verdict::Worse && d.verdict != Verdict::Missing) continue;
    const ReadableFigures figures = readable(d);
    std::string text = fmt::format("{} of {}: {} and then {}", d.tag, describe_row(d.row), figures.before,
                                   d.after.empty() ? "nothing" : figures.after);
    if (!figures.unit.empty()) text += " " + figures.unit;
    if (std::isfinite(d.change)) text += fmt::format(" ({:+.3g} %)", 100 * d.change);
    add(fmt::format("{}/{}", name(d.verdict), d.tag), text, d.row[Axis::Kernel]);
  }
  for (const std::string& row : comparison.missing_rows) add("missing/row", "missing row: " + row, row);
  std::string list;
  for (const std::string& rule : rules)
    list += fmt::format(R"({}{{"id":{}}})", list.empty() ? "" : ",", json_quote(rule));
  return fmt::format(
      "{{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\n"
      "\"runs\":[{{\"tool\":{{\"driver\":{{\"name\":\"warpwright "
      "compare\",\"version\":{},\"rules\":[{}]}}}},\n"
      "\"results\":[{}]}}]}}\n",
      json_quote(version), list, results);
}

}  // namespace ww::report
