// warpwright launch FILE: run one kernel on the engine.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>

#include "analysis/unset_variables.h"
#include "base/file.h"
#include "base/text.h"
#include "checks/all.h"
#include "checks/text.h"
#include "cli/interrupt.h"
#include "cli/kernel_name.h"
#include "cli/launch_buffers.h"
#include "cli/launch_checks.h"
#include "cli/launch_input.h"
#include "cli/launch_options.h"
#include "cli/launch_prepare.h"
#include "cli/launch_time.h"
#include "cli/output.h"
#include "cli/report_folder.h"
#include "cli/source_lines.h"
#include "cli/watch_beside.h"
#include "cli/watch_own.h"
#include "cli/watch_picture.h"
#include "device/engine_device.h"
#include "report/list.h"
#include "report/page.h"

namespace ww::cli {

namespace {

/// Nobody writes to memory during a launch of ours, so that a state which comes again comes for ever.
constexpr double kStandstill = 1;  // seconds

Row without_axes(Row row) {
  row.axes = {};
  return row;
}

/// The PTX text: of the file, or of what the compiler makes of it. Empty after the reason has been printed.
std::optional<std::string> ptx_of(const LaunchOptions& o, const std::string& file,
                                  std::span<const gpus::Gpu> gpus) {
  if (!file.ends_with(".cu")) {
    auto text = read_file(file);
    if (text) return std::move(*text);
    complain(text.error());
    return {};
  }
  CompileOptions options = o.compile;
  options.linked = o.files.size() > 1;
  options.least = least_capability(gpus);
  auto compiled =
      o.files.size() > 1 ? compile_cuda(file, options) : compile_cuda_for(file, options, o.kernel);
  if (!compiled) {
    complain(compiled.error());
    return {};
  }
  fmt::print(stderr, "{}", compiled->messages);
  if (!compiled->ok) return {};
  return std::move(compiled->ptx);
}

std::string text_of(const device::Dim3& d) {
  if (d.z > 1) return fmt::format("{}x{}x{}", d.x, d.y, d.z);
  return d.y > 1 ? fmt::format("{}x{}", d.x, d.y) : fmt::format("{}", d.x);
}

/// The GPUs that were asked for, or the default where a reader is to see something of them.
Result<std::string> gpu_names(const LaunchOptions& o, const Destination& to) {
  const bool asked = !o.figures.gpus.empty() || o.figures.lines || o.figures.registers > 0 || to.folder;
  if (!o.count && asked)
    return error("--gpu, --lines, --registers and a page need the counters, and --no-count leaves them out",
                 "leave out --no-count");
  if (!o.checks.empty() && asked)
    return error("--check says what is wrong, and --gpu, --lines, --registers and a page how fast it is",
                 "one after the other");
  if (!o.checks.empty()) return std::string();
  if (!o.figures.gpus.empty()) return o.figures.gpus;
  const bool read = o.count && o.repeat == 0 && to.format == report::Format::Table;
  return asked || read ? std::string("h200") : std::string();
}

/// On the terminal sentences and numbers; in a folder the page, in a file the rows.
Status show_figures(const LaunchOptions& o, const Destination& to, const ShownLaunch& launch,
                    const std::vector<gpus::Gpu>& gpus) {
  const std::string title = fmt::format("{}: grid {}, block {}", launch.kernel, launch.grid, launch.block);
  const Table table = launch_table({launch}, gpus, title);
  if (to.format != report::Format::Table && !to.folder) return deliver(table, to.format, to.out);
  const int width = terminal_width(1, 100);
  std::string text = printable(title) + "\n";
  for (size_t g = 0; g < gpus.size(); ++g)
    text += "\n" + sentences_text(gpus[g], launch.gpus[g].sentences, table.rows[g], terminal_width(1, 0));
  if (o.purpose == Purpose::Explain) {
    // That was all, but for the lines.
  } else if (to.folder) {
    const std::string page =
        launch_page({launch}, gpus, table, launch.kernel, command_line(), o.picture.language);
    if (auto ok = write_launch_folder(to.out, page, table); !ok) return ok;
    text += fmt::format("\nThe page: {}{}index.html\n", to.out, to.out.ends_with('/') ? "" : "/");
  } else {
    text += "\n" + (gpus.size() == 1 ? report::render_list({"", {without_axes(table.rows[0])}, {}})
                                     : beside_each_other(table, width));
  }
  if (o.figures.lines)
    for (size_t g = 0; g < gpus.size(); ++g) text += "\n" + lines_text(gpus[g], launch.gpus[g], width);
  if (!to.folder && to.out.empty() && o.purpose == Purpose::Launch)
    text += "\n--out page/ draws all this as a page.\n";
  return deliver_text(text, to.folder ? "" : to.out);
}

Status show_values(const Destination& to, const device::Launch& launch, const device::Device& device,
                   std::vector<Value> values) {
  Row row;
  row[Axis::Kernel] = name_for_people(launch.kernel);
  row[Axis::Device] = device.info().id;
  row[Axis::Block] = text_of(launch.block);
  row.values = std::move(values);
  std::string title =
      fmt::format("{}: grid {}, block {}", row[Axis::Kernel], text_of(launch.grid), text_of(launch.block));
  if (to.format == report::Format::Table) {
    row.axes = {};
    return deliver_text(report::render_list({title, {row}, {}}), to.out);
  }
  return deliver({title, {row}, {}}, to.format, to.out);
}

/// Variables that the kernel reads and that were never set: legal, they are zero, and often a mistake.
void note_unset(const device::Module& module, const std::string& kernel,
                const std::vector<std::string>& set) {
  if (!module.code()) return;
  for (const analysis::UnsetVariable& v : analysis::unset_variables(*module.code(), kernel)) {
    if (std::find(set.begin(), set.end(), v.name) != set.end()) continue;
    const std::string name = name_for_people(v.name);
    Diagnostic note =
        error_at(v.where, fmt::format("{} is read here and was never set: it holds zeros", name),
                 fmt::format("--symbol {}=… sets it", name));
    note.severity = Severity::Note;
    fmt::print(stderr, "{}", render(note));
  }
}

/// What the kernel gets, ready for the launch.
Status prepare(const LaunchOptions& o, const device::Device& device, LaunchInput& in,
               LaunchBuffers& buffers) {
  device::Launch& launch = in.launch;
  if (o.repeat > 1) buffers.keep();
  if (auto ok = buffers.prepare(in.arguments, o.seed); !ok) return ok;
  std::vector<std::string> set;
  if (auto ok = set_symbols(*launch.module, in.symbols, buffers, o.seed, set); !ok) return ok;
  note_unset(*launch.module, launch.kernel, set);
  launch.arguments = buffers.arguments();
  return device::check_launch(device.info(), launch);
}

/// Once, or as often as --repeat says, each time on the same data; `seconds` of each.
Result<device::LaunchReport> launch_all(const LaunchOptions& o, device::Device& device,
                                        const device::Launch& launch, LaunchBuffers& buffers,
                                        std::vector<double>& seconds) {
  using Clock = std::chrono::steady_clock;
  std::optional<KeptVariables> variables;
  if (o.repeat > 1) variables.emplace(device, *launch.module);
  for (;;) {
    const auto start = Clock::now();
    auto report = device.launch(launch);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    if (!report || !report->faults.empty() || static_cast<int>(seconds.size()) >= o.repeat) return report;
    if (auto ok = buffers.restore(); !ok) return ok.error();
    if (auto ok = variables->restore(); !ok) return ok.error();
  }
}

int run(const LaunchOptions& o) {
  auto in = parse(o);
  if (!in) return complain(in.error());
  const bool watched = o.purpose == Purpose::Watch;
  if (!watched) handle_interrupts();
  std::atomic<bool> full = false;  // a picture that has enough stops its launch
  StopOnInterrupt stop;
  engine::Settings settings;
  settings.threads = watched ? 1 : o.threads;  // one: the same order in every run
  settings.branch_limit = o.limit;
  settings.patience = o.timeout;
  settings.standstill = kStandstill;
  if (!o.schedule.empty()) {
    auto order = engine::order_of(o.schedule);
    if (!order) return complain(order.error());
    settings.order = *order;
  }
  if (!in->checks.empty()) settings.gap = checks::kGap;
  settings.cancel = watched ? &full : &stop.flag();
  auto device = device::make_engine_device(settings);
  std::optional<LaunchChecks> checks;
  if (!in->checks.empty()) checks.emplace(in->checks, *device::engine_of(*device));
  device::Launch& launch = in->launch;
  if (watched)
    if (auto ok = check_picture(o.picture); !ok) return complain(ok.error());
  if (auto ok = report::check_language(o.picture.language); !ok) return complain(ok.error());
  if (!watched && o.picture.language != "en" && !in->to.folder)
    return complain({error("--lang is the language of a page", "--out page/ makes one")});
  const auto names = gpu_names(o, in->to);
  if (!names) return complain(names.error());
  const auto gpus = gpus_named(*names);
  if (!gpus) return 2;
  if (!watched) ask_for(launch, *gpus, o.figures.registers);
  // What was loaded goes before the device that it was loaded on.
  struct Unload {
    device::Launch& launch;
    ~Unload() { launch.module.reset(); }
  } unload{launch};
  if (auto ok = device::check_launch(device->info(), launch); !ok) return complain(ok.error());

  std::vector<device::Source> sources;
  for (const std::string& file : o.files) {
    auto ptx = ptx_of(o, file, *gpus);
    if (!ptx) return 2;
    sources.push_back({file.ends_with(".cu") ? file + " (its PTX)" : file, std::move(*ptx)});
  }
  bool several = sources.size() > 1;
  auto module = several ? device->load_linked(sources) : device->load(sources[0].name, sources[0].ptx);
  if (!module) return complain(module.error(), several ? std::string_view() : sources[0].ptx);
  launch.module = *module;
  auto kernel = choose_kernel(launch.module->kernels(), o.kernel);
  if (!kernel) return complain(kernel.error());
  launch.kernel = *kernel;
  if (!arguments_ready(o, device->info(), *in, sources)) return 2;
  LaunchBuffers buffers(*device);
  if (auto ok = prepare(o, *device, *in, buffers); !ok) return complain(ok.error());

  if (watched) {
    const KnownArrays known{in->parameters, declared_variables(o, sources)};
    auto recording =
        record_own(*device, launch, buffers, known, name_for_people(launch.kernel), gpus->front(), full);
    if (!recording) return complain(recording.error());
    if (!o.picture.collect)
      return deliver_watch(*recording, wants_json(o.picture), o.picture.out, o.picture.language);
    o.picture.collect->push_back(std::move(*recording));
    return 0;
  }
  if (checks) {
    for (const LaunchBuffers::Placed& p : buffers.placed()) checks->array(p.address, p.bytes, p.input);
    checks->listen(launch);
  }
  std::vector<double> seconds;
  auto report = launch_all(o, *device, launch, buffers, seconds);
  if (!report) {
    complain(report.error(), several ? std::string_view() : sources[0].ptx);
    return interrupted() ? interrupted_exit_code() : 2;
  }
  fmt::print("{}", report->printed);
  if (checks) {
    std::fflush(stdout);
    const auto findings = checks->findings(report->faults);
    fmt::print(stderr, "{}", checks::render(findings));
    if (checks::any_error(findings)) return 1;
  }
  if (!report->faults.empty()) {
    std::fflush(stdout);
    for (const Fault& fault : report->faults) fmt::print(stderr, "{}\n", fault.message);
    return 1;
  }
  if (auto ok = buffers.save(); !ok) return complain(ok.error());
  if (!report->gpus.empty()) {
    ShownLaunch figures = shown(launch, *report, *gpus, name_for_people(launch.kernel),
                                several ? source_lines() : source_lines(sources[0].name, sources[0].ptx));
    if (o.repeat > 0) figures.about = host_times(std::move(seconds));
    if (auto ok = show_figures(o, in->to, figures, *gpus); !ok) return complain(ok.error());
    return 0;
  }
  std::vector<Value> values = std::move(report->values);
  if (o.repeat > 0)
    for (Value& value : host_times(std::move(seconds))) values.push_back(std::move(value));
  if (!values.empty())
    if (auto ok = show_values(in->to, launch, *device, std::move(values)); !ok) return complain(ok.error());
  return 0;
}

}  // namespace

void add_explain_own(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<LaunchOptions>();
  o->purpose = Purpose::Explain;
  auto* c =
      app.add_subcommand("explain", "What limits a kernel of your own on a GPU, and which changes help");
  add_own_launch(c, o, run, exit_code);
}

void add_watch_own(CLI::App& app, int& exit_code, std::vector<watch::Recording>* collect) {
  auto o = std::make_shared<LaunchOptions>();
  o->picture.collect = collect;
  o->purpose = Purpose::Watch;
  o->figures.gpus = "h200";
  auto* c =
      app.add_subcommand("watch", "A picture of what a kernel of your own reads and writes, step by step");
  add_own_launch(c, o, run, exit_code);
  c->add_option("--gpu", o->figures.gpus,
                "A GPU's id, or a JSON file: whose transactions and banks are shown")
      ->type_name("G")
      ->capture_default_str();
  c->add_option("--out", o->picture.out, "The file (default: watch.html; JSON: stdout)")->type_name("FILE");
  c->add_option("--format", o->picture.format, "html or json (default: by the file's name, else html)")
      ->type_name("F")
      ->check(CLI::IsMember({"html", "json"}));
  c->add_option("--lang", o->picture.language, "Language of the page: en, pl, cs, ru; readers can change it")
      ->type_name("L")
      ->capture_default_str();
  add_beside_option(*c);
}

void add_launch(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<LaunchOptions>();
  auto* c = app.add_subcommand("launch", "Run one kernel of a PTX or CUDA C++ file and count what it does");
  add_own_launch(c, o, run, exit_code);
  c->add_option("--check", o->checks,
                "Find what is wrong with it: all, or checks by commas (`warpwright check --help`)")
      ->type_name("NAMES");
  c->add_flag("--no-count{false}", o->count, "Only run, faster");
  c->add_flag("--count", o->count, "Count (the default)")->group("");
  c->add_option("--lang", o->picture.language, "Language of the page: en, pl, cs, ru; readers can change it")
      ->type_name("L");
  c->add_option("--repeat", o->repeat, "Launch it so often on the same data: least and median seconds")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  add_output(*c, o->output,
             "Write the counters into this file (.json, .csv or .txt), or a page into this folder (DIR/)");
}

}  // namespace ww::cli
