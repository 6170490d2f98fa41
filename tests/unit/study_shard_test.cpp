// A study in parts, and together again.
#include "study/shard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "device/null_device.h"
#include "report/json.h"

namespace ww::study {
namespace {

std::vector<Item> items_of(const char* study) {
  auto items = select(**find_study(study), {.quick = true});
  EXPECT_TRUE(items);
  return *items;
}

TEST(Shard, Names) {
  auto shard = shard_named("3/16");
  ASSERT_TRUE(shard);
  EXPECT_EQ(shard->part, 3);
  EXPECT_EQ(shard->of, 16);
  for (const char* wrong : {"", "3", "3/", "/16", "0/16", "17/16", "3/16x", "-1/16", "3 /16", "1/0"})
    EXPECT_FALSE(shard_named(wrong)) << wrong;
}

TEST(Shard, EveryItemHasOneOwnerAndTheWorkIsEven) {
  // The products of one size are the same work; host rows weigh little.
  std::vector<Item> items;
  for (const Item& item : items_of("matmul-ladder"))
    if (item.config.n == 352 && !item.kernel->axes.shapes.empty()) items.push_back(item);
  ASSERT_EQ(items.size(), 12u);
  std::vector<int> count(4, 0);
  for (int owner : owners(items, 4)) {
    ASSERT_GE(owner, 1);
    ASSERT_LE(owner, 4);
    ++count[static_cast<size_t>(owner - 1)];
  }
  EXPECT_EQ(count, std::vector<int>(4, 3));
  EXPECT_EQ(owners(items, 1), std::vector<int>(12, 1));
  EXPECT_EQ(owners(items, 100).size(), 12u);  // more parts than items: some stay empty
}

class Merge : public testing::Test {
 protected:
  /// What `study --shard part/of` would write.
  Part part(int part, int of, const std::string& settings = "seed 1") {
    std::vector<Item> mine;
    const std::vector<int> owner = owners(items_, of);
    for (size_t i = 0; i < items_.size(); ++i)
      if (owner[i] == part) mine.push_back(items_[i]);
    Table table = run(**find_study("aat"), mine, {{&device_}});
    const std::string text =
        write_part(table, whole_of("aat", items_, {&device_}, {part, of}, settings), page_of_part(part));
    auto read = read_part(text, "part" + std::to_string(part) + ".json");
    EXPECT_TRUE(read) << kernels::one_line(read.error());
    return *read;
  }

  /// Each part was run by another command on the same machine.
  static report::Presentation page_of_part(int part) {
    return {"aat",
            "text",
            {"verified"},
            {},
            {{"study", "command", "part " + std::to_string(part)}, {"machine", "cpu", "fast"}},
            {}};
  }

  device::NullDevice device_;
  std::vector<Item> items_ = items_of("aat");
};

TEST_F(Merge, GivesWhatOnePieceWouldHave) {
  const Table whole = run(**find_study("aat"), items_, {{&device_}});
  auto merged = merge({part(2, 3), part(3, 3), part(1, 3)});
  ASSERT_TRUE(merged);
  EXPECT_TRUE(merged->missing.empty());
  EXPECT_TRUE(merged->doubled.empty());
  EXPECT_EQ(merged->table.title, whole.title);
  EXPECT_EQ(merged->page.study, "aat");
  EXPECT_EQ(merged->page.headline, std::vector<std::string>{"verified"});
  EXPECT_EQ(merged->page.facts, (std::vector<report::Fact>{{"study", "command", "part 2; part 3; part 1"},
                                                           {"machine", "cpu", "fast"}}));
  ASSERT_EQ(merged->table.rows.size(), whole.rows.size());
  for (size_t i = 0; i < whole.rows.size(); ++i) EXPECT_EQ(merged->table.rows[i].axes, whole.rows[i].axes);
}

TEST_F(Merge, NamesWhatIsMissingAndWhatIsThereTwice) {
  const std::vector<int> owner = owners(items_, 3);
  auto merged = merge({part(1, 3), part(3, 3)});
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->missing.size(), static_cast<size_t>(std::count(owner.begin(), owner.end(), 2)));
  ASSERT_FALSE(merged->missing.empty());
  EXPECT_TRUE(merged->missing[0].ends_with("of part 2/3")) << merged->missing[0];

  merged = merge({part(1, 3), part(2, 3), part(3, 3), part(2, 3)});
  ASSERT_TRUE(merged);
  EXPECT_TRUE(merged->missing.empty());
  EXPECT_EQ(merged->doubled.size(), static_cast<size_t>(std::count(owner.begin(), owner.end(), 2)));
  EXPECT_EQ(merged->table.rows.size(), items_.size());
}

TEST_F(Merge, RefusesPartsOfDifferentThings) {
  EXPECT_FALSE(merge({part(1, 2), part(2, 3)}));
  EXPECT_FALSE(merge({part(1, 2), part(2, 2, "seed 2")}));
}

TEST(ReadPart, WantsAPart) {
  EXPECT_EQ(read_part(R"({"rows": []})", "f.json").error()[0].message, "this is not a part of a study");
  EXPECT_FALSE(read_part(R"({"part": {"part": 2, "of": 1}, "rows": []})", "f.json"));
  EXPECT_FALSE(read_part(R"({"part": {"part": 1, "of": 1, "study": "s", "settings": "", "runs": ["a"],
                                      "owner": [2]}, "rows": []})",
                         "f.json"));
}

}  // namespace
}  // namespace ww::study
