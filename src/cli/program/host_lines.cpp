#include "cli/program/host_lines.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <utility>

#include "base/file.h"
#include "base/process.h"
#include "base/symbol_name.h"
#include "image/elf.h"

namespace ww::cli {

namespace {

constexpr double kAddr2lineSeconds = 20;  // that addr2line may take for one file
constexpr size_t kAtOnce = 1000;          // addresses on one command line

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Of one address: the function that it is in by the file's symbols, and by its debug lines the functions in
/// the places of their calls, each with its caller behind it: "make at a.cu:5", "main at a.cu:9".
struct HostPlace {
  std::string function;  ///< "" where it is not known
  std::vector<std::string> lines;
};
using Places = std::map<uint64_t, HostPlace>;  ///< of one file, by address

/// Splits "FILE+0xADDRESS"; false where it is none.
bool split_frame(const std::string& frame, std::string& file, uint64_t& address) {
  const size_t plus = frame.rfind("+0x");
  if (plus == frame.npos) return false;
  const char *first = frame.data() + plus + 3, *last = frame.data() + frame.size();
  if (auto [end, trouble] = std::from_chars(first, last, address, 16); trouble != std::errc() || end != last)
    return false;
  file = frame.substr(0, plus);
  return true;
}

void ask_symbols(const std::string& file, Places& places) {
  auto text = read_file(file);
  if (!text) return;
  const auto* bytes = reinterpret_cast<const std::byte*>(text->data());
  auto elf = image::Elf::read({bytes, text->size()});
  if (!elf) return;
  for (uint32_t table : {image::Elf::kSymbols, image::Elf::kDynamicSymbols})
    elf->for_each_symbol(table, [&](const image::Symbol& s) {
      if (!s.defined_function()) return;
      for (auto at = places.lower_bound(s.value); at != places.end() && at->first - s.value < s.size; ++at)
        if (at->second.function.empty()) at->second.function = demangled(s.name);
    });
}

/// addr2line -a -i -f answers the address, then two lines for each function there, the innermost first: its
/// name, file:line. Where it knows no line, its function is the nearest symbol before the address, which of a
/// stripped library is another function. `name` stands in for functions without one.
void ask_addr2line(const std::string& tool, const std::string& file, const std::string& name,
                   Places& places) {
  const std::vector<std::string> start = {tool, "-a", "-i", "-C", "-f", "-e", file};
  std::vector<std::string> command = start;
  std::vector<HostPlace*> asked;
  const auto ask = [&] {
    auto answer = run_process(command, kAddr2lineSeconds);
    command = start;
    const std::vector<HostPlace*> all = std::exchange(asked, {});
    if (!answer || answer->exit_code != 0) return;
    std::istringstream lines(answer->output);
    std::string function, line;
    auto next = all.begin();
    HostPlace* place = nullptr;
    while (std::getline(lines, function)) {
      if (function.starts_with("0x")) {
        if (next == all.end()) return;
        place = *next++;
        continue;
      }
      if (!place || !std::getline(lines, line)) return;
      if (const size_t more = line.find(" ("); more != line.npos) line.erase(more);
      if (line.starts_with("??") || line.ends_with(":?") || line.ends_with(":0")) continue;
      place->lines.push_back(fmt::format("{} at {}", function.starts_with("??") ? name : function, line));
    }
  };
  for (auto& [address, place] : places) {
    command.push_back(fmt::format("0x{:x}", address));
    asked.push_back(&place);
    if (asked.size() == kAtOnce) ask();
  }
  if (!asked.empty()) ask();
}

/// A name of our own process's open file as other processes can use it.
std::string readable_by_children(const std::string& file) {
  constexpr std::string_view kOwn = "/proc/self/";
  return file.starts_with(kOwn) ? fmt::format("/proc/{}/{}", ::getpid(), file.substr(kOwn.size())) : file;
}

/// The last identifier of a function's name: "scale" of "void ns::scale<float, 4>(float*) at a.cu:3".
std::string_view identifier_of(std::string_view frame) {
  std::string_view name = frame.substr(0, frame.find_first_of("(<"));
  if (const size_t at = name.find(" at "); at != name.npos) name = name.substr(0, at);
  if (const size_t before = name.find_last_of(" :"); before != name.npos) name.remove_prefix(before + 1);
  return name;
}

/// What a compiler's stub for launching a kernel calls that kernel; "" of other functions.
std::string_view stub_of(const std::string& frame) {
  const std::string_view name = identifier_of(frame);
  for (std::string_view start : {"__device_stub__", "__wrapper__device_stub_"})
    if (name.starts_with(start)) return name.substr(start.size());
  return {};
}

/// Whether a frame's line is in what compilers put into a program: cudaMalloc<int> of CUDA's header, nvcc's
/// temporary file with the stubs. addr2line gives some of them the name of the function around them.
bool in_the_compilers_file(std::string_view frame) {
  const size_t at = frame.rfind(" at ");
  if (at == frame.npos) return false;
  std::string_view file = frame.substr(at + 4);
  file = file.substr(0, file.rfind(':'));
  if (file.find("/tmpxft_") != file.npos) return true;
  return file.ends_with("/cuda_runtime.h") || file.ends_with("/cuda_runtime_api.h") ||
         file.ends_with("/crt/host_runtime.h") || file.ends_with("/crt/device_functions.h");
}

/// What compilers and CUDA's headers put between the program's line and the call. `callee` is the frame
/// before. nvcc calls its stub ("__device_stub__Z5scalePf", of templates "__wrapper__device_stub_scale") from
/// a function with the kernel's name; clang's "__device_stub__scale" is that function itself.
bool of_the_compiler(const std::string& frame, const std::string& callee) {
  if (frame.starts_with("__cudaLaunchKernel_helper") || frame.starts_with("cudaError cuda") ||
      !stub_of(frame).empty() || in_the_compilers_file(frame))
    return true;
  const std::string_view stub = stub_of(callee), name = identifier_of(frame);
  return !stub.empty() && (stub == name || (stub.starts_with("Z") &&
                                            stub.find(fmt::format("{}{}", name.size(), name)) != stub.npos));
}

void for_each_trace(std::vector<checks::Finding>& findings,
                    const std::function<void(checks::HostTrace&)>& call) {
  for (checks::Finding& f : findings)
    for (checks::HostTrace* trace : {&f.launched, &f.allocated, &f.freed, &f.other}) call(*trace);
}

}  // namespace

void name_host_places(std::vector<checks::Finding>& findings, const std::string& program,
                      const std::string& program_file) {
  std::map<std::string, Places> files;
  for_each_trace(findings, [&](const checks::HostTrace& trace) {
    for (const std::string& frame : trace) {
      std::string file;
      uint64_t address = 0;
      if (split_frame(frame, file, address)) files[file][address];
    }
  });
  if (files.empty()) return;
  const std::string tool = find_program("addr2line");
  std::error_code none;
  const std::string started = std::filesystem::weakly_canonical(program, none).string();
  for (auto& [file, places] : files) {
    const std::string& code = file == started ? program_file : file;
    if (!tool.empty()) ask_addr2line(tool, readable_by_children(code), name_of(file), places);
    ask_symbols(code, places);
  }
  for_each_trace(findings, [&](checks::HostTrace& trace) {
    checks::HostTrace named, kept;
    for (const std::string& frame : trace) {
      std::string file;
      uint64_t address = 0;
      if (!split_frame(frame, file, address)) {
        named.push_back(frame);
        continue;
      }
      const HostPlace& place = files[file][address];
      const std::string name = name_of(file);
      if (!place.lines.empty())
        named.insert(named.end(), place.lines.begin(), place.lines.end());
      else if (!place.function.empty())
        named.push_back(fmt::format("{} in {}", place.function, name));
      else
        named.push_back(fmt::format("{}+0x{:x}", name, address));
    }
    for (size_t k = 0; k < named.size(); ++k)
      if (!of_the_compiler(named[k], k ? named[k - 1] : std::string())) kept.push_back(named[k]);
    trace = std::move(kept);
  });
}

}  // namespace ww::cli
