// What a kernel's code says of its grid and block.
#include "cli/launch/kernel_shape.h"

#include <gtest/gtest.h>

#include "cli/launch/block_guess.h"
#include "ptx/parser.h"

namespace ww::cli {
namespace {

KernelShape shape_of(const std::string& body, const std::string& directives = "") {
  auto module =
      ptx::parse("k.ptx", ".version 8.0\n.target sm_75\n.address_size 64\n.entry k(.param .u32 n)" +
                              directives + " {\n.reg .b32 %r<16>;\n.reg .b64 %d<4>;\n" + body + "ret;\n}\n");
  EXPECT_TRUE(module) << (module ? "" : module.error()[0].message);
  return module ? kernel_shape(*module, "k") : KernelShape();
}

TEST(KernelShape, AsksForBlocksNotForThreads) {
  const auto read = [](const std::string& special) { return shape_of("mov.u32 %r1, " + special + ";\n"); };
  EXPECT_EQ(read("%tid.x").grid, 1u);
  EXPECT_EQ(read("%tid.y").grid, 1u);
  EXPECT_EQ(read("%tid.y").threads, 2u);
  EXPECT_EQ(read("%ctaid.y").grid, 2u);
  EXPECT_EQ(read("%ctaid.z").grid, 3u);
  EXPECT_EQ(thread_directions(read("%tid.z")), 1u);  // of thread_rank()
}

TEST(KernelShape, IsForOneBlockWhereNoneCanTellWhichItIs) {
  EXPECT_TRUE(shape_of("mov.u32 %r1, %tid.x;\nred.shared.add.u32 [0], 1;\n").one_block);
  for (const char* special : {"%ctaid.x", "%nctaid.x", "%clusterid.x", "%cluster_ctarank", "%smid"})
    EXPECT_FALSE(shape_of(std::string("mov.u32 %r1, ") + special + ";\n").one_block) << special;
  EXPECT_FALSE(shape_of("atom.global.add.u32 %r1, [%d1], 1;\n").one_block);  // takes a number
}

TEST(KernelShape, BlocksCoverWhatTheirNumberIsMultipliedBy) {
  // blockIdx.x * 64, blockIdx.y * 48 * n (n first), blockIdx.z * blockDim.z
  const KernelShape shape = shape_of(
      "ld.param.u32 %r9, [n];\nmov.u32 %r1, %ctaid.x;\nshl.b32 %r2, %r1, 6;\nmov.u32 %r3, %ctaid.y;\n"
      "mul.lo.s32 %r4, %r3, %r9;\nmul.lo.s32 %r5, %r4, 48;\nmov.u32 %r6, %ctaid.z;\nmov.u32 %r7, %ntid.z;\n"
      "mad.lo.s32 %r8, %r6, %r7, %r1;\nshl.b32 %r10, %r6, 5;\n");
  EXPECT_EQ(shape.tile, (std::array<uint64_t, 3>{64, 48, 0}));
}

TEST(KernelShape, ThreadsOfABlockMayHaveSeveralElementsEach) {
  const std::string specials = "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n";
  // blockIdx.x * blockDim.x * 4 + threadIdx.x, in both orders of the factors
  const KernelShape first = shape_of(specials + "shl.b32 %r4, %r1, 2;\nmad.lo.s32 %r5, %r4, %r2, %r3;\n");
  const KernelShape last =
      shape_of(specials + "mul.lo.s32 %r4, %r1, %r2;\nshl.b32 %r5, %r4, 2;\nadd.s32 %r6, %r5, %r3;\n");
  for (const KernelShape& shape : {first, last}) {
    EXPECT_EQ(shape.per_thread, (std::array<uint64_t, 3>{4, 1, 1}));
    EXPECT_EQ(shape.tile, (std::array<uint64_t, 3>{0, 0, 0}));
    EXPECT_EQ(block_layouts(shape).front(), (BlockLayout{256, 1, 1, 1024, 1, 1}));
  }
}

TEST(KernelShape, AnElementIsWhatIndicesAreMultipliedBy) {
  const KernelShape shape = shape_of(
      ".shared .align 4 .b8 points[3072];\nmov.u32 %r1, %tid.x;\nmov.u32 %r3, points;\n"
      "mad.lo.s32 %r2, %r1, 12, %r3;\nst.shared.u32 [%r2], %r1;\n");
  EXPECT_EQ(shape.shared_elements, (std::vector<uint64_t>{256, 768}));
  EXPECT_EQ(block_layouts(shape).front().x, 256u);
}

TEST(KernelShape, OneDirectionOfThreadsIsARow) {
  KernelShape shape;  // a product in tiles of 64 x 64, its shared arrays 64 x 8
  shape.grid = 2, shape.tile = {64, 64, 0}, shape.shared_elements = {512, 512};
  const BlockLayout first = block_layouts(shape).front();
  EXPECT_EQ(first, (BlockLayout{512, 1, 1, 64, 64, 1}));
  for (const BlockLayout& l : block_layouts(shape)) EXPECT_EQ(l.y, 1u);
}

TEST(KernelShape, ATileOfThreadsMayWalk) {
  KernelShape shape;  // a transposition of tiles of 32 x 32
  shape.grid = shape.threads = 2, shape.tile = {32, 32, 0}, shape.shared_elements = {1024};
  const auto layouts = block_layouts(shape);
  EXPECT_NE(std::find(layouts.begin(), layouts.end(), BlockLayout{32, 8, 1, 32, 32, 1}), layouts.end());
  for (const BlockLayout& l : layouts) EXPECT_LE(l.x, 32u);
}

TEST(KernelShape, LaunchBoundsAreWhatItWasWrittenFor) {
  EXPECT_EQ(shape_of("", " .maxntid 128, 1, 1").most_threads, 128u);
  KernelShape shape;
  shape.most_threads = 128;
  EXPECT_EQ(block_layouts(shape).front().x, 128u);
  shape.threads = shape.grid = 2, shape.most_threads = 256;
  EXPECT_EQ(block_layouts(shape).front().x * block_layouts(shape).front().y, 256u);
  shape.most_threads = 6;
  for (const BlockLayout& l : block_layouts(shape)) EXPECT_LE(l.x * l.y * l.z, 6u);
}

}  // namespace
}  // namespace ww::cli
