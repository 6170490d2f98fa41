// What is said of a launch besides its time.
#include "forecast/sentences.h"

#include <gtest/gtest.h>

#include "gpus/catalog.h"

namespace ww::forecast {
namespace {

/// The sentences for an ordinary launch whose registers spill so many bytes.
std::string said(int64_t stores, int64_t loads) {
  const auto gpu = gpus::find_gpu("h200");
  model::Activity a;
  a.blocks = 10000, a.threads_per_block = 256, a.registers = 64;
  a.dram_bytes_read = 1e9, a.int_alu = 1e5;
  Figures figures;
  figures.prediction.activity = a;
  figures.prediction.time = *model::predict_time(*gpu, a);
  figures.prediction.registers.per_thread = 64;
  figures.prediction.registers.spill_stores = stores, figures.prediction.registers.spill_loads = loads;
  std::string text;
  for (const Said& s : sentences(*gpu, figures, {}, [](const std::string&, int) { return std::string(); }))
    text += s.text + "\n";
  return text;
}

TEST(Sentences, SpillsAreSaid) {
  const std::string some = said(856, 1);
  EXPECT_NE(some.find("856 bytes of stores to local memory and 1 byte of loads"), std::string::npos) << some;
  EXPECT_EQ(said(0, 0).find("do not suffice"), std::string::npos);
}

TEST(Sentences, ARefusedLaunchIsGivenItsReasonAlone) {
  Figures figures;
  figures.prediction.refused = "too much shared memory";
  const auto all = sentences(*gpus::find_gpu("h200"), figures, {}, {});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].text, "too much shared memory.");
}

}  // namespace
}  // namespace ww::forecast
