// What cannot run is refused when it is launched; everything else of its module runs
// (tests/data/refusals.ptx).
#include "engine/needs.h"
#include "ir/link.h"
#include "run_ptx.h"

namespace {

using namespace ww;
using test::PtxProgram;

/// What a launch of the kernel says.
std::string refusal(PtxProgram& p, const std::string& kernel) {
  try {
    p.launch(kernel, {}, {});
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "it ran";
}

TEST(Refusal, GoodKernelsRunBesideBadOnes) {
  PtxProgram p("refusals.ptx");
  auto out = p.upload(std::vector<int>{0});
  p.run("good", {}, {}, out);
  EXPECT_EQ(p.download<int>(out, 1), std::vector<int>{7});
}

TEST(Refusal, LaunchingABadKernelSaysWhyAndWhere) {
  PtxProgram p("refusals.ptx");
  EXPECT_EQ(refusal(p, "unknown_instruction"),
            "refusals.ptx:19:41: error: PTX has no instruction 'frobnicate'\n");
  std::string two = refusal(p, "not_implemented");
  EXPECT_NE(two.find("refusals.ptx:20:54: error: tcgen05.alloc"), two.npos) << two;
  EXPECT_NE(two.find("error: multimem.red.add.u32 is not implemented"), two.npos) << two;
  EXPECT_NE(refusal(p, "calls_undefined").find("function nobody is declared but not defined"),
            std::string::npos);
  EXPECT_EQ(refusal(p, "reads_undefined"),
            "refusals.ptx:7:1: error: external variable elsewhere is not defined anywhere\n");
  EXPECT_EQ(refusal(p, "calls_refused"), "refusals.ptx:8:26: error: PTX has no instruction 'frobnicate'\n");
}

TEST(Refusal, ThroughAPointerItIsAFault) {
  PtxProgram p("refusals.ptx");
  auto [kind, message] = p.fault("through_pointer", {});
  EXPECT_EQ(kind, "call of a function that cannot run");
  EXPECT_NE(message.find("refused_helper: line 8: PTX has no instruction 'frobnicate'"), message.npos)
      << message;
}

TEST(Refusal, NeedsListAllKernels) {
  auto text = read_file(WW_TEST_DATA "refusals.ptx");
  ASSERT_TRUE(text);
  auto module = ptx::parse("refusals.ptx", *text);
  ASSERT_TRUE(module) << render(module.error());
  auto needs = engine::needs_of(std::make_shared<const ir::Module>(std::move(*module)));
  ASSERT_EQ(needs.size(), 7u);
  EXPECT_EQ(needs[0].name, "good");
  EXPECT_EQ(needs[0].params_bytes, 8u);
  for (const auto& k : needs)
    EXPECT_EQ(k.refused.empty(), k.name == "good" || k.name == "through_pointer") << k.name;
}

TEST(Linked, FunctionsAndVariablesOfAnotherModule) {
  const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n";
  auto a = ptx::parse("a.ptx", head + R"(
.extern .func (.param .b32 r) twice(.param .b32 a);
.extern .global .u32 seed;
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<3>; .reg .b64 %d<2>;
  ld.global.u32 %r1, [seed];
  { .param .b32 x; .param .b32 y;
    st.param.b32 [x], %r1;
    call (y), twice, (x);
    ld.param.b32 %r2, [y]; }
  ld.param.u64 %d1, [out];
  st.global.u32 [%d1], %r2;
  ret;
})");
  auto b = ptx::parse("b.ptx", head + R"(
.visible .func (.param .b32 r) twice(.param .b32 a)
{
  .shared .u32 cell;
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [a];
  st.shared.u32 [cell], %r1;
  ld.shared.u32 %r2, [cell];
  add.u32 %r1, %r1, %r2;
  st.param.b32 [r], %r1;
  ret;
}
.visible .global .u32 seed = 21;
)");
  ASSERT_TRUE(a && b);
  engine::Engine engine{engine::Settings{}};
  auto run = [&](std::vector<ir::Module> modules) {
    auto linked = ir::link(std::move(modules));
    EXPECT_TRUE(linked);
    auto loaded = engine.load(std::make_shared<ir::Module>(std::move(*linked)));
    EXPECT_TRUE(loaded);
    auto out = engine.memory().allocate(4);
    engine::LaunchRequest request;
    request.kernel = "k";
    request.arguments.emplace_back(8);
    std::memcpy(request.arguments[0].data(), &*out, 8);
    auto result = engine.run(**loaded, request);
    if (!result) return std::string(render(result.error()));
    EXPECT_TRUE(result->faults.empty());
    return std::to_string(*reinterpret_cast<const int*>(engine.memory().host(*out)));
  };
  EXPECT_EQ(run({*a, *b}), "42");
  EXPECT_EQ(run({*b, *a}), "42");
  EXPECT_NE(run({*a}).find("function twice is declared but not defined"), std::string::npos);
}

}  // namespace
