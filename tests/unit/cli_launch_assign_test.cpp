#include "cli/launch/assign.h"

#include <gtest/gtest.h>

#include "cli/compile/cpp_parameters.h"
#include "cli/compile/cpp_types.h"

namespace ww::cli {
namespace {

TEST(CppTypes, Elements) {
  EXPECT_EQ(element_name("float const*"), "f32");
  EXPECT_EQ(element_name("const unsigned char * __restrict__"), "u8");
  EXPECT_EQ(element_name("long unsigned int"), "u64");
  EXPECT_EQ(element_name("char"), "s8");
  EXPECT_EQ(element_name("float4*"), "f32");
  EXPECT_EQ(element_name("uchar3 const*"), "u8");
  EXPECT_EQ(element_name("__half*"), "f16");
  EXPECT_EQ(element_name("std::uint16_t*"), "u16");
  EXPECT_EQ(element_name("float**"), "u64");
  EXPECT_EQ(element_name("ns::Particle*"), "");
  EXPECT_EQ(usual_order("float const* __restrict__"), "const float*");
  EXPECT_EQ(usual_order("unsigned int"), "unsigned int");
}

TEST(CppTypes, OfReadableNames) {
  const std::vector<std::string> wanted = {"float const*", "A<int, 3>", "int (*)(float, int)"};
  EXPECT_EQ(types_in("void ns::k<float, (E)1>(float const*, A<int, 3>, int (*)(float, int))"), wanted);
  EXPECT_TRUE(types_in("k()").empty());
  EXPECT_TRUE(types_in("k").empty());
}

TEST(CppParameters, OfTheRightKernel) {
  const std::string text = R"(// __global__ void k(int no)
__global__ void other(int k);
template <int N>
__global__ void __launch_bounds__(128, 2) k(const float* __restrict__ x, /* , */ float (*f)(int),
                                            int sizes[3], unsigned n = f(1, 2));
)";
  const auto p = parameters_in_source(text, "a.cu", "k", 4);
  ASSERT_EQ(p.size(), 4u);
  EXPECT_EQ(p[0].name, "x");
  EXPECT_EQ(p[0].type, "const float*");
  EXPECT_EQ(p[0].where.line, 4);
  EXPECT_EQ(p[0].where.column, 45);
  EXPECT_EQ(p[2].name, "sizes");
  EXPECT_EQ(p[2].type, "int*");
  EXPECT_EQ(p[3].name, "n");
  EXPECT_EQ(p[3].type, "unsigned");
  EXPECT_TRUE(parameters_in_source(text, "a.cu", "k", 3).empty());
  EXPECT_TRUE(parameters_in_source("#define X __global__ void k(int a)\n", "a.cu", "k", 1).empty());
}

TEST(CppParameters, Templates) {
  const auto found = kernel_templates(R"(
// template <int COMMENT> __global__ void none() {}
template <typename T, int BLOCK_SIZE, bool ADD = true> __global__ void reduce(const T* in) {}
template<class A, unsigned TILE>
static __global__ void __launch_bounds__(256) product(A* a) {}
template <template <int> class F> __global__ void odd() {}
template <Kind K> __global__ void kind() {}
template <int N> __device__ int helper();
__global__ void plain() {}
)");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].instance, "reduce<float, 256>");
  EXPECT_EQ(found[1].instance, "product<float, 16>");
  EXPECT_EQ(found[2].name, "kind");
  EXPECT_EQ(found[2].instance, "");
}

TEST(CppParameters, Variables) {
  const auto types = variables_in_source(R"(
__constant__ float weights[4][4];
static __device__ unsigned int counter = 0;
__device__ float twice(float x) { return 2 * x; }
// __constant__ int no;
__constant__ __device__ P params;)");
  const std::map<std::string, std::string> wanted = {
      {"weights", "float"}, {"counter", "unsigned int"}, {"params", "P"}};
  EXPECT_EQ(types, wanted);
}

std::vector<Parameter> parameters() {
  std::vector<Parameter> out(3);
  out[0] = {Parameter::Kind::Integer, 8, "u64", "x", "const float*", true, "f32", true, {}, {}};
  out[1] = {Parameter::Kind::Struct, 24, "b8", "p", "P", false, "", false, {}, {}};
  out[1].members = {
      {"n", "int", 0, 4}, {"in.b", "double", 8, 8}, {"v[0]", "int", 16, 4}, {"v[1]", "int", 20, 4}};
  out[2] = {Parameter::Kind::Integer, 4, "s32", "n", "int", false, "", false, {}, {}};
  return out;
}

std::string assigned(const std::vector<std::string>& texts, Diagnostics& notes) {
  std::vector<NamedArgument> named;
  for (const auto& text : texts) {
    auto one = parse_named_argument(text);
    if (!one) return one.error()[0].message;
    named.push_back(*one);
  }
  auto all = assign_arguments(named, parameters(), "k", notes);
  if (!all) return all.error()[0].message + " | " + all.error()[0].hint;
  std::string out;
  for (const LaunchArgument& a : *all) {
    if (const auto* number = std::get_if<ScalarArgument>(&a)) out += number->text + ";";
    if (std::holds_alternative<ArrayArgument>(a)) out += "array;";
    if (const auto* s = std::get_if<StructArgument>(&a))
      for (size_t i = 0; i < s->members.size(); ++i) {
        const auto& member = std::get<ScalarArgument>(s->members[i]);
        out += std::to_string(s->offsets[i]) + ":" + member.type + ":" + member.text + ";";
      }
  }
  return out;
}

TEST(LaunchAssign, NamesAndOrder) {
  Diagnostics notes;
  EXPECT_EQ(assigned({"p.in.b=2", "random:f32[4]", "p.n=1", "7", "p.v[1]=3"}, notes),
            "array;0:s32:1;8:f64:2;20:s32:3;7;");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].message.find("v[0] was not given"), std::string::npos);
  notes.clear();
  EXPECT_EQ(assigned({"n=7", "random:f32[4]", "{1,{2},{3,4}}"}, notes),
            "array;0:s32:1;8:f64:2;16:s32:3;20:s32:4;7;");
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(assigned({"n=7", "random:f32[4]", "{n=1,in.b=2,v={3,4}}"}, notes),
            "array;0:s32:1;8:f64:2;16:s32:3;20:s32:4;7;");
  EXPECT_EQ(assigned({"3=7", "random:f32[4]", "2+8=f64:2"}, notes), "array;8:f64:2;7;");
}

