#include "cli/own_study/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/file.h"
#include "base/text.h"
#include "cli/own_study/run.h"
#include "cli/shared/interrupt.h"
#include "cli/shared/output.h"
#include "cli/shared/progress.h"
#include "cli/study/deliver.h"
#include "cli/study/metrics.h"
#include "device/engine_device.h"
#include "report/compare.h"
#include "userkernel/rivals.h"

namespace ww::cli {

namespace {

/// Kernels of the study that no configuration ran, each with the first reason.
std::string never_ran(const OwnStudy& study, const Table& table) {
  std::string out;
  for (const StudyKernel& kernel : study.kernels) {
    const Row* refused = nullptr;
    bool ran = false;
    for (const Row& row : table.rows) {
      if (row[Axis::Kernel] != kernel.name) continue;
      ran = ran || row.refused.empty();
      if (!refused && !row.refused.empty()) refused = &row;
    }
    if (!ran && refused)
      out +=
          fmt::format("{} did not run in any configuration: {}\n", kernel.name, printable(refused->refused));
  }
  return out;
}

/// Says in each row that ran which problem it is for, where the study has several, and how it is known that
/// kernels do the same, where that was not verified.
class Problems {
 public:
  explicit Problems(const OwnStudy& study) : of_(userkernel::problems_of(study)) {
    several_ = std::any_of(of_.begin(), of_.end(),
                           [&](const auto& entry) { return entry.second.name != of_.begin()->second.name; });
  }
  void name(Row& row) const {
    const auto found = of_.find(row[Axis::Kernel]);
    if (found == of_.end() || !row.refused.empty()) return;
    const auto& [name, known] = found->second;
    if (several_)
      row.values.push_back(
          {"problem", name, "", Provenance::Input, "kernels of one problem do the same in different ways"});
    if (const std::string by = userkernel::known_by(known); of_.size() > 1 && !by.empty())
      row.values.push_back({"problem_by", by, "", Provenance::Input,
                            "why kernels are taken for ones that do the same where nothing verified it"});
  }

