#include "cli/compile/cuda_program.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/private_directory.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/compile/asm_escapes.h"
#include "cli/compile/cuda_compiler.h"
#include "cli/compile/device_link.h"
#include "cli/program/stand_in.h"
#include "image/fatbin.h"

namespace ww::cli {

namespace {

/// Flags of nvcc in clang's words; `linked`: device code of several files is to be linked. Error: one that
/// clang has nothing for.
Result<std::vector<std::string>> flags_for_clang(const std::vector<std::string>& flags, bool& linked) {
  std::vector<std::string> result;
  for (size_t i = 0; i < flags.size(); i++) {
    const std::string& flag = flags[i];
    auto is = [&](std::string_view name) {
      return flag == name || flag.starts_with(std::string(name) + "=");
    };
    auto value = [&]() -> std::string {
      size_t equal = flag.find('=');
      return equal != flag.npos ? flag.substr(equal + 1) : i + 1 < flags.size() ? flags[++i] : "";
    };
    if (is("-gencode") || is("--generate-code") || is("-arch") || is("--gpu-architecture") || is("-code") ||
        is("-maxrregcount") || is("--maxrregcount") || is("-cudart") || is("--cudart") || is("-t") ||
        is("--threads")) {
      (void)value();  // the GPU says for what; registers are the GPU's matter
    } else if (is("-Xcompiler") || is("--compiler-options")) {
      std::string list = value();
      for (size_t at = 0, end; at < list.size(); at = end + 1) {
        end = std::min(list.find(',', at), list.size());
        result.push_back(list.substr(at, end - at));
      }
    } else if (flag == "-use_fast_math" || flag == "--use_fast_math") {
      result.insert(result.end(), {"-fcuda-flush-denormals-to-zero", "-fcuda-approx-transcendentals"});
    } else if (flag == "-lineinfo" || flag == "--generate-line-info" || flag == "--extended-lambda" ||
               flag == "-extended-lambda" || flag == "--expt-extended-lambda" ||
               flag == "--expt-relaxed-constexpr" || flag == "-expt-relaxed-constexpr" ||
               flag == "-lcudart" || flag == "-lcuda" || flag == "-lcudadevrt" || flag == "-lcublas" ||
               flag == "-lnvToolsExt") {
      // so it is anyway
    } else if (is("-rdc") || is("--relocatable-device-code")) {
      linked = value() == "true";
    } else if (flag == "-dc" || is("-Xptxas") || flag == "-dlto") {
      return error(flag + " takes nvcc");
    } else {
      result.push_back(flag);
    }
  }
  return result;
}

/// Other files of the program, which nvcc takes among its flags: sources, objects, libraries.
bool names_file(const std::string& word) {
  if (word.starts_with("-")) return false;
  for (const char* end : {".cu", ".cpp", ".cc", ".cxx", ".c", ".o", ".a", ".so"})
    if (word.ends_with(end)) return true;
  return false;
}

/// A line for clang's errors that come of what it, or all but CUDA's toolkit, lacks; "" for others.
std::string what_clang_lacks(const std::string& errors) {
  if (errors.find("unsupported CUDA gpu architecture") != errors.npos)
    return "warpwright: clang compiles for compute capability 2.0 and later; --gpu names another GPU "
           "(`warpwright gpus` lists them)\n";
  if (errors.find("reference to __global__ function") != errors.npos)
    return "warpwright: clang cannot compile kernels that launch kernels; nvcc can\n";
  for (const char* start :
       {"curand", "thrust/", "cub/", "cublasLt", "cublasXt", "cufft", "cusparse", "cusolver", "nvrtc"})
    if (errors.find(fmt::format("fatal error: '{}", start)) != errors.npos)
      return "warpwright: headers of CUDA's libraries (cuFFT, Thrust, …) come with the CUDA toolkit and "
             "need nvcc\n";
  return {};
}

/// Whether they come of texture or surface references, which CUDA has no more since 12.
bool misses_references(const std::string& errors) {
  for (const char* what : {"no template named 'texture'", "no template named 'surface'", "'textureReference'",
                           "'surfaceReference'"})
    if (errors.find(what) != errors.npos) return true;
  return false;
}

/// A line for GPUs that nvcc does not compile for.
std::string other_ways(const std::string& nvcc, int capability, const std::string& errors) {
  if (errors.find("Unsupported gpu architecture") == errors.npos) return {};
  const auto run = run_process({nvcc, "--list-gpu-arch"}, 10);
  std::istringstream listed(run ? run->output : "");
  std::vector<int> known;  // lines like compute_75
  for (std::string line; listed >> line;) known.push_back(std::atoi(line.c_str() + line.find('_') + 1));
  if (known.empty() || std::count(known.begin(), known.end(), capability)) return {};  // of the user's flags
  const auto [first, last] = std::minmax_element(known.begin(), known.end());
  const auto point = [](int number) { return fmt::format("{}.{}", number / 10, number % 10); };
  constexpr int kClangFrom = 20;
  return fmt::format(
      "warpwright: this GPU has compute capability {}, and this nvcc compiles for {} to {}; {}--gpu "
      "names another GPU (`warpwright gpus` lists them)\n",
      point(capability), point(*first), point(*last),
      find_clang() && capability >= kClangFrom ? "`--compiler clang` compiles for it, and " : "");
}

class ClangBuild {
 public:
  ClangBuild(const std::string& file, const BuildOptions& options, const PrivateDirectory& directory)
      : file_(file), options_(options), directory_(directory) {}