TEST(LaunchAssign, WhatIsWrong) {
  Diagnostics notes;
  EXPECT_EQ(assigned({"random:f32[4]", "{1,2,3,4}"}, notes),
            "kernel k takes 3 arguments, but 2 are given: n is missing | ");
  EXPECT_EQ(assigned({"nn=7"}, notes), "kernel k has no parameter 'nn' | did you mean 'n'?");
  EXPECT_EQ(assigned({"null", "p.in.c=1", "7"}, notes),
            "argument 2 (p) of kernel k has no member 'in.c' | did you mean 'in.b'?");
  EXPECT_EQ(assigned({"null", "{1,2}", "7"}, notes),
            "argument 2 (p) of kernel k has 4 members, but 2 are given | they are n, in.b, v[0], v[1]; "
            "{NAME=…,…} gives only some");
  EXPECT_EQ(assigned({"null", "p.n=1.5", "7"}, notes),
            "argument 2 (p) of kernel k, member n: '1.5' is not an integer | for example s32:7 or s32:0x1f");
  EXPECT_EQ(assigned({"null", "2+22=s32:1", "7"}, notes),
            "argument 2 (p) of kernel k has 24 bytes: 4 at byte 22 do not fit | ");
  EXPECT_EQ(assigned({"n=1", "null", "hex:00", "n=2"}, notes),
            "argument 3 (n) of kernel k is given twice | ");
}

}  // namespace
}  // namespace ww::cli
