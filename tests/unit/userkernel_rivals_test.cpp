// Which kernels of a study are compared: those that do the same.
#include "userkernel/rivals.h"

#include <gtest/gtest.h>

namespace ww::userkernel {
namespace {

StudyKernel kernel_of(const char* name, std::vector<std::pair<const char*, const char*>> arguments,
                      std::vector<std::pair<const char*, const char*>> checks = {}) {
  StudyKernel kernel;
  kernel.name = name;
  for (const auto& [argument, text] : arguments) kernel.arguments.push_back({argument, "", {text, {}}});
  for (const auto& [argument, text] : checks) kernel.checks.push_back({argument, {text, {}}});
  return kernel;
}

using Names = std::map<std::string, std::string>;

Names names_of(const OwnStudy& study) {
  Names out;
  for (const auto& [kernel, problem] : problems_of(study)) out[kernel] = problem.name;
  return out;
}

TEST(Rivals, WithoutReferencesTheArraysDecide) {
  OwnStudy study;
  study.kernels = {kernel_of("naive", {{"out", "out:f32[n, n]"}, {"in", "random:f32[n, n]"}, {"n", "n"}}),
                   kernel_of("gray", {{"rgb", "out:u8[n, 3*n]"}, {"n", "n"}}),
                   kernel_of("padded", {{"in", "random:f32[n,n]"}, {"out", "out:f32[n,n]:t.npy"}})};
  EXPECT_EQ(names_of(study), (Names{{"naive", "naive"}, {"gray", "gray"}, {"padded", "naive"}}));
}

TEST(Rivals, WithReferencesTheseDecideWhateverTheNames) {
  OwnStudy study;
  study.kernels = {
      kernel_of("a", {{"out", "out:f32[n]"}, {"x", "random:f32[n]"}}, {{"out", "x + 1"}}),
      kernel_of("b", {{"r", "out:f32[n]"}, {"in", "random:f32[n]"}, {"more", "f32:1"}}, {{"r", "in+1"}}),
      kernel_of("c", {{"out", "out:f32[n]"}, {"x", "random:f32[n]"}}, {{"out", "x * 2"}}),
      kernel_of("d", {{"out", "out:f32[n, 1]"}, {"x", "random:f32[n]"}}, {{"out", "kernel:c"}})};
  EXPECT_EQ(names_of(study), (Names{{"a", "a"}, {"b", "a"}, {"c", "c"}, {"d", "c"}}));
}

TEST(Rivals, WhoSetsKernelsOfTheLaboratoryBesideThemSaysThatTheyDoTheSame) {
  OwnStudy study;
  study.kernels = {kernel_of("a", {{"x", "random:f32[n]"}}), kernel_of("b", {{"x", "random:f32[n,n]"}})};
  study.study.full.emplace_back();
  EXPECT_EQ(names_of(study), (Names{{"a", "a"}, {"b", "a"}}));
}

TEST(Rivals, TheWordOfTheStudysFileDecidesWhateverTheArrays) {
  OwnStudy study;
  study.kernels = {kernel_of("aos", {{"p", "random:f32[n,4]"}}), kernel_of("soa", {{"px", "random:f32[n]"}}),
                   kernel_of("other", {{"p", "random:f32[n,4]"}})};
  EXPECT_EQ(names_of(study), (Names{{"aos", "aos"}, {"soa", "soa"}, {"other", "aos"}}));
  study.kernels[0].problem = study.kernels[1].problem = "rotate";
  EXPECT_EQ(names_of(study), (Names{{"aos", "rotate"}, {"soa", "rotate"}, {"other", "other"}}));
}

TEST(Rivals, WhatIsNotVerifiedIsSaidOrAssumed) {
  OwnStudy study;
  study.kernels = {kernel_of("a", {{"x", "out:f32[n]"}}, {{"x", "0"}}),
                   kernel_of("b", {{"x", "out:f32[n]"}})};
  EXPECT_EQ(problems_of(study)["a"].known, Problem::Known::Arrays);
  study.kernels[1].checks = study.kernels[0].checks;
  EXPECT_EQ(problems_of(study)["a"].known, Problem::Known::Verified);
  study.kernels[1].checks.clear();
  study.kernels[0].problem = study.kernels[1].problem = "fill";
  EXPECT_EQ(problems_of(study)["b"].known, Problem::Known::Said);
}

}  // namespace
}  // namespace ww::userkernel
