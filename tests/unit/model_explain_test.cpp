// The sentences name what the published and measured tables are known to suffer from.
#include <gtest/gtest.h>

#include "gpus/catalog.h"
#include "model/explain.h"
#include "model_activity_data.h"

namespace ww::model {
namespace {

std::string told(const std::string& id, const std::string& label) {
  auto gpu = gpus::find_gpu(id);
  for (const auto& row : known_activities(id)) {
    if (row.label.find(label) == std::string::npos) continue;
    auto time = predict_time(*gpu, row.activity);
    std::string out;
    for (const auto& sentence : explain(*gpu, row.activity, *time)) {
      EXPECT_EQ(sentence.text.back(), '.');
      out += sentence.text + "\n";
    }
    return out;
  }
  ADD_FAILURE() << label;
  return {};
}

TEST(Explain, NamesTheTrouble) {
  const std::string conflicts = told("h200", "aat/plain 32");
  EXPECT_NE(conflicts.find("for shared memory"), std::string::npos) << conflicts;
  EXPECT_NE(conflicts.find("Bank conflicts cause 235 million"), std::string::npos)
      << conflicts;  // as Nsight Compute counted
  EXPECT_EQ(told("h200", "aat/padded 32").find("Bank conflicts"), std::string::npos);
  EXPECT_NE(told("gt240", "matmul/one_block 8 528").find("Its 1 block occupies 1 of 12 SMs"),
            std::string::npos);
  EXPECT_NE(told("gtx1080", "16 1600 24 24").find("bandwidth of DRAM"), std::string::npos);
  EXPECT_NE(told("h200", "matmul/tiles 16 1024 6 6").find("Barriers"), std::string::npos);
}

}  // namespace
}  // namespace ww::model
