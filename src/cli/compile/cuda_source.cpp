#include "cli/compile/cuda_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/private_directory.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/compile/asm_escapes.h"
#include "cli/compile/cpp_parameters.h"
#include "cli/compile/cuda_compiler.h"
#include "cli/compile/kept_ptx.h"
#include "cli/compile/kernel_name.h"
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

void ask_for_debug(std::vector<std::string>& command) {
  const bool nvcc = command[0].ends_with("nvcc");
  std::erase_if(command, [](const std::string& word) {
    return word == "-lineinfo" || word == "-O3" || word == "-gline-tables-only";
  });
  if (nvcc)
    command.push_back("-G");
  else
    command.insert(command.end(), {"-O0", "-g"});
}

Result<std::vector<std::string>> command_of(const CompileOptions& options,
                                            const PrivateDirectory& directory) {
  std::vector<std::string> command;
  std::string_view flags = kernels::nvcc_flags();
  const auto arch = [&](int64_t least) {
    return options.arch.empty() ? std::to_string(least) : options.arch;
  };
  std::string compiler = options.compiler == "clang" ? "" : find_program("nvcc", "/usr/local/cuda/bin"),
              target = "-arch=compute_" + arch(options.least);
  if (compiler.empty() && options.compiler == "nvcc") return error("there is no nvcc here");
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
  const bool clang = flags == kernels::clang_flags();
  for (const auto& flag : options.flags) {
    const bool fast = flag == "-use_fast_math" || flag == "--use_fast_math";
    command.push_back(clang && fast ? "-ffast-math" : flag);
  }
  if (flags != kernels::clang_flags()) return command;
  if (auto headers = cuda_headers()) {
    for (auto& word : *headers) command.push_back(std::move(word));
    // Launches in the file's host code: as CUDA 9.2 and later make them (cuda_program.cpp).
    command.insert(command.end(), {"-Xclang", "-target-sdk-version=11.5"});
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
  if (options.debug) ask_for_debug(*command);
  if (options.linked) command->push_back((*command)[0].ends_with("nvcc") ? "-rdc=true" : "-fgpu-rdc");
  std::string out = directory.file("kernel.ptx"), in = fs::absolute(file).string();
  if (!(*command)[0].ends_with("nvcc")) {
    const std::string original = in;
    auto taken = file_for_clang(original, directory.file(fs::path(file).filename().string()));
    if (!taken) return taken.error();
    in = *taken;
    if (in != original) command->push_back("-iquote" + fs::path(original).parent_path().string());
  }
  const bool nvcc = (*command)[0].ends_with("nvcc");
  Compilation what{*command, {fs::path(in).parent_path().string()}, options.instance};
  what.command.push_back(in);
  for (const auto& folder : options.includes) what.folders.push_back(fs::absolute(folder).string());
  KeptPtx* const kept = nvcc ? kept_ptx() : nullptr;
  if (kept)
    if (auto found = kept->find(what)) return std::move(*found);
  if (!options.instance.empty()) {
    // An address that somebody takes makes the compiler emit the instance.
    const std::string text = fmt::format(
        "#include \"{}\"\nstatic void* volatile warpwright_instance = (void*)&{};\n", in, options.instance);
    in = directory.file("instance.cu");
    if (auto ok = write_file_atomically(in, text); !ok) return ok.error();
  }
  const std::string rule = directory.file("kernel.d");
  if (kept) command->insert(command->end(), {"-MD", "-MF", rule});
  command->insert(command->end(), {"-o", out, in});
  CompiledCuda compiled;
  auto good = run_compiler(*command, file, compiled.messages);
  if (!good) return good.error();
  if (!*good) return compiled;
  auto ptx = read_file(out);
  if (!ptx) return ptx.error();
  compiled.ok = true;
  compiled.ptx = std::move(*ptx);
  if (kept)
    if (const auto read = read_file(rule)) {
      auto files = dependencies(*read);
      std::erase_if(files, [&](const std::string& name) { return name == directory.file("instance.cu"); });
      kept->keep(what, files, compiled);
    }
  return compiled;
}

namespace {

std::vector<std::string> entries_of(const std::string& ptx) {
  std::vector<std::string> names;
  constexpr std::string_view kEntry = ".entry ";
  for (size_t at = ptx.find(kEntry); at != std::string::npos; at = ptx.find(kEntry, at + 1)) {
    const size_t begin = at + kEntry.size();
    names.push_back(ptx.substr(begin, ptx.find_first_of("( \t\r\n", begin) - begin));
  }
  return names;
}

/// A likely instance of the one template that `kernel` ("": any) may be; the file has no such kernel as it
/// is.
Result<CompiledCuda> compile_likely_instance(const std::string& file, const CompileOptions& options,
                                             const std::string& kernel, CompiledCuda as_it_is) {
  const auto source = read_file(file);
  if (!source) return source.error();
  std::vector<KernelTemplate> templates = kernel_templates(*source);
  std::erase_if(templates, [&](const KernelTemplate& t) { return !kernel.empty() && t.name != kernel; });
  if (templates.empty()) return as_it_is;
  std::string likely;
  for (const KernelTemplate& t : templates)
    likely += fmt::format("{}'{}:{}'", likely.empty() ? "" : ", ", printable(file),
                          t.instance.empty() ? t.name + "<…>" : t.instance);
  const auto refusal =
      error(templates.size() == 1 ? fmt::format("{} is a template: name an instance", templates[0].name)
                                  : "its kernels are templates: name an instance",
            likely + ", for example");
  if (templates.size() > 1 || templates[0].instance.empty()) return refusal;
  CompileOptions instance = options;
  instance.instance = templates[0].instance;
  auto compiled = compile_cuda(file, instance);
  if (!compiled || !compiled->ok) return refusal;
  if (!options.debug)
    compiled->messages += fmt::format("note: {} is a template; {} is used ({} names another instance)\n",
                                      templates[0].name, templates[0].instance, "FILE:KERNEL<…>");
  return compiled;
}

}  // namespace

Result<CompiledCuda> compile_cuda_for(const std::string& file, const CompileOptions& options,
                                      const std::string& kernel) {
  auto compiled = compile_cuda(file, options);
  if (!compiled || !compiled->ok) return compiled;
  const std::vector<std::string> names = entries_of(compiled->ptx);
  if (kernel.find('<') == kernel.npos) {
    const bool there = kernel.empty()
                           ? !names.empty()
                           : choose_kernel(names, kernel).ok() ||
                                 std::any_of(names.begin(), names.end(), [&](const std::string& name) {
                                   return plain_name(name) == kernel;  // several instances of it
                                 });
    return there ? compiled : compile_likely_instance(file, options, kernel, std::move(*compiled));
  }
  if (choose_kernel(names, kernel)) return compiled;
  CompileOptions instance = options;
  instance.instance = kernel;
  return compile_cuda(file, instance);
}

}  // namespace ww::cli
