// The laboratory's kernels in compiled code: launched twice, as the second launch may enter code that was
// made during the first, they compute what they should.
#include <cstdlib>

#include "engine/compile/compile.h"
#include "engine/lanes/lanes.h"
#include "kernels_runs.h"

namespace ww::kernels {
namespace {

/// Whether the compiler is done with it in a moment: the others have thousands of instructions.
bool is_short(const Case& c) { return c.name.starts_with("simt/") || c.name.starts_with("sum/"); }

// WW_CASE: that kernel alone, also a long one.
TEST(CompiledCases, ComputeAsInterpreted) {
  std::string why;
  if (!engine::can_compile(*engine::lane_code(), why)) GTEST_SKIP() << why;
  const char* only = std::getenv("WW_CASE");
  engine::Settings settings;
  settings.threads = 1;
  settings.back = "interpreter";
  auto reference = device::make_engine_device(settings);
  settings.back = "compiled";
  auto device = device::make_engine_device(settings);
  for (const Case& c : all_cases()) {
    if (c.on_host() || c.needs_gpu || (only ? only != c.name : !is_short(c))) continue;
    const Config config = short_config(c);
    SCOPED_TRACE(title(c.name, config));
    const auto verified = [](const Row& row) {
      const Value *is = row.find("verified"), *fault = row.find("fault");
      return row.refused + (fault ? fault->text() : "") + (is ? is->text() : "");
    };
    const std::string expected = verified(Runner().run(c, config, reference.get()));
    for (int launch = 1; launch <= 2; ++launch)
      EXPECT_EQ(verified(Runner().run(c, config, device.get())), expected) << "launch " << launch;
  }
}

}  // namespace
}  // namespace ww::kernels
