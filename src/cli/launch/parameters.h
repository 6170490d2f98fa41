// What a kernel takes, as its PTX tells, and whether arguments are that.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/launch/argument.h"
#include "cli/launch/texture_guess.h"
#include "ir/module.h"
#include "ptx/debug_types.h"

namespace ww::cli {

struct Parameter {
  /// Unknown where PTX says bits only and its uses do not tell either; Struct: an array of bytes.
  enum class Kind { Unknown, Integer, Float, Struct } kind = Kind::Unknown;
  uint64_t bytes = 0;
  std::string type;  ///< as its uses or its declaration have it: "f32", "u64", "b8"

  // What mangled names, sources and debugging information add; empty where they are not there.
  std::string name;                       ///< in C++
  std::string cpp;                        ///< its C++ type: "const float*"
  bool pointer = false;                   ///< to an array
  std::string element;                    ///< of the array: "f32"; "" where nothing tells, or for structs
  bool read_only = false;                 ///< the array is const
  bool unwritten = false;                 ///< no store of the kernel goes through it
  bool loaded = false;                    ///< a load of the kernel goes through it, which is no atomic
  bool flags = false;                     ///< an atomic goes through it, or a load in an order with others
  bool places = false;                    ///< what it holds are places in it: a parent, a next one
  std::string object;                     ///< "texture", "surface" where it is the object of one
  TextureUse texture;                     ///< and how it is used then
  Location where;                         ///< in the source
  std::vector<ptx::DebugMember> members;  ///< of a struct
  std::string accessed;                   ///< "f64" where accesses tell what `element` does not
};

/// The parameters of an entry. One declared with bits alone (.b32) is what the instructions make of it that
/// read it. Types are those of a mangled name; without one, an array that is read as floating-point numbers
/// is one of them.
std::vector<Parameter> parameters_of(const ir::Module& module, const std::string& kernel);

/// Adds what the kernel's declaration in a .cu file says: names, places and, where the mangled name says
/// nothing, types.
void add_source(std::vector<Parameter>& parameters, std::string_view source, const std::string& file,
                const std::string& kernel);

/// Adds names and members from debugging information.
void add_debug(std::vector<Parameter>& parameters, const std::vector<ptx::DebugParameter>& debug);

/// Its name, or "arg2" where none is known.
std::string argument_name(size_t index, const std::vector<Parameter>& parameters);

/// The numbers among the arguments, as they were written, by their parameters' names: for expressions.
std::map<std::string, std::string> numbers_of(const std::vector<LaunchArgument>& arguments,
                                              const std::vector<Parameter>& parameters);

/// "argument 2 of kernel scale", with the name where it is known.
std::string argument_title(size_t index, const std::vector<Parameter>& parameters, const std::string& kernel);

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
