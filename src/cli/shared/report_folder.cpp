#include "cli/shared/report_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <thread>

#include "base/file.h"
#include "cli/gpus.h"
#include "cli/shared/shell.h"
#include "cli/watch/picture.h"
#include "gpus/catalog.h"
#include "kernels/embedded.h"
#include "report/csv.h"
#include "report/default_plots.h"
#include "report/json.h"
#include "study/conclusions.h"
#include "study/study.h"
#include "study/verdict.h"

namespace ww::cli {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> values_of(const Table& table, Axis axis) {
  std::vector<std::string> all;
  for (const Row& row : table.rows)
    if (!row[axis].empty() && std::find(all.begin(), all.end(), row[axis]) == all.end())
      all.push_back(row[axis]);
  return all;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

/// What a table shows of a GPU; the whole is another table.
constexpr const char* kMainFigures[] = {"name",        "compute_capability", "launch_year",   "sm_count",
                                        "boost_clock", "peak_fp32",          "dram_bandwidth"};

}  // namespace

std::vector<Table> gpu_figures(const Table& table, std::span<const gpus::Gpu> gpus) {
  Table main{"gpus", {}, {}}, all{"gpu_figures", {}, {}};
  for (const auto& id : values_of(table, Axis::Gpu))
    for (const auto& gpu : gpus) {
      if (gpu.id != id) continue;
      const Row& row = all.rows.emplace_back(gpu_row(gpu));
      Row& few = main.rows.emplace_back();
      few.axes = row.axes;
      for (const char* tag : kMainFigures)
        if (const Value* v = row.find(tag)) few.values.push_back(*v);
    }
  if (all.rows.empty()) return {};
  return {std::move(main), std::move(all)};
}

namespace {

void add_listings(report::Page& page) {
  for (const auto& kernel : values_of(page.table, Axis::Kernel))
    for (const auto& source : kernels::sources())
      if (source.path == "src/kernels/" + kernel + ".cu")
        page.listings.push_back({std::string(source.path), std::string(source.text), ""});
}

/// What to plot of a table whose study does not say.
std::vector<std::string> plotted_metrics() {
  return {"gflops",
          "time",
          "achieved_occupancy",
          "cgma",
          "warp_instructions",
          "global_load_requests",
          "l2_read_sectors|",
          "shared_load_wavefronts",
          "shared_load_bank_conflicts"};
}

/// "model name" of /proc/cpuinfo.
std::string cpu_name() {
  auto text = read_file("/proc/cpuinfo");
  if (!text) return "";
  const size_t at = text->find("model name"), colon = text->find(": ", at), end = text->find('\n', colon);
  return at == std::string::npos || end == std::string::npos ? "" : text->substr(colon + 2, end - colon - 2);
}

}  // namespace

std::string command_line() {
  auto text = read_file("/proc/self/cmdline");
  if (!text) return "";
  std::string out;
  for (size_t begin = 0; begin < text->size();) {
    const size_t end = std::min(text->find('\0', begin), text->size());
    std::string word = text->substr(begin, end - begin);
    if (out.empty()) word = fs::path(word).filename();
    out += (out.empty() ? "" : " ") + in_shell(word);
    begin = end + 1;
  }
  return out;
}

std::vector<report::Fact> facts_of_run(int threads) {
  std::vector<report::Fact> facts = {
      {"study", "command", command_line()},
      {"study", "date", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)))},
      {"study", "version", "warpwright " WW_VERSION},
      {"study", "compiler", std::string(kernels::cuda_compiler())},
      {"machine", "cpu", cpu_name()},
  };
  if (utsname system; uname(&system) == 0)
    facts.push_back(
        {"machine", "system", fmt::format("{} {} ({})", system.sysname, system.release, system.machine)});
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  facts.push_back({"machine", "threads", fmt::format("{}", threads > 0 ? threads : cores)});
  return facts;
}

report::Presentation presentation_of(const study::Study& study) {
  return {study.name, study.text, study::shown_metrics(study), study.plots, {}, {}};
}

report::Page page_of(Table table, report::Presentation presentation, const std::string& language) {
  report::Page page{std::move(presentation)};
  page.language = language;
  if (page.headline.empty()) page.headline = study::shown_metrics({});
  if (page.plots.empty()) page.plots = report::default_plots(table, plotted_metrics());
  page.verdict = study::verdict(table);
  page.conclusions = study::conclusions(table);
  page.verification = study::verification(table);
  page.table = std::move(table);
  page.extras = page.figures.empty() ? gpu_figures(page.table, gpus::known_gpus()) : page.figures;
  const auto known = study::find_study(page.study);
  page.built_in = known && (*known)->summary == page.table.title && (*known)->text == page.text;
  add_listings(page);
  const auto fact = [&](const char* name, Axis axis) {
    std::erase_if(page.facts, [&](const report::Fact& f) { return f.group == "study" && f.name == name; });
    if (auto values = values_of(page.table, axis); !values.empty())
      page.facts.push_back({"study", name, joined(values)});
  };
  fact("kernels", Axis::Kernel);
  fact("gpus", Axis::Gpu);
  fact("devices", Axis::Device);
  return page;
}

Status write_report(report::Page page, const std::string& folder) {
  std::error_code wrong;
  fs::create_directories(folder, wrong);
  if (wrong) return error(fmt::format("cannot make the folder '{}': {}", folder, wrong.message()));
  const std::string at = folder.ends_with('/') ? folder : folder + "/";
  if (auto ok = add_pictures(page, at); !ok) return ok;
  // The page last: when it is new, so is what it names.
  if (auto ok = write_file_atomically(at + "results.csv", report::write_csv(page.table)); !ok) return ok;
  if (auto ok = write_file_atomically(at + "results.json", report::write_json(page.table, &page)); !ok)
    return ok;
  return write_file_atomically(at + "index.html", report::write_page(page));
}

}  // namespace ww::cli
