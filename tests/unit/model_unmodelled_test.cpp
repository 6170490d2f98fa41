// What a prediction leaves out is told by what the kernel did and by what is known of the GPU.
#include "model/unmodelled.h"

#include <gtest/gtest.h>

#include "gpus/catalog.h"
#include "model/prediction.h"

namespace ww::model {
namespace {

Activity quiet() {
  Activity a;
  a.blocks = 256, a.threads_per_block = 256, a.registers = 32;
  a.int_alu = 2048 * 100, a.load_store = 2048;
  return a;
}

std::string not_modelled(const char* gpu, const Activity& a) {
  const Prediction p = predict(*gpus::find_gpu(gpu), a, {32, Provenance::Input, "given", 0, 0});
  for (const Value& v : values_of({p}))
    if (v.tag == "not_modelled") return v.text();
  return "";
}

double time_of(const char* gpu, const Activity& a) { return predict_time(*gpus::find_gpu(gpu), a)->total; }

TEST(Unmodelled, AKernelWithoutSuchThingsIsWhole) {
  for (const char* gpu : {"h200", "rtx4070s", "gt240"}) EXPECT_EQ(not_modelled(gpu, quiet()), "") << gpu;
}

TEST(Unmodelled, AtomicsOfOneWordAreModelledWhereSomebodyMeasuredThem) {
  Activity a = quiet();
  a.atomic_passes = 65536;
  EXPECT_EQ(not_modelled("rtx4070s", a), "atomic_meetings");
  EXPECT_EQ(not_modelled("h200", a), "");
  // 65536 passes of 1.31 clocks at 1980 MHz are 43.4 us; nothing else takes nearly as long.
  EXPECT_NEAR(time_of("h200", a) - time_of("h200", quiet()), 43.4e-3, 1.5e-3);
  a.atomic_passes = 1;  // meets nobody
  EXPECT_EQ(not_modelled("rtx4070s", a), "");
}

TEST(Unmodelled, WhatWouldNotCountIsNotListed) {
  Activity a = quiet();
  a.dram_bytes_read = 1e9;  // some milliseconds, some millions of clocks
  a.atomic_passes = 1000;
  EXPECT_EQ(not_modelled("rtx4070s", a), "");
}

TEST(Unmodelled, WordsOfConstantMemory) {
  Activity a = quiet();
  a.constant_passes = 31.0 * 64 * 2048;
  EXPECT_EQ(not_modelled("gtx1080", a), "constant_passes");
  EXPECT_EQ(not_modelled("h200", a), "");
  // Of 256 blocks an SM of 132 gets two: 16 warps · 64 · 31 passes of 2.19 clocks are 35.1 us.
  EXPECT_NEAR(time_of("h200", a) - time_of("h200", quiet()), 35.1e-3, 1.5e-3);
}

TEST(Unmodelled, LocksTexturesAndBulkCopies) {
  Activity a = quiet();
  a.spin_reads = 1;
  EXPECT_EQ(not_modelled("h200", a), "lock_attempts");
  a.texture_requests = 1;
  EXPECT_EQ(not_modelled("h200", a), "lock_attempts, texture_units");
  a.bulk_operations = 1;
  EXPECT_EQ(not_modelled("h200", a), "lock_attempts, texture_units, bulk_units");
}

TEST(Unmodelled, OneOfSeveralLaunchesIsEnough) {
  Activity a = quiet();
  a.spin_reads = 1;
  const auto gpu = *gpus::find_gpu("h200");
  const Registers r{32, Provenance::Input, "given", 0, 0};
  const auto values = values_of({predict(gpu, quiet(), r), predict(gpu, a, r)});
  const auto found =
      std::find_if(values.begin(), values.end(), [](const Value& v) { return v.tag == "not_modelled"; });
  ASSERT_NE(found, values.end());
  EXPECT_EQ(found->text(), "lock_attempts");
}

}  // namespace
}  // namespace ww::model
