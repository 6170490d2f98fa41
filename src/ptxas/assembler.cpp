#include "ptxas/assembler.h"

#include <fmt/format.h>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

#include "base/file_limit.h"
#include "base/private_directory.h"
#include "base/process.h"
#include "ptxas/one_entry.h"

namespace ww::ptxas {

namespace {

constexpr char kUsualFolder[] = "/usr/local/cuda/bin";
// The slowest kernel of the laboratory takes some seconds, code with 100,000 labels much longer than this:
// then the estimate has to do, as where there is no ptxas.
constexpr double kSeconds = 20;

// The number in front of `unit` in a line of the report, or 0.
int64_t number_before(const std::string& line, const std::string& unit) {
  size_t at = line.find(unit);
  if (at == line.npos) return 0;
  size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  return begin == at ? 0 : std::stoll(line.substr(begin, at - begin));
}

Result<Ptxas> look_for_ptxas() {
  std::string path = find_program("ptxas", kUsualFolder);
  if (path.empty()) return error(fmt::format("there is no ptxas in PATH nor in {}", kUsualFolder));
  auto said = run_process({path, "--version"}, 30);
  if (!said.ok()) return said.error();
  size_t at = said->output.find("release ");
  if (said->exit_code != 0 || at == std::string::npos)
    return error(fmt::format("{} does not say its version", path));
  at += std::string_view("release ").size();
  return Ptxas{path, said->output.substr(at, said->output.find_first_not_of("0123456789.", at) - at)};
}

Result<std::vector<KernelResources>> compile(std::string_view ptx, const std::string& target,
                                             const std::string& entry, bool& refused) {
  auto ptxas = find_ptxas();
  if (!ptxas.ok()) return ptxas.error();
  const PrivateDirectory directory;
  const std::string file = directory.file("kernels.ptx");
  const bool written = [&] {
    const FileLimit limit;
    return directory && std::ofstream(file, std::ios::binary) << ptx << std::flush;
  }();
  if (!written) return error("no temporary file can be written for ptxas");
  std::vector<std::string> command = {ptxas->path, "-v", "-arch=" + target, "-o", "/dev/null", file};
  if (!entry.empty()) command.insert(command.end(), {"--entry", entry});
  auto said = run_process(command, kSeconds);
  if (!said.ok()) return said.error();
  if (said->timed_out) return error(fmt::format("ptxas took longer than {} s", kSeconds));
  refused = said->exit_code != 0;
  if (refused) return error(fmt::format("ptxas refuses the PTX for {}: {}", target, said->errors));
  return read_ptxas_report(said->errors + said->output);
}

}  // namespace

Result<Ptxas> find_ptxas() {
  static const Result<Ptxas> found = look_for_ptxas();
  return found;
}

std::vector<KernelResources> read_ptxas_report(std::string_view report) {
  std::vector<KernelResources> out;
  std::istringstream lines{std::string(report)};
  KernelResources now;
  bool of_entry = false;  // the report also tells of functions that a kernel calls
  for (std::string line; std::getline(lines, line);) {
    static const std::string kEntry = "Compiling entry function '";
    if (size_t at = line.find(kEntry); at != line.npos) {
      at += kEntry.size();
      now = {line.substr(at, line.find('\'', at) - at)};
    } else if (line.find("Function properties for ") != line.npos) {
      of_entry = !now.entry.empty() && line.find("for " + now.entry) != line.npos;
    } else if (of_entry && line.find(" bytes spill stores") != line.npos) {
      now.spill_stores = number_before(line, " bytes spill stores");
      now.spill_loads = number_before(line, " bytes spill loads");
      now.stack = number_before(line, " bytes stack frame");
    } else if (line.find("Used ") != line.npos && !now.entry.empty()) {
      now.registers = static_cast<int>(number_before(line, " registers"));
      now.shared = number_before(line, " bytes smem");
      now.constant = number_before(line, " bytes cmem[0]");
      out.push_back(now);
      now = {};
    }
  }
  return out;
}

Result<std::vector<KernelResources>> ask_ptxas(std::string_view ptx, const std::string& target,
                                               const std::string& entry) {
  static std::mutex mutex;
  static std::map<std::string, Result<std::vector<KernelResources>>> answers;
  std::string question = fmt::format("{} {}\n{}", target, entry, ptx);
  std::lock_guard lock(mutex);
  auto it = answers.find(question);
  if (it != answers.end()) return it->second;
  // ptxas reads the whole text, seconds where it has hundreds of kernels, even if it is asked about one.
  bool refused = false;
  auto answer =
      compile(entry.empty() ? std::string(ptx) : with_one_entry(ptx, entry), target, entry, refused);
  if (refused && !entry.empty()) {
    // It names another kernel, one that it launches: ptxas then wants to compile that one, too.
    answer = compile(ptx, target, {}, refused);
    if (answer) std::erase_if(*answer, [&](const KernelResources& r) { return r.entry != entry; });
  }
  return answers.emplace(std::move(question), std::move(answer)).first->second;
}

}  // namespace ww::ptxas
