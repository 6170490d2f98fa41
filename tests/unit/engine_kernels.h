// Running PTX text in tests of the engine.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "engine/compile/compile.h"
#include "engine/engine.h"
#include "ir/verify.h"
#include "ptx/parser.h"

namespace ww::engine {

inline std::vector<u8> argument(u64 v) {
  std::vector<u8> b(8);
  std::memcpy(b.data(), &v, 8);
  return b;
}

/// Whether this build has the second back end.
inline bool compiler_there() {
  std::string why;
  return can_compile(*lane_code(), why);
}

/// An engine with one module; parameters of the kernels are all .u64.
struct Lab {
  Engine engine;
  std::shared_ptr<LoadedModule> module;

  explicit Lab(const std::string& body, Settings settings = small(2), const std::string& target = "sm_80")
      : engine(settings) {
    std::string text = ".version 8.0\n.target " + target + "\n.address_size 64\n" + body;
    auto parsed = ptx::parse("test.ptx", text);
    EXPECT_TRUE(parsed) << render(parsed.error(), text);
    auto ir = std::make_shared<const ir::Module>(std::move(*parsed));
    auto wrong = ir::verify(*ir);
    EXPECT_TRUE(wrong.empty()) << render(wrong, text);
    auto loaded = engine.load(ir);
    EXPECT_TRUE(loaded) << render(loaded.error(), text);
    module = *loaded;
  }

  static Settings small(int threads) {
    Settings s;
    s.threads = threads;
    s.memory_limit = 64 << 20;
    s.branch_limit = 50'000'000;
    return s;
  }

  u64 words(size_t count) { return *engine.memory().allocate(4 * count); }
  u32* host(u64 address) { return reinterpret_cast<u32*>(engine.memory().host(address)); }

  Result<RunResult> launch(u32 grid, u32 block, std::vector<u64> arguments, bool cooperative = false) {
    LaunchRequest request;
    request.kernel = "k";
    request.grid = {grid, 1, 1};
    request.block = {block, 1, 1};
    request.cooperative = cooperative;
    for (u64 a : arguments) request.arguments.push_back(argument(a));
    return engine.run(*module, request);
  }

  /// The first fault ("" if none).
  std::string fault(u32 grid, u32 block, std::vector<u64> arguments) {
    auto r = launch(grid, block, std::move(arguments));
    if (!r) return render(r.error(), "");
    return r->faults.empty() ? "" : r->faults[0].message;
  }
};

inline ::testing::AssertionResult says(const std::string& message, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    if (message.find(part) == std::string::npos)
      return ::testing::AssertionFailure() << "no \"" << part << "\" in:\n" << message;
  return ::testing::AssertionSuccess();
}

}  // namespace ww::engine
