// Findings: each once, whoever meets it first; as text, JSON and SARIF.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/json.h"
#include "checks/all.h"
#include "checks/findings.h"
#include "checks/json.h"
#include "checks/sarif.h"
#include "checks/text.h"

namespace ww::checks {
namespace {

Finding at_line(int line, u32 block, u32 thread) {
  Finding f;
  f.kind = "out-of-bounds write";
  f.kernel = "scale(int*)";
  f.message = "write of 4 bytes at global address 0x400000000fa0";
  Party p;
  p.what = "writes 4 bytes";
  p.where = {"a b.cu", line, 3, 1};
  p.inlined = {p.where, {"a b.cu", 40, 5, 1}};
  p.ptx_line = 77;
  p.by.block = {block, 0, 0}, p.by.thread = {thread, 1, 0};
  p.by.launch = 3;
  f.parties.push_back(p);
  f.more = {"\"quoted\"\n"};
  f.launched = {"/x/app+0x12"};
  return f;
}

TEST(Findings, TheFirstByBlockAndThreadStandsForAll) {
  Findings all;
  all.add(at_line(7, 2, 5));
  all.add(at_line(7, 1, 9));
  all.add(at_line(7, 1, 10));
  all.add(at_line(8, 0, 0));
  const auto list = all.all();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].count, 3u);
  EXPECT_EQ(list[0].parties[0].by.block[0], 1u);
  EXPECT_EQ(list[0].parties[0].by.thread[0], 9u);
}

TEST(Findings, InstructionsOfOneLineThatTouchOneAllocationAreOne) {
  Findings all;
  auto unrolled = [](int ptx_line, u64 allocation, std::string message) {
    Finding f = at_line(7, 0, 0);
    f.parties[0].ptx_line = ptx_line;
    f.allocation = allocation;
    f.message = std::move(message);
    return f;
  };
  all.add(unrolled(101, 0x1000, "write of 4 bytes at global address 0x1010"));
  all.add(unrolled(99, 0x1000, "write of 4 bytes at global address 0x100c"));
  all.add(unrolled(99, 0x1000, "write of 4 bytes at global address 0x100c"));
  all.add(unrolled(103, 0x2000, "write of 4 bytes at global address 0x2010"));
  all.add(unrolled(105, 0, "write of 4 bytes behind tile1"));
  all.add(unrolled(107, 0, "write of 8 bytes behind tile1"));
  all.add(unrolled(109, 0, "write of 4 bytes behind tile2"));
  const auto list = all.all();
  ASSERT_EQ(list.size(), 4u);
  const auto first =
      std::find_if(list.begin(), list.end(), [](const Finding& f) { return f.allocation == 0x1000; });
  ASSERT_NE(first, list.end());
  EXPECT_EQ(first->count, 3u);
  EXPECT_EQ(first->parties[0].ptx_line, 99);
}

TEST(Findings, OneInstructionMayDoSeveralThingsWrong) {
  Findings all;
  auto wrong = [](u64 allocation, std::string message, HostTrace allocated) {
    Finding f = at_line(7, 0, 0);
    f.allocation = allocation;
    f.message = std::move(message);
    f.allocated = std::move(allocated);
    return f;
  };
  for (int k = 0; k < 2; ++k) {
    all.add(wrong(0x1000, "write of 4 bytes at 0x1190, 0 bytes behind an allocation of 400", {"main.cu:4"}));
    all.add(wrong(0x2000, "write of 4 bytes at 0x2fa0, 0 bytes behind an allocation of 4000", {"main.cu:5"}));
    all.add(wrong(0x4000, "write of 4 bytes at 0x4fa0, 0 bytes behind an allocation of 4000", {"main.cu:5"}));
    all.add(wrong(0, "write of 4 bytes at 0x0: a null pointer", {}));
  }
  const auto list = all.all();
  ASSERT_EQ(list.size(), 3u);
  for (const Finding& f : list)
    EXPECT_EQ(f.count, f.allocated == HostTrace{"main.cu:5"} ? 4u : 2u) << f.message;
}

TEST(Findings, ChangedOnesAreTakenOnceAndKeepTheirId) {
  Findings all;
  int told = 0;
  all.when_new([&] { ++told; });
  all.add(at_line(7, 2, 5));
  const auto first = all.take_changed();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_TRUE(all.take_changed().empty());
  all.add(at_line(7, 1, 5));
  const auto again = all.take_changed();
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].id, first[0].id);
  EXPECT_EQ(again[0].count, 2u);
  EXPECT_EQ(told, 1);
}

TEST(Findings, JsonHoldsEverything) {
  Finding f = at_line(7, 2, 5);
  f.allocation = 0x400000000f80;
  const std::string text = write_json(f);
  EXPECT_EQ(text.find('\n'), text.npos);
  auto back = read_json(text, "text");
  ASSERT_TRUE(back);
  EXPECT_EQ(write_json(*back), text);
  EXPECT_EQ(back->parties[0].inlined.size(), 2u);
  EXPECT_EQ(back->more, f.more);
  EXPECT_EQ(back->allocation, f.allocation);
  EXPECT_FALSE(read_json("{}", "text"));
  EXPECT_FALSE(read_json("{\"kind\":", "text"));
}

