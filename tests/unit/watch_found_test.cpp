#include <gtest/gtest.h>

#include "device/engine_device.h"
#include "gpus/catalog.h"
#include "watch/watch.h"

namespace ww::watch {
namespace {

// Each thread of two warps writes its word of `tile` and reads that of the thread 32 further on, with or
// without a barrier in between; the bytes of `out` get the result.
std::string ptx(bool barrier) {
  return std::string(R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<6>;
  .reg .b64 %d<3>;
  .shared .align 4 .b8 tile[256];
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, tile;
  add.s32 %r1, %r1, %r2;
  st.shared.u32 [%r1], %r0;
)") + (barrier ? "  bar.sync 0;\n" : "") +
         R"(  xor.b32 %r3, %r0, 32;
  shl.b32 %r3, %r3, 2;
  add.s32 %r3, %r3, %r2;
  ld.shared.u32 %r4, [%r3];
  ld.param.u64 %d0, [out];
  cvt.u64.u32 %d1, %r0;
  add.s64 %d0, %d0, %d1;
  st.global.u8 [%d0], %r4;
  ret;
}
)";
}

Launch watched(bool barrier) {
  std::atomic<bool> stop = false;
  engine::Settings settings;
  settings.threads = 1;
  settings.cancel = &stop;
  const auto device = device::make_engine_device(settings);
  device::Launch launch;
  launch.module = *device->load("k.ptx", ptx(barrier));
  launch.kernel = "k";
  launch.block = {64, 1, 1};
  const device::Address out = *device->allocate(64);
  launch.arguments = {device::Argument::of(out)};
  Launch what;
  what.entry = "k";
  what.block = {64, 1, 1};
  what.arrays.push_back({"out", ir::Space::Global, out, 64, 16, 0});
  auto r = record(*device, launch, what, {{{"tile", {"s32", 8}}}}, *gpus::find_gpu("h200"), stop);
  launch.module.reset();
  EXPECT_TRUE(r) << r.error()[0].message;
  return r ? r->launches[0] : Launch{};
}

TEST(WatchFound, BothSidesOfARaceAreLinked) {
  const Launch l = watched(false);
  ASSERT_EQ(l.found.size(), 1u);
  const Found& f = l.found[0];
  EXPECT_EQ(f.severity, "error");
  ASSERT_EQ(f.parties.size(), 2u);
  std::vector<std::string> sites;
  for (const FoundParty& p : f.parties) {
    ASSERT_NE(p.ran, kNone);
    const auto event =
        std::find_if(l.events.begin(), l.events.end(), [&](const Event& e) { return e.ran == p.ran; });
    ASSERT_NE(event, l.events.end());
    sites.push_back(l.sites[l.steps[event->step].site].text);
    EXPECT_EQ(l.arrays[p.array].name, "tile");
    EXPECT_EQ(p.bytes, 4u);
    EXPECT_EQ(p.from, f.parties[0].from);
  }
  std::sort(sites.begin(), sites.end());
  EXPECT_EQ(sites, (std::vector<std::string>{"ld.shared.u32", "st.shared.u32"}));
}

TEST(WatchFound, NoneWithABarrier) { EXPECT_TRUE(watched(true).found.empty()); }

TEST(WatchUnits, DeclaredTypesAndNarrowAccesses) {
  const Launch l = watched(true);
  ASSERT_EQ(l.arrays.size(), 2u);
  EXPECT_EQ(l.arrays[0].type, "u8");  // as it is accessed
  EXPECT_EQ(l.arrays[0].unit, 1u);
  EXPECT_EQ(l.arrays[0].elements, 64u);
  EXPECT_EQ(l.arrays[1].type, "s32");  // as it is declared, whatever u32 the instructions say
  EXPECT_EQ(l.arrays[1].columns, 8u);
  EXPECT_EQ(unit_of("bf16"), 2u);
  EXPECT_EQ(unit_of("s8"), 1u);
  EXPECT_EQ(unit_of("f64"), 4u);
  EXPECT_EQ(unit_of("b128"), 4u);
  EXPECT_EQ(unit_of(""), 4u);
}

}  // namespace
}  // namespace ww::watch
