// The arguments of a guessed launch, as --arg or a study file takes them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/launch/parameters.h"

namespace ww::cli {

/// What arrays of whole numbers that are read hold: random ones are often wrong places, 0, 1, 2, … seldom.
/// First: the first of them 0, 1, 2, …, the others zeros (the ends of an edge must differ).
enum class Integers { Zeros, Random, Range, First };

/// The sizes of a launch: numbers, or expressions of a study's axis.
struct ExampleSizes {
  std::string wide, high;    ///< elements of a row, rows; "": one row
  uint64_t times = 1;        ///< elements of arrays for each of those of a row
  std::string whole;         ///< whole numbers
  std::string real = "1.5";  ///< floating-point numbers
  std::string arrays;        ///< of a table of pointers
  uint64_t halo = 0;         ///< elements of each array before that which the kernel gets, and as many behind
  Integers integers = Integers::Zeros;
  std::map<size_t, uint64_t> fixed;  ///< whole numbers that are others, by the parameter's place
  std::set<size_t> flags;            ///< parameters of arrays that begin as flags do
  bool study = false;                ///< for a study file: arrays are not kept, numbers may be expressions
};

struct ExampleArguments {
  std::vector<std::string> texts;
  std::vector<std::string> read;    ///< the names of arrays of whole numbers that are read
  std::vector<std::string> flags;   ///< of those that hold zeros as flags do
  std::vector<std::string> places;  ///< of those like flags that hold 0, 1, 2, …, as places in themselves
};

ExampleArguments example_arguments(const std::vector<Parameter>& parameters, const ExampleSizes& sizes);

/// Of the first array whose elements are known.
uint64_t element_bytes(const std::vector<Parameter>& parameters);

}  // namespace ww::cli
