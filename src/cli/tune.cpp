// warpwright tune FAMILY: the best of all that a family of kernels can be, for one problem on one GPU.
#include "study/tune.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/shared/destination.h"
#include "cli/shared/device_option.h"
#include "cli/shared/gpu_option.h"
#include "cli/shared/interrupt.h"
#include "cli/shared/number_checks.h"
#include "cli/shared/output.h"
#include "cli/shared/progress.h"
#include "cli/shared/result_file.h"
#include "cli/study/cache.h"
#include "cli/study/gpu.h"
#include "report/json.h"
#include "study/bands.h"
#include "study/tune_search.h"

namespace ww::cli {

namespace {

struct TuneOptions {
  std::string family, gpu, device = "auto", measured;
  int64_t n = 1024;
  std::optional<int> r;
  size_t candidates = 8, shown = 10;
  int threads = 0;
  std::vector<std::string> kernels;
  OutputOptions output;
  CacheOptions cache;
};

constexpr int kUsualRadius = 4;

/// The GPU to tune for: the one that is named, else the one that is here.
std::optional<gpus::Gpu> target(const TuneOptions& o, device::Device* here) {
  if (!o.gpu.empty()) return gpu_named(o.gpu);
  if (here) return gpu_named(gpu_id(here->info()));
  complain({error("there is no GPU here: name one to tune for", "--gpu h200 (warpwright gpus lists them)")});
  return std::nullopt;
}

/// The times of a ranking's first candidates, and of what the model cannot rank, on the GPU; each verified.
void measure(const TuneOptions& o, const study::Study& study, const study::Found& found, device::Device& gpu,
             const std::atomic<bool>& stop, study::Tuned& tuned) {
  const auto& rows = tuned.ranking.rows;
  const auto& predictions = found.predictions;
  std::vector<size_t> places;  // in the ranking: the first ones, and those that only measuring can judge
  for (size_t i = 0; i < rows.size(); ++i)
    if (i < std::min(o.candidates, tuned.ranked) ||
        (i >= tuned.ranked && !study::is_hopeless(predictions.rows[rows[i]])))
      places.push_back(i);
  std::vector<study::Item> chosen;
  for (size_t place : places) chosen.push_back(found.items[rows[place]]);
  study::RunContext context;
  context.devices = {&gpu};
  context.stop = &stop;
  Progress progress("measuring", chosen.size());
  context.progress = [&](const study::Progress& p) { progress.update(p.done, p.next); };
  const Table table = study::run(study, chosen, context);
  tuned.measured.assign(rows.size(), std::nullopt);
  for (size_t i = 0; i < std::min(places.size(), table.rows.size()); ++i) {
    const Value* time = study::figure(table.rows[i], "time", Provenance::Measured);
    const Value* verified = table.rows[i].find("verified");
    if (time && verified && verified->number() == 1) tuned.measured[places[i]] = time->number();
  }
}

/// Keeps the best in DIR/tuned/GPU.json, a table like any other; says so on stderr.
void keep(const TuneOptions& o, const std::string& folder, const std::string& gpu,
          const std::vector<Row>& best) {
  if (o.cache.none || folder.empty() || best.empty()) return;
  const std::string file = fmt::format("{}/tuned/{}.json", folder, gpu);
  Table known{fmt::format("The best known on {}", gpu), {}, {}};
  std::error_code none;
  if (std::filesystem::exists(file, none))
    if (auto read = read_results(file)) known = std::move(*read);
  for (const Row& row : best) study::keep(known, row);
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), none);
  if (auto ok = write_file_atomically(file, report::render(known, report::Format::Json)); !ok)
    fmt::print(stderr, "warning: the best is not kept: {}\n", ok.error()[0].message);
  else
    fmt::print(stderr, "kept in {}\n", printable(file));
}

/// Engines beside the first, so that configurations are run side by side: one for every thread, but no more
/// than their copies of the arrays are worth.
std::vector<std::unique_ptr<device::Device>> more_engines(int threads, engine::Settings settings) {
  constexpr int kMost = 4;
  const int all = threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int engines = std::min(all, kMost);
  std::vector<std::unique_ptr<device::Device>> out;
  settings.threads = std::max(1, all / engines);
  for (int i = 1; i < engines; ++i) out.push_back(device::make_engine_device(settings));
  return out;
}

study::Found search(const TuneOptions& o, const study::Study& study, const std::vector<study::Item>& items,
                    const gpus::Gpu& model, device::Device& engine, const engine::Settings& settings,
                    study::Cache* cache) {
  const auto more = more_engines(o.threads, settings);
  std::optional<Progress> progress;
  std::string shown;
  study::Search search{&study, &model, {&engine}, cache, settings.cancel, {}};
  for (const auto& other : more) search.engines.push_back(other.get());
  search.progress = [&](const std::string& work, size_t done, size_t total) {
    if (work != shown) progress.emplace(work, total), shown = work;
    progress->update(done);
  };
  return study::search_best(items, search);
}

/// The tables of all problems: printed one by one, or delivered as one.
int show(const Destination& to, std::vector<Table> tables) {
  Table all;
  for (Table& table : tables) {
    if (to.format == report::Format::Table && to.out.empty()) {
      if (auto ok = deliver(table, to.format, ""); !ok) return complain(ok.error());
    } else if (all.rows.empty()) {
      all = std::move(table);
    } else {
      all.rows.insert(all.rows.end(), table.rows.begin(), table.rows.end());
      all.notes.insert(all.notes.end(), table.notes.begin(), table.notes.end());
    }
  }
  if (!all.rows.empty())
    if (auto ok = deliver(all, to.format, to.out); !ok) return complain(ok.error());
  return 0;
}

