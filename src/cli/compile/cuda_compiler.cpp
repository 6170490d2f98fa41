#include "cli/compile/cuda_compiler.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/process.h"
#include "base/text.h"
#include "cli/program/stand_in.h"
#include "kernels/embedded.h"

namespace ww::cli {

namespace {

constexpr double kCompilerSeconds = 600;  // no file takes that long

}  // namespace

Result<Clang> find_clang() {
  std::istringstream names{std::string(kernels::clang_names())};
  for (std::string name; names >> name;) {
    std::string path = find_program(name);
    if (path.empty()) continue;
    int version = std::atoi(name.c_str() + name.rfind('-') + 1);
    return Clang{path, version >= 16 ? 90 : 86};
  }
  return error("no compiler for CUDA C++ is installed",
               "install the package clang-19 (apt-get install clang-19), or a CUDA toolkit with nvcc");
}

std::optional<std::vector<std::string>> cuda_headers() {
  auto folder = stand_in_folder();
  std::error_code none;
  if (!folder || !std::filesystem::exists(*folder + "/include/cuda_runtime.h", none)) return std::nullopt;
  // -isystem: their warnings are ours. Class templates may have constants with a point (`static const T zero
  // = 0`), as for nvcc.
  return std::vector<std::string>{"-isystem",       *folder + "/include",     "-include",
                                  "cuda_runtime.h", "-Wno-static-float-init", "-Wno-undefined-var-template"};
}

Result<bool> run_compiler(const std::vector<std::string>& command, const std::string& file,
                          std::string& messages) {
  auto run = run_process(command, kCompilerSeconds);
  if (!run) return run.error();
  messages += run->output + run->errors;
  if (run->timed_out)
    return error(
        fmt::format("{} took longer than {} s on {}", command[0], kCompilerSeconds, printable(file)));
  if (run->exit_code != 0 && messages.empty())
    messages = fmt::format("{} ended with exit code {}\n", command[0], run->exit_code);
  return run->exit_code == 0;
}

}  // namespace ww::cli
