// warpwright study NAME: run a study and show its table.
#include "study/study.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <variant>

#include "base/file.h"
#include "base/text.h"
#include "checks/all.h"
#include "checks/text.h"
#include "cli/commands.h"
#include "cli/own_study/command.h"
#include "cli/shared/checked_device.h"
#include "cli/shared/destination.h"
#include "cli/shared/device_option.h"
#include "cli/shared/gpu_option.h"
#include "cli/shared/interrupt.h"
#include "cli/shared/number_checks.h"
#include "cli/shared/output.h"
#include "cli/shared/progress.h"
#include "cli/study/cache.h"
#include "cli/study/deliver.h"
#include "cli/study/gpu.h"
#include "cli/study/list.h"
#include "cli/study/merge.h"
#include "cli/study/metrics.h"
#include "cli/study/options.h"
#include "study/shard.h"
#include "userkernel/own_kernel.h"
#include "userkernel/study_file.h"

namespace ww::cli {

namespace {

Result<kernels::Shape> tile_of(const std::string& text) {
  int rx = 0, ry = 0, used = 0;
  if (std::sscanf(text.c_str(), "%dx%d%n", &rx, &ry, &used) == 2 && used == static_cast<int>(text.size()) &&
      rx > 0 && ry > 0)
    return kernels::Shape{0, rx, ry};
  return error(fmt::format("'{}' is not a tile", text), "write RXxRY, for example 4x4");
}

/// What results depend on besides the configurations.
std::string settings_of(const StudyOptions& o, const std::vector<gpus::Gpu>& gpus) {
  std::string text = fmt::format("warpwright {}, seed {}{}, counted as", WW_VERSION, o.selection.seed,
                                 o.sample ? ", sampled" : "");
  for (const auto& gpu : gpus) text += " " + gpu.id;
  if (gpus.empty()) text += " no GPU";
  for (const auto& file : o.selection.inputs) text += ", input " + file;
  return text;
}

/// Narrows the items to one part; `whole` then says of what. Nothing without --shard.
Status take_part(StudyOptions& o, const study::Study& study, const std::vector<gpus::Gpu>& gpus,
                 const std::vector<device::Device*>& devices, std::vector<study::Item>& items,
                 std::optional<study::Whole>& whole) {
  if (o.shard.empty()) return {};
  auto shard = study::shard_named(o.shard);
  if (!shard) return shard.error();
  whole = study::whole_of(study.name, items, devices, *shard, settings_of(o, gpus));
  const std::vector<int> owner = study::owners(items, shard->of);
  std::vector<study::Item> mine;
  for (size_t i = 0; i < items.size(); ++i)
    if (owner[i] == shard->part) mine.push_back(items[i]);
  items = std::move(mine);
  o.no_peers = true;  // they belong to the study and not to a part
  return {};
}

/// A study of the laboratory's kernels, or one of the user's own.
Result<std::variant<study::Study, userkernel::OwnStudy>> opened(const std::string& name) {
  using Opened = std::variant<study::Study, userkernel::OwnStudy>;
  if (const auto own = userkernel::own_kernel(name))
    return error(
        fmt::format("'{}' holds kernels; a study file says with which sizes they run", printable(own->file)),
        fmt::format("`warpwright init {}` writes a first one beside it", printable(own->file)));
  if (!name.ends_with(".json") && name.find('/') == name.npos) {
    auto known = study::find_study(name);
    if (!known) return known.error();
    return Opened(**known);
  }
  constexpr uint64_t kMostStudy = 16 << 20;  // bytes
  auto text = read_file(name, kMostStudy);
  if (!text) return text.error();
  auto root = parse_json(*text, name);
  if (!root) return root.error();
  if (userkernel::is_own_study(*root)) {
    auto own = userkernel::read_own_study(name, *root);
    if (!own) return own.error();
    return Opened(std::move(*own));
  }
  auto study = study::read_study(name, *text);
  if (!study) return study.error();
  return Opened(std::move(*study));
}

/// The engine, heard by the checks that --check names.
Result<std::unique_ptr<CheckedDevice>> checked_engine(const StudyOptions& o, engine::Settings settings) {
  if (o.device != "auto" && o.device != "engine")
    return error("--check sees only what the engine runs, not --device " + o.device + " is not it");
  if (o.sample) return error("--check looks at every block, but --sample leaves most of them out");
  auto names = checks::names_in(o.checks);
  if (!names) return names.error();
  settings.gap = checks::kGap;
  settings.standstill = 1;  // seconds, as under launch --check
  return std::make_unique<CheckedDevice>(device::make_engine_device(std::move(settings)), *names);
}

int run_study(StudyOptions& o) {
  if (auto ok = report::check_language(o.language); !ok) return complain(ok.error());
  auto to = destination(o.output, o.shard.empty() && !o.name.empty());
  if (!to) return complain(to.error());
  if (o.name.empty()) {
    auto ok = deliver(list_studies(), to->format, to->out);
    return ok ? 0 : complain(ok.error());
  }
  auto found = opened(o.name);
  if (!found) return complain_in_file(found.error(), o.name);
  if (const auto* own = std::get_if<userkernel::OwnStudy>(&*found)) return run_own_study(o, *to, *own);
  const study::Study& study = std::get<study::Study>(*found);
  if (!o.axes.empty())
    return complain({error("--axis is for studies of your own kernels",
                           "kernels of the laboratory have --n, --block, --tile, --r and --k")});
  for (const auto& text : o.tiles) {
    auto tile = tile_of(text);
    if (!tile) return complain(tile.error());
    o.selection.tiles.push_back(*tile);
  }
  auto items = study::select(study, o.selection);
  if (!items) return complain(items.error());
  if (o.list) {
    std::string text;
    for (const study::Item& item : *items) text += kernels::title(item.kernel->name, item.config) + "\n";
    auto ok = deliver_text(text, to->folder ? "" : to->out);
    return ok ? 0 : complain(ok.error());
  }
  auto gpus = counted_gpus(o, study);
  if (!gpus) return 2;
  o.sample |= study.sample;
  if (!o.shard.empty() && to->format != report::Format::Json)
    return complain({error("a part of a study is always JSON, because `study merge` needs more than the rows",
                           "leave out --format here, and give it to `study merge`")});
  // Only the engine can count as other GPUs do, or run a part of a grid.
  if ((!gpus->empty() || o.sample) && o.device == "auto") o.device = "engine";

  handle_interrupts();
  StopOnInterrupt stop;
  engine::Settings settings;
  settings.threads = o.threads;
  settings.cancel = &stop.flag();
  CheckedDevice* checked = nullptr;
  Result<std::vector<std::unique_ptr<device::Device>>> devices =
      std::vector<std::unique_ptr<device::Device>>();
  if (o.checks.empty()) {
    devices = devices_named(o.device, settings);
    if (!devices) return complain(devices.error());
  } else {
    auto engine = checked_engine(o, settings);
    if (!engine) return complain(engine.error());
    checked = engine->get();
    devices->push_back(std::move(*engine));
    o.cache.none = true;  // rows from the cache have not been checked
  }
  study::RunContext context;
  for (const auto& d : *devices) context.devices.push_back(d.get());
  device::Device* gpu = real_gpu(*devices);
  if (o.counters && !gpu)
    return complain(
        {error("--counters reads a GPU's hardware counters, but there is no GPU among the devices",
               "the engine's own counts are always there")});
  std::optional<study::Whole> whole;
  if (auto ok = take_part(o, study, *gpus, context.devices, *items, whole); !ok) return complain(ok.error());
  const auto cache = open_cache(o.cache);
  context.cache = cache.get();
  context.stop = &stop.flag();
  for (const auto& model : *gpus) context.options.gpus.push_back(&model);
  context.options.sample = o.sample;
  context.options.registers = o.registers;
  if (!gpu && !o.metrics.empty())  // a GPU has counters of its own, and peers
    if (auto ok = check_before(o, study, *gpus,
                               [&] {
                                 const auto few = smallest_items(study, o.selection, *items);
                                 study::RunContext aside = context;
                                 aside.cache = nullptr;  // what it says of the cache is of the study
                                 return study::run(study, few, aside);
                               });
        !ok)
      return complain(ok.error());
  Table table;
  size_t known = 0, runs = 0, done = 0;
  {
    Progress progress(study.name, items->size());
    context.progress = [&](const study::Progress& p) {
      known = p.known, runs = p.total, done = p.done;
      progress.update(p.done, p.next);
    };
    table = study::run(study, *items, context);
  }
  if (cache) finish(*cache, o.cache, known, runs);
  if (gpu) {
    if (!o.no_peers) add_peers_on_gpu(table, study, *items, *gpu, o.device.starts_with("gpu"), stop.flag());
    if (o.counters) count_on_gpu(table, *items, o.selection, gpu->info(), stop.flag());
    name_gpu(table, gpu->info());
  }
  FoundRows rows{std::move(table), done, runs, std::move(whole), {}};
  const int code = deliver_study(o, *to, study, *gpus, std::move(rows));
  if (!checked) return code;
  std::fflush(stdout);
  const auto findings = checked->findings();
  fmt::print(stderr, "{}", checks::render(findings));
  return code == 0 && checks::any_error(findings) ? 1 : code;
}

}  // namespace

void add_study(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<StudyOptions>();
  std::vector<std::string> names;
  for (const auto& s : study::all_studies()) names.push_back(s.name);
  auto* c = app.add_subcommand("study", "Run a study: kernels over sizes and shapes, verified, as one table");
  c->add_option("NAME", o->name,
                fmt::format("One of: {}; or a FILE.json; without it: a list", fmt::join(names, ", ")))
      ->type_name("");
  c->add_option("--kernel", o->selection.kernels, "Only these kernels")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("K,...");
  c->add_option("--block", o->selection.blocks, "Only these block sides")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("SIDE,...");
  c->add_option("--n", o->selection.n, "These sizes instead of the study's")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N,...");
  c->add_option("--tile", o->tiles, "Only these results per thread, for example 2x3")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("RXxRY,...");
  c->add_option("--r", o->selection.r, "These radii instead of the study's")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("R,...");
  c->add_option("--k", o->selection.k, "These numbers of results per thread instead of the study's")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("K,...");
  c->add_option("--axis", o->axes,
                "For a study of your own kernels: only these values, for example tile=16,32")
      ->type_name("NAME=V,...")
      ->take_all()
      ->allow_extra_args(false);
  c->add_flag("--list", o->list, "Only list what would run, a line for each configuration");
  c->add_flag("--quick", o->selection.quick, "Small sizes: seconds instead of minutes");
  c->add_option("--seed", o->selection.seed, "Seed of the random inputs (default 1)")
      ->type_name("S")
      ->check(not_negative());
  c->add_option("--input", o->selection.inputs,
                "Matrix files instead of random inputs (.npy, or raw float32)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("FILE,...");
  c->add_option("--threads", o->threads, "Host threads (default: all cores)")
      ->type_name("T")
      ->check(CLI::Range(1, 1024));
  c->add_option("--metric", o->metrics,
                "Columns: these metrics, or all (default: the main ones in a table, all in csv and json)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("TAG,...");
  c->add_option("--check", o->checks,
                "Find the kernels' mistakes: all, or a comma-separated list (`warpwright check --help`)")
      ->type_name("NAMES");
  c->add_option("--device", o->device, "engine, gpu (the least loaded), gpu0 ..., both, or auto (default)")
      ->type_name("D");
  c->add_option("--gpu", o->gpus,
                "Count as these GPUs would, a row for each: gtx1080, h200, FILE.json ..., or all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("G,...");
  c->add_flag("--sample", o->sample, "Run only representative blocks: counters of large grids in seconds");
  c->add_option(
       "--registers", o->registers,
       "Registers per thread on these GPUs, instead of published figures, the compiler's or estimates")
      ->type_name("R")
      ->check(CLI::Range(1, 1024));
  c->add_flag("--counters", o->counters, "Also read the GPU's hardware counters, by Nsight Compute");
  c->add_flag("--no-peers", o->no_peers, "Leave out the comparison with cuBLAS, CUB, NPP and copies");
  add_cache(*c, o->cache);
  c->add_option("--shard", o->shard, "Run only this part, 3/16: the third of 16; study merge joins them")
      ->type_name("I/N");
  c->add_option("--junit", o->junit,
                "Write what ran, was verified and was expected to this file, as JUnit XML")
      ->type_name("FILE");
  add_output(
      *c, o->output,
      "Write to this file (.json, .csv or .txt) instead of the terminal, or the report to a folder (DIR/)");
  c->add_option("--lang", o->language, "Language of the report: en (default), pl, cs or ru")->type_name("L");
  auto* merge = add_merge(*c, exit_code);
  c->callback([o, merge, &exit_code] {
    if (merge->parsed()) return;
    if (!o->shard.empty() && !o->output.format) o->output.format = report::Format::Json;
    exit_code = run_study(*o);
  });
}

}  // namespace ww::cli
