// What the debugging information in a PTX text (DWARF 2, as nvcc -G and clang -O0 -g write it) says of the
// parameters of functions: their names, and the members of structs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ww::ptx {

/// A scalar, or a pointer, somewhere in a value.
struct DebugMember {
  std::string path;     ///< "in.b", "v[1]"; "" for a value that is a scalar itself
  std::string type;     ///< "float", "unsigned int", "float*"
  uint64_t offset = 0;  ///< bytes from the beginning of the value
  uint64_t bytes = 0;
};

struct DebugParameter {
  std::string name;
  std::string type;                  ///< as C++ has it: "const float*", "Params"
  std::vector<DebugMember> members;  ///< all of them, in the order of their places
};

/// By the functions' names in PTX. Functions without debugging information are missing; so is everything if
/// the sections cannot be read.
std::map<std::string, std::vector<DebugParameter>> debug_parameters(std::string_view ptx);

/// A variable of a function or of the module.
struct DebugVariable {
  std::string element;            ///< C++ type of its elements, or of itself: "float"
  std::vector<uint64_t> extents;  ///< of an array
  std::vector<DebugMember> members;
};

/// Variables by their C++ names; of several with one name the first.
std::map<std::string, DebugVariable> debug_variables(std::string_view ptx);

}  // namespace ww::ptx
