#include "base/symbol_name.h"

#include <gtest/gtest.h>

namespace ww {
namespace {

TEST(SymbolName, ShortNamesStay) {
  EXPECT_EQ(abbreviated("void scale<float>(float*, int)"), "void scale<float>(float*, int)");
}

TEST(SymbolName, LongBracketsAreLeftOut) {
  EXPECT_EQ(
      abbreviated("void ns::fill<ns::functor<std::pair<int, long>, true> >(long, ns::functor<int>)", 40),
      "void ns::fill<…>(…)");
  EXPECT_EQ(abbreviated("ns::map<std::array<unsigned char, 20ul>, int>::map(unsigned long, int) in app", 40),
            "ns::map<…>::map(…) in app");
}

TEST(SymbolName, WhatIsInShortBracketsStays) {
  EXPECT_EQ(abbreviated("void scale<float, 4>(float*, float const*, int, int)", 40),
            "void scale<float, 4>(…)");
}

TEST(SymbolName, OperatorsAndNamespacesWithoutNameStay) {
  EXPECT_EQ(abbreviated("(anonymous namespace)::f<std::vector<double> >(std::vector<double>)", 40),
            "(anonymous namespace)::f<…>(…)");
  EXPECT_EQ(abbreviated("Point operator<< <float, double, float>(Point const&, Point const&)", 40),
            "Point operator<< <…>(…)");
  EXPECT_EQ(abbreviated("f<unsigned int>::operator()(std::vector<double>, int, int, int)", 40),
            "f<unsigned int>::operator()(…)");
  EXPECT_EQ(abbreviated("decltype(declval<type const&>()->begin()) first<type>(type)", 40),
            "decltype(…) first<type>(type)");
}

TEST(SymbolName, BracketsThatDoNotEndAreNoReasonToStop) {
  EXPECT_EQ(abbreviated("f<int, float, double, float, unsigned int, long", 20),
            "f<int, float, double, float, unsigned int, long");
}

// A name as c++filt reads it: scale(int).
TEST(SymbolName, FaultsAreOfKernelsAsPeopleNameThem) {
  EXPECT_EQ(readable_message("fault in kernel _Z5scalei\n  at t.cu:3", "_Z5scalei"),
            "fault in kernel scale\n  at t.cu:3");
  EXPECT_EQ(readable_message("fault in kernel plain\n", "plain"), "fault in kernel plain\n");
  EXPECT_EQ(readable_message("interrupted", "plain"), "interrupted");
}

}  // namespace
}  // namespace ww
