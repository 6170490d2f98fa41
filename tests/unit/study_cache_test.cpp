// What an earlier run has counted.
#include "study/cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/file.h"
#include "device/engine_device.h"
#include "gpus/catalog.h"
#include "study/digest.h"

namespace ww::study {
namespace {

namespace fs = std::filesystem;

TEST(Digest, TellsTextsApart) {
  std::set<std::string> seen;
  std::string text;
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(digest(text).size(), 32u);
    EXPECT_TRUE(seen.insert(digest(text)).second);
    text += '\0';  // also texts that differ in zeros only
  }
  for (size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string other = text;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
    EXPECT_TRUE(seen.insert(digest(other)).second);
  }
}

// As xxhsum -H2 of Debian's package xxhash has them.
TEST(Digest, IsXxh128) {
  EXPECT_EQ(digest(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(digest("warpwright"), "e41a24f339854e5e61b71cafa5ba2384");
  EXPECT_EQ(digest(std::string(1000, '\0')), "3fb94aea6d09b97224c1ea6074dd588c");
}

class CacheTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("ww_cache_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    device_ = device::make_engine_device({});
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<Item> items(const Selection& selection) {
    auto found = select(**find_study("aat"), selection);
    EXPECT_TRUE(found);
    return *found;
  }

  /// Runs, and leaves in known_ how many runs the cache had.
  Table run_with(Cache& cache, const Selection& selection, std::vector<const gpus::Gpu*> gpus = {}) {
    RunContext context{{device_.get()}};
    context.options.gpus = std::move(gpus);
    context.cache = &cache;
    context.progress = [&](const Progress& p) { known_ = p.known; };
    return run(**find_study("aat"), items(selection), context);
  }

  std::vector<fs::path> files() {
    std::vector<fs::path> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      if (entry.is_regular_file()) all.push_back(entry.path());
    return all;
  }

  /// Without what a clock says, which no two runs share.
  static void expect_same(const Table& a, const Table& b) {
    ASSERT_EQ(a.rows.size(), b.rows.size());
    for (size_t i = 0; i < a.rows.size(); ++i) {
      EXPECT_EQ(a.rows[i].axes, b.rows[i].axes);
      for (const Value& value : a.rows[i].values) {
        if (value.tag == "wall_time" || value.tag == "time" || value.tag == "gflops") continue;
        const Value* other = b.rows[i].find(value.tag);
        ASSERT_NE(other, nullptr) << value.tag;
        EXPECT_EQ(other->value, value.value) << value.tag;
        EXPECT_EQ(other->unit, value.unit);
        EXPECT_EQ(other->provenance, value.provenance);
      }
    }
  }

  fs::path folder_;
  std::unique_ptr<device::Device> device_;
  size_t known_ = 0;
  Selection small_{.kernels = {"plain", "padded"}, .blocks = {16}, .n = {32}};
};

TEST_F(CacheTest, HasWhatRanBefore) {
  Cache cache(folder_.string());
  const Table first = run_with(cache, small_);
  EXPECT_EQ(known_, 0u);
  EXPECT_EQ(files().size(), 2u);
  const Table second = run_with(cache, small_);
  EXPECT_EQ(known_, 2u);
  expect_same(first, second);
  EXPECT_EQ(second.rows[0].find("wall_time"), nullptr);  // nothing was measured this time
  EXPECT_NE(second.rows[0].find("verified"), nullptr);
}

TEST_F(CacheTest, GoesOnWhereItWas) {
  Cache cache(folder_.string());
  Selection part = small_;
  part.kernels = {"padded"};
  run_with(cache, part);
  run_with(cache, small_);
  EXPECT_EQ(known_, 1u);
}

TEST_F(CacheTest, KnowsEachGpuByItself) {
  const gpus::Gpu old = *gpus::find_gpu("gtx280"), now = *gpus::find_gpu("h200");
  Cache cache(folder_.string());
  run_with(cache, small_, {&now});
  const Table both = run_with(cache, small_, {&old, &now});
  EXPECT_EQ(known_, 0u);  // one of two GPUs is not all of a run
  Cache none((folder_ / "other").string());
  expect_same(run_with(none, small_, {&old, &now}), both);
  run_with(cache, small_, {&now, &old});
  EXPECT_EQ(known_, 2u);

  gpus::Gpu changed = now;
  changed.smem_banks.value = 16;
  run_with(cache, small_, {&changed});
  EXPECT_EQ(known_, 0u);
}

TEST_F(CacheTest, MakesRoomByWhatWasNotNeededForLongest) {
  Cache cache(folder_.string());
  Selection four = small_;
  four.n = {32, 64};
  run_with(cache, four);
  const auto all = files();
  ASSERT_EQ(all.size(), 4u);
  const auto now = fs::file_time_type::clock::now();
  uint64_t total = 0;
  for (const fs::path& file : all) {
    total += fs::file_size(file);
    fs::last_write_time(file, now - std::chrono::hours(30));
  }
  const fs::path mine = all[0].parent_path() / "mine.txt", left = all[0].parent_path() / ".ww-1-0.tmp";
  for (const fs::path& file : {mine, left}) {
    std::ofstream(file) << "x";
    fs::last_write_time(file, now - std::chrono::hours(30));
  }
  EXPECT_EQ(cache.prune(total), 0u);
  EXPECT_FALSE(fs::exists(left));  // of a process that was killed
  run_with(cache, small_);         // finds the two of n = 32
  EXPECT_EQ(known_, 2u);
  Cache idle(folder_.string());
  EXPECT_EQ(idle.prune(0), 0u);  // has stored nothing
  EXPECT_EQ(cache.prune(total * 3 / 4), 2u);
  EXPECT_TRUE(fs::exists(mine));
  run_with(cache, small_);
  EXPECT_EQ(known_, 2u);
  run_with(cache, four);
  EXPECT_EQ(known_, 2u);
  EXPECT_EQ(cache.damaged(), 0u);
}

TEST_F(CacheTest, WhatARowDependsOnChangesItsKey) {
  const Item item = items(small_)[0];
  const std::string key = Cache::key(item, nullptr, {});
  EXPECT_FALSE(key.empty());
  EXPECT_EQ(key, Cache::key(item, nullptr, {}));
  Item other = item;
  other.config.seed = 2;
  EXPECT_NE(Cache::key(other, nullptr, {}), key);
  other = item;
  other.config.n = 64;
  EXPECT_NE(Cache::key(other, nullptr, {}), key);
  EXPECT_NE(Cache::key(items(small_)[1], nullptr, {}), key);
  EXPECT_NE(Cache::key(item, nullptr, {.sample = true}), key);
  EXPECT_EQ(Cache::key(item, nullptr, {.time = true}), "");
}

TEST_F(CacheTest, InputFilesCountByTheirContents) {
  fs::create_directories(folder_);
  const std::string file = (folder_ / "a.raw").string();
  const auto write = [&](float value) {
    const std::vector<float> a(32 * 32, value);
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(a.data()), 4 * 32 * 32);
  };
  Item item = items(small_)[0];
  item.config.inputs = {file};
  write(1);
  const std::string key = Cache::key(item, nullptr, {});
  write(2);
  EXPECT_NE(Cache::key(item, nullptr, {}), key);
}

TEST_F(CacheTest, ADamagedRowIsNoticedAndReplaced) {
  Cache cache(folder_.string());
  const Table first = run_with(cache, small_);
  const std::string file = files()[0].string();
  const std::string good = *read_file(file);
  size_t damages = 0;
  for (std::string bad : {good.substr(0, good.size() / 2), std::string(), good + "x", "nonsense" + good}) {
    ASSERT_TRUE(write_file_atomically(file, bad));
    expect_same(run_with(cache, small_), first);
    EXPECT_EQ(cache.damaged(), ++damages);
    EXPECT_EQ(known_, 1u);
    EXPECT_EQ(*read_file(file), good);
  }
  std::string bad = good;
  const size_t digit = bad.find("\"value\":") + 8;
  bad[digit] = bad[digit] == '1' ? '2' : '1';
  ASSERT_TRUE(write_file_atomically(file, bad));
  run_with(cache, small_);
  EXPECT_EQ(cache.damaged(), ++damages);
}

TEST_F(CacheTest, ForceFindsNothing) {
  Cache cache(folder_.string());
  run_with(cache, small_);
  Cache forced(folder_.string(), true);
  run_with(forced, small_);
  EXPECT_EQ(known_, 0u);
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(CacheTest, HostTimesAndRefusedRowsAreNotKept) {
  Cache cache(folder_.string());
  run_with(cache, {.kernels = {"sequential", "plain"}, .blocks = {16}, .n = {32, 33}});
  EXPECT_EQ(files().size(), 1u);  // 33 is refused
}

TEST_F(CacheTest, WhereNothingCanBeWrittenTheStudyRunsAllTheSame) {
  std::ofstream(folder_.string()) << "a file, no folder";
  Cache cache(folder_.string());
  const Table table = run_with(cache, small_);
  EXPECT_EQ(table.rows.size(), 2u);
  EXPECT_NE(cache.trouble(), "");
}

}  // namespace
}  // namespace ww::study
