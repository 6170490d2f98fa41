// What a kernel of a study file must compute, how it is compiled, and which values of the axes it has.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "userkernel/read_kernel.h"

namespace ww::userkernel {

void KernelReader::read_compiler(const Json& json, StudyKernel& kernel) {
  const auto words = [&](const char* key) {
    const bool before = before_ && before_->find(key);
    return reader_.words(json.find(key) ? json : before ? *before_ : root_, key);
  };
  for (const std::string& path : words("include"))
    kernel.compile.includes.push_back(in_folder_of(reader_.file(), path));
  kernel.compile.flags = words("flags");
  if (const Json* standard = of_kernel(json, "std"))
    kernel.compile.standard = text_at(*standard, "'std'").text;
  const std::vector<std::string> known = {"", "c++11", "c++14", "c++17", "c++20", "c++23"};
  if (std::find(known.begin(), known.end(), kernel.compile.standard) == known.end())
    reader_.unknown(of_kernel(json, "std")->where(reader_.file()), "standard", kernel.compile.standard,
                    {known.begin() + 1, known.end()});
  if (const Json* compiler = of_kernel(json, "compiler")) {
    kernel.compile.compiler = text_at(*compiler, "'compiler'").text;
    if (kernel.compile.compiler != "nvcc" && kernel.compile.compiler != "clang")
      reader_.unknown(compiler->where(reader_.file()), "compiler", kernel.compile.compiler,
                      {"nvcc", "clang"});
  }
  if (const Json* arch = of_kernel(json, "arch")) {
    kernel.compile.arch = text_at(*arch, "'arch'").text;
    if (kernel.compile.arch.empty() || kernel.compile.arch.size() > 4 ||
        kernel.compile.arch.find_first_not_of("0123456789a") != std::string::npos)
      reader_.complain(*arch, fmt::format("'{}' is no compute capability", printable(kernel.compile.arch)),
                       "for example 75, 80 or \"90a\"");
  }
}

void KernelReader::read_checks(const Json& json, StudyKernel& kernel) {
  if (const Json* verify = of_kernel(json, "verify")) {
    const auto* object = verify->get<Json::Object>();
    if (!object)
      reader_.complain(*verify, fmt::format("'verify' must be an object, not {}", verify->kind()),
                       "the arguments and what they must hold: {\"out\": \"a.T\"}");
    for (const JsonMember& member : object ? *object : Json::Object()) {
      std::vector<std::string> names = array_names(kernel);
      for (const StudyKernel& next : kernel.then)
        for (std::string& name : array_names(next)) names.push_back(std::move(name));
      const std::string whole = member.key.substr(0, member.key.find_first_of(".["));  // p={out=…}
      if (std::find(names.begin(), names.end(), member.key) == names.end() &&
          std::find(names.begin(), names.end(), whole) == names.end()) {
        reader_.unknown(member.where(reader_.file()), "argument", member.key, names);
        continue;
      }
      kernel.checks.push_back({member.key, text_at(member.value, "a reference")});
    }
  }
  const Json* tolerance = of_kernel(json, "tolerance");
  if (!tolerance) return;
  const auto number = [&](const Json& one, double& into) {
    if (one.number() && one.as_double() >= 0)
      into = one.as_double();
    else
      reader_.complain(one, "a tolerance is a number, at least 0");
  };
  if (!tolerance->get<Json::Object>()) return number(*tolerance, kernel.relative);
  if (!reader_.members(*tolerance, "a tolerance", {"relative", "absolute"})) return;
  if (const Json* one = tolerance->find("relative")) number(*one, kernel.relative);
  if (const Json* one = tolerance->find("absolute")) number(*one, kernel.absolute);
}

/// "axes": {"tile": [32]}: this kernel has only these.
void KernelReader::read_values(const Json& json, StudyKernel& kernel) {
  const Json* axes = json.find("axes");
  if (!axes) return;
  const auto* object = axes->get<Json::Object>();
  if (!object) {
    reader_.complain(*axes, fmt::format("'axes' must be an object, not {}", axes->kind()));
    return;
  }
  for (const JsonMember& member : *object)
    if (axes_.axis_of(member.key, member.where(reader_.file())))
      kernel.values[member.key] = axes_.values_at(member.value, member.key);
}

}  // namespace ww::userkernel
