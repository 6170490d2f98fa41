// warpwright launch FILE: run one kernel on the engine.
#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/cuda_source.h"
#include "cli/gpu_option.h"
#include "cli/interrupt.h"
#include "cli/kernel_name.h"
#include "cli/launch_buffers.h"
#include "cli/output.h"
#include "device/engine_device.h"
#include "report/list.h"

namespace ww::cli {

namespace {

struct LaunchOptions {
  std::vector<std::string> files;
  std::string kernel, grid, block, arch = "75", out;
  std::vector<std::string> arguments;
  uint64_t shared = 0, limit = engine::Settings{}.branch_limit, seed = 1;
  bool count = true, cooperative = false;
  int threads = 0;
  report::Format format = report::Format::Table;
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

/// The PTX text: of the file, or of what the compiler makes of it. Empty after the reason has been printed.
std::optional<std::string> ptx_of(const LaunchOptions& o, const std::string& file) {
  if (!file.ends_with(".cu")) {
    auto text = read_file(file);
    if (text) return std::move(*text);
    complain(text.error());
    return {};
  }
  auto compiled = compile_cuda(file, o.arch, o.files.size() > 1);
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

Status show_counters(const LaunchOptions& o, const device::Launch& launch, const device::Device& device,
                     std::vector<Value> values) {
  Row row;
  row[Axis::Kernel] = readable_kernel(launch.kernel);
  row[Axis::Device] = device.info().id;
  row[Axis::Block] = text_of(launch.block);
  row.values = std::move(values);
  std::string title =
      fmt::format("{}: grid {}, block {}", row[Axis::Kernel], text_of(launch.grid), text_of(launch.block));
  if (o.format == report::Format::Table) {
    row.axes = {};
    std::string text = report::render_list({title, {row}, {}});
    if (!o.out.empty()) return write_file_atomically(o.out, text);
    fmt::print("{}", text);
    return {};
  }
  return deliver({title, {row}, {}}, o.format, o.out);
}

/// Everything that can be wrong on the command line itself, at once.
Status parse(const LaunchOptions& o, device::Launch& launch, std::vector<LaunchArgument>& arguments) {
  Diagnostics wrong;
  auto keep = [&](const auto& result, auto& into) {
    if (result)
      into = *result;
    else
      wrong.insert(wrong.end(), result.error().begin(), result.error().end());
  };
  keep(parse_extent("--grid", o.grid), launch.grid);
  keep(parse_extent("--block", o.block), launch.block);
  for (const auto& text : o.arguments) keep(parse_argument(text), arguments.emplace_back());
  launch.dynamic_shared = o.shared;
  launch.cooperative = o.cooperative;
  launch.count = o.count;
  if (!wrong.empty()) return wrong;
  return {};
}

int run(const LaunchOptions& o) {
  device::Launch launch;
  std::vector<LaunchArgument> arguments;
  if (auto ok = parse(o, launch, arguments); !ok) return complain(ok.error());
  handle_interrupts();
  StopOnInterrupt stop;
  engine::Settings settings;
  settings.threads = o.threads;
  settings.branch_limit = o.limit;
  settings.cancel = &stop.flag();
  auto device = device::make_engine_device(settings);
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
  auto kernel = choose_kernel(launch.module->kernels(), o.kernel);
  if (!kernel) return complain(kernel.error());
  launch.kernel = *kernel;
  LaunchBuffers buffers(*device);
  if (auto ok = buffers.prepare(arguments, o.seed); !ok) return complain(ok.error());
  launch.arguments = buffers.arguments();

  auto report = device->launch(launch);
  if (interrupted()) return interrupted_exit_code();
  if (!report) return complain(report.error(), several ? std::string_view() : sources[0].ptx);
  fmt::print("{}", report->printed);
  if (!report->faults.empty()) {
    std::fflush(stdout);
    for (const Fault& fault : report->faults) fmt::print(stderr, "{}\n", fault.message);
    return 1;
  }
  if (auto ok = buffers.save(); !ok) return complain(ok.error());
  if (o.count)
    if (auto ok = show_counters(o, launch, *device, std::move(report->values)); !ok)
      return complain(ok.error());
  return 0;
}

}  // namespace

void add_launch(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<LaunchOptions>();
  auto* c = app.add_subcommand("launch", "Run one kernel of a PTX or CUDA C++ file and count what it does");
  c->add_option("FILE", o->files,
                "A .ptx file, or a .cu file: compiled with nvcc, else with clang; several are linked")
      ->required()
      ->type_name("");
  c->add_option("--kernel", o->kernel, "Its name (may be left out when there is only one)")
      ->type_name("NAME");
  c->add_option("--grid", o->grid, "Blocks of the grid")->required()->type_name("X[,Y[,Z]]");
  c->add_option("--block", o->block, "Threads of a block")->required()->type_name("X[,Y[,Z]]");
  c->add_option("--shared", o->shared, "Dynamic shared memory of a block")->type_name("BYTES");
  c->add_option("--arg", o->arguments, "An argument, in the kernel's order")
      ->type_name("ARG")
      ->take_all()
      ->allow_extra_args(false);
  c->add_flag("--cooperative", o->cooperative, "All blocks must be resident at once (grid barriers)");
  c->add_flag("--no-count{false}", o->count, "Only run, faster");
  c->add_flag("--count", o->count, "Count (the default)")->group("");
  c->add_option("--seed", o->seed, "Of random arguments (default 1)")->type_name("S");
  c->add_option("--limit", o->limit, "Backward branches of a warp before it counts as endless (0: no limit)")
      ->type_name("N");
  c->add_option("--threads", o->threads, "Threads of this machine (default: all cores)")
      ->type_name("T")
      ->check(CLI::Range(1, 1024));
  c->add_option("--arch", o->arch, "Compute capability that a .cu file is compiled for (default 75)")
      ->type_name("CC")
      ->check([](const std::string& text) {
        bool good = !text.empty() && text.size() <= 4 && text.find_first_not_of("0123456789a") == text.npos;
        return good ? std::string() : "--arch " + printable(text) + ": for example 75, 80 or 90a";
      });
  add_format(*c, o->format);
  c->add_option("--out", o->out, "Write the counters into this file instead of the terminal")
      ->type_name("FILE");
  c->footer(
      "Arguments: f32:1.5, s32:-7, u64:0xff and the other scalar types; arrays are in:FILE.npy, "
      "inout:FILE.npy,\n"
      "out:f32[64,32]:FILE.npy (zeros at first) and random:f32[1024]; the kernel gets their address. Files "
      "are\n"
      "written when the kernel has ended well.");
  c->callback([o, &exit_code] { exit_code = run(*o); });
}

}  // namespace ww::cli
