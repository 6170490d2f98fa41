// The parameters of a kernel as its CUDA C++ source declares them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace ww::cli {

struct SourceParameter {
  std::string type, name;
  Location where;  ///< of the whole parameter
};

/// What "__global__ … NAME(…)" lists, where there is such a function with `count` parameters; macros are not
/// worked out. `name`: as C++ has it, without namespaces and template arguments. Empty if there is none.
std::vector<SourceParameter> parameters_in_source(std::string_view source, const std::string& file,
                                                  std::string_view name, size_t count);

struct KernelTemplate {
  std::string name;  ///< "reduce"
  std::string
      instance;  ///< a likely instance, "reduce<float, 256>"; "" where a parameter is neither type nor number
};

/// The kernels that the source defines as templates.
std::vector<KernelTemplate> kernel_templates(std::string_view source);

/// The C++ types of __constant__ and __device__ variables by their names: "float" of an array of them.
std::map<std::string, std::string> variables_in_source(std::string_view source);

}  // namespace ww::cli
