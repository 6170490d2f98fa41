// What is kept of kernels' code from launch to launch: found once for a program and GPU, and the same
// figures.
#include "forecast/known_code.h"

#include <gtest/gtest.h>

#include <cstring>

#include "engine/decode/program.h"
#include "forecast/forecast.h"
#include "gpus/catalog.h"
#include "ptx/parser.h"

namespace ww::forecast {
namespace {

// A loop of n rounds.
constexpr const char* kRounds = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n) {
  .reg .pred %q; .reg .b32 %r<4>; .reg .b64 %rd; .reg .f32 %f<3>;
  ld.param.u64 %rd, [p];
  ld.param.u32 %r1, [n];
  mov.f32 %f1, 0f00000000;
LOOP:
  ld.global.f32 %f2, [%rd];
  add.f32 %f1, %f1, %f2;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %q, %r1, 0;
  @%q bra LOOP;
  st.global.f32 [%rd], %f1;
  ret;
}
)";

struct KnownCodeTest : ::testing::Test {
  engine::Engine engine{engine::Settings{.threads = 1}};
  std::shared_ptr<engine::LoadedModule> module;
  const gpus::Gpu gpu = *gpus::find_gpu("h200"), other = *gpus::find_gpu("gtx1080");
  uint64_t buffer = *engine.memory().allocate(256);

  void SetUp() override {
    auto parsed = ptx::parse("k.ptx", kRounds);
    ASSERT_TRUE(parsed) << render(parsed.error());
    module = *engine.load(std::make_shared<ir::Module>(std::move(*parsed)));
  }

  engine::LaunchRequest request(uint32_t rounds) const {
    engine::LaunchRequest out;
    out.kernel = "k";
    out.grid = {4, 1, 1}, out.block = {64, 1, 1};
    const auto bytes = [](const auto& v) {
      const auto* raw = reinterpret_cast<const uint8_t*>(&v);
      return std::vector<uint8_t>(raw, raw + sizeof v);
    };
    out.arguments = {bytes(buffer), bytes(rounds)};
    return out;
  }

  Figures figures(const gpus::Gpu& of, uint32_t rounds, KnownCode* code) {
    const gpus::Gpu* gpus[] = {&of};
    const engine::LaunchRequest launch = request(rounds);
    const LaunchShape shape(launch);
    auto run = sampling::run_counted(engine, *module, launch, plan_for(gpus, shape, false));
    EXPECT_TRUE(run) << render(run.error());
    return forecast::of(*run, of, {"k", kRounds, shape, {}, 256, nullptr, nullptr, code});
  }
};

TEST_F(KnownCodeTest, IsFoundOnceForAProgramAndGpu) {
  KnownCode known;
  const auto one = std::make_shared<const engine::Program>(), two = std::make_shared<const engine::Program>();
  int found = 0;
  const auto find = [&] { return CodeOn{{.per_thread = ++found}, {}}; };
  EXPECT_EQ(known.of(one, gpu, find)->registers.per_thread, 1);
  EXPECT_EQ(known.of(one, gpu, find)->registers.per_thread, 1);
  EXPECT_EQ(known.of(one, other, find)->registers.per_thread, 2);
  EXPECT_EQ(known.of(two, gpu, find)->registers.per_thread, 3);
  EXPECT_EQ(known.of(one, gpu, find)->registers.per_thread, 1);
}

TEST_F(KnownCodeTest, FiguresOfLaterLaunchesAreTheirOwn) {
  KnownCode known;
  for (uint32_t rounds : {1u, 100u, 7u})
    for (const gpus::Gpu* of : {&gpu, &other}) {
      const Figures with = figures(*of, rounds, &known), without = figures(*of, rounds, nullptr);
      EXPECT_EQ(with.prediction.time.total, without.prediction.time.total) << of->id << " " << rounds;
      EXPECT_EQ(with.prediction.registers.per_thread, without.prediction.registers.per_thread);
      EXPECT_EQ(with.prediction.activity.fp32, 8.0 * rounds) << "one addition a round in each of 8 warps";
    }
}

}  // namespace
}  // namespace ww::forecast
