#include "report/default_plots.h"
#include "report/page.h"

#include "base/json.h"
#include "report_tables.h"

namespace ww::report {
namespace {

Json data_of(const Page& page) {
  auto json = parse_json(page_data(page), "data");
  EXPECT_TRUE(json.ok());
  return json ? *json : Json{};
}

const Json* column(const Json& data, const std::string& tag) {
  for (const Json& c : *data.find("columns")->get<Json::Array>())
    if (*c.find("tag")->get<std::string>() == tag) return &c;
  return nullptr;
}

TEST(ReportPage, DataHoldsNoMarkupWhateverTheNames) {
  Page page;
  page.table = hostile_table();
  page.study = "</script><script>";
  page.listings = {{"<x>", "</script>"}};
  page.facts = {{"<g>", "<n>", "<!--"}};
  const std::string data = page_data(page);
  EXPECT_EQ(data.find('<'), std::string::npos);
  const Json json = data_of(page);
  EXPECT_EQ(*json.find("study")->get<std::string>(), page.study);
  EXPECT_EQ(*json.find("title")->get<std::string>(), page.table.title);
  // Only the page's own elements: style, data, messages, charts and code.
  const std::string html = write_page(page);
  size_t ends = 0;
  for (size_t at = html.find("</script"); at != html.npos; at = html.find("</script", at + 1)) ++ends;
  EXPECT_EQ(ends, 4u);
}

TEST(ReportPage, ColumnsAreWrittenTheShortestWay) {
  Page page;
  page.table.rows.resize(4);
  for (int i = 0; i < 4; ++i) {
    Row& row = page.table.rows[static_cast<size_t>(i)];
    row.values.push_back({"same", int64_t{7}, "", Provenance::Input, ""});
    if (i != 1) row.values.push_back({"some", 0.5 * i, "s", Provenance::Measured, "d"});
    if (i == 2) row.values.push_back({"rare", std::nan(""), "", Provenance::Theory, ""});
  }
  page.table.rows[3].values.push_back({"long", int64_t{9007199254740993}, "", Provenance::Counted, ""});
  const Json data = data_of(page);
  EXPECT_EQ(*column(data, "same")->find("all")->get<int64_t>(), 7);
  const auto& dense = *column(data, "some")->find("dense")->get<Json::Array>();
  ASSERT_EQ(dense.size(), 4u);
  EXPECT_TRUE(dense[1].null());
  EXPECT_EQ(dense[3].as_double(), 1.5);
  EXPECT_EQ((*column(data, "rare")->find("at")->get<Json::Array>())[0].as_double(), 2);
  EXPECT_EQ(*(*column(data, "rare")->find("is")->get<Json::Array>())[0].get<std::string>(), "nan");
  // JavaScript has no such integer: it stays text.
  const Json& exact = (*column(data, "long")->find("is")->get<Json::Array>())[0];
  EXPECT_EQ(*(*exact.get<Json::Array>())[0].get<std::string>(), "9007199254740993");
}

TEST(ReportPage, ASecondValueOfOneNameIsNotLost) {
  Page page;
  Row& row = page.table.rows.emplace_back();
  for (int64_t v : {1, 2}) row.values.push_back({"twice", v, "", Provenance::Counted, ""});
  const auto json = data_of(page);
  const auto& columns = *json.find("columns")->get<Json::Array>();
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(*columns[1].find("all")->get<int64_t>(), 2);
}

TEST(ReportPage, LanguagesHaveNames) {
  for (const auto& language : languages()) EXPECT_TRUE(check_language(language).ok());
  EXPECT_FALSE(check_language("de").ok());
}

Table sizes(std::initializer_list<int> all) {
  Table table;
  for (int n : all)
    for (const char* kernel : {"a", "b"}) {
      Row& row = table.rows.emplace_back();
      row[Axis::Kernel] = kernel;
      row[Axis("n")] = std::to_string(n);
      row.values.push_back({"time", 0.001 * n * n, "ms", Provenance::Modelled, ""});
      row.values.push_back({"flat", 3.0, "", Provenance::Modelled, ""});
    }
  return table;
}

TEST(DefaultPlots, GoAlongAnAxisWithEnoughValues) {
  const auto plots = default_plots(sizes({8, 64, 512}), {"time", "flat", "none"});
  ASSERT_EQ(plots.size(), 1u);  // "flat" does not vary, "none" is not there
  EXPECT_EQ(plots[0].x, "n");
  EXPECT_EQ(plots[0].y, std::vector<std::string>{"time"});
  EXPECT_EQ(plots[0].series, std::vector<std::string>{"kernel"});
  EXPECT_TRUE(plots[0].log_x);
  EXPECT_TRUE(plots[0].log_y);
}

/// Rows of n = 8, 64, 512 for each tile, in blocks that follow from n.
Table tiles(int count) {
  Table table;
  for (Row& row : sizes({8, 64, 512}).rows)
    for (int tile = 1; tile <= count; ++tile) {
      Row& with = table.rows.emplace_back(row);
      with[Axis("tile")] = std::to_string(tile);
      with[Axis::Block] = with[Axis("n")] + "x1";
    }
  return table;
}

TEST(DefaultPlots, DrawALineForEachOfFewValues) {
  const std::vector<std::string> both{"kernel", "tile"}, kernel{"kernel"};
  for (const Plot& plot : default_plots(tiles(4), {"time"}))
    if (plot.x == "n") EXPECT_EQ(plot.series, both);
  // Ten lines are more than there are colours: the tile is the reader's choice.
  const auto plots = default_plots(tiles(5), {"time"});
  for (const Plot& plot : plots)
    if (plot.x == "n") EXPECT_EQ(plot.series, kernel);
  // What is on x is no line.
  for (const Plot& plot : plots)
    if (plot.x == "tile") EXPECT_EQ(plot.series, (std::vector<std::string>{"kernel", "n"}));
}

TEST(DefaultPlots, AreBarsOfKernelsWithoutOne) {
  const auto plots = default_plots(sizes({8, 9}), {"time"});
  ASSERT_EQ(plots.size(), 1u);
  EXPECT_EQ(plots[0].x, "kernel");
  EXPECT_EQ(plots[0].series, std::vector<std::string>{"n"});  // else one of the sizes would not be seen
}

}  // namespace
}  // namespace ww::report
