#include "cli/cuda_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "kernels/embedded.h"

namespace ww::cli {

namespace {

namespace fs = std::filesystem;
constexpr double kSeconds = 600;      // no kernel file takes that long
constexpr int64_t kClangLatest = 80;  // clang 15 knows few later ones

/// A directory that only we can enter, and that goes away with us.
class PrivateDirectory {
 public:
  PrivateDirectory() {
    std::error_code none;
    path_ = (fs::temp_directory_path(none) / "warpwright-XXXXXX").string();
    if (none || !::mkdtemp(path_.data())) path_.clear();
  }
  ~PrivateDirectory() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;
  explicit operator bool() const { return !path_.empty(); }
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

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
    flags = kernels::clang_flags();
    target = "--cuda-gpu-arch=sm_" + arch(std::min(options.least, kClangLatest));
    for (const auto& name : words_of(kernels::clang_names()))
      if (compiler = find_program(name); !compiler.empty()) break;
  }
  if (compiler.empty())
    return error("nothing here compiles CUDA C++",
                 "install the package clang-19 (apt-get install clang-19), or a CUDA toolkit with nvcc");
  command = {compiler, target};
  for (auto& word : words_of(flags))
    if (options.standard.empty() || !(word.starts_with("-std=") || word.starts_with("--std=")))
      command.push_back(std::move(word));
  if (!options.standard.empty()) command.push_back("-std=" + options.standard);
  for (const auto& folder : options.includes) command.push_back("-I" + fs::absolute(folder).string());
  for (const auto& define : options.defines) command.push_back("-D" + define);
  if (flags == kernels::clang_flags()) {
    std::string header = directory.file("cuda_min.h");
    if (auto ok = write_file_atomically(header, kernels::cuda_min_header()); !ok) return ok.error();
    command.insert(command.end(), {"-include", header});
  }
  return command;
}

}  // namespace

namespace {

/// Runs the compiler; false when its messages (never empty then) say what is wrong.
Result<bool> compiles(const std::vector<std::string>& command, const std::string& file,
                      std::string& messages) {
  auto run = run_process(command, kSeconds);
  if (!run) return run.error();
  messages = run->output + run->errors;
  if (run->timed_out)
    return error(fmt::format("{} took longer than {} s on {}", command[0], kSeconds, printable(file)));
  if (run->exit_code != 0 && messages.empty())
    messages = fmt::format("{} ended with exit code {}\n", command[0], run->exit_code);
  return run->exit_code == 0;
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
  auto good = compiles(*command, file, compiled.messages);
  if (!good) return good.error();
  if (!*good) return compiled;
  auto ptx = read_file(out);
  if (!ptx) return ptx.error();
  compiled.ok = true;
  compiled.ptx = std::move(*ptx);
  return compiled;
}

Result<BuiltProgram> build_cuda_program(const std::string& file, const std::string& arch,
                                        const std::vector<std::string>& flags) {
  if (auto text = read_file(file); !text) return text.error();
  PrivateDirectory directory;
  if (!directory) return error("no temporary directory can be made", "TMPDIR names where");
  std::string nvcc = find_program("nvcc", "/usr/local/cuda/bin"), out = directory.file("program");
  if (nvcc.empty())
    return error(
        "compiling a whole program takes nvcc, which is not here",
        "a program that was built elsewhere runs without it; `warpwright launch` takes single kernels");
  std::vector<std::string> command = {nvcc, "-std=c++17", "-lineinfo", "-cudart", "shared"};
  command.insert(command.end(), {"-gencode", fmt::format("arch=compute_{0},code=compute_{0}", arch)});
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-o", out, file});
  BuiltProgram built;
  auto good = compiles(command, file, built.messages);
  if (!good) return good.error();
  built.ok = *good;
  if (!built.ok) return built;
  // The directory goes now; the open file stays until the program that it becomes ends.
  int descriptor = ::open(out.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return error("the compiled program cannot be opened");
  built.path = fmt::format("/proc/self/fd/{}", descriptor);
  return built;
}

}  // namespace ww::cli
