#include "cuda/core/profile.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "base/symbol_name.h"
#include "counters/counters.h"
#include "counters/gpu_counters.h"
#include "cuda/core/append.h"
#include "cuda/core/report.h"
#include "forecast/sentences.h"
#include "forecast/view.h"
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

std::string extent(const engine::Extent3& d) {
  if (d.z > 1) return fmt::format("{}x{}x{}", d.x, d.y, d.z);
  return d.y > 1 ? fmt::format("{}x{}", d.x, d.y) : fmt::format("{}", d.x);
}

/// The text of a line of a source file, each read once; of the module's own PTX where its code has no other
/// places.
model::SourceLine source_of(const std::string& name, const std::string& ptx) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<std::string>> files;
  const auto split = [](std::istream&& in) {
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
    return lines;
  };
  return [&name, &ptx, split](const std::string& file, int line) -> std::string {
    std::lock_guard lock(mutex);
    auto it = files.find(file);
    if (it == files.end())
      it = files.emplace(file, file == name ? split(std::istringstream(ptx)) : split(std::ifstream(file)))
               .first;
    return line >= 1 && size_t(line) <= it->second.size() ? it->second[size_t(line) - 1] : std::string();
  };
}

/// Launches on one GPU that are written with their PTX instruction by instruction: those of a program that
/// launches thousands would fill the disk.
constexpr uint64_t kMostWithPtx = 64;

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
      return why = "WARPWRIGHT_PROFILE_KERNEL is not a regular expression: " + pattern, false;
    }
  details_ = !variable("WARPWRIGHT_PROFILE_DETAILS").empty();
  return number_in("WARPWRIGHT_PROFILE_SKIP", skip_, why) &&
         number_in("WARPWRIGHT_PROFILE_COUNT", most_, why);
}

bool Profile::wants(const std::string& kernel) {
  launches_++;
  if (kernel_ && !std::regex_search(demangled(kernel), *kernel_)) return false;
  uint64_t number = asked_++;
  return number >= skip_ && number - skip_ < most_;
}

Result<engine::RunResult> Profile::run(engine::Engine& engine, engine::LoadedModule& module,
                                       const engine::LaunchRequest& request, const std::string& ptx) {
  std::vector<const gpus::Gpu*> gpus;
  for (const gpus::Gpu& gpu : gpus_) gpus.push_back(&gpu);
  const forecast::LaunchShape shape(request);
  engine::LaunchRequest counted_request = request;
  counted_request.counted = true;
  forecast::SharedAccesses shared;
  if (!begun_.exchange(true)) append(std::string(1, kBehind));
  if (details_ && !gpus.empty()) counted_request.listeners.push_back(&shared);
  auto counted =
      sampling::run_counted(engine, module, counted_request, forecast::plan_for(gpus, shape, false));
  if (!counted) return counted.error();
  Row row;
  row[Axis::Kernel] = demangled(request.kernel);
  row[Axis::Device] = "engine";
  row[Axis::Block] = extent(request.block);
  row.values = {
      input("launch", int64_t(launches_.load()), "", "number of the launch in its process"),
      input("process", int64_t(::getpid()), "", "process that launched it"),
      {"grid", extent(request.grid), "blocks", Provenance::Input, "blocks of the grid"},
      input("dynamic_shared", int64_t(request.dynamic_shared), "B", "dynamic shared memory of a block")};
  Table table;
  if (!counted->run.faults.empty() || counted->run.cancelled) {  // what it did until then is no figure of it
    row.refused = "it did not run to its end: not counted";
    append(report::write_json({.rows = {row}}) + kBehind);
    return std::move(counted->run);
  }
  row.values.push_back(forecast::engine_ran(std::string(name(counted->run.ran))));
  for (Value& value : counters::count_all(counted->run)) row.values.push_back(std::move(value));
  if (gpus_.empty()) table.rows.push_back(row);
  forecast::Facts facts{request.kernel,
                        ptx,
                        shape,
                        {},
                        forecast::buffer_bytes(engine, request.arguments),
                        details_ ? &shared : nullptr,
                        &replays_,
                        &code_};
  auto figures = forecast::of_each(*counted, gpus, facts, engine.settings().threads);
  const model::SourceLine source = source_of(module.module->name, ptx);
  std::string behind;
  for (size_t g = 0; g < gpus_.size(); ++g) {
    const gpus::Gpu& gpu = gpus_[g];
    Row& of_gpu = table.rows.emplace_back(row);
    of_gpu[Axis::Gpu] = gpu.id;
    of_gpu.refused = figures[g].prediction.refused;
    // What a GPU counts replaces what the PTX says, which knows nothing of accesses that its compiler joins.
    auto put = [&](std::vector<Value> values) {
      for (Value& value : values) {
        std::erase_if(of_gpu.values, [&](const Value& other) { return other.tag == value.tag; });
        of_gpu.values.push_back(std::move(value));
      }
    };
    put(forecast::counter_values(*counted, gpu, figures[g]));
    put(model::values_of({figures[g].prediction}));
    if (!details_) continue;
    const rules::AccessTotals& totals = counted->of(rules::capability(gpu));
    const Table lines = counters::line_table(counted->run, totals, gpu);
    if (told_++ < kMostWithPtx)
      figures[g].instructions = counters::instruction_lines(counted->run, totals, gpu);
    behind += kBetween + report::write_json(lines) + kBetween +
              forecast::write_view(gpu, figures[g], shape, lines, of_gpu.values,
                                   forecast::sentences(gpu, figures[g], lines, source), source);
  }
  append(report::write_json(table) + behind + kBehind);
  return std::move(counted->run);
}

void Profile::library_called() {
  const RawTrace trace = raw_trace();
  if (library_calls_.met(trace)) return;
  if (const std::string name = library_function(trace); !name.empty()) append(kLibrary + name + kBehind);
}

void Profile::append(const std::string& text) {
  if (!append_to(file_, text + '\n'))
    say_once("profile", "the rows of the profile cannot be written to " + file_);
}

}  // namespace ww::cuda
