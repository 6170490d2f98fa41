#include "cli/program/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/process.h"
#include "base/text.h"
#include "image/elf.h"
#include "image/fatbin.h"

namespace ww::cli {

namespace {

namespace fs = std::filesystem;
constexpr uint16_t kX86 = 62, kNvidia = 190;  // ELF machines

/// A file's bytes for as long as it lives.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about {};
    if (file >= 0 && ::fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0)
      start_ = ::mmap(nullptr, size_t(about.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0) ::close(file);
    if (start_ != MAP_FAILED) size_ = size_t(about.st_size);
  }
  ~MappedFile() {
    if (size_) ::munmap(start_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  image::Bytes bytes() const { return {static_cast<const std::byte*>(start_), size_}; }

 private:
  void* start_ = MAP_FAILED;
  size_t size_ = 0;
};

/// Names of functions that a program needs from elsewhere to load code or start processes.
bool leads_elsewhere(std::string_view name) {
  for (std::string_view word :
       {"dlopen", "dlmopen", "exec", "posix_spawn", "system", "popen", "syscall", "fork", "GOMP_target",
        "GOMP_offload", "GOACC_"})  // the last: GCC's offloading opens the driver
    if (name.starts_with(word)) return true;
  return false;
}

/// Libraries that call no CUDA.
bool is_plain_library(std::string_view name) {
  for (std::string_view word : {"libc.so", "libm.so", "libstdc++.so", "libgcc_s.so", "libpthread.so",
                                "librt.so", "libdl.so", "libgomp.so", "ld-linux"})
    if (name.starts_with(word)) return true;
  return false;
}

/// "libcudart.so.13", …: what the dynamic section asks for.
std::vector<std::string_view> needed_libraries(const image::Elf& elf) {
  std::vector<std::string_view> libraries;
  auto dynamic = elf.section(".dynamic");
  if (!dynamic) return libraries;
  std::string_view names = image::as_text(elf.section(dynamic->link).bytes);
  for (size_t at = 0;; at += 16) {
    constexpr int64_t kEnd = 0, kNeeded = 1;
    auto tag = image::read_at<int64_t>(dynamic->bytes, at);
    auto value = image::read_at<uint64_t>(dynamic->bytes, at + 8);
    if (!tag || !value || *tag == kEnd) return libraries;
    if (*tag == kNeeded && *value < names.size())
      libraries.push_back(names.substr(*value, names.find('\0', *value) - *value));
  }
}

/// The least capability that each fatbin asks for, of those that hold PTX.
void read_images(const image::Elf& elf, Program& program) {
  for (const char* name : {".nv_fatbin", "__nv_relfatbin"}) {
    auto section = elf.section(name);
    if (!section) continue;
    auto images = image::read_fatbins(section->bytes);
    if (!images) continue;  // the runtime says what is wrong with it when it is loaded
    int least = INT32_MAX;
    for (const image::CodeImage& image : *images)
      if (image.kind == image::Kind::Ptx) least = std::min(least, image.target.number);
    program.cuda_inside |= !images->empty();
    if (least != INT32_MAX) program.capabilities.push_back(least);
  }
}

void read_symbols(const image::Elf& elf, Program& program) {
  bool elsewhere = false, named_runtime = false;
  auto look = [&](const image::Symbol& symbol) {
    elsewhere |= symbol.section == 0 && leads_elsewhere(symbol.name);
    named_runtime |= symbol.defined_function() && symbol.name == "__cudaRegisterFatBinary";
  };
  elf.for_each_symbol(image::Elf::kDynamicSymbols, look);
  elf.for_each_symbol(image::Elf::kSymbols, look);
  auto libraries = needed_libraries(elf);
  bool plain = std::all_of(libraries.begin(), libraries.end(), is_plain_library);
  bool dynamic_runtime = std::any_of(libraries.begin(), libraries.end(),
                                     [](std::string_view name) { return name.starts_with("libcudart.so"); });
  program.cuda_inside |= named_runtime || dynamic_runtime;
  program.cuda_possible = program.cuda_inside || !plain || elsewhere;
}

Status read_executable(const std::string& shown, image::Bytes bytes, Program& program) {
  switch (image::elf_class(bytes)) {
    case image::ElfClass::NotElf:
      return {};
    case image::ElfClass::Bits32:
      return error(
          fmt::format(
              "{} is a 32-bit program; CUDA dropped these with release 9, and Warpwright does not run them",
              shown),
          "build it with nvcc -m64");
    case image::ElfClass::Other:
      return error(shown + " is a program for another kind of machine");
    case image::ElfClass::Bits64:
      break;
  }
  auto elf = image::Elf::read(bytes);
  if (elf && elf->machine() == kNvidia)
    return error(shown + " is machine code of a GPU (a cubin), not a program",
                 "`warpwright launch FILE.ptx` runs a kernel of a PTX file");
  if (!elf || elf->machine() != kX86) return error(shown + " is a program for another kind of machine");
  program.kind = ProgramKind::Executable;
  read_images(*elf, program);
  read_symbols(*elf, program);
  if (program.cuda_inside && !elf->has_interpreter())
    return error(shown + " is linked statically (-static), so no library can replace CUDA's",
                 "link it without -static");
  return {};
}

/// The path of the file that `name` means, or why there is none.
Result<std::string> locate(const std::string& name) {
  std::string shown = printable(name);
  bool in_path = name.find('/') == name.npos;
  std::error_code none;
  if (in_path) {
    if (std::string found = find_program(name); !found.empty()) return found;
    if (fs::is_regular_file(name, none)) {
      if (name.ends_with(".cu")) return name;
      return error("no program " + shown + " in PATH", "the one in this folder is ./" + shown);
    }
    return error("no program " + shown + " in PATH or in this folder");
  }
  if (!fs::exists(name, none)) return error("there is no file " + shown, "has it been built?");
  return name;
}

}  // namespace

Result<Program> find_cuda_program(const std::string& name) {
  auto path = locate(name);
  if (!path) return path.error();
  Program program;
  program.path = *path;
  std::string shown = printable(name);
  std::error_code none;
  if (fs::is_directory(*path, none)) return error(shown + " is a folder");
  if (name.ends_with(".cu")) {
    program.kind = ProgramKind::CudaSource;
    program.cuda_inside = true;
    return program;
  }
  if (::access(path->c_str(), X_OK) != 0)
    return error(shown + " is not executable", fmt::format("chmod +x {}", shown));
  MappedFile file(*path);
  if (auto ok = read_executable(shown, file.bytes(), program); !ok) return ok.error();
  return program;
}

}  // namespace ww::cli