  /// False: it does not compile.
  Result<bool> run(const std::string& out, std::string& messages) {
    auto clang = find_clang();
    if (!clang) return clang.error();
    auto folder = stand_in_folder();
    if (!folder) return folder.error();
    auto headers = cuda_headers();
    if (!headers) return error("our headers for CUDA are not beside the libraries in " + *folder);
    bool linked = false;
    auto flags = flags_for_clang(options_.flags, linked);
    if (!flags) return flags.error();
    auto files = std::stable_partition(flags->begin(), flags->end(),
                                       [](const std::string& word) { return !names_file(word); });
    std::vector<std::string> sources = {file_}, others, objects;
    for (auto other = files; other != flags->end(); ++other)
      (other->ends_with(".cu") ? sources : others).push_back(*other);
    flags->erase(files, flags->end());
    common_ = {clang->path,  "-x",         "cuda",
               "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version",
               "-std=c++17", "-fdeclspec", "-Wno-unused-command-line-argument"};
    // The new way to launch (__cudaPushCallConfiguration) is of CUDA 9.2 and later.
    common_.insert(common_.end(), {"-Xclang", "-target-sdk-version=11.5"});
    if (linked) common_.insert(common_.end(), {"-fgpu-rdc", "--no-offload-new-driver"});
    common_.insert(common_.end(), headers->begin(), headers->end());
    common_.insert(common_.end(), flags->begin(), flags->end());
    const int capability = std::min(options_.capability, clang->latest);
    for (const std::string& source : sources) {
      objects.push_back(directory_.file(fmt::format("program{}.o", objects.size())));
      if (auto good = compile(source, objects.back(), capability, messages); !good || !*good) return good;
    }
    if (linked) {
      auto text = device_link_source(objects);
      if (!text) return text.error();
      const std::string file = directory_.file("link.cpp");
      if (auto ok = write_file_atomically(file, *text); !ok) return ok.error();
      others.push_back(file);
    }
    std::vector<std::string> link = {clang->path, "-o", out};
    link.insert(link.end(), objects.begin(), objects.end());
    link.insert(link.end(), others.begin(), others.end());
    link.insert(link.end(), {"-isystem", *folder + "/include", "-Wno-unused-command-line-argument"});
    link.insert(link.end(), flags->begin(), flags->end());
    // The stub of the runtime says which structs the headers have; the other library holds everything.
    // cuBLAS is there for who calls it.
    link.insert(link.end(), {"-L" + *folder, "-Wl,--as-needed", "-lwarpwright_blas", "-Wl,--no-as-needed",
                             "-l:libcudart.so.12", "-lwarpwright_cuda", "-lm"});
    return run_compiler(link, file_, messages);
  }

