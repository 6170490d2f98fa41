// What a texture's array may be, from the instructions and from the source.
#include "cli/launch/texture_guess.h"

#include <gtest/gtest.h>

#include "ptx/parser.h"

namespace ww::cli {
namespace {

/// The use by `k(.param .u64 t)` of the object in %rd1.
TextureUse used(const std::string& instruction) {
  auto module = ptx::parse("k.ptx", R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 t)
{
  .reg .b16 %h<5>;
  .reg .b32 %r<9>;
  .reg .f32 %f<9>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [t];
  )" + instruction + "\n  ret;\n}\n");
  EXPECT_TRUE(module.ok()) << instruction;
  if (!module) return {};
  const ir::Function& f = *module->find_function("k");
  return texture_use(f, f.params[0].symbol);
}

TEST(TextureGuess, TakesWhatTheInstructionSays) {
  EXPECT_EQ(texture_text(used("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];"), "32", "16"),
            "tex:f32[16,32]");
  EXPECT_EQ(texture_text(used("tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5}];"), "n", ""),
            "tex,buffer:u32[n]");
  EXPECT_EQ(texture_text(used("tex.a2d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5, %f1, %f2, %f3}];"), "32",
                         "16"),
            "tex,layered:s32[4,16,32]");
  EXPECT_EQ(
      texture_text(used("tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6, %f7, %f8}];"), "32", ""),
      "tex,cube:f32[6,64,64]");
  EXPECT_EQ(texture_text(used("sust.b.3d.v2.b8.trap [%rd1, {%r1, %r2, %r3, %r4}], {%h1, %h2};"), "32", "16"),
            "surf,x2:u8[8,16,32,2]");
  EXPECT_TRUE(used("").object.empty());
}

TEST(TextureGuess, TakesTexelsFromTheSource) {
  TextureUse use = used("tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%f5, %f6}];");
  const std::string source =
      "void other() { tex2D<float>(image, x, y); }\n"
      "__global__ void k(cudaTextureObject_t image) {\n"
      "  uchar4 c = tex2D<uchar4>(image, x, y);\n}\n";
  add_texels_of_source(use, source, "image", 2);
  EXPECT_EQ(texture_text(use, "32", "16"), "tex,x4:u8[16,32,4]");
  add_texels_of_source(use, "tex2D<float>(image, x, y)", "image", 1);  // not what the instruction reads
  EXPECT_EQ(use.element, "u8");
}

}  // namespace
}  // namespace ww::cli
