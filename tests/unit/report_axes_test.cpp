// Axes that a study has of its own, in files and tables.
#include "report/axes.h"

#include <gtest/gtest.h>

#include "report/compare.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/page.h"
#include "report/terminal.h"

namespace ww::report {
namespace {

Table own_table() {
  Table table{"mine", {}, {}, {{"tile", "side of a tile", "words", false}, {"rows", "", "", true}}};
  for (int tile : {8, 16}) {
    Row& row = table.rows.emplace_back();
    row[Axis("rows")] = "640", row[Axis("tile")] = std::to_string(tile);
    row[Axis::Kernel] = "mine.cu:k";
    row.values.push_back({"flop", int64_t{tile}, "", Provenance::Counted, ""});
  }
  return table;
}

TEST(OwnAxes, FollowTheCommonOnesAsDeclared) {
  Table table = own_table();
  table.rows[1][Axis("pad")] = "1";  // which nobody declared
  std::string names;
  for (Axis axis : axes_of(table)) names.append(axis.name()) += ' ';
  EXPECT_EQ(names, "study kernel gpu device n block rx ry r k tile rows pad ");
  EXPECT_EQ(own_axes(table).back(), (AxisInfo{"pad", "", "", false}));
}

TEST(OwnAxes, AreColumnsOfTheCsv) {
  const std::string text = write_csv(own_table());
  EXPECT_EQ(text,
            "study,kernel,gpu,device,n,block,rx,ry,r,k,tile,rows,metric,value,unit,provenance\n"
            ",mine.cu:k,,,,,,,,,8,640,flop,8,,counted\n"
            ",mine.cu:k,,,,,,,,,16,640,flop,16,,counted\n");
  auto back = read_csv(text, "a.csv");
  ASSERT_TRUE(back.ok()) << render(back.error());
  EXPECT_EQ(back->rows[1].axes, own_table().rows[1].axes);
  EXPECT_EQ(write_csv(*back), text);
}

TEST(OwnAxes, ComeBackFromJsonWithWhatIsSaidOfThem) {
  const Table table = own_table();
  auto back = read_json(write_json(table), "a.json");
  ASSERT_TRUE(back.ok()) << render(back.error());
  EXPECT_EQ(back->axes, table.axes);
  EXPECT_EQ(back->rows[0].axes, table.rows[0].axes);
}

TEST(OwnAxes, OfAFileMustBeDeclaredAndHaveAFreeName) {
  auto result = read_json(R"({"rows": [{"axes": {"kernle": "k"}}]})", "a.json");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error()[0].message, "unknown key 'kernle'");
  result =
      read_json(R"({"axes": [{"name": "metric"}, {"name": "gpu"}, {"name": "2d"}], "rows": []})", "a.json");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().size(), 3u);
  auto csv = read_csv("study,kernel,gpu,device,n,block,rx,ry,r,k,n,metric,value,unit,provenance\n", "a.csv");
  ASSERT_FALSE(csv.ok());
  EXPECT_EQ(csv.error()[0].where.column, 43);
}

TEST(OwnAxes, TellRowsApartEverywhere) {
  const Table table = own_table();
  auto same = compare(table, table, {});
  ASSERT_TRUE(same.ok()) << render(same.error());  // two rows are not taken for one
  EXPECT_EQ(same->rows, 2u);
  EXPECT_EQ(describe_row(table.rows[0]), "mine.cu:k rows=640 tile=8");
  EXPECT_NE(render_terminal(table).find("tile"), std::string::npos);
  Page page;
  page.table = table;
  EXPECT_NE(page_data(page).find(R"("name":"tile","label":"side of a tile","unit":"words")"),
            std::string::npos);
}

}  // namespace
}  // namespace ww::report
