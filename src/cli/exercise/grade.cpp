// An exercise's kernel, run and judged.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "checks/all.h"
#include "checks/text.h"
#include "cli/exercise/exercise.h"
#include "cli/own_study/run.h"
#include "cli/shared/checked_device.h"
#include "cli/shared/gpu_option.h"
#include "cli/shared/interrupt.h"
#include "cli/study/options.h"
#include "device/engine_device.h"
#include "report/compare.h"
#include "study/bands.h"
#include "study/expect.h"

namespace ww::cli {

namespace {

constexpr double kPatience = 30;   // seconds: a student's kernel may be endless
constexpr double kStandstill = 1;  // seconds
constexpr const char* kYours = "yours";

std::string row_words(Row row) {
  row[Axis::Study] = row[Axis::Kernel] = row[Axis::Device] = "";
  return report::describe_row(row);
}

struct Run {
  Table table;
  std::vector<checks::Finding> findings;
};

/// All configurations of the student's kernel, heard by the checks, if there are any.
Run run_kernel(const OwnStudy& own, const std::vector<StudyConfiguration>& all, const std::string& folder,
               const std::vector<gpus::Gpu>& gpus, const std::vector<std::string>& names) {
  StopOnInterrupt stop;
  engine::Settings settings;
  settings.patience = kPatience;
  settings.standstill = kStandstill;
  settings.cancel = &stop.flag();
  if (!names.empty()) settings.gap = checks::kGap;
  std::unique_ptr<device::Device> device = device::make_engine_device(settings);
  CheckedDevice* checked = nullptr;
  if (!names.empty()) {
    auto hearing = std::make_unique<CheckedDevice>(std::move(device), names);
    checked = hearing.get();
    device = std::move(hearing);
  }
  kernels::RunOptions options;
  for (const gpus::Gpu& gpu : gpus) options.gpus.push_back(&gpu);
  Run out;
  OwnRunner runner(own, *device, options, nullptr, folder + "/", 1);
  for (const StudyAxis& axis : own.axes) out.table.axes.push_back(axis.info);
  for (const StudyConfiguration& c : all) {
    if (stop.flag()) break;
    bool known = false;
    for (Row& row : runner.rows_of(c, known)) out.table.rows.push_back(std::move(row));
  }
  if (checked) out.findings = checked->findings();
  return out;
}

/// What kept a row from being right, in words; each text once.
std::vector<std::string> trouble_of(const Table& table) {
  std::vector<std::string> out;
  const auto add = [&](std::string text) {
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
  };
  for (const Row& row : table.rows) {
    if (!row.refused.empty()) add(row.refused);
    for (const char* tag : {"fault", "wrong"})
      if (const Value* v = row.find(tag)) add(fmt::format("{}: {}", row_words(row), v->text()));
  }
  return out;
}

}  // namespace

Result<Grade> grade(const Exercise& exercise, const std::string& folder) {
  const std::string file = folder + "/exercise.json";
  auto own = userkernel::read_own_study(file, exercise.study);
  if (!own) return own.error();
  if (std::none_of(own->kernels.begin(), own->kernels.end(),
                   [](const StudyKernel& k) { return k.name == kYours; }))
    return error("the exercise's study has no kernel named \"yours\"",
                 R"({"kernel": "kernel.cu", "name": "yours"})");
  auto all = userkernel::configurations(*own, false, {kYours}, {});
  if (!all) return all.error();
  StudyOptions options;
  auto gpus = counted_gpus(options, own->study);
  if (!gpus) return error("the exercise's GPUs are not known");

  std::vector<std::string> names;
  for (const Goal& goal : exercise.goals)
    if (!goal.checks.empty()) {
      auto of = checks::names_in(goal.checks);
      if (!of) return of.error();
      for (std::string& name : *of)
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
  const std::vector<std::string> none;
  handle_interrupts();
  // Checks change where things lie: what is counted and timed is run without them.
  Run plain = run_kernel(*own, *all, folder, *gpus, none);
  study::add_bands(plain.table, *gpus);
  Grade out;
  out.trouble = trouble_of(plain.table);
  const bool ran = std::all_of(plain.table.rows.begin(), plain.table.rows.end(),
                               [](const Row& row) { return row.refused.empty(); }) &&
                   !plain.table.rows.empty();
  std::vector<study::Expectation> expectations;
  for (const Goal& goal : exercise.goals)
    expectations.push_back({goal.that.empty() ? "1 == 1" : goal.that, goal.where, {}});
  const std::vector<study::Outcome> outcomes = study::judge(plain.table, expectations);
  for (size_t i = 0; i < exercise.goals.size(); ++i) {
    const Goal& goal = exercise.goals[i];
    Reached reached;
    if (!ran) {
      reached.figures = "it did not run";
    } else if (!goal.checks.empty()) {
      const auto of = checks::names_in(goal.checks);
      const Run run = run_kernel(*own, *all, folder, *gpus, *of);
      const bool whole = std::all_of(run.table.rows.begin(), run.table.rows.end(),
                                     [](const Row& row) { return row.refused.empty(); });
      reached.held = whole && run.findings.empty();
      if (!run.findings.empty()) reached.figures = checks::render(run.findings[0]);
    } else {
      reached.held = outcomes[i].good() && outcomes[i].held > 0;
      reached.figures = outcomes[i].wrong;
      for (const auto& failure : outcomes[i].failures)
        reached.figures += fmt::format("{}{}: {}", reached.figures.empty() ? "" : "; ",
                                       row_words(plain.table.rows[failure.row]), failure.what);
    }
    out.points += reached.held ? goal.points : 0;
    out.goals.push_back(std::move(reached));
  }
  return out;
}

}  // namespace ww::cli
