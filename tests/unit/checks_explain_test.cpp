// A finding at length.
#include "checks/explain.h"

#include <gtest/gtest.h>

#include "checks/json.h"

namespace ww::checks {
namespace {

Finding race() {
  Finding f;
  f.kind = "race";
  f.kernel = "k";
  f.message = "data race";
  Party a, b;
  a.what = "reads 4 bytes", a.where.file = "k.cu", a.where.line = 7, a.by.thread = {3, 0, 0};
  b.what = "writes 4 bytes", b.where.file = "k.cu", b.where.line = 5;
  f.parties = {a, b};
  f.more = {"missing: a __syncthreads() between k.cu:5 and k.cu:7"};
  return f;
}

std::optional<std::string> line_of(const std::string& file, int line) {
  if (file != "k.cu" || line > 9) return {};
  return "text " + std::to_string(line);
}

TEST(Explain, BothAccessesTheirCodeAndWhatIsMissing) {
  const std::string text = explain(race(), 1, line_of);
  for (const char* part :
       {"1. error: race in kernel k", "thread (3,0,0)", "reads 4 bytes", "writes 4 bytes", "k.cu:7",
        "no order between the two", ">     7 | text 7", ">     5 | text 5", "missing: a __syncthreads()"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
  EXPECT_EQ(text.find("text 10"), text.npos);
}

TEST(Explain, ACureWhereNothingIsSaidToBeMissing) {
  Finding f = race();
  f.kind = "out-of-bounds read";
  f.parties.pop_back();
  f.more.clear();
  EXPECT_NE(explain(f, 2, line_of).find("usual cure: "), std::string::npos);
  EXPECT_EQ(explain(f, 2, line_of).find("no order"), std::string::npos);
}

TEST(Explain, ReadsTheFileThatCheckWrites) {
  const auto read = read_findings_file(
      "{\"format\":\"warpwright findings 1\",\"findings\":[" + write_json(race()) + "]}", "found.json");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ((*read)[0].parties[0].where.line, 7);
  EXPECT_FALSE(read_findings_file("{}", "found.json"));
  EXPECT_FALSE(read_findings_file("[", "found.json"));
}

}  // namespace
}  // namespace ww::checks
