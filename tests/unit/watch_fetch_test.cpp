// Fetches from textures and stores to surfaces in recordings, against the geometry of the kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <set>

#include "base/json.h"
#include "device/engine_device.h"
#include "gpus/catalog.h"
#include "kernels/run.h"
#include "watch/watch.h"

namespace ww::watch {
namespace {

/// The elements that each lane fetches.
std::map<u32, std::set<u64>> fetched(const Launch& l, const Event& e) {
  std::map<u32, std::set<u64>> out;
  const Form& f = l.forms[e.form];
  for (const auto& [lane, offset] : f.fetched)
    out[lane].insert((e.first + static_cast<u64>(offset) - l.arrays[f.array].address) / 4);
  return out;
}

TEST(WatchFetch, FilteredTexelsOfLinearMemory) {
  constexpr int kN = 256, kWide = 8, kTall = 32 / kWide;
  kernels::Config config;
  config.n = kN, config.k = kWide, config.shape.block = 256;
  std::atomic<bool> stop = false;
  const auto chosen = kernels::find_case("spaces/texture_linear_clamp");
  ASSERT_TRUE(chosen);
  auto r = record(**chosen, config, *gpus::find_gpu("h200"), stop);
  ASSERT_TRUE(r) << kernels::one_line(r.error());
  const Launch& l = r->launches.at(0);
  size_t fetches = 0;
  for (const Event& e : l.events) {
    const Form& f = l.forms.at(e.form);
    if (f.texels == Texels::None) continue;
    ++fetches;
    EXPECT_EQ(f.texels, Texels::Linear);
    EXPECT_EQ(l.arrays.at(f.array).name, "image");
    EXPECT_EQ(f.pattern.mask, ~u32{0});
    EXPECT_EQ(l.sites[l.steps[e.step].site].kind, rules::AccessKind::Load);
    EXPECT_FALSE(l.sites[l.steps[e.step].site].barrier);
    const auto texels = fetched(l, e);
    // A quarter of a texel right of the middle of column x + 3, half a texel above that of row y - 2.
    const int first_row = static_cast<int>((e.block / l.grid[0] * (l.block[0] / 32) + e.warp) * kTall);
    const int first_column = static_cast<int>(e.block % l.grid[0]) * kWide;
    u64 sectors = 0;
    for (int lane = 0; lane < 32; lane += 4) {
      std::set<u64> of_four;
      for (int k = lane; k < lane + 4; ++k) {
        std::set<u64> want;
        for (const int dy : {-3, -2})
          for (const int dx : {3, 4}) {
            const int x = std::clamp(first_column + k % kWide + dx, 0, kN - 1);
            const int y = std::clamp(first_row + k / kWide + dy, 0, kN - 1);
            want.insert(static_cast<u64>(y * kN + x));
          }
        EXPECT_EQ(texels.at(static_cast<u32>(k)), want);
        for (const u64 element : want) of_four.insert(element * 4 / 32);
      }
      sectors += of_four.size();
    }
    EXPECT_EQ(f.cost.requests, 8u);
    EXPECT_EQ(f.cost.sectors, sectors);
  }
  EXPECT_EQ(fetches, size_t{kN * kN / 32});  // once for each warp
}

// Thread t of 8 reads texel (3 - t % 4, t / 4) of an array of 4 x 2, beyond which lies a border, and column 4
// of row 0 if t is 7; it writes what it read to texel t of a surface.
constexpr const char* kPtx = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 image, .param .u64 out) {
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %d<2>;
  .reg .pred %p;
  ld.param.u64 %d0, [image];
  ld.param.u64 %d1, [out];
  mov.u32 %r0, %tid.x;
  and.b32 %r1, %r0, 3;
  sub.s32 %r1, 3, %r1;
  shr.u32 %r2, %r0, 2;
  setp.eq.u32 %p, %r0, 7;
  @%p mov.u32 %r1, 4;
  @%p mov.u32 %r2, 0;
  tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%d0, {%r1, %r2}];
  shl.b32 %r3, %r0, 2;
  mov.b32 %r4, %f0;
  sust.b.1d.b32.trap [%d1, {%r3}], %r4;
  ret;
}
)";

TEST(WatchFetch, ArraysAndSurfaces) {
  std::atomic<bool> stop = false;
  engine::Settings settings;
  settings.threads = 1;
  const auto device = device::make_engine_device(settings);
  engine::Engine* engine = device::engine_of(*device);
  const device::Address image = *device->allocate(32), out = *device->allocate(32);
  const float content[8] = {10, 11, 12, 13, 20, 21, 22, 23};
  ASSERT_TRUE(device->write(image, std::as_bytes(std::span(content))));
  engine::TextureDescription t;
  t.shape = engine::TextureShape::Array2D;
  t.address = image, t.width = 4, t.height = 2;
  for (auto& mode : t.address_mode) mode = engine::AddressMode::Border;
  engine::TextureDescription s;
  s.shape = engine::TextureShape::Array1D;
  s.address = out, s.width = 8;
  device::Launch launch;
  launch.module = *device->load("k.ptx", kPtx);
  launch.kernel = "k";
  launch.block = {8, 1, 1};
  launch.arguments = {device::Argument::of(*engine->create_texture(t)),
                      device::Argument::of(*engine->create_surface(s))};
  Launch what;
  what.entry = "k";
  what.block = {8, 1, 1};
  what.arrays = {{"image", ir::Space::Global, image, 32, 8, 4}, {"out", ir::Space::Global, out, 32, 8, 0}};
  auto r = record(*device, launch, what, {}, *gpus::find_gpu("h200"), stop);
  launch.module.reset();
  ASSERT_TRUE(r) << r.error()[0].message;
  const Launch& l = r->launches.at(0);
  ASSERT_EQ(l.events.size(), 2u);
  const Form &fetch = l.forms[l.events[0].form], &store = l.forms[l.events[1].form];
  EXPECT_EQ(fetch.texels, Texels::Array);
  EXPECT_EQ(fetch.pattern.mask, 0x7fu);  // thread 7 reads none
  const std::map<u32, std::set<u64>> want = {{0, {3}}, {1, {2}}, {2, {1}}, {3, {0}},
                                             {4, {7}}, {5, {6}}, {6, {5}}};
  EXPECT_EQ(fetched(l, l.events[0]), want);
  EXPECT_EQ(fetch.cost.sectors, 0u);  // its layout is not known
  EXPECT_TRUE(fetch.pieces.empty());
  EXPECT_EQ(store.texels, Texels::Array);
  EXPECT_EQ(store.kind, rules::AccessKind::Store);
  EXPECT_EQ(store.pattern.mask, 0xffu);
  EXPECT_EQ(store.cost.sectors, 0u);
  EXPECT_TRUE(l.arrays[0].texels && l.arrays[1].texels);
  std::map<u64, float> stored;
  for (const Change& c : l.changes)
    if (c.array == 1) stored[c.element] = std::bit_cast<float>(c.bits);
  EXPECT_EQ(stored,
            (std::map<u64, float>{{0, 13}, {1, 12}, {2, 11}, {3, 10}, {4, 23}, {5, 22}, {6, 21}, {7, 0}}));
  const auto json = parse_json(write_json(*r), "watch.json");
  ASSERT_TRUE(json);
  const Json& first =
      json->find("launches")->get<Json::Array>()->front().find("forms")->get<Json::Array>()->front();
  EXPECT_EQ(*first.find("space")->get<std::string>(), "texels");
}

}  // namespace
}  // namespace ww::watch
