// Code kept on disk: found again for the same instructions alone, and never believed where it is damaged.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/compile/code.h"
#include "engine/compile/code_cache.h"

namespace ww::engine {
namespace {

namespace fs = std::filesystem;

const Inst* native(Warp&, const Inst* i) { return i + 3; }

/// Two instructions, the second of which has a native handler, and a folder of its own.
class CodeCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/ww_code_XXXXXX";
    folder_ = mkdtemp(name);
    code_[0].dst = 1024;
    code_[1].dst = 1152;
    steps_[0].ways[0].table = 2;
    steps_[1].ways[0].native = native;
    unit_.layout = layout_stamp();
    unit_.target = "avx512";
    unit_.code = code_;
    unit_.steps = steps_;
    unit_.count = 2;
  }
  void TearDown() override { fs::remove_all(folder_); }

  CodeCache cache(u64 limit = 1 << 20, const char* version = "1") const {
    return {folder_ + "/code", version, limit};
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    for (const auto& f : fs::directory_iterator(folder_ + "/code")) out.push_back(f.path());
    return out;
  }

  std::string folder_;
  Inst code_[4] = {};
  CompileStep steps_[2] = {};
  CompileUnit unit_;
  const std::vector<u8> bytes_{1, 2, 3, 4, 5};
};

/// readelf says the same.
TEST_F(CodeCacheTest, TheLinkersDigest) {
  std::string hex;
  for (const unsigned char c : linkers_digest("/proc/self/exe")) hex += fmt::format("{:02x}", c);
  FILE* readelf = ::popen("readelf -n $(readlink -f /proc/$PPID/exe) 2>/dev/null", "r");
  ASSERT_NE(readelf, nullptr);
  std::string said(1 << 16, 0);
  said.resize(std::fread(said.data(), 1, said.size(), readelf));
  ::pclose(readelf);
  if (said.find("Build ID") == said.npos) GTEST_SKIP() << "no readelf, or no build ID";
  EXPECT_GE(hex.size(), 32u);
  EXPECT_NE(said.find("Build ID: " + hex + "\n"), said.npos) << hex << "\n" << said;
  // Not a program, only the beginning of one, nothing.
  std::ofstream(folder_ + "/text") << "no program";
  std::ifstream exe("/proc/self/exe", std::ios::binary);
  std::string begin(80, 0);
  exe.read(begin.data(), 80);
  std::ofstream(folder_ + "/begin") << begin;
  for (const char* name : {"/text", "/begin", "/missing", ""}) EXPECT_EQ(linkers_digest(folder_ + name), "");
}

TEST_F(CodeCacheTest, FindsWhatItKept) {
  EXPECT_FALSE(cache().find(unit_));
  cache().keep(unit_, bytes_);
  EXPECT_EQ(cache().find(unit_), bytes_);
}

TEST_F(CodeCacheTest, SaysWhatAnEarlierProcessDidNotComeToTheEndOf) {
  EXPECT_FALSE(cache().begun(unit_));
  cache().begin(unit_);
  EXPECT_TRUE(cache().begun(unit_));
  EXPECT_FALSE(cache().find(unit_));
  code_[1].src[2] = 4;
  EXPECT_FALSE(cache().begun(unit_));  // another kernel
  code_[1].src[2] = 0;
  cache().keep(unit_, bytes_);
  EXPECT_FALSE(cache().begun(unit_));
  EXPECT_EQ(cache().find(unit_), bytes_);
}

TEST_F(CodeCacheTest, WhateverDiffersIsAnotherKernel) {
  cache().keep(unit_, bytes_);
  EXPECT_FALSE(cache(1 << 20, "2").find(unit_));  // another compiler
  code_[1].src[2] = 4;
  EXPECT_FALSE(cache().find(unit_));
  code_[1].src[2] = 0;
  steps_[0].ways[0].place = 1;
  EXPECT_FALSE(cache().find(unit_));
  steps_[0].ways[0].place = 0;
  unit_.masked = true;
  EXPECT_FALSE(cache().find(unit_));
  unit_.masked = false;
  unit_.target = "avx2";
  EXPECT_FALSE(cache().find(unit_));
  unit_.target = "avx512";
  EXPECT_TRUE(cache().find(unit_));
}

TEST_F(CodeCacheTest, SoDoesWhatIsKnownOfRegisters) {
  WholeSlot slot;
  slot.from = WholeSlot::From::Frame;
  unit_.slots = &slot;
  unit_.slot_count = 1;
  cache().keep(unit_, bytes_);
  for (bool WholeSlot::*known : {&WholeSlot::common, &WholeSlot::alike, &WholeSlot::unset}) {
    slot.*known = true;
    EXPECT_FALSE(cache().find(unit_));
    slot.*known = false;
  }
  EXPECT_TRUE(cache().find(unit_));
}

