// Races with reductions of tensors.
#include "checks/races.h"
#include "checks_lab.h"
#include "checks_races_lab.h"

namespace ww::checks {

namespace {

using races_lab::kernel;

/// Thread 0 of each of two blocks stores a box of 4 x 2 words and adds it to the same box of a tensor of 8 x
/// 4 (in %rd1; the map in %rd2); `after` follows. `fence`: between the stores and the reduction.
std::string reduces(const std::string& fence, const std::string& after) {
  std::string stores;
  for (int word = 0; word < 8; ++word)
    stores += "  st.shared.u32 [tile+" + std::to_string(4 * word) + "], %r1;\n";
  CheckLab<Races> lab(
      kernel("  mov.u32 %r5, 0;\n  setp.ne.u32 %p1, %r1, 0;\n  setp.eq.u32 %p2, %r2, 1;\n  @%p1 bra OVER;\n" +
                 stores + fence + R"(
  cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd2, {%r5, %r5}], [tile];
  cp.async.bulk.commit_group;
)" + after + "\nOVER:\n",
             true));
  const u64 array = lab.words(32), map_at = lab.words(32);
  lab.put_tensor_map(map_at, array);
  for (const auto& fault : lab.run(2, 32, {array, map_at}).faults) ADD_FAILURE() << fault.message;
  return lab.said();
}

TEST(RacesOfTensors, ReductionsAreAtomicForEachOtherAndAwaited) {
  const std::string fence = "  fence.proxy.async;", wait = "  cp.async.bulk.wait_group 0;\n",
                    read = "  cp.async.bulk.wait_group.read 0;\n";
  const auto has = [](const std::string& said, const std::string& part) {
    EXPECT_NE(said.find(part), std::string::npos) << "said: " << said;
  };
  EXPECT_EQ(reduces(fence, wait), "");
  EXPECT_EQ(reduces(fence, wait + "  red.global.add.u32 [%rd1], 1;"), "");
  // Words 4 to 7 of each row are in nobody's box.
  EXPECT_EQ(reduces(fence, "  @%p2 ld.global.u32 %r6, [%rd1+16];\n" + wait), "");
  has(reduces(fence, wait + "  @!%p2 ld.global.u32 %r6, [%rd1+32];"), "race");  // what the other block adds
  has(reduces(fence, "  @%p2 st.global.u32 [%rd1+44], %r1;\n" + wait), "race");
  // The box may be overwritten once it has been read.
  EXPECT_EQ(reduces(fence, read + "  st.shared.u32 [tile+28], %r1;\n" + wait), "");
  has(reduces(fence, "  st.shared.u32 [tile+28], %r1;\n" + wait), "copies asynchronously from");
  has(reduces(fence, "  atom.shared.add.u32 %r6, [tile+28], 1;\n" + wait), "copies asynchronously from");
  has(reduces("", wait), "without a proxy fence");  // the stores were not made visible to it
}

}  // namespace

}  // namespace ww::checks
