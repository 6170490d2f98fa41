#include "cli/program/host_lines.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>

#include "base/file.h"
#include "base/process.h"
#include "base/symbol_name.h"
#include "image/elf.h"

namespace ww::cli {

namespace {

constexpr double kAddr2lineSeconds = 20;  // that addr2line may take for one file
constexpr size_t kAtOnce = 1000;          // addresses on one command line

struct HostPlace {
  std::string function, line;  ///< "" where it is not known
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

/// addr2line -f answers two lines for each address: function, file:line. Where it knows no line, its function
/// is the nearest symbol before the address, which of a stripped library is another function.
void ask_addr2line(const std::string& tool, const std::string& file, Places& places) {
  std::vector<std::string> command = {tool, "-C", "-f", "-e", file};
  std::vector<HostPlace*> asked;
  const auto ask = [&] {
    auto answer = run_process(command, kAddr2lineSeconds);
    command.resize(5);
    if (!answer || answer->exit_code != 0) return;
    std::istringstream lines(answer->output);
    std::string function, line;
    for (HostPlace* place : asked) {
      if (!std::getline(lines, function) || !std::getline(lines, line)) break;
      if (const size_t more = line.find(" ("); more != line.npos) line.erase(more);
      if (line.starts_with("??") || line.ends_with(":?") || line.ends_with(":0")) continue;
      place->line = line;
      if (!function.starts_with("??")) place->function = function;
    }
    asked.clear();
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

/// What compilers and CUDA's headers put between the program's line and the call. `callee` is the frame
/// before. nvcc calls its stub ("__device_stub__Z5scalePf", of templates "__wrapper__device_stub_scale") from
/// a function with the kernel's name; clang's "__device_stub__scale" is that function itself.
bool of_the_compiler(const std::string& frame, const std::string& callee) {
  if (frame.starts_with("__cudaLaunchKernel_helper") || frame.starts_with("cudaError cuda") ||
      !stub_of(frame).empty())
    return true;
  const std::string_view stub = stub_of(callee), name = identifier_of(frame);
  return !stub.empty() && (stub == name || (stub.starts_with("Z") &&
                                            stub.find(fmt::format("{}{}", name.size(), name)) != stub.npos));
}

}  // namespace

void name_host_places(std::vector<checks::Finding>& findings, const std::string& program,
                      const std::string& program_file) {
  std::map<std::string, Places> files;
  const auto each = [&](const std::function<void(std::string&, const std::string&, uint64_t)>& call) {
    for (checks::Finding& f : findings)
      for (checks::HostTrace* trace : {&f.launched, &f.allocated, &f.freed, &f.other})
        for (std::string& frame : *trace) {
          std::string file;
          uint64_t address = 0;
          if (split_frame(frame, file, address)) call(frame, file, address);
        }
  };
  each([&](std::string&, const std::string& file, uint64_t address) { files[file][address]; });
  if (files.empty()) return;
  const std::string tool = find_program("addr2line");
  std::error_code none;
  const std::string started = std::filesystem::weakly_canonical(program, none).string();
  for (auto& [file, places] : files) {
    const std::string& code = file == started ? program_file : file;
    if (!tool.empty()) ask_addr2line(tool, readable_by_children(code), places);
    ask_symbols(code, places);
  }
  each([&](std::string& frame, const std::string& file, uint64_t address) {
    const HostPlace& place = files[file][address];
    const std::string name = file.substr(file.rfind('/') + 1);
    if (!place.line.empty())
      frame = fmt::format("{} at {}", place.function.empty() ? name : place.function, place.line);
    else if (!place.function.empty())
      frame = fmt::format("{} in {}", place.function, name);
    else
      frame = fmt::format("{}+0x{:x}", name, address);
  });
  for (checks::Finding& f : findings)
    for (checks::HostTrace* trace : {&f.launched, &f.allocated, &f.freed, &f.other}) {
      checks::HostTrace kept;
      for (size_t k = 0; k < trace->size(); ++k)
        if (!of_the_compiler((*trace)[k], k ? (*trace)[k - 1] : std::string())) kept.push_back((*trace)[k]);
      *trace = std::move(kept);
    }
}

}  // namespace ww::cli
