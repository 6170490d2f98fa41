#include "cli/cuda_source.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/private_directory.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/cuda_compiler.h"
#include "kernels/embedded.h"

namespace ww::cli {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::istringstream in{std::string(text)};
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

Result<std::vector<std::string>> command_of(const CompileOptions& options,
                                            const PrivateDirectory& directory) {
  std::vector<std::string> command;
  std::string_view flags = kernels::nvcc_flags();
  const auto arch = [&](int64_t least) {
    return options.arch.empty() ? std::to_string(least) : options.arch;
  };
  std::string compiler = find_program("nvcc", "/usr/local/cuda/bin"),
              target = "-arch=compute_" + arch(options.least);
  if (compiler.empty()) {
    auto clang = find_clang();
    if (!clang) return clang.error();
    compiler = clang->path;
    flags = kernels::clang_flags();
    target = "--cuda-gpu-arch=sm_" + arch(std::min<int64_t>(options.least, clang->latest));
  }
  command = {compiler, target};
  for (auto& word : words_of(flags))
    if (options.standard.empty() || !(word.starts_with("-std=") || word.starts_with("--std=")))
      command.push_back(std::move(word));
  if (!options.standard.empty()) command.push_back("-std=" + options.standard);
  for (const auto& folder : options.includes) command.push_back("-I" + fs::absolute(folder).string());
  for (const auto& define : options.defines) command.push_back("-D" + define);
  if (flags != kernels::clang_flags()) return command;
  if (auto headers = cuda_headers()) {
    for (auto& word : *headers) command.push_back(std::move(word));
    return command;
  }
  std::string header = directory.file("cuda_min.h");
  if (auto ok = write_file_atomically(header, kernels::cuda_min_header()); !ok) return ok.error();
  command.insert(command.end(), {"-include", header});
  return command;
}

}  // namespace

int64_t least_capability(std::span<const gpus::Gpu> gpus) {
  int64_t least = gpus.empty() ? 0 : INT64_MAX;
  for (const gpus::Gpu& gpu : gpus) least = std::min<int64_t>(least, 10 * gpu.cc_major + gpu.cc_minor);
  return std::max(CompileOptions{}.least, least);
}

Result<CompiledCuda> compile_cuda(const std::string& file, const CompileOptions& options) {
  if (auto text = read_file(file); !text) return text.error();
  PrivateDirectory directory;
  if (!directory) return error("no temporary directory can be made", "TMPDIR names where");
  auto command = command_of(options, directory);
  if (!command) return command.error();
  if (options.linked) command->push_back((*command)[0].ends_with("nvcc") ? "-rdc=true" : "-fgpu-rdc");
  std::string out = directory.file("kernel.ptx");
  command->insert(command->end(), {"-o", out, fs::absolute(file).string()});
  CompiledCuda compiled;
  auto good = run_compiler(*command, file, compiled.messages);
  if (!good) return good.error();
  if (!*good) return compiled;
  auto ptx = read_file(out);
  if (!ptx) return ptx.error();
  compiled.ok = true;
  compiled.ptx = std::move(*ptx);
  return compiled;
}

}  // namespace ww::cli
