#include "cli/compile/compile_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text.h"

namespace ww::cli {

void add_compile_options(CLI::App& c, CompileOptions& o) {
  c.add_option("--arch", o.arch,
               "Compute capability that a .cu file is compiled for (default: that of the GPUs, at least 75)")
      ->type_name("CC")
      ->check([](const std::string& text) {
        bool good = !text.empty() && text.size() <= 4 && text.find_first_not_of("0123456789a") == text.npos;
        return good ? std::string() : "--arch " + printable(text) + ": for example 75, 80 or 90a";
      });
  c.add_option("-I", o.includes, "Include directory for a .cu file")
      ->type_name("DIR")
      ->take_all()
      ->allow_extra_args(false);
  c.add_option("-D", o.defines, "Macro definition for a .cu file")
      ->type_name("NAME[=VALUE]")
      ->take_all()
      ->allow_extra_args(false);
  c.add_option("--std", o.standard, "C++ standard of a .cu file (default c++17)")
      ->type_name("STD")
      ->check(CLI::IsMember({"c++11", "c++14", "c++17", "c++20", "c++23"}));
  c.add_option("--flag", o.flags, "A flag for the compiler of a .cu file: --flag=-use_fast_math")
      ->type_name("FLAG")
      ->take_all()
      ->allow_extra_args(false);
}

void add_compiler_option(CLI::App& c, std::string& compiler) {
  c.add_option("--compiler", compiler,
               "Compiler of a .cu file: nvcc, or clang, which needs no CUDA toolkit (default: nvcc if it "
               "is installed)")
      ->check(CLI::IsMember({"nvcc", "clang"}))
      ->type_name("NAME");
}

bool compiles(const CLI::App& c) {
  constexpr const char* kNames[] = {"--arch", "-I", "-D", "--std", "--flag", "--compiler"};
  return std::any_of(std::begin(kNames), std::end(kNames), [&](const char* name) {
    const CLI::Option* option = c.get_option_no_throw(name);
    return option && option->count() > 0;
  });
}

}  // namespace ww::cli
