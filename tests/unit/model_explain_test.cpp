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

TEST(Explain, CountsHaveNoExponents) {
  auto gpu = gpus::find_gpu("h200");
  Activity activity = known_activities("h200")[0].activity;
  activity.global_rounds = 13713.2;
  std::string text;
  for (const auto& sentence : explain(*gpu, activity, *predict_time(*gpu, activity))) text += sentence.text;
  EXPECT_NE(text.find("waits for global memory 13,713 times"), text.npos) << text;
}

TEST(Explain, MostIsMoreThanHalf) {
  size_t most = 0, largest = 0;
  for (const char* id : {"h200", "gtx1080", "gt240"}) {
    auto gpu = gpus::find_gpu(id);
    for (const auto& row : known_activities(id)) {
      auto time = predict_time(*gpu, row.activity);
      const double part = time->binding == "time_tail"       ? time->tail
                          : time->binding == "time_latency"  ? time->latency
                          : time->binding == "time_barriers" ? time->barriers
                          : time->binding == "time_launch"   ? time->launch
                                                             : time->part(time->binding);
      const std::string first = explain(*gpu, row.activity, *time)[0].text;
      const bool half = part > time->total / 2;
      EXPECT_NE(first.find(half ? ", most of it for " : ", the largest part of it for "), first.npos)
          << first;
      ++(half ? most : largest);
    }
  }
  EXPECT_GT(most, 0u);
  EXPECT_GT(largest, 0u);
}

std::string all_of(const gpus::Gpu& gpu, const Activity& a) {
  std::string out;
  for (const auto& sentence : explain(gpu, a, *predict_time(gpu, a))) out += sentence.text + "\n";
  return out;
}

/// A launch that reads and writes much more than it computes.
Activity streaming() {
  Activity a;
  a.blocks = 10000, a.threads_per_block = 256, a.registers = 16;
  a.dram_bytes_read = a.dram_bytes_written = 1e9, a.flop = 2e7;
  a.int_alu = 1e5;
  return a;
}

// GTX 1080 (CUDA programming guide, arithmetic instructions of cc 6.1): 128 multiply-adds of floats and 4 of
// doubles per clock and SM, 20 SMs, 1.733 GHz, 320 GB/s: 27.7 and 0.867 flop for each byte.
TEST(Explain, DoublesHaveTheirOwnBalance) {
  const auto gpu = gpus::find_gpu("gtx1080");
  Activity a = streaming();
  a.fp32 = 1e5;
  EXPECT_NE(all_of(*gpu, a).find("from 27.7 on"), std::string::npos) << all_of(*gpu, a);
  a.fp32 = 0, a.fp64 = 1e5;
  EXPECT_NE(all_of(*gpu, a).find("from 0.867 on"), std::string::npos) << all_of(*gpu, a);
}

TEST(Explain, ShufflesAreNoRequestsOfGlobalMemory) {
  Activity a = streaming();
  a.dram_bytes_read = a.dram_bytes_written = 0;
  a.load_store = 1.5e6, a.global_requests = 1e6, a.global_wavefronts = 32e6;
  const std::string text = all_of(*gpus::find_gpu("h200"), a);
  EXPECT_NE(text.find("32 million passes through L1 for 1 million load and store"), std::string::npos)
      << text;
}

TEST(Explain, LocalMemoryIsNamedWhereItMovesMuch) {
  Activity a = streaming();
  a.global_load_sectors = 6e6, a.global_store_sectors = 2e6;
  EXPECT_EQ(all_of(*gpus::find_gpu("h200"), a).find("local memory"), std::string::npos);
  a.local_sectors = 6e6;
  const std::string text = all_of(*gpus::find_gpu("h200"), a);
  EXPECT_NE(text.find("75 % of the sectors are of local memory"), std::string::npos) << text;
}

// 60 blocks on 56 SMs, each of which could hold 8: no SM is idle at the end for want of a last wave.
TEST(Explain, LessThanAWaveHasNoLastBlocks) {
  Activity a;
  a.blocks = 60, a.threads_per_block = 256, a.registers = 16, a.int_alu = 1e7;
  const std::string text = all_of(*gpus::find_gpu("p100"), a);
  EXPECT_NE(text.find("holds all 60 blocks at once, but 56 SMs do not share them evenly"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("last blocks"), std::string::npos) << text;
}

}  // namespace
}  // namespace ww::model
