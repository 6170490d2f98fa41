// Kernels that are run interpreted and compiled, which must compute and count the same.
#pragma once

#include "engine/compile/compile.h"
#include "engine_kernels.h"

namespace ww::engine {

/// Words that kernels read, and that each of their threads may write.
inline constexpr u32 kInWords = 8192, kOutWords = 16;

struct Form {
  u32 x, y, z;
  u32 threads() const { return x * y * z; }
};
struct Outcome3 {
  std::vector<u32> memory;
  std::vector<Executions> executions;
  std::string fault;
  bool whole = false;  ///< there was whole-warp code
  u64 left = 0;        ///< warps that went on interpreted: a multiple of 16
};

inline Outcome3 run_with(const char* back, const std::string& text, Form grid, Form block,
                         bool counted = true) {
  Settings settings = Lab::small(1);
  settings.back = back;
  Lab lab(text, settings);
  const u32 words = grid.threads() * block.threads() * kOutWords;
  const u64 in = lab.words(kInWords), out = lab.words(words);
  for (u32 k = 0; k < kInWords; ++k) lab.host(in)[k] = k * 2654435761u >> (k % 29);
  LaunchRequest request;
  request.kernel = "k";
  request.grid = {grid.x, grid.y, grid.z};
  request.block = {block.x, block.y, block.z};
  request.counted = counted;
  request.arguments = {argument(in), argument(out)};
  auto ran = lab.engine.run(*lab.module, request);
  Outcome3 o;
  EXPECT_TRUE(ran) << text;
  if (!ran) return o;
  if (!ran->faults.empty()) o.fault = ran->faults[0].message;
  o.executions = ran->executions;
  o.memory.assign(lab.host(out), lab.host(out) + words);
  for (const auto& [name, program] : lab.module->programs) {
    const FunctionCode& entry = *program->functions[0];
    o.whole |= entry.whole || entry.whole_lacking;
    o.left += program->left;
  }
  return o;
}

/// Returns what was so when it was compiled.
inline Outcome3 expect_the_same(const std::string& text, Form grid, Form block, bool counted = true) {
  const Outcome3 a = run_with("interpreter", text, grid, block, counted),
                 b = run_with("compiled", text, grid, block, counted);
  EXPECT_EQ(a.fault, b.fault) << text;
  EXPECT_EQ(a.executions.size(), b.executions.size());
  if (a.executions.size() != b.executions.size()) return b;
  for (size_t k = 0; k < a.executions.size(); ++k) {
    EXPECT_EQ(a.executions[k].warps, b.executions[k].warps) << k << text;
    EXPECT_EQ(a.executions[k].threads, b.executions[k].threads) << k << text;
    EXPECT_EQ(a.executions[k].parted, b.executions[k].parted) << k << text;
  }
  for (size_t k = 0; k < a.memory.size() && !testing::Test::HasFailure(); ++k)
    EXPECT_EQ(a.memory[k], b.memory[k]) << "word " << k % kOutWords << '\n' << text;
  return b;
}
}  // namespace ww::engine