int run_tune(TuneOptions& o) {
  if (o.r && o.family != "box_sum")
    return complain({error(fmt::format("--r is a radius of box_sum; {} has none", printable(o.family)))});
  auto to = destination(o.output, false);
  if (!to) return complain(to.error());
  std::optional<Table> elsewhere;
  if (!o.measured.empty()) {
    auto read = read_results(o.measured);
    if (!read) return complain(read.error());
    elsewhere = std::move(*read);
  }
  auto study = study::everything_of(o.family, o.n, o.r.value_or(kUsualRadius));
  if (!study) return complain(study.error());
  study::Selection selection;
  selection.kernels = o.kernels;
  auto items = study::select(*study, selection);
  if (!items) return complain(items.error());

  handle_interrupts();
  StopOnInterrupt stop;
  engine::Settings settings;
  settings.threads = o.threads;
  settings.cancel = &stop.flag();
  // Where a GPU is wanted and here, it stands beside the engine.
  auto devices = devices_named(o.device == "gpu" ? "both" : o.device, settings);
  if (!devices) return complain(devices.error());
  device::Device* gpu = real_gpu(*devices);
  const auto model = target(o, gpu);
  if (!model) return 2;
  if (gpu && gpu_id(gpu->info()) != model->id) {
    if (o.device == "gpu")
      return complain({error(fmt::format("this machine's GPU is {}, not {}", printable(gpu_id(gpu->info())),
                                         printable(model->id)),
                             "leave out --device: the model tunes for any GPU")});
    gpu = nullptr;
  }

  const auto dropped = study::drop_small_grids(*items, model->sm_count);
  const auto cache = open_cache(o.cache);
  study::Found found = search(o, *study, *items, *model, *devices->front(), settings, cache.get());
  if (cache && found.runs > 0) finish(*cache, o.cache, found.known, found.runs);
  if (stop.flag()) return complain({error("stopped before everything was predicted: nothing is chosen")});
  study::add_bands(found.predictions, std::span(&*model, 1));
  auto rankings = study::rank_predictions(found.predictions);
  if (rankings.empty()) {
    std::string why;
    for (const Row& row : found.predictions.rows)
      if (why.empty() && !row.refused.empty()) why = row.refused;
    return complain({error(
        fmt::format("no two kernels of {} have a predicted time for n = {} on {}", o.family, o.n, model->id),
        why.empty() ? "try another n, or fewer restrictions" : why)});
  }
  std::vector<Row> best;
  std::vector<Table> tables;
  for (study::Tuned& tuned : rankings) {
    if (elsewhere)
      study::take_measured(found.predictions, *elsewhere, tuned);
    else if (gpu)
      measure(o, *study, found, *gpu, stop.flag(), tuned);
    best.push_back(study::kept_row(found.predictions, tuned));
    tables.push_back(study::tuning_table(found.predictions, tuned, o.shown));
    if (found.continued)
      tables.back().notes.push_back(fmt::format(
          "Times are continued from runs of n = {} and {}, or the next smaller ones that a kernel "
          "admits.",
          study::kFirstLook, study::kSecondLook));
    if (!dropped.empty())
      tables.back().notes.push_back(
          fmt::format("Left out, because so few blocks cannot keep {} multiprocessors busy: {}.",
                      int64_t{model->sm_count}, fmt::join(dropped, ", ")));
  }
  if (const int wrong = show(*to, std::move(tables)); wrong != 0) return wrong;
  keep(o, cache ? cache->folder() : "", model->id, best);
  return 0;
}

}  // namespace

void add_tune(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<TuneOptions>();
  auto* c = app.add_subcommand(
      "tune", "Find the best kernel and parameters for a problem on a GPU: by the model, then measured");
  c->add_option("FAMILY", o->family, fmt::format("One of: {}", fmt::join(study::tuned_families(), ", ")))
      ->type_name("")
      ->required();
  c->add_option("--gpu", o->gpu, "For this GPU: h200, gtx1080, FILE.json ... (default: this machine's)")
      ->type_name("G");
  c->add_option("--n", o->n, "Size (default 1024)")
      ->type_name("N")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  c->add_option("--r", o->r, "Radius of box_sum (default 4)")->type_name("R")->check(CLI::Range(0, 1 << 20));
  c->add_option("--kernel", o->kernels, "Only these kernels")->delimiter(',')->type_name("K,...");
  c->add_option("--device", o->device, "engine, gpu, or auto (default): measure if this machine has the GPU")
      ->type_name("D")
      ->check(CLI::IsMember({"engine", "gpu", "auto"}));
  c->add_option("--measured", o->measured,
                "Times of this GPU that were measured elsewhere (a result file), in place of measuring")
      ->type_name("FILE");
  c->add_option("--candidates", o->candidates, "How many of the model's best to measure (default 8)")
      ->type_name("C")
      ->check(CLI::Range(1, 1000));
  c->add_option("--show", o->shown, "How many rows to show for each problem (default 10)")
      ->type_name("S")
      ->check(CLI::Range(1, 10000));
  c->add_option("--threads", o->threads, "Host threads (default: all cores)")
      ->type_name("T")
      ->check(CLI::Range(1, 1024));
  add_cache(*c, o->cache);
  add_output(*c, o->output, "Write to this file (.json, .csv or .txt) instead of the terminal");
  c->callback([o, &exit_code] { exit_code = run_tune(*o); });
}

}  // namespace ww::cli
