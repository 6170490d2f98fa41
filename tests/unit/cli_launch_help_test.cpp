// How a kernel could be launched, of which nothing but its parameters is known.
#include "cli/launch/help.h"

#include <gtest/gtest.h>

#include "cli/launch/survey.h"
#include "ptx/parser.h"

namespace ww::cli {
namespace {

using Kind = Parameter::Kind;

Parameter array_of(const char* name, const char* element, bool read_only) {
  Parameter p;
  p.kind = Kind::Integer, p.bytes = 8, p.name = name, p.cpp = "T*", p.pointer = true;
  p.element = element, p.read_only = read_only;
  return p;
}

Parameter number(const char* name, uint64_t bytes) {
  Parameter p;
  p.kind = Kind::Integer, p.bytes = bytes, p.name = name, p.cpp = "int";
  return p;
}

ExampleLaunch first(const std::vector<Parameter>& parameters, uint64_t directions) {
  KernelShape shape;
  shape.grid = shape.threads = directions;
  return examples_for(parameters, {0, 0, 0}, {0, 0, 0}, shape, 0, false).front();
}

TEST(LaunchHelp, TellsWholeNumbersThatAreRead) {
  using Integers = ExampleLaunch::Integers;
  const std::vector<Parameter> parameters = {array_of("data", "u8", true), array_of("bins", "u32", false)};
  const ExampleLaunch zeros = first(parameters, 1);
  EXPECT_EQ(zeros.read, std::vector<std::string>{"data"});
  EXPECT_EQ(zeros.arguments[0], "data=out:u8[1024]");
  EXPECT_EQ(with_integers(zeros, parameters, Integers::Range).arguments[0], "data=range:u8[1024]");
  const ExampleLaunch random = with_integers(zeros, parameters, Integers::Random);
  EXPECT_EQ(random.arguments[0], "data=random:u8[1024]");
  EXPECT_EQ(random.arguments[1], "bins=out:u32[1024]:bins.npy");
}

TEST(LaunchHelp, ParentsBeginAsTheirOwnAndTheEndsOfAnEdgeDiffer) {
  Parameter parent = array_of("parent", "s32", false);
  parent.loaded = parent.flags = parent.places = true;
  const std::vector<Parameter> parameters = {parent, array_of("src", "s32", true),
                                             array_of("dst", "s32", true)};
  ExampleLaunch e = first(parameters, 1);
  e.flags = {0};
  e = with_integers(e, parameters, ExampleLaunch::Integers::First);
  EXPECT_EQ(e.arguments, (std::vector<std::string>{"parent=range:s32[1024]:parent.npy", "src=range:s32[1024]",
                                                   "dst=out:s32[1024]"}));
  EXPECT_EQ(e.places, std::vector<std::string>{"parent"});
  EXPECT_TRUE(e.zeros.empty());
}

TEST(LaunchHelp, ArraysThatAreReadAndWrittenAreRandomAndKept) {
  Parameter both = array_of("a", "f32", false);
  both.loaded = true;
  EXPECT_EQ(first({both}, 1).arguments[0], "a=random:f32[1024]:a.npy");
}

TEST(LaunchHelp, GivesArraysAHaloWhereAFaultAsksForOne) {
  const std::vector<Parameter> parameters = {array_of("in", "f32", true), array_of("out", "f32", false)};
  const ExampleLaunch plain = first(parameters, 1);
  const auto halo = with_halo(plain, parameters, "read: 12 bytes before the allocation of 4096 bytes");
  ASSERT_TRUE(halo);
  EXPECT_EQ(halo->arguments[0], "in=random:f32[1030]+3");
  EXPECT_EQ(halo->arguments[1], "out=out:f32[1030]:out.npy+3");
  // The end comes next: one element behind the halo is missing.
  const auto wider =
      with_halo(*halo, parameters, "read: 0 bytes past the end of the allocation of 4120 bytes");
  ASSERT_TRUE(wider);
  EXPECT_EQ(wider->arguments[0], "in=random:f32[1032]+4");
  EXPECT_FALSE(with_halo(plain, parameters, "read: 0 bytes past the end of the allocation of 4096 bytes"));
  EXPECT_FALSE(with_halo(plain, parameters, "read: 400000 bytes before the allocation of 4096 bytes"));
  EXPECT_FALSE(with_halo(plain, parameters, "barrier deadlock"));
}

TEST(LaunchHelp, GivesStructsByTheirMembers) {
  Parameter p;
  p.kind = Kind::Struct, p.bytes = 48, p.name = "p";
  p.members = {{"in", "const float*", 0, 8}, {"n", "int", 8, 4}, {"a.x", "__half", 12, 2}};
  for (uint64_t i = 0; i < 8; ++i)
    p.members.push_back({"w[" + std::to_string(i) + "]", "float", 16 + 4 * i, 4});
  const std::vector<std::string> given = first({p}, 1).arguments;
  ASSERT_EQ(given.size(), 11u);
  EXPECT_EQ(given[0], "p.in=random:f32[1024]");
  EXPECT_EQ(given[1], "p.n=1024");
  EXPECT_EQ(given[2], "p.a.x=1.5");
  EXPECT_EQ(given[10], "p.w[7]=1.5");
}

TEST(LaunchHelp, SizesThatAreMultipliedMakeTheArray) {
  const std::vector<Parameter> parameters = {array_of("x", "f32", true), number("rows", 4),
                                             number("columns", 4)};
  const auto all = examples_for(parameters, {0, 0, 0}, {0, 0, 0}, {}, 0, false);
  const auto it = std::find_if(all.begin(), all.end(), [](const ExampleLaunch& e) { return e.factors > 0; });
  ASSERT_NE(it, all.end());
  EXPECT_EQ(it->arguments, (std::vector<std::string>{"x=random:f32[1024]", "rows=32", "columns=32"}));
  EXPECT_EQ(grown(*it, parameters, 64).arguments[1], "rows=256");  // 256 · 256 = 64 · 1024
}

TEST(LaunchHelp, TakesArraysThatAreOnlyReadForInputs) {
  auto module =
      ptx::parse("k.ptx",
                 ".version 7.0\n.target sm_75\n.address_size 64\n"
                 ".visible .entry k(.param .u64 in, .param .u64 out) {\n.reg .u64 %rd<3>; .reg .f32 %f<2>;\n"
                 "ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\nld.global.f32 %f1, [%rd1];\n"
                 "st.global.f32 [%rd2], %f1;\nret;\n}\n");
  ASSERT_TRUE(module);
  const auto parameters = parameters_of(*module, "k");
  EXPECT_TRUE(parameters[0].unwritten);
  EXPECT_FALSE(parameters[1].unwritten);
  EXPECT_EQ(first(parameters, 1).arguments[0], "random:f32[1024]");
}

TEST(LaunchHelp, TakesAHalfForANumber) {
  auto module = ptx::parse("k.ptx",
                           ".version 7.0\n.target sm_75\n.address_size 64\n"
                           ".visible .entry _Z1k6__half(.param .align 2 .b8 a[2]) {\nret;\n}\n");
  ASSERT_TRUE(module);
  const auto parameters = parameters_of(*module, "_Z1k6__half");
  EXPECT_EQ(parameters[0].kind, Kind::Float);
  EXPECT_EQ(parameters[0].type, "f16");
  EXPECT_EQ(first(parameters, 1).arguments[0], "1.5");
}

TEST(LaunchHelp, HasBlocksInAllDirections) {
  const ExampleLaunch e = first({array_of("u", "f64", true), number("n", 4)}, 3);
  EXPECT_EQ(e.grid.z * e.block.z, 32u);
  EXPECT_EQ(e.arguments[0], "u=random:f64[1024,32]");  // 32 · 32 rows of 32
  EXPECT_EQ(e.arguments[1], "n=32");
}

TEST(LaunchHelp, GivesThePitchInBytes) {
  const ExampleLaunch e = first({array_of("data", "f32", false), number("pitch", 8), number("width", 4)}, 2);
  EXPECT_EQ(e.arguments[1], "pitch=256");
  EXPECT_EQ(e.arguments[2], "width=64");
}

TEST(LaunchHelp, GrowsWithTheSizesOfARow) {
  const std::vector<Parameter> parameters = {array_of("x", "f32", true), number("columns", 4)};
  const ExampleLaunch e = first(parameters, 1);
  const ExampleLaunch rows = grown(e, parameters, 16, true);
  EXPECT_EQ(rows.grid.x, 16 * e.grid.x);
  EXPECT_EQ(rows.arguments[0], "x=random:f32[16384]");
  EXPECT_EQ(rows.arguments[1], "columns=1024");
  EXPECT_EQ(grown(e, parameters, 16).arguments[1], "columns=16384");
}

TEST(LaunchHelp, WritesTypesThatAreNoNumbers) {
  Parameter functor;
  functor.bytes = 1, functor.name = "f", functor.cpp = "Op";
  EXPECT_EQ(first({functor}, 1).arguments[0], "f={}");
  Parameter table = array_of("xs", "u64", true);
  table.cpp = "const float* const*", table.loaded = true;
  EXPECT_EQ(first({table}, 1).arguments[0], "xs=1024*random:f32[1024]");
  Parameter pixels = array_of("rgb", "u8", true), points = array_of("p", "f32", true);
  pixels.cpp = "const uchar3*", points.cpp = "const float4*";
  EXPECT_EQ(first({pixels}, 1).arguments[0], "rgb=out:u8[3072]");
  EXPECT_EQ(first({points}, 2).arguments[0], "p=random:f32[64,256]");
  Parameter of_struct = array_of("v", "", true);
  of_struct.cpp = "const Vec<double, 3>*", of_struct.accessed = "f64";
  EXPECT_EQ(first({of_struct}, 1).arguments[0], "v=random:f64[1024]");
  EXPECT_EQ(first({array_of("y", "bf16", false)}, 1).arguments[0], "y=out:bf16[1024]");
}

TEST(LaunchHelp, NumbersMayBeOthers) {
  const std::vector<Parameter> parameters = {number("n", 4), number("stride", 4)};
  const ExampleLaunch e = with_number(first(parameters, 1), parameters, 1, 1);
  EXPECT_EQ(e.arguments, (std::vector<std::string>{"n=1024", "stride=1"}));
  EXPECT_EQ(grown(e, parameters, 4).arguments, (std::vector<std::string>{"n=4096", "stride=1"}));
}

// 1,024 x 1,024 elements and n = 1024, by 32 x 32 blocks of 32 x 32 elements and by 64 x 64 of 16 x 16.
TEST(LaunchHelp, SizesAreTheSameWhateverTheBlocks) {
  ExampleLaunch tiles, small;
  tiles.grid = {32, 32, 1}, tiles.block = {32, 8, 1}, tiles.covers = {32, 32, 1};
  small.grid = {64, 64, 1}, small.block = small.covers = {16, 16, 1};
  EXPECT_TRUE(same_sizes(tiles, small));
  small.grid.x = 32;
  EXPECT_FALSE(same_sizes(tiles, small));
}

}  // namespace
}  // namespace ww::cli
