// Every launch says which back end ran it.
#include "engine/compile/compile.h"
#include "engine_kernels.h"

namespace ww::engine {
namespace {

constexpr char kStore[] = R"(
.visible .entry k(.param .u64 out) {
.reg .b32 %r<2>; .reg .b64 %rd<3>;
ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; add.s64 %rd0, %rd0, %rd1;
st.global.u32 [%rd0], %r0; ret;
})";

Ran ran_with(const char* back, events::Listener* listener = nullptr) {
  Settings settings = Lab::small(1);
  settings.back = back;
  Lab lab(kStore, settings);
  LaunchRequest request;
  request.kernel = "k";
  request.block = {64, 1, 1};
  if (listener) request.listeners = {listener};
  request.arguments = {argument(lab.words(64))};
  auto ran = lab.engine.run(*lab.module, request);
  EXPECT_TRUE(ran);
  return ran ? ran->ran : Ran::Both;
}

class HearsAccesses : public events::Listener {
 public:
  explicit HearsAccesses(bool takes_notes) : takes_notes_(takes_notes) {}
  u32 wants() const override { return events::kMemory; }
  bool takes_notes() const override { return takes_notes_; }

 private:
  bool takes_notes_;
};

TEST(Ran, SaysWhichBackEndItWas) {
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  EXPECT_EQ(ran_with("interpreter"), Ran::Interpreter);
  EXPECT_EQ(ran_with("auto"), Ran::Interpreter);  // over long before compiling pays
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  EXPECT_EQ(ran_with("compiled"), Ran::Compiled);
  HearsAccesses needs_more(false), takes_notes(true);  // the first may look at registers: pieces alone
  EXPECT_EQ(ran_with("compiled", &needs_more), Ran::Compiled);
  EXPECT_EQ(ran_with("compiled", &takes_notes), Ran::Compiled);
}

TEST(Ran, OfSeveralRuns) {
  EXPECT_EQ(both(Ran::Compiled, Ran::Compiled), Ran::Compiled);
  EXPECT_EQ(both(Ran::Compiled, Ran::Interpreter), Ran::Both);
  EXPECT_EQ(name(Ran::Both), "both");
}

}  // namespace
}  // namespace ww::engine