TEST(Findings, SarifNamesRuleLevelAndPlace) {
  auto json = parse_json(write_sarif({at_line(7, 2, 5), at_line(8, 0, 0)}), "sarif");
  ASSERT_TRUE(json);
  const Json& run = json->find("runs")->get<Json::Array>()->at(0);
  EXPECT_EQ(run.find("tool")->find("driver")->find("rules")->get<Json::Array>()->size(), 1u);
  const Json& result = run.find("results")->get<Json::Array>()->at(0);
  EXPECT_EQ(*result.find("ruleId")->get<std::string>(), "out-of-bounds-write");
  EXPECT_EQ(*result.find("level")->get<std::string>(), "error");
  const Json& where = *result.find("locations")->get<Json::Array>()->at(0).find("physicalLocation");
  EXPECT_EQ(*where.find("artifactLocation")->find("uri")->get<std::string>(), "a%20b.cu");  // RFC 3986
  EXPECT_EQ(*where.find("region")->find("startLine")->get<int64_t>(), 7);
}

TEST(Findings, OfCallsInHeadersOfTheToolkitTheFirstAndTheLastAreTold) {
  const std::string cccl = " at /usr/local/cuda-13.0/include/cccl/cub/device.cuh:";
  Finding f;
  f.kind = f.message = "bad set";
  f.launched = {"inner" + cccl + "1", "a" + cccl + "2",     "b" + cccl + "3", "outer" + cccl + "4",
                "mine at a.cu:5",     "c" + cccl + "6",     "d" + cccl + "7", "e" + cccl + "8",
                "theirs at b.cu:9",   "cuda_runtime in app"};
  EXPECT_EQ(render(f), "error: bad set\n  called by inner" + cccl +
                           "1\n    through 2 calls in CUDA's headers\n" + "    from outer" + cccl +
                           "4\n    from mine at a.cu:5\n    from c" + cccl + "6\n    from d" + cccl +
                           "7\n    from e" + cccl +
                           "8\n    from theirs at b.cu:9\n    from cuda_runtime in app\n");
}

TEST(Findings, OperationsOfTheHostAreToldApartByWhereTheyWereAskedFor) {
  // A race of two copies has no line of a kernel: the calls are its places, in text, JSON and SARIF.
  Findings all;
  const auto race = [&](const char* first, const char* second, u64 allocation) {
    Finding f;
    f.kind = "race", f.message = "data race between streams";
    f.allocation = allocation;
    f.launched = {second, "main at a.cu:9"}, f.other = {first, "main at a.cu:9"};
    all.add(f);
  };
  race("upload at a.cu:3", "reset at b c.cu:5", 0x1000);
  race("upload at a.cu:3", "reset at b c.cu:5", 0x2000);
  race("upload at a.cu:4", "reset at b c.cu:5", 0x1000);
  const auto list = all.all();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].count, 2u);
  EXPECT_NE(
      render(list[0]).find("  called by reset at b c.cu:5\n    from main at a.cu:9\n  the other called by "
                           "upload at a.cu:3\n"),
      std::string::npos)
      << render(list[0]);
  const auto read = read_json(write_json(list[0]), "x");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->other, list[0].other);
  const auto json = parse_json(write_sarif({list[0]}), "x");
  ASSERT_TRUE(json);
  const Json& result =
      json->find("runs")->get<Json::Array>()->at(0).find("results")->get<Json::Array>()->at(0);
  const auto place_of = [&](const char* key) {
    const Json& where = *result.find(key)->get<Json::Array>()->at(0).find("physicalLocation");
    return *where.find("artifactLocation")->find("uri")->get<std::string>() + "|" +
           std::to_string(*where.find("region")->find("startLine")->get<int64_t>());
  };
  EXPECT_EQ(place_of("locations"), "b%20c.cu|5");  // RFC 3986
  EXPECT_EQ(place_of("relatedLocations"), "a.cu|3");
}

TEST(Findings, WhatOneCallDoesWrongToAllMemoryOfOnePlaceIsToldOnce) {
  Findings all;
  const auto freed_twice = [&](const char* by, const char* allocated, u64 allocation) {
    Finding f;
    f.kind = "double free", f.message = "cudaFree of memory that has been freed";
    f.allocation = allocation, f.more = {std::to_string(allocation)};
    f.launched = {by}, f.allocated = {allocated}, f.freed = {"first at a.cu:3"};
    all.add(f);
  };
  freed_twice("again at a.cu:5", "make at a.cu:1", 0x9000);
  freed_twice("again at a.cu:5", "make at a.cu:1", 0x10000);
  freed_twice("again at a.cu:6", "make at a.cu:1", 0x9000);
  freed_twice("again at a.cu:5", "make at a.cu:2", 0x11000);
  const auto list = all.all();
  ASSERT_EQ(list.size(), 3u);
  for (const Finding& f : list)
    if (f.launched[0] == "again at a.cu:5" && f.allocated[0] == "make at a.cu:1") {
      EXPECT_EQ(f.count, 2u);
      EXPECT_EQ(f.more[0], std::to_string(0x9000));  // the first
    } else {
      EXPECT_EQ(f.count, 1u);
    }
}

TEST(Findings, OnlyErrorsCount) {
  Finding hint = at_line(7, 0, 0);
  hint.severity = Severity::Hint;
  EXPECT_FALSE(any_error({hint}));
  EXPECT_TRUE(any_error({hint, at_line(8, 0, 0)}));
  EXPECT_EQ(tally({hint, hint, at_line(8, 0, 0)}), "1 error, 2 hints");
}

TEST(Checks, NamesAreKnownOrRefused) {
  EXPECT_EQ(names_in("all,unwritten,benign,numbers,hints")->size(), known().size());
  EXPECT_LT(names_in("all")->size(), known().size());
  EXPECT_EQ(names_in("memory,memory")->size(), 1u);
  EXPECT_FALSE(names_in("memory,nothing"));
  EXPECT_FALSE(names_in(""));
}

}  // namespace
}  // namespace ww::checks