 private:
  std::map<std::string, userkernel::Problem> of_;
  bool several_ = false;
};

// As `launch` has them: a kernel of the user's own may be endless.
constexpr double kStudyPatience = 60;   // seconds
constexpr double kStudyStandstill = 1;  // seconds

/// What such a study cannot be asked, each with why.
Diagnostics refused_options(const StudyOptions& o) {
  Diagnostics wrong;
  const auto refuse = [&](bool given, const char* option, const char* why) {
    if (given) wrong.push_back(error(fmt::format("{} is not for a study of your own kernels", option), why));
  };
  refuse(!o.tiles.empty(), "--tile", "--axis NAME=… takes any axis of the study");
  refuse(o.device != "auto" && o.device != "engine", "--device", "they run on the engine");
  refuse(o.counters, "--counters", "they run on the engine");
  refuse(!o.checks.empty(), "--check", "`warpwright launch --check` takes one kernel at a time");
  refuse(!o.shard.empty(), "--shard", "--axis and --kernel run a part of it");
  refuse(!o.selection.inputs.empty(), "--input", "'args' names the files: in:FILE.npy");
  return wrong;
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> out;
  std::stringstream in(text);
  for (std::string one; std::getline(in, one, ',');) out.push_back(one);
  return out;
}

/// --axis, and --n, --block, --r and --k as axes of these names.
Result<std::map<std::string, std::vector<std::string>>> chosen_values(const StudyOptions& o) {
  std::map<std::string, std::vector<std::string>> out;
  for (const std::string& text : o.axes) {
    const size_t equals = text.find('=');
    auto values = split_at_commas(equals == text.npos ? "" : text.substr(equals + 1));
    if (equals == 0 || values.empty())
      return error(fmt::format("--axis '{}' is not NAME=VALUE", printable(text)),
                   "for example --axis tile=16,32");
    out[text.substr(0, equals)] = std::move(values);
  }
  const auto add = [&](const char* name, const auto& values) {
    for (const auto value : values) out[name].push_back(std::to_string(value));
  };
  add("n", o.selection.n), add("block", o.selection.blocks), add("r", o.selection.r), add("k", o.selection.k);
  return out;
}

std::string describe_configuration(const StudyConfiguration& c, const OwnStudy& own) {
  std::string text = c.kernel->name;
  for (const StudyAxis& axis : own.axes)
    if (const auto it = c.values.find(axis.info.name); it != c.values.end())
      text += fmt::format(" {}={}", it->first, it->second);
  return text;
}

/// Kernels of the laboratory to compare with: at the values of `n` that were chosen.
Result<std::vector<study::Item>> laboratory_items(const StudyOptions& o, const OwnStudy& own) {
  if (own.study.full.empty() || !o.selection.kernels.empty()) return std::vector<study::Item>();
  study::Selection selection;
  selection.seed = o.selection.seed;
  selection.n = o.selection.n;
  for (const StudyAxis& axis : own.axes)
    if (axis.info.name == "n" && o.selection.quick && selection.n.empty())
      for (const std::string& value : axis.quick) selection.n.push_back(std::atoll(value.c_str()));
  return study::select(own.study, selection);
}

/// Rows of each kernel's first configuration at quick sizes, and of kernels of the laboratory: they say which
/// metrics there are.
Table sample_of(const OwnStudy& own, const std::map<std::string, std::vector<std::string>>& chosen,
                const std::vector<study::Item>& items, device::Device& device,
                const kernels::RunOptions& options, study::Cache* cache, const std::string& folder,
                const study::Selection& selection) {
  Table table;
  if (!items.empty()) {
    study::RunContext context;
    context.devices = {&device};
    context.options = options;
    context.cache = cache;
    table = study::run(own.study, smallest_items(own.study, selection, items), context);
  }
  const auto all = userkernel::configurations(own, true, selection.kernels, chosen);
  if (!all) return table;
  OwnRunner runner(own, device, options, cache, folder, selection.seed);
  const StudyKernel* last = nullptr;
  for (const StudyConfiguration& c : *all) {
    if (c.kernel == last) continue;
    last = c.kernel;
    bool known = false;
    for (Row& row : runner.rows_of(c, known)) table.rows.push_back(std::move(row));
  }
  return table;
}

/// The sources that the rows are of.
std::vector<report::Listing> listings_of(const OwnStudy& own) {
  constexpr uint64_t kMostListed = 1 << 20;  // bytes
  std::vector<report::Listing> out;
  for (const StudyKernel& kernel : own.kernels) {
    const bool there =
        std::any_of(out.begin(), out.end(), [&](const auto& l) { return l.name == kernel.file; });
    if (there || !kernel.file.ends_with(".cu")) continue;
    if (auto text = read_file(kernel.file, kMostListed)) out.push_back({kernel.file, std::move(*text), ""});
  }
  return out;
}

/// What longer rows in shared memory give, of each kernel on each GPU where it was run last, the largest.
void note_tried(Table& table) {
  constexpr size_t kMost = 6;
  std::vector<const Row*> last;
  for (const Row& row : table.rows) {
    if (!row.find("tried")) continue;
    const auto same = std::find_if(last.begin(), last.end(), [&](const Row* other) {
      return (*other)[Axis::Kernel] == row[Axis::Kernel] && (*other)[Axis::Gpu] == row[Axis::Gpu];
    });
    if (same == last.end())
      last.push_back(&row);
    else
      *same = &row;
  }
  std::vector<std::string> notes;
  for (size_t i = 0; i < std::min(last.size(), kMost); ++i) {
    Row named = *last[i];
    named[Axis::Study] = named[Axis::Device] = "";  // the same in all rows
    notes.push_back(report::describe_row(named) + ": " + last[i]->find("tried")->text());
  }
  for (std::string& note : notes) table.notes.push_back(std::move(note));
}

}  // namespace

int run_own_study(StudyOptions& o, const Destination& to, const OwnStudy& own) {
  if (auto wrong = refused_options(o); !wrong.empty()) return complain(wrong);
  auto chosen = chosen_values(o);
  if (!chosen) return complain(chosen.error());
  auto all = userkernel::configurations(own, o.selection.quick, o.selection.kernels, *chosen);
  if (!all) return complain(all.error());
  auto items = laboratory_items(o, own);
  if (!items) return complain(items.error());
  if (o.list) {
    std::string text;
    for (const StudyConfiguration& c : *all) text += describe_configuration(c, own) + "\n";
    for (const study::Item& item : *items) text += kernels::title(item.kernel->name, item.config) + "\n";
    auto ok = deliver_text(text, to.folder ? "" : to.out);
    return ok ? 0 : complain(ok.error());
  }
  auto gpus = counted_gpus(o, own.study);
  if (!gpus) return 2;
  o.sample |= own.study.sample;

  handle_interrupts();
  StopOnInterrupt stop;
  engine::Settings settings;
  settings.threads = o.threads;
  settings.patience = kStudyPatience;
  settings.standstill = kStudyStandstill;
  settings.cancel = &stop.flag();
  auto device = device::make_engine_device(settings);
  const auto cache = open_cache(o.cache);
  kernels::RunOptions options;
  for (const auto& gpu : *gpus) options.gpus.push_back(&gpu);
  options.sample = o.sample;
  options.registers = o.registers;

  const std::string folder = o.name.find('/') == o.name.npos ? "" : o.name.substr(0, o.name.rfind('/') + 1);
  if (!o.metrics.empty())
    if (auto ok = check_before(o, own.study, *gpus,
                               [&] {
                                 return sample_of(own, *chosen, *items, *device, options, cache.get(), folder,
                                                  o.selection);
                               });
        !ok)
      return complain(ok.error());

  FoundRows found;
  Table& table = found.table;
  table.title = own.study.summary;
  for (const StudyAxis& axis : own.axes) table.axes.push_back(axis.info);
  size_t known_runs = 0;
  found.runs = all->size();
  {
    OwnRunner runner(own, *device, options, cache.get(), folder, o.selection.seed);
    const Problems problems(own);
    Progress progress(own.study.name, all->size() + items->size());
    for (; found.done < all->size() && !stop.flag(); ++found.done) {
      progress.update(found.done, describe_configuration((*all)[found.done], own));
      bool known = false;
      auto rows = runner.rows_of((*all)[found.done], known);
      if (stop.flag() && !rows[0].refused.empty()) break;  // cut off, not refused
      known_runs += known;
      for (Row& row : rows) {
        row[Axis::Study] = own.study.name;
        problems.name(row);
        table.rows.push_back(std::move(row));
      }
    }
    if (!items->empty() && !stop.flag()) {
      study::RunContext context;
      context.devices = {device.get()};
      context.options = options;
      context.cache = cache.get();
      context.stop = &stop.flag();
      const size_t before = known_runs;
      found.runs += items->size();
      context.progress = [&](const study::Progress& p) {
        progress.update(all->size() + p.done, p.next);
        found.done = all->size() + p.done, known_runs = before + p.known;
      };
      for (Row& row : study::run(own.study, *items, context).rows) {
        // They stand beside the user's kernels because they do the same.
        std::erase_if(row.values, [](const Value& v) { return v.tag == "problem"; });
        table.rows.push_back(std::move(row));
      }
    } else if (!items->empty()) {
      found.runs += items->size();
    }
  }
  note_tried(table);
  if (gpus->empty())
    table.notes.emplace_back(
        "No GPU was named, so there are only counters that are the same on every GPU: --gpu h200, or “gpus” "
        "in "
        "the study’s file, adds occupancy, caches and times.");
  if (cache) finish(*cache, o.cache, known_runs, found.runs);
  found.listings = listings_of(own);
  const bool nothing =
      found.done == found.runs &&
      std::all_of(table.rows.begin(), table.rows.end(), [](const Row& row) { return !row.refused.empty(); });
  const std::string idle = found.done == found.runs ? never_ran(own, table) : "";
  const int code = deliver_study(o, to, own.study, *gpus, std::move(found));
  fmt::print(stderr, "{}", idle);
  if (code != 0) return code;
  return nothing ? 2 : idle.empty() ? 0 : 1;
}

}  // namespace ww::cli
