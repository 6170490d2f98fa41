// warpwright launch FILE: run one kernel on the engine.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "analysis/unset_variables.h"
#include "base/file.h"
#include "base/text.h"
#include "checks/all.h"
#include "checks/text.h"
#include "cli/commands.h"
#include "cli/cuda_source.h"
#include "cli/destination.h"
#include "cli/figure_options.h"
#include "cli/interrupt.h"
#include "cli/kernel_name.h"
#include "cli/launch_buffers.h"
#include "cli/launch_checks.h"
#include "cli/launch_parameters.h"
#include "cli/launch_symbols.h"
#include "cli/launch_time.h"
#include "cli/number_checks.h"
#include "cli/output.h"
#include "cli/own_kernel.h"
#include "cli/report_folder.h"
#include "cli/source_lines.h"
#include "cli/watch_own.h"
#include "device/engine_device.h"
#include "report/list.h"

namespace ww::cli {

namespace {

/// No kernel of the laboratory has a block that runs longer; what the user can say otherwise.
constexpr double kPatience = 60;  // seconds

/// Nobody writes to memory during a launch of ours, so that a state which comes again comes for ever.
constexpr double kStandstill = 1;  // seconds

/// What a kernel of the user's own is run for.
enum class Purpose { Launch, Explain, Watch };

struct LaunchOptions {
  Purpose purpose = Purpose::Launch;
  std::vector<std::string> files;
  std::string kernel, grid, block;
  CompileOptions compile;
  bool compiles = false;  ///< one of them was given
  std::vector<std::string> arguments, symbols;
  std::string checks;  ///< "": none
  uint64_t shared = 0, limit = engine::Settings{}.branch_limit, seed = 1;
  double timeout = kPatience;
  bool count = true, cooperative = false;
  int threads = 0, repeat = 0;
  FigureOptions figures;
  PictureOptions picture;
  OutputOptions output;
};

/// What the texts of the command line say.
struct LaunchInput {
  device::Launch launch;
  std::vector<LaunchArgument> arguments;
  std::vector<SymbolValue> symbols;
  std::vector<std::string> checks;
  Destination to;
};

/// "X[,Y[,Z]]".
Result<device::Dim3> parse_extent(const char* option, std::string_view text) {
  device::Dim3 out;
  uint32_t* const axes[] = {&out.x, &out.y, &out.z};
  const char* at = text.data();
  const char* end = at + text.size();
  for (uint32_t* axis : axes) {
    auto [next, trouble] = std::from_chars(at, end, *axis);
    if (trouble == std::errc() && next == end) return out;
    if (trouble != std::errc() || *next != ',') break;
    at = next + 1;
  }
  return error(fmt::format("{} {} is no size", option, printable(text)),
               "X or X,Y or X,Y,Z, for example 16,16");
}

Row without_axes(Row row) {
  row.axes = {};
  return row;
}

/// The PTX text: of the file, or of what the compiler makes of it. Empty after the reason has been printed.
std::optional<std::string> ptx_of(const LaunchOptions& o, const std::string& file) {
  if (!file.ends_with(".cu")) {
    auto text = read_file(file);
    if (text) return std::move(*text);
    complain(text.error());
    return {};
  }
  CompileOptions options = o.compile;
  options.linked = o.files.size() > 1;
  auto compiled = compile_cuda(file, options);
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
    text += "\n" + sentences_text(gpus[g], launch.gpus[g].sentences, terminal_width(1, 0));
  if (o.purpose == Purpose::Explain) {
    // That was all, but for the lines.
  } else if (to.folder) {
    const std::string page = launch_page({launch}, gpus, table, launch.kernel, command_line());
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

/// Files that would be written twice.
void check_outputs(const LaunchInput& in, Diagnostics& wrong) {
  std::vector<std::string> paths;
  const auto add = [&](const std::string& path) {
    std::error_code ignored;
    std::string at = std::filesystem::weakly_canonical(path, ignored).string();
    if (ignored || at.empty()) at = path;
    if (std::find(paths.begin(), paths.end(), at) != paths.end())
      wrong.push_back(error(fmt::format("'{}' is written twice", printable(path)), "give each its own file"));
    paths.push_back(std::move(at));
  };
  if (!in.to.out.empty()) add(in.to.out);
  const std::function<void(const LaunchArgument&)> visit = [&](const LaunchArgument& value) {
    if (const auto* array = std::get_if<ArrayArgument>(&value); array && array->writes()) add(array->path);
    if (const auto* structure = std::get_if<StructArgument>(&value))
      for (const LaunchArgument& member : structure->members) visit(member);
  };
  for (const LaunchArgument& argument : in.arguments) visit(argument);
  for (const SymbolValue& symbol : in.symbols) visit(symbol.value);
}

/// Everything that can be wrong on the command line itself, at once.
Result<LaunchInput> parse(const LaunchOptions& o) {
  LaunchInput in;
  Diagnostics wrong;
  auto keep = [&](const auto& result, auto& into) {
    if (result)
      into = *result;
    else
      wrong.insert(wrong.end(), result.error().begin(), result.error().end());
  };
  keep(parse_extent("--grid", o.grid), in.launch.grid);
  keep(parse_extent("--block", o.block), in.launch.block);
  for (const auto& text : o.arguments) keep(parse_argument(text), in.arguments.emplace_back());
  for (const auto& text : o.symbols) keep(parse_symbol(text), in.symbols.emplace_back());
  keep(destination(o.output, true), in.to);
  if (!o.checks.empty()) keep(checks::names_in(o.checks), in.checks);
  if (!o.checks.empty() && o.repeat > 0)
    wrong.push_back(error("--check is for one launch, and --repeat asks for several"));
  for (const std::string& file : o.files)
    if (o.compiles && !file.ends_with(".cu"))
      wrong.push_back(error(
          fmt::format("-I, -D, --std and --arch are for the compiler, and '{}' is PTX", printable(file))));
  if (!in.to.out.empty() && !o.count && o.repeat == 0)
    wrong.push_back(
        error("--out writes the counters, and --no-count leaves them out", "leave out one of them"));
  if (wrong.empty()) check_outputs(in, wrong);
  in.launch.dynamic_shared = o.shared;
  in.launch.cooperative = o.cooperative;
  in.launch.count = o.count;
  if (!wrong.empty()) return wrong;
  return in;
}

/// Variables that the kernel reads and nobody has set: legal, they are zero, and often a mistake.
void note_unset(const device::Module& module, const std::string& kernel,
                const std::vector<std::string>& set) {
  if (!module.code()) return;
  for (const analysis::UnsetVariable& v : analysis::unset_variables(*module.code(), kernel)) {
    if (std::find(set.begin(), set.end(), v.name) != set.end()) continue;
    const std::string name = name_for_people(v.name);
    Diagnostic note =
        error_at(v.where, fmt::format("{} is read here, and nobody has set it: it holds zeros", name),
                 fmt::format("--symbol {}=… sets it", name));
    note.severity = Severity::Note;
    fmt::print(stderr, "{}", render(note));
  }
}

/// The kernel and what it gets, ready to be launched.
Status prepare(const LaunchOptions& o, const device::Device& device, LaunchInput& in,
               LaunchBuffers& buffers) {
  device::Launch& launch = in.launch;
  auto kernel = choose_kernel(launch.module->kernels(), o.kernel);
  if (!kernel) return kernel.error();
  launch.kernel = *kernel;
  if (const ir::Module* code = launch.module->code()) {
    const auto parameters = parameters_of(*code, launch.kernel);
    if (auto ok = fit_arguments(in.arguments, parameters, name_for_people(launch.kernel)); !ok) return ok;
  }
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
  if (!in->checks.empty()) settings.gap = checks::kGap;
  settings.cancel = watched ? &full : &stop.flag();
  auto device = device::make_engine_device(settings);
  std::optional<LaunchChecks> checks;
  if (!in->checks.empty()) checks.emplace(in->checks, *device::engine_of(*device));
  device::Launch& launch = in->launch;
  if (watched)
    if (auto ok = check_picture(o.picture); !ok) return complain(ok.error());
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
    auto ptx = ptx_of(o, file);
    if (!ptx) return 2;
    sources.push_back({file.ends_with(".cu") ? file + " (its PTX)" : file, std::move(*ptx)});
  }
  bool several = sources.size() > 1;
  auto module = several ? device->load_linked(sources) : device->load(sources[0].name, sources[0].ptx);
  if (!module) return complain(module.error(), several ? std::string_view() : sources[0].ptx);
  launch.module = *module;
  LaunchBuffers buffers(*device);
  if (auto ok = prepare(o, *device, *in, buffers); !ok) return complain(ok.error());

  if (watched)
    return watch_own(*device, launch, buffers, name_for_people(launch.kernel), gpus->front(), o.picture,
                     full);
  if (checks) checks->listen(launch);
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

void add_compile_options(CLI::App& c, LaunchOptions& o) {
  c.add_option("--arch", o.compile.arch, "Compute capability that a .cu file is compiled for (default 75)")
      ->type_name("CC")
      ->check([](const std::string& text) {
        bool good = !text.empty() && text.size() <= 4 && text.find_first_not_of("0123456789a") == text.npos;
        return good ? std::string() : "--arch " + printable(text) + ": for example 75, 80 or 90a";
      });
  c.add_option("-I", o.compile.includes, "A directory with headers of a .cu file")
      ->type_name("DIR")
      ->take_all()
      ->allow_extra_args(false);
  c.add_option("-D", o.compile.defines, "A macro of a .cu file")
      ->type_name("NAME[=VALUE]")
      ->take_all()
      ->allow_extra_args(false);
  c.add_option("--std", o.compile.standard, "C++ standard of a .cu file (default c++17)")
      ->type_name("STD")
      ->check(CLI::IsMember({"c++11", "c++14", "c++17", "c++20", "c++23"}));
}

constexpr const char* kArgumentWords =
    "Arguments: f32:1.5, s32:-7, u64:0xff and the other scalar types; a number alone has the parameter's "
    "type. A\n"
    "struct is {s32:1,f32:2.5,in:FILE.npy} or its bytes, hex:00ff. Arrays are in:FILE.npy, "
    "inout:FILE.npy,\n"
    "out:f32[64,32]:FILE.npy (zeros at first) and random:f32[1024]; the kernel gets their address. Files "
    "are\n"
    "written when the kernel has ended well.";

/// What every command asks about a kernel of the user's own.
void add_own_launch(CLI::App* c, const std::shared_ptr<LaunchOptions>& o, int& exit_code) {
  c->add_option("FILE", o->files,
                "A .ptx file, or a .cu file: compiled with nvcc, else with clang; several are linked; "
                "FILE:KERNEL names the kernel")
      ->required()
      ->type_name("");
  c->add_option("--kernel", o->kernel, "Its name (may be left out when there is only one)")
      ->type_name("NAME");
  c->add_option("--grid", o->grid, "Blocks of the grid")->required()->type_name("X[,Y[,Z]]");
  c->add_option("--block", o->block, "Threads of a block")->required()->type_name("X[,Y[,Z]]");
  c->add_option("--shared", o->shared, "Dynamic shared memory of a block")
      ->type_name("BYTES")
      ->check(not_negative());
  c->add_option("--arg", o->arguments, "An argument, in the kernel's order")
      ->type_name("ARG")
      ->take_all()
      ->allow_extra_args(false);
  c->add_option("--symbol", o->symbols,
                "A __constant__ or __device__ variable that the host sets: scale=f32:2")
      ->type_name("NAME=ARG")
      ->take_all()
      ->allow_extra_args(false);
  c->add_flag("--cooperative", o->cooperative, "All blocks must be resident at once (grid barriers)");
  c->add_option("--seed", o->seed, "Of random arguments (default 1)")->type_name("S")->check(not_negative());
  c->add_option("--timeout", o->timeout,
                "Give up when no block of the grid has ended for so long (default 60; 0: never)")
      ->type_name("SECONDS")
      ->check(not_negative());
  c->add_option("--limit", o->limit, "Backward branches of a warp before it counts as endless (0: no limit)")
      ->type_name("N")
      ->check(not_negative());
  c->add_option("--threads", o->threads, "Threads of this machine (default: all cores)")
      ->type_name("T")
      ->check(CLI::Range(1, 1024));
  if (o->purpose != Purpose::Watch) add_figure_options(*c, o->figures);
  add_compile_options(*c, *o);
  c->footer(kArgumentWords);
  c->callback([o, c, &exit_code] {
    for (const char* name : {"--arch", "-I", "-D", "--std"}) o->compiles |= c->count(name) > 0;
    for (std::string& file : o->files)
      if (auto own = own_kernel(file); own && !own->kernel.empty())
        file = std::move(own->file), o->kernel = std::move(own->kernel);
    exit_code = run(*o);
  });
}

}  // namespace

void add_explain_own(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<LaunchOptions>();
  o->purpose = Purpose::Explain;
  auto* c =
      app.add_subcommand("explain", "What limits a kernel of your own on a GPU, and which changes help");
  add_own_launch(c, o, exit_code);
}

void add_watch_own(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<LaunchOptions>();
  o->purpose = Purpose::Watch;
  o->figures.gpus = "h200";
  auto* c =
      app.add_subcommand("watch", "A picture of what a kernel of your own reads and writes, step by step");
  add_own_launch(c, o, exit_code);
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
}

void add_launch(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<LaunchOptions>();
  auto* c = app.add_subcommand("launch", "Run one kernel of a PTX or CUDA C++ file and count what it does");
  add_own_launch(c, o, exit_code);
  c->add_option("--check", o->checks,
                "Find what is wrong with it: all, or checks by commas (`warpwright check --help`)")
      ->type_name("NAMES");
  c->add_flag("--no-count{false}", o->count, "Only run, faster");
  c->add_flag("--count", o->count, "Count (the default)")->group("");
  c->add_option("--repeat", o->repeat, "Launch it so often on the same data: least and median seconds")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  add_output(*c, o->output,
             "Write the counters into this file (.json, .csv or .txt), or a page into this folder (DIR/)");
}

}  // namespace ww::cli
