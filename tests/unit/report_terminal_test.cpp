#include "report/terminal.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/text.h"
#include "report/metrics.h"
#include "report/number.h"
#include "report/report.h"
#include "report_tables.h"

namespace ww::report {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

size_t widest(const std::string& text) {
  size_t width = 0;
  for (const auto& line : lines_of(text)) width = std::max(width, columns(line));
  return width;
}

Table ladder() {
  Table table{"matmul-ladder", {}, {"The sequential row is one core of the host."}};
  int i = 0;
  for (auto kernel : {"matmul/grid", "matmul/tiled", "matmul/per_thread_2x2"})
    for (auto n : {"176", "1056"}) {
      Row& row = table.rows.emplace_back();
      row[Axis::Study] = "matmul-ladder", row[Axis::Kernel] = kernel, row[Axis::Gpu] = "gtx1080",
      row[Axis("n")] = n;
      if (i++ == 3) {
        row.refused = "a block of 64x64 = 4096 threads, at most 1024 are possible";
        continue;
      }
      row.values.push_back({"time", 1.23456789 * i, "ms", Provenance::Modelled, ""});
      row.values.push_back({"time", 12.5 * i, "ms", Provenance::Published, ""});
      row.values.push_back({"global_load_requests", int64_t{1234567890123} * i, "", Provenance::Counted, ""});
    }
  return table;
}

TEST(TerminalTable, TheWholeText) {
  Table table{"sums", {}, {"One note."}};
  for (int i = 0; i < 3; ++i) {
    Row& row = table.rows.emplace_back();
    row[Axis::Study] = "sum", row[Axis::Kernel] = i ? "sum/atomic" : "sum/tree",
    row[Axis("n")] = i ? "1048576" : "64";
    if (i == 1) {
      row.refused = "no memory";
      continue;
    }
    row.values.push_back({"time", i ? 1234.5678 : 0.25, "ms", Provenance::Modelled, ""});
    row.values.push_back({"flop", int64_t{i ? 1048575 : 63}, "", Provenance::Counted, ""});
    if (i) row.values.push_back({"path", std::string("slow"), "", Provenance::Input, ""});
  }
  EXPECT_EQ(render_terminal(table),
            "sums\n"
            "study sum\n"
            "\n"
            "kernel            n   time m   flop c  path i\n"
            "                          ms\n"
            "----------  -------  -------  -------  ------\n"
            "sum/tree         64     0.25       63  -\n"
            "sum/atomic  1048576  refused: no memory\n"
            "sum/atomic  1048576  1234.6   1048575  slow\n"
            "\n"
            "i input   c counted   m modelled\n"
            "One note.\n");
}

TEST(TerminalTable, FitsTheWidth) {
  Table table = ladder();
  size_t whole = widest(render_terminal(table));
  EXPECT_GT(whole, 80u);
  for (int width : {40, 60, 80, 120, 200}) {
    std::string text = render_terminal(table, {.width = width});
    EXPECT_LE(widest(text), static_cast<size_t>(width)) << text;
    // Every number is there whatever the width: the largest and the smallest of the counts, in full.
    EXPECT_NE(text.find("7407407340738"), std::string::npos) << text;
    EXPECT_NE(text.find("1234567890123"), std::string::npos) << text;
  }
  EXPECT_EQ(render_terminal(table, {.width = 200}), render_terminal(table));
}

TEST(TerminalTable, EveryBlockHasAxesThatTakeHalfOfTheWidth) {
  std::string text = render_terminal(ladder(), {.width = 40});
  size_t axes = 0, tiled = 0;
  for (const auto& line : lines_of(text)) {
    axes += line.starts_with("kernel  ");
    tiled += line.starts_with("tiled ");
    EXPECT_FALSE(line.starts_with("#")) << text;
  }
  EXPECT_GE(axes, 2u) << text;
  EXPECT_EQ(tiled, 2 * axes) << text;
}

TEST(TerminalTable, BlocksAreJoinedByRowNumbersWhereTheAxesAreWide) {
  std::string text = render_terminal(ladder(), {.width = 30});
  size_t heads = 0, axes = 0, tiled = 0, third = 0;
  for (const auto& line : lines_of(text)) {
    heads += line.starts_with("#");
    axes += line.starts_with("#  kernel ");
    tiled += line.find("tiled ") != line.npos;  // the folder is in the caption
    third += line.starts_with("3  ");
  }
  EXPECT_GE(heads, 2u) << text;
  EXPECT_EQ(axes, 1u) << text;
  EXPECT_EQ(tiled, 2u) << text;
  EXPECT_EQ(third, heads) << text;
  std::string joined;  // the reason is there once, in whole, however it was wrapped
  for (char c : text)
    if (c != ' ' && c != '\n') joined += c;
  EXPECT_NE(joined.find("refused:ablock"), std::string::npos) << text;
}

TEST(TerminalTable, WordsAreWrappedRatherThanBegunInAnotherBlock) {
  Table table;
  for (auto name : {"one", "two"}) {
    Row& row = table.rows.emplace_back();
    row[Axis::Study] = name;
    row.values.push_back({"full", int64_t{12}, "", Provenance::Counted, ""});
    row.values.push_back({"summary",
                          std::string("what this study is about, in so many words that they do not fit"), "",
                          Provenance::Input, ""});
  }
  std::string text = render_terminal(table, {.width = 60});
  EXPECT_EQ(text.find("study"), text.rfind("study  ")) << text;
  EXPECT_EQ(text.find('#'), text.npos) << text;
  EXPECT_LE(widest(text), 60u) << text;
}

TEST(TerminalTable, TimesStandInAUnitWithoutZeros) {
  Table table;
  for (double ms : {0.00384, 0.0121}) {
    Row& row = table.rows.emplace_back();
    row[Axis("n")] = std::to_string(table.rows.size());
    row.values.push_back({"time", ms, "ms", Provenance::Modelled, ""});
    row.values.push_back({"time", ms / 1000, "ms", Provenance::Measured, ""});  // one unit for one tag
    row.values.push_back({"long_time", ms * 1000, "ms", Provenance::Modelled, ""});
  }
  EXPECT_EQ(render_terminal(table),
            "n  time m   time H  long_time m\n"
            "       µs       µs           ms\n"
            "-  ------  -------  -----------\n"
            "1    3.84  0.00384         3.84\n"
            "2   12.1   0.0121         12.1\n"
            "\n"
            "m modelled   H measured on hardware\n");
}

TEST(TerminalTable, FoldsHeadsBeforeItMakesBlocks) {
  Table table = ladder();
  size_t whole = 0;  // of the head; a reason of a refusal is longer and gets wrapped
  for (const auto& line : lines_of(render_terminal(table)))
    if (line.starts_with("kernel ")) whole = columns(line);
  for (size_t width = whole - 1; width > whole - 12; --width) {
    std::string text = render_terminal(table, {.width = static_cast<int>(width)});
    EXPECT_LE(widest(text), width) << text;
    EXPECT_EQ(text.find("kernel"), text.rfind("kernel ")) << text;  // one head: one block
    EXPECT_EQ(text.find("global_load_requests"), text.npos) << text;
  }
}

TEST(TerminalTable, FolderOfKernelsInTheCaption) {
  Table table;
  for (auto kernel : {"sum/tree", "sum/atomic"}) {
    Row& row = table.rows.emplace_back();
    row[Axis::Kernel] = kernel;
    row.values.push_back({"long_metric_name", int64_t{1}, "", Provenance::Counted, ""});
    row.values.push_back({"another_name", int64_t{2}, "", Provenance::Counted, ""});
  }
  EXPECT_EQ(render_terminal(table, {.width = 25}),
            "kernels of sum/\n"
            "\n"
            "          long_\n"
            "        metric_  another_\n"
            "kernel   name c    name c\n"
            "------  -------  --------\n"
            "tree          1         2\n"
            "atomic        1         2\n"
            "\n"
            "c counted\n");
}

TEST(KeepMetrics, InTheOrderAskedFor) {
  Table table;
  for (int i = 0; i < 3; ++i) {
    Row& row = table.rows.emplace_back();
    row.values = {{"a", int64_t{i}, "", Provenance::Counted, ""},
                  {"b", int64_t{10}, "", Provenance::Counted, ""}};
    if (i == 1) row.values.pop_back();
    row.values.push_back({"c", int64_t{20}, "", Provenance::Counted, ""});
  }
  auto tags = [](const Table& t, size_t r) {
    std::string out;
    for (const auto& v : t.rows[r].values) out += v.tag;
    return out;
  };
  Table kept = keep_metrics(table, {"c", "a"});
  EXPECT_EQ(tags(kept, 0), "ca");
  EXPECT_TRUE(kept.notes.empty());
  // b is not in every row, c is.
  kept = keep_metrics(table, {"b|c"});
  EXPECT_EQ(tags(kept, 0), "c");
  table.rows[1].refused = "no";
  kept = keep_metrics(table, {"b|c", "x|"});
  EXPECT_EQ(tags(kept, 0), "b");
  EXPECT_TRUE(kept.notes.empty());
  kept = keep_metrics(table, {"a", "d"});
  EXPECT_EQ(tags(kept, 0), "a");
  ASSERT_EQ(kept.notes.size(), 1u);
  EXPECT_NE(kept.notes[0].find("No row has a metric 'd'"), std::string::npos);
}

TEST(TerminalTable, HostileTextDoesNoHarm) {
  Table table = hostile_table();
  for (int width : {0, 20, 40, 80}) {
    std::string text = render_terminal(table, {.width = width});
    for (char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
    EXPECT_EQ(text.find("\u202e"), std::string::npos);
    EXPECT_LE(widest(text), width ? static_cast<size_t>(width) : text.size()) << text;
  }
}

TEST(TerminalTable, ColoursOnlyWhenAsked) {
  EXPECT_EQ(render_terminal(ladder()).find('\x1b'), std::string::npos);
  std::string text = render_terminal(ladder(), {.colour = true}), plain;
  EXPECT_NE(text.find("\x1b[33m"), std::string::npos);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b')
      i = text.find('m', i);
    else
      plain += text[i];
  }
  EXPECT_EQ(plain, render_terminal(ladder()));
}

TEST(TerminalTable, LittleOrNothing) {
  EXPECT_EQ(render_terminal({}), "(no rows)\n");
  Table one{"", {Row{}}, {}};
  one.rows[0].refused = "why not";
  EXPECT_EQ(render_terminal(one, {.width = 40}), "refused: why not\n");
}

TEST(TerminalTable, MetricsGivenTwiceAreBothShown) {
  Table table;
  Row& row = table.rows.emplace_back();
  row.values.push_back({"m", int64_t{11}, "", Provenance::Input, ""});
  row.values.push_back({"m", int64_t{22}, "", Provenance::Input, ""});
  EXPECT_EQ(render_terminal(table), " m   m\n--  --\n11  22\n");
}

TEST(TerminalTable, ManyRows) {
  EXPECT_EQ(lines_of(render_terminal(large_table(100'000), {.width = 80})).size(), 100'000u + 8);
}

TEST(ShortText, AtMostFiveDigits) {
  auto text = [](std::variant<double, int64_t, std::string> v) {
    return short_text({.value = std::move(v)});
  };
  EXPECT_EQ(text(0.1 + 0.2), "0.3");
  EXPECT_EQ(text(3.14159265), "3.1416");
  EXPECT_EQ(text(9999.96), "10000");
  EXPECT_EQ(text(99999.6), "100000");
  EXPECT_EQ(text(123456.7), "123460");
  EXPECT_EQ(text(0.00012345678), "0.0001235");
  EXPECT_EQ(text(0.000012345678), "1.235e-05");
  EXPECT_EQ(text(137438953472.0), "137438953472");
  EXPECT_EQ(text(1e300), "1e+300");
  EXPECT_EQ(text(int64_t{-9223372036854775807}), "-9223372036854775807");
  EXPECT_EQ(text(-std::nan("")), "nan");
  EXPECT_EQ(text(-INFINITY), "-inf");
  EXPECT_EQ(text(-0.0), "0");
}

TEST(Format, Names) {
  EXPECT_EQ(*format_named("csv"), Format::Csv);
  EXPECT_EQ(format_named("xml").error().at(0).hint, "one of table, csv, json, markdown");
  EXPECT_EQ(render(large_table(1), Format::Json)[0], '{');
  EXPECT_TRUE(render(large_table(1), Format::Csv).starts_with("study,kernel,"));
  EXPECT_TRUE(render(large_table(1), Format::Table).starts_with("large\n"));
}

}  // namespace
}  // namespace ww::report
