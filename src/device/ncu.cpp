#include "device/ncu.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/private_directory.h"
#include "base/process.h"
#include "device/ncu_metrics.h"

namespace ww::device {

namespace fs = std::filesystem;

namespace {

bool executable(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(path, none) && access(path.c_str(), X_OK) == 0;
}

// Numbers inside a version compare as numbers: 2024.10 is newer than 2024.9.
std::vector<int> version_of(const fs::path& path) {
  std::vector<int> out;
  std::stringstream parts(path.filename().string());
  for (std::string part; std::getline(parts, part, '.');) out.push_back(std::atoi(part.c_str()));
  return out;
}

std::vector<fs::path> candidates() {
  std::vector<fs::path> out;
  if (const char* path = std::getenv("PATH")) {
    std::stringstream folders(path);
    for (std::string folder; std::getline(folders, folder, ':');)
      if (!folder.empty()) out.push_back(fs::path(folder) / "ncu");
  }
  out.push_back("/usr/local/cuda/bin/ncu");
  std::vector<fs::path> versions;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/opt/nvidia/nsight-compute", none))
    versions.push_back(entry);
  std::sort(versions.begin(), versions.end(),
            [](const auto& a, const auto& b) { return version_of(a) > version_of(b); });
  for (const auto& version : versions) out.push_back(version / "ncu");
  return out;
}

std::string table_text(const std::string& path) {
  std::stringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

std::string metric_list(const NcuOptions& options) {
  if (!options.metrics.empty()) return fmt::format("{}", fmt::join(options.metrics, ","));
  std::string list;
  for (const auto& m : ncu_metrics()) list += fmt::format("{}{}", list.empty() ? "" : ",", m.metric);
  return list;
}

// The tool's own complaints: lines with "==ERROR==", without that mark.
std::string complaints(const std::string& text) {
  std::string out;
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (size_t at = line.find("==ERROR=="); at != line.npos) {
      line = line.substr(at + 9);
      line.erase(0, line.find_first_not_of(' '));
      out += (out.empty() ? "" : "\n") + line;
    }
  return out;
}

// The last lines of what a failing program said.
std::string tail(const std::string& text, size_t most = 600) {
  return text.size() <= most ? text : fmt::format("…{}", text.substr(text.size() - most));
}

Diagnostic failure(const ProcessResult& result, const std::string& said) {
  if (said.find("ERR_NVGPUCTRPERM") != said.npos)
    return error("Nsight Compute has no permission to read the GPU's counters (ERR_NVGPUCTRPERM)",
                 "the administrator can allow it: https://developer.nvidia.com/ERR_NVGPUCTRPERM");
  if (std::string own = complaints(said); !own.empty())
    return error(fmt::format("Nsight Compute failed (exit code {}): {}", result.exit_code, own));
  return error(fmt::format("Nsight Compute failed (exit code {}): {}", result.exit_code, tail(said)));
}

}  // namespace

Result<std::string> find_ncu(const std::string& binary) {
  if (!binary.empty()) {
    if (executable(binary)) return binary;
    return error(fmt::format("there is no Nsight Compute at {}", binary));
  }
  for (const auto& path : candidates())
    if (executable(path)) return path.string();
  return error(
      "Nsight Compute (ncu) is not installed: not in PATH, /usr/local/cuda/bin or /opt/nvidia/nsight-compute",
      "counters need it; times do not");
}

Result<std::vector<ProfiledKernel>> profile(const std::vector<std::string>& command,
                                            const NcuOptions& options) {
  auto ncu = find_ncu(options.binary);
  if (!ncu) return ncu.error();
  // The table goes to a file, so that the program's own output cannot run into it.
  const PrivateDirectory directory;
  const std::string table = directory.file("table.csv");
  if (!directory) return error("no temporary folder can be made for Nsight Compute's output");
  std::vector<std::string> line = {*ncu,        "--clock-control",   "none", "--csv",      "--page",
                                   "raw",       "--print-units",     "base", "--log-file", table,
                                   "--metrics", metric_list(options)};
  if (!options.kernel.empty())
    line.insert(line.end(), {"--kernel-name-base", "function", "--kernel-name", options.kernel});
  line.insert(line.end(), command.begin(), command.end());
  auto result = run_process(line, options.max_seconds);
  if (!result) return result.error();

  const std::string csv = table_text(table);
  if (!options.keep_csv.empty()) std::ofstream(options.keep_csv, std::ios::binary) << csv;
  if (result->timed_out)
    return error(fmt::format("Nsight Compute took longer than {} s and was ended", options.max_seconds));
  std::string said = csv + result->output + result->errors;
  if (result->exit_code != 0 || said.find("ERR_NVGPUCTRPERM") != said.npos) return failure(*result, said);
  if (said.find("No kernels were profiled") != said.npos)
    return error("Nsight Compute saw no kernel in " + command[0],
                 options.kernel.empty() ? "" : fmt::format("none is named '{}'", options.kernel));
  auto kernels = parse_ncu_csv(csv);
  if (!kernels && !complaints(said).empty()) return failure(*result, said);
  return kernels;
}

}  // namespace ww::device
