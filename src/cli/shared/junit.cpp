#include "cli/shared/junit.h"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "base/text.h"
#include "report/compare.h"

namespace ww::cli {

namespace {

/// Text that may stand in an attribute.
std::string in_attribute(std::string_view text) {
  std::string out;
  for (char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string described(Row row) {
  row[Axis::Study] = "";  // all have the same
  return report::describe_row(row);
}

/// Now, or what SOURCE_DATE_EPOCH says, as reproducible outputs have it.
std::string timestamp() {
  const char* given = std::getenv("SOURCE_DATE_EPOCH");
  const std::time_t when = given ? static_cast<std::time_t>(std::atoll(given)) : std::time(nullptr);
  std::tm utc{};
  gmtime_r(&when, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc)};
}

/// Valid by the schema of Ant's JUnit reports, which CI systems read: it wants every attribute.
class Suite {
 public:
  void add(const std::string& group, const std::string& name, double seconds, const char* what = nullptr,
           std::string_view why = {}) {
    ++tests_;
    seconds_ += seconds;
    cases_ += fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"", in_attribute(group),
                          in_attribute(name), seconds);
    const bool failure = what && what == std::string_view("failure");
    cases_ += what ? fmt::format(">\n    <{} message=\"{}\"{}/>\n  </testcase>\n", what, in_attribute(why),
                                 failure ? " type=\"failure\"" : "")
                   : "/>\n";
    failures_ += what && what == std::string_view("failure");
    skipped_ += what && what == std::string_view("skipped");
  }
  std::string text(const std::string& name) const {
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" "
        "errors=\"0\" skipped=\"{}\" time=\"{:.3f}\" timestamp=\"{}\" hostname=\"localhost\">\n"
        "  <properties/>\n{}  <system-out/>\n  <system-err/>\n</testsuite>\n",
        in_attribute(name), tests_, failures_, skipped_, seconds_, timestamp(), cases_);
  }

 private:
  std::string cases_;
  size_t tests_ = 0, failures_ = 0, skipped_ = 0;
  double seconds_ = 0;
};

}  // namespace

std::string junit(const std::string& study, const Table& table, const std::vector<study::Outcome>& outcomes) {
  Suite suite;
  for (const Row& row : table.rows) {
    const std::string name = described(row);
    const Value *verified = row.find("verified"), *wrong = row.find("wrong"), *fault = row.find("fault");
    const bool failed = verified && verified->number() != 1;
    const Value* wall = row.find("wall_time");
    const double seconds = wall ? wall->number() : 0;
    if (!row.refused.empty())
      suite.add(study, name, 0, "skipped", row.refused);
    else if (failed)
      suite.add(study, name, seconds, "failure",
                wrong   ? wrong->text()
                : fault ? fault->text()
                        : "not verified");
    else
      suite.add(study, name, seconds);
  }
  for (const study::Outcome& outcome : outcomes) {
    const std::string& text = outcome.expectation->text;
    if (outcome.good()) {
      suite.add(study + ".expect", text, 0);
      continue;
    }
    std::string why = outcome.wrong;
    for (const auto& failure : outcome.failures)
      why +=
          fmt::format("{}{}: {}", why.empty() ? "" : "; ", described(table.rows[failure.row]), failure.what);
    suite.add(study + ".expect", text, 0, "failure", why);
  }
  return suite.text(study);
}

std::string junit(const std::string& suite, const std::vector<JunitCase>& cases) {
  Suite all;
  for (const JunitCase& c : cases) all.add(suite, c.name, 0, c.good ? nullptr : "failure", c.why);
  return all.text(suite);
}

}  // namespace ww::cli
