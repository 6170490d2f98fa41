// Kernels as PTX text under the check of races: what is told of them.
#pragma once

#include "checks/races.h"
#include "engine_kernels.h"

namespace ww::checks::races_lab {

using engine::Lab;

/// Runs kernel k as asked for, and returns what was found.
inline std::vector<Finding> races_in(Lab& lab, engine::LaunchRequest request, bool benign = false) {
  Findings findings;
  Races check(findings, benign);
  request.kernel = "k";
  request.listeners = {&check};
  LaunchFacts facts;
  facts.grid = request.grid, facts.block = request.block, facts.cluster = request.cluster;
  facts.memory = &lab.engine.memory();
  facts.arguments = &request.arguments;
  check.prepare(facts);
  auto run = lab.engine.run(*lab.module, request);
  EXPECT_TRUE(run) << render(run.error(), "");
  if (run)
    for (const auto& fault : run->faults) ADD_FAILURE() << fault.message;
  return findings.all();
}

/// The same with arrays of so many words as arguments.
inline std::vector<Finding> races_of(const std::string& ptx, u32 grid, u32 block,
                                     const std::vector<u64>& words = {256}, u32 cluster = 1,
                                     bool benign = false, const char* order = "forward") {
  engine::Settings settings = Lab::small(2);
  settings.order = *engine::order_of(order);
  Lab lab(ptx, settings);
  engine::LaunchRequest request;
  request.grid = {grid, 1, 1};
  request.block = {block, 1, 1};
  request.cluster = {cluster, 1, 1};
  for (u64 n : words) request.arguments.push_back(engine::argument(lab.words(n)));
  return races_in(lab, std::move(request), benign);
}

inline std::string text_of(const std::vector<Finding>& all) {
  std::string text;
  for (const Finding& f : all) {
    text += f.message + "\n";
    for (const std::string& m : f.more) text += "  " + m + "\n";
  }
  return text;
}

inline void clean(const std::string& ptx, u32 grid, u32 block, const std::vector<u64>& words = {256},
                  u32 cluster = 1) {
  const auto found = races_of(ptx, grid, block, words, cluster);
  EXPECT_TRUE(found.empty()) << text_of(found) << ptx;
}

/// Exactly one kind of pair, whose text holds `part`.
inline void racy(const std::string& ptx, u32 grid, u32 block, const std::string& part,
                 const std::vector<u64>& words = {256}, u32 cluster = 1) {
  const auto found = races_of(ptx, grid, block, words, cluster);
  ASSERT_FALSE(found.empty()) << "nothing was found in" << ptx;
  EXPECT_EQ(found[0].kind, "race");
  EXPECT_EQ(found[0].severity, Severity::Error) << text_of(found);
  EXPECT_EQ(found[0].parties.size(), 2u);
  EXPECT_NE(text_of(found).find(part), std::string::npos) << text_of(found);
}

/// A kernel k(a, b) with registers, %r1 = thread, %r2 = block, %rd1 = a, %rd2 = b, and 1 KiB at `tile`.
inline std::string kernel(const std::string& body, bool second = false) {
  return std::string(".visible .entry k(.param .u64 a") + (second ? ", .param .u64 b" : "") + R"() {
  .reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .b16 %h<4>;
  .shared .align 16 .b8 tile[1024];
  ld.param.u64 %rd1, [a];
)" + (second ? "  ld.param.u64 %rd2, [b];\n" : "") +
         R"(  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
)" + body +
         "  ret;\n}\n";
}

}  // namespace ww::checks::races_lab