 private:
  /// The kernels of one file to PTX, then its host code with the PTX in it. False: it does not compile.
  Result<bool> compile(const std::string& source, const std::string& object, int capability,
                       std::string& messages) {
    const std::string ptx = directory_.file("kernels.ptx"), fatbin = directory_.file("kernels.fatbin");
    auto file = for_clang(source);
    if (!file) return file.error();
    auto device = common_;
    device.insert(device.end(), {"--cuda-device-only", fmt::format("--cuda-gpu-arch=sm_{}", capability),
                                 "-O3", "-gline-tables-only", "-S", "-o", ptx, *file});
    const std::string before = messages;
    auto good = run_compiler(device, source, messages);
    const std::string references = "-DWARPWRIGHT_TEXTURE_REFERENCES";
    if (good && !*good && misses_references(messages) &&
        !std::count(common_.begin(), common_.end(), references)) {
      common_.push_back(references);
      messages = before;
      return compile(source, object, capability, messages);
    }
    if (good && !*good) messages += what_clang_lacks(messages);
    if (!good || !*good) return good;
    auto text = read_file(ptx);
    if (!text) return text.error();
    if (auto ok = write_file_atomically(fatbin, image::fatbin_of_ptx(*text, capability)); !ok)
      return ok.error();

    messages = before;  // the second part says the same
    auto host = common_;
    host.insert(host.end(), {"--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", fatbin,
                             "-gline-tables-only", "-c", "-o", object, *file});
    return run_compiler(host, source, messages);
  }

  /// The file itself, or a copy of it that clang takes.
  Result<std::string> for_clang(const std::string& source) {
    const std::string copy = directory_.file(fmt::format("source{}.cu", copies_++));
    auto taken = file_for_clang(source, copy);
    if (taken && *taken == copy)
      common_.push_back("-iquote" + std::filesystem::absolute(source).parent_path().string());
    return taken;
  }

  const std::string& file_;
  const BuildOptions& options_;
  const PrivateDirectory& directory_;
  int copies_ = 0;
  std::vector<std::string> common_;  ///< of all files: compiler, language, headers, flags
};

Result<bool> build_with_nvcc(const std::string& nvcc, const std::string& file, const BuildOptions& options,
                             const std::string& out, std::string& messages) {
  std::vector<std::string> command = {nvcc, "-std=c++17", "-lineinfo", "-g", "-cudart", "shared"};
  command.insert(command.end(),
                 {"-gencode", fmt::format("arch=compute_{0},code=compute_{0}", options.capability)});
  command.insert(command.end(), options.flags.begin(), options.flags.end());
  command.insert(command.end(), {"-o", out, file});
  auto good = run_compiler(command, file, messages);
  if (good && !*good) messages += other_ways(nvcc, options.capability, messages);
  return good;
}

}  // namespace

Result<BuiltProgram> build_cuda_program(const std::string& file, const BuildOptions& options) {
  if (auto text = read_file(file); !text) return text.error();
  PrivateDirectory directory;
  if (!directory) return error("no temporary directory can be made", "TMPDIR names where");
  std::string nvcc = options.compiler == "clang" ? "" : find_program("nvcc", "/usr/local/cuda/bin");
  if (options.compiler == "nvcc" && nvcc.empty()) return error("there is no nvcc here");
  std::string out = directory.file("program");
  BuiltProgram built;
  auto good = nvcc.empty() ? ClangBuild(file, options, directory).run(out, built.messages)
                           : build_with_nvcc(nvcc, file, options, out, built.messages);
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
