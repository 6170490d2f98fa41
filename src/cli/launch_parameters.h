// What a kernel takes, as its PTX tells, and whether arguments are that.
#pragma once

#include <string>
#include <vector>

#include "cli/launch_argument.h"
#include "ir/module.h"

namespace ww::cli {

struct Parameter {
  /// Unknown where PTX says bits only and its uses do not tell either; Struct: an array of bytes.
  enum class Kind { Unknown, Integer, Float, Struct } kind = Kind::Unknown;
  uint64_t bytes = 0;
  std::string type;  ///< as its uses or its declaration have it: "f32", "u64", "b8"
};

/// The parameters of an entry. One declared with bits alone (.b32) is what the instructions make of it that
/// read it.
std::vector<Parameter> parameters_of(const ir::Module& module, const std::string& kernel);

/// What a variable's elements are.
Parameter variable_parameter(const ir::Variable& variable);

/// Gives numbers alone the type of their parameter. Errors, several at once: too few or too many, a
/// floating-point number for an integer and the other way round, wrong sizes. `kernel` is its name for
/// people.
Status fit_arguments(std::vector<LaunchArgument>& arguments, const std::vector<Parameter>& parameters,
                     const std::string& kernel);

/// The same for one value; `what` is what it is for: "argument 2 of scale". `shorter`: values that fill it
/// only in part are good too.
Status fit_argument(LaunchArgument& argument, const Parameter& parameter, const std::string& what,
                    bool shorter = false);

}  // namespace ww::cli
