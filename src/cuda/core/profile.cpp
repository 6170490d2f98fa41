#include "cuda/core/profile.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <sstream>

#include "counters/counters.h"
#include "counters/gpu_counters.h"
#include "cuda/core/report.h"
#include "gpus/catalog.h"
#include "report/json.h"
#include "sampling/counted_run.h"

namespace ww::cuda {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool number_in(const char* name, uint64_t& into, std::string& why) {
  std::string text = variable(name);
  if (text.empty()) return true;
  auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), into);
  if (trouble == std::errc() && end == text.data() + text.size()) return true;
  why = fmt::format("{}: {} is no number", name, text);
  return false;
}

std::string readable(const std::string& kernel) {
  int status = 0;
  char* text = abi::__cxa_demangle(kernel.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 && text ? text : kernel;
  std::free(text);
  return name;
}

std::string extent(const engine::Extent3& d) {
  if (d.z > 1) return fmt::format("{}x{}x{}", d.x, d.y, d.z);
  return d.y > 1 ? fmt::format("{}x{}", d.x, d.y) : fmt::format("{}", d.x);
}

Value input(const char* tag, int64_t value, const char* unit, const char* description) {
  return {tag, value, unit, Provenance::Input, description};
}

}  // namespace

Profile* Profile::get() {
  static Profile* profile = []() -> Profile* {
    if (variable("WARPWRIGHT_PROFILE").empty()) return nullptr;
    static Profile asked;
    std::string why;
    if (asked.read(why)) return &asked;
    say(why + "; nothing is counted");
    return nullptr;
  }();
  return profile;
}

bool Profile::read(std::string& why) {
  file_ = variable("WARPWRIGHT_PROFILE");
  std::stringstream names(variable("WARPWRIGHT_PROFILE_GPUS"));
  for (std::string name; std::getline(names, name, ',');) {
    auto gpu = gpus::find_gpu(name);
    if (!gpu) return why = "WARPWRIGHT_PROFILE_GPUS: " + gpu.error()[0].message, false;
    gpus_.push_back(*gpu);
  }
  if (std::string pattern = variable("WARPWRIGHT_PROFILE_KERNEL"); !pattern.empty()) try {
      kernel_.emplace(pattern);
    } catch (const std::regex_error&) {
      return why = "WARPWRIGHT_PROFILE_KERNEL is no regular expression: " + pattern, false;
    }
  return number_in("WARPWRIGHT_PROFILE_SKIP", skip_, why) &&
         number_in("WARPWRIGHT_PROFILE_COUNT", most_, why);
}

bool Profile::wants(const std::string& kernel) {
  launches_++;
  if (kernel_ && !std::regex_search(readable(kernel), *kernel_)) return false;
  uint64_t number = asked_++;
  return number >= skip_ && number - skip_ < most_;
}

Result<engine::RunResult> Profile::run(engine::Engine& engine, engine::LoadedModule& module,
                                       const engine::LaunchRequest& request) {
  sampling::CountPlan plan;
  for (const gpus::Gpu& gpu : gpus_) {
    auto capability = rules::capability(gpu);
    bool there = false;
    for (auto other : plan.capabilities) there |= other == capability;
    if (!there) plan.capabilities.push_back(capability);
  }
  engine::LaunchRequest counted_request = request;
  counted_request.counted = true;
  auto counted = sampling::run_counted(engine, module, counted_request, plan);
  if (!counted) return counted.error();
  if (!counted->run.faults.empty()) return std::move(counted->run);
  Table table;
  Row row;
  row[Axis::Kernel] = readable(request.kernel);
  row[Axis::Device] = "engine";
  row[Axis::Block] = extent(request.block);
  row.values = {
      input("launch", int64_t(launches_.load()), "", "number of the launch in its process"),
      input("process", int64_t(::getpid()), "", "process that launched it"),
      {"grid", extent(request.grid), "blocks", Provenance::Input, "blocks of the grid"},
      input("dynamic_shared", int64_t(request.dynamic_shared), "B", "dynamic shared memory of a block")};
  for (Value& value : counters::count_all(counted->run)) row.values.push_back(std::move(value));
  if (gpus_.empty()) table.rows.push_back(row);
  for (const gpus::Gpu& gpu : gpus_) {
    Row& of_gpu = table.rows.emplace_back(row);
    of_gpu[Axis::Gpu] = gpu.id;
    const auto& totals = counted->of(rules::capability(gpu));
    for (Value& value : counters::gpu_values(counted->run, totals, gpu, counted->blocks, nullptr))
      if (!of_gpu.find(value.tag)) of_gpu.values.push_back(std::move(value));
  }
  append(table);
  return std::move(counted->run);
}

void Profile::append(const Table& table) {
  std::string text = report::write_json(table) + "\x1e\n";
  int file = ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ::write(file, text.data(), text.size()) != ssize_t(text.size()))
    say_once("profile", "the rows of the profile cannot be written to " + file_);
  if (file >= 0) ::close(file);
}

}  // namespace ww::cuda