TEST_F(CodeCacheTest, AddressesAreNoPartOfTheKey) {
  cache().keep(unit_, bytes_);
  code_[0].full = code_[1].lane = native;  // as another process would have them elsewhere
  EXPECT_EQ(cache().find(unit_), bytes_);
}

TEST_F(CodeCacheTest, DamagedFilesAreMissing) {
  cache().keep(unit_, bytes_);
  const fs::path file = files().at(0);
  std::ifstream in(file, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  const auto write = [&](const std::string& text) { std::ofstream(file, std::ios::binary) << text; };
  for (size_t at = 0; at < whole.size(); at += 7) {
    std::string other = whole;
    other[at] = static_cast<char>(other[at] ^ 0x10);
    write(other);
    EXPECT_FALSE(cache().find(unit_)) << at;
    write(whole.substr(0, at));
    EXPECT_FALSE(cache().find(unit_)) << at;
  }
  cache().keep(unit_, bytes_);  // written anew
  EXPECT_EQ(cache().find(unit_), bytes_);
}

TEST_F(CodeCacheTest, FilesThatOthersCanWriteAreNotBelieved) {
  cache().keep(unit_, bytes_);
  ASSERT_EQ(chmod(files().at(0).c_str(), 0666), 0);
  EXPECT_FALSE(cache().find(unit_));
}

TEST_F(CodeCacheTest, TheLeastUsedGoFirst) {
  const CodeCache whole = cache();
  std::vector<fs::path> made;
  for (u32 k = 0; k < 4; ++k) {
    code_[0].dst2 = k;
    cache().keep(unit_, bytes_);
  }
  u64 each = fs::file_size(files().at(0));
  code_[0].dst2 = 0;
  for (const auto& f : files())
    fs::last_write_time(f, fs::file_time_type::clock::now() - std::chrono::hours(2));
  ASSERT_TRUE(cache().find(unit_));  // used just now
  cache(2 * each).prune();
  EXPECT_EQ(files().size(), 2u);
  EXPECT_TRUE(cache().find(unit_));
}

TEST_F(CodeCacheTest, ManyWritersAtOnce) {
  std::vector<std::thread> writers;
  for (int k = 0; k < 4; ++k)
    writers.emplace_back([&] {
      CodeCache mine = cache();
      for (int n = 0; n < 50; ++n) {
        mine.keep(unit_, bytes_);
        EXPECT_EQ(mine.find(unit_), bytes_);
      }
    });
  for (auto& t : writers) t.join();
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(CodeCacheTest, AFolderThatCannotBeMadeKeepsNothing) {
  std::ofstream(folder_ + "/code") << "a file";
  cache().keep(unit_, bytes_);
  EXPECT_FALSE(cache().find(unit_));
}

#if defined(__x86_64__)
/// One entry at instruction 0: jmp *slot(%rip), where the slot is the native handler of instruction 1.
std::vector<u8> jump_to_native(u32 at = 8) {
  CodeHeader header;
  header.code_bytes = 16;
  header.instructions = 2;
  header.slots = 1;
  const u32 entry[2] = {0, kNoEntry};
  CodeSlot slot;
  slot.at = at;
  slot.native = 1;
  u8 code[16] = {0xff, 0x25, 2, 0, 0, 0};
  std::vector<u8> out;
  const auto put = [&](const void* p, size_t n) {
    out.insert(out.end(), static_cast<const u8*>(p), static_cast<const u8*>(p) + n);
  };
  put(&header, sizeof header), put(entry, sizeof entry), put(&slot, sizeof slot), put(code, sizeof code);
  return out;
}

TEST_F(CodeCacheTest, PlacedCodeRuns) {
  std::vector<Handler> entries;
  std::string why;
  const auto placed = place_code(jump_to_native(), unit_, entries, why);
  ASSERT_TRUE(placed) << why;
  ASSERT_TRUE(entries.at(0));
  EXPECT_FALSE(entries.at(1));
  Warp warp;
  EXPECT_EQ(entries[0](warp, code_), code_ + 3);
}

TEST_F(CodeCacheTest, CodeThatIsNoneIsNotPlaced) {
  std::vector<Handler> entries;
  std::string why;
  const std::vector<u8> good = jump_to_native();
  for (size_t n = 0; n < good.size(); ++n)
    EXPECT_FALSE(place_code(std::span(good).first(n), unit_, entries, why)) << n;
  EXPECT_FALSE(place_code(jump_to_native(9), unit_, entries, why));  // beyond the end
  EXPECT_FALSE(place_code(jump_to_native(~u32(0)), unit_, entries, why));
  unit_.count = 1;
  EXPECT_FALSE(place_code(good, unit_, entries, why));
}
#endif

}  // namespace
}  // namespace ww::engine
