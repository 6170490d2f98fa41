// Sentences about source lines, from tables written by hand.
#include "model/explain_lines.h"

#include <gtest/gtest.h>

#include "gpus/catalog.h"

namespace ww::model {
namespace {

Row line(const char* place, std::vector<std::pair<const char*, int64_t>> counters) {
  Row row;
  row[Axis::Kernel] = place;
  for (const auto& [tag, value] : counters) row.values.push_back({tag, value, "", Provenance::Counted, ""});
  return row;
}

std::string all_of(const std::string& gpu, const Table& table) {
  std::string out;
  for (const auto& s : explain_lines(*gpus::find_gpu(gpu), table, [](const std::string&, int n) {
         return n == 7 ? "  x = a[i * n];" : "";
       }))
    out += s.text + "\n";
  return out;
}

TEST(ExplainLines, StridedLoadIsNamedAndTheGoodOneIsNot) {
  // 100 warps that ask for 128 bytes each: one strided (32 sectors), one in order (4).
  const Table table{
      "",
      {line("k.cu:7",
            {{"global_load_requests", 100}, {"global_load_bytes", 12800}, {"global_load_sectors", 3200}}),
       line("k.cu:9",
            {{"global_load_requests", 100}, {"global_load_bytes", 12800}, {"global_load_sectors", 400}})},
      {}};
  const std::string text = all_of("h200", table);
  EXPECT_NE(text.find("k.cu:7 (`x = a[i * n];`) loads 128 bytes per request but moves 1024 (32 sectors)"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("k.cu:9"), std::string::npos) << text;
}

TEST(ExplainLines, OldGpusMoveTransactions) {
  const Table table{"",
                    {line("k.cu:7", {{"global_load_requests", 10},
                                     {"global_load_bytes", 1280},
                                     {"global_load_transactions_32", 320}})},
                    {}};
  EXPECT_NE(all_of("gt240", table).find("moves 1024 (whole transactions)"), std::string::npos)
      << all_of("gt240", table);
}

TEST(ExplainLines, ConflictsAndFewLanes) {
  const Table table{"",
                    {line("k.cu:3", {{"warp_instructions", 100},
                                     {"thread_instructions", 3200},
                                     {"shared_load_requests", 100},
                                     {"shared_load_wavefronts", 1600},
                                     {"shared_load_bank_conflicts", 1500}}),
                     line("k.cu:4", {{"warp_instructions", 50}, {"thread_instructions", 50}})},
                    {}};
  const std::string text = all_of("h200", table);
  EXPECT_NE(
      text.find(
          "k.cu:3 has 1,500 bank conflicts in 100 shared loads: they take on average 16 passes instead of 1"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("k.cu:4 runs with 1 of 32 lanes"), std::string::npos) << text;
}

}  // namespace
}  // namespace ww::model
