// Tables that the report tests share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/table.h"

namespace ww::report {

/// All that could break a format: quotes, line ends, control characters, markup, other scripts, NaN, words
/// like numbers.
inline Table hostile_table() {
  const char* texts[] = {"plain",
                         "a,b;c",
                         "\"quoted\"",
                         "line\nend\r\nand\ttab",
                         "<script>alert('x')</script>&amp;",
                         "\x1b[2J\x1b]0;owned\x07",
                         "příliš žluťoučký · 日本語",
                         " blanks at the edges ",
                         "'=1+2",
                         "\r",
                         "%s{}\\n\\",
                         "a\u202e\u200bb"};
  Table table{"title \"<b>\" \x1b[31m", {}, {"note\nwith \x07 control", "<i>"}};
  int i = 0;
  for (const char* text : texts) {
    Row& row = table.rows.emplace_back();
    row[Axis::Kernel] = text;
    row[Axis("n")] = std::to_string(i);
    if (i++ % 4 == 3) row.refused = text;
    row.values.push_back({"word", std::string(text), text, Provenance::Input, text});
    row.values.push_back({std::string("tag ") + text, int64_t{i}, "", Provenance::Published, ""});
    row.values.push_back({"nan", std::nan(""), "", Provenance::Theory, ""});
    row.values.push_back({"inf", INFINITY, "", Provenance::Modelled, ""});
    row.values.push_back({"minus", -INFINITY, "s", Provenance::Measured, ""});
    row.values.push_back({"tenth", 0.1 * i + 0.05, "s", Provenance::Counted, ""});
    row.values.push_back({"empty", std::string(), "", Provenance::Input, ""});
    row.values.push_back({"like a number", std::string("1e5"), "", Provenance::Input, ""});
  }
  return table;
}

inline Table large_table(int rows) {
  Table table{"large", {}, {}};
  table.rows.resize(static_cast<size_t>(rows));
  for (int i = 0; i < rows; ++i) {
    Row& row = table.rows[static_cast<size_t>(i)];
    row[Axis::Study] = "large";
    row[Axis("n")] = std::to_string(i);
    row.values.push_back({"flop", int64_t{i} * i, "", Provenance::Counted, ""});
    row.values.push_back({"time", i / 7.0 + 0.01, "ms", Provenance::Modelled, ""});
  }
  return table;
}

inline void expect_same_rows(const Table& a, const Table& b) {
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (size_t r = 0; r < a.rows.size(); ++r) {
    EXPECT_EQ(a.rows[r].axes, b.rows[r].axes) << r;
    EXPECT_EQ(a.rows[r].refused, b.rows[r].refused) << r;
    ASSERT_EQ(a.rows[r].values.size(), b.rows[r].values.size()) << r;
    for (size_t i = 0; i < a.rows[r].values.size(); ++i) {
      const Value &x = a.rows[r].values[i], &y = b.rows[r].values[i];
      EXPECT_EQ(x.tag, y.tag);
      EXPECT_EQ(x.unit, y.unit);
      EXPECT_EQ(x.provenance, y.provenance);
      EXPECT_EQ(x.description, y.description);
      ASSERT_EQ(x.value.index(), y.value.index()) << x.tag;
      bool both_nan = x.value.index() == 0 && std::isnan(x.number()) && std::isnan(y.number());
      EXPECT_TRUE(both_nan || x.value == y.value) << x.tag << ": " << x.text() << " and " << y.text();
    }
  }
}

}  // namespace ww::report
