// Which argument is for which parameter, and which value for which member of a struct.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/launch/parameters.h"

namespace ww::cli {

/// Whether something is said of members by their names or places, so that it has to be known what they are.
bool asks_for_members(const std::vector<NamedArgument>& arguments);

/// Arguments in the kernel's order: those with names go to their parameters, the others fill what is left, in
/// order. Structs get their members' places and types where these are known. `notes`: members that hold zeros
/// since nobody gave them. Errors, several at once: no such parameter or member (with the nearest), something
/// given twice or not at all, members that do not fit.
Result<std::vector<LaunchArgument>> assign_arguments(const std::vector<NamedArgument>& arguments,
                                                     const std::vector<Parameter>& parameters,
                                                     const std::string& kernel, Diagnostics& notes);

/// The same, and each fitted to what its parameter is (fit_arguments).
Status take_arguments(const std::vector<NamedArgument>& named, const std::vector<Parameter>& parameters,
                      const std::string& kernel, std::vector<LaunchArgument>& out, Diagnostics& notes);

/// A struct of which `values` says members by their paths ("x", "in.v[2]", "+8"; "" is all of it). Errors and
/// notes as above; `title`: what it is called.
Result<LaunchArgument> struct_of_members(const Parameter& parameter, const std::string& title,
                                         const std::vector<std::pair<std::string, LaunchArgument>>& values,
                                         Diagnostics& notes);

}  // namespace ww::cli
