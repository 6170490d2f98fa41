#include "cli/launch/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>

#include "analysis/unset_variables.h"
#include "base/file.h"
#include "base/text.h"
#include "checks/all.h"
#include "checks/text.h"
#include "cli/compile/kernel_name.h"
#include "cli/compile/source_lines.h"
#include "cli/launch/buffers.h"
#include "cli/launch/checks.h"
#include "cli/launch/guess.h"
#include "cli/launch/input.h"
#include "cli/launch/output.h"
#include "cli/launch/prepare.h"
#include "cli/launch/survey.h"
#include "cli/launch/time.h"
#include "cli/launch/verify.h"
#include "cli/shared/interrupt.h"
#include "cli/shared/output.h"
#include "cli/shared/report_folder.h"
#include "cli/watch/own.h"
#include "cli/watch/picture.h"
#include "device/engine_device.h"
#include "forecast/forecast.h"
#include "report/page.h"

namespace ww::cli {

namespace {

/// Nobody writes to memory during a launch of ours, so that a state which comes again comes for ever.
constexpr double kStandstill = 1;  // seconds

/// The PTX text: of the file, or of what the compiler makes of it. Empty after the reason has been printed.
std::optional<std::string> ptx_text(const LaunchOptions& o, const std::string& file,
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

/// Variables that the kernel reads and that were never set: legal, they are zero, and often a mistake.
void note_unset(const device::Module& module, const std::string& kernel, const std::vector<std::string>& set,
                std::vector<std::string>& remarks) {
  if (!module.code()) return;
  for (const analysis::UnsetVariable& v : analysis::unset_variables(*module.code(), kernel)) {
    if (std::find(set.begin(), set.end(), v.name) != set.end()) continue;
    const std::string name = name_for_people(v.name);
    Diagnostic note =
        error_at(v.where, fmt::format("{} is read here but was never set: it holds zeros", name),
                 fmt::format("--symbol {}=… sets it", name));
    note.severity = Severity::Note;
    fmt::print(stderr, "{}", render(note));
    remarks.push_back(fmt::format("{} was never set: it holds zeros", name));
  }
}

/// What the kernel gets, ready for the launch.
Status prepare(const LaunchOptions& o, const device::Device& device, LaunchInput& in,
               const std::vector<device::Source>& sources, LaunchBuffers& buffers) {
  device::Launch& launch = in.launch;
  if (o.repeat > 1) buffers.keep();
  if (auto ok = buffers.prepare(in.arguments, o.seed); !ok) return ok;
  std::vector<std::string> set;
  Diagnostics notes;
  const KnownVariables known =
      in.symbols.empty() ? KnownVariables() : known_variables(o, sources, asks_for_members(in.symbols));
  if (auto ok = set_symbols(*launch.module, in.symbols, buffers, o.seed, set, known, &notes); !ok) return ok;
  fmt::print(stderr, "{}", render(notes));
  note_unset(*launch.module, launch.kernel, set, in.remarks);
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

void add_times(std::vector<Value>& values, std::vector<double> seconds) {
  for (Value& value : host_times(std::move(seconds))) values.push_back(std::move(value));
}

/// What was loaded and allocated goes before the device that has it.
class LaunchRun {
 public:
  explicit LaunchRun(const LaunchOptions& o) : o_(o), watched_(o.purpose == Purpose::Watch) {}
  LaunchRun(const LaunchRun&) = delete;
  LaunchRun& operator=(const LaunchRun&) = delete;
  ~LaunchRun() {
    for (auto& part : parts_) part->in.launch.module.reset();
  }

  int run() {
    if (const int code = begin(); code != 0) return code;
    if (const int code = load(0); code != 0) return code;
    if (wants_survey(o_, parts_[0]->in) && own_kernels(o_, parts_[0]->in.launch.module->kernels()).size() > 1)
      return survey();
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (i > 0)
        if (const int code = load(i); code != 0) return code;
      if (const int code = choose(i); code != 0) return code;
      if (watched_) return watch(*parts_[i]);
      if (const int code = launch(i); code != 0) return code;
    }
    return finish();
  }

 private:
  /// One kernel of the command.
  struct Part {
    const LaunchOptions* o = nullptr;
    LaunchInput in;
    std::vector<device::Source> sources;
    std::unique_ptr<LaunchBuffers> buffers;

    /// The PTX that places in messages refer to.
    std::string_view text() const {
      return sources.size() == 1 ? std::string_view(sources[0].ptx) : std::string_view();
    }
  };

  int begin() {
    std::vector<const LaunchOptions*> all = {&o_};
    for (const LaunchOptions& next : o_.next) all.push_back(&next);
    for (const LaunchOptions* o : all) {
      auto in = parse(*o);
      if (!in) return complain(in.error());
      parts_.push_back(std::make_unique<Part>());
      parts_.back()->o = o, parts_.back()->in = std::move(*in);
    }
    if (!o_.next.empty() && o_.repeat > 0)
      return complain({error("--repeat takes one kernel, but --then asks for several")});
    engine::Settings settings;
    settings.threads = watched_ ? 1 : o_.threads;  // one: the same order in every run
    settings.branch_limit = o_.limit;
    settings.patience = o_.timeout;
    settings.standstill = kStandstill;
    // Who repeats a launch wants to know how long it takes once its code is there.
    if (o_.repeat > 1 && !std::getenv("WARPWRIGHT_ENGINE")) settings.back = "compiled";
    if (!o_.schedule.empty()) {
      auto order = engine::order_of(o_.schedule);
      if (!order) return complain(order.error());
      settings.order = *order;
    }
    LaunchInput& in = parts_[0]->in;
    if (!in.checks.empty()) settings.gap = checks::kGap;
    settings.cancel = watched_ ? &full_ : &stop_.flag();
    device_ = device::make_engine_device(settings);
    if (!in.checks.empty()) checks_.emplace(in.checks, *device::engine_of(*device_));
    if (watched_)
      if (auto ok = check_picture(o_.picture); !ok) return complain(ok.error());
    if (auto ok = report::check_language(o_.picture.language); !ok) return complain(ok.error());
    if (!watched_ && o_.picture.language != "en" && !in.to.folder)
      return complain({error("--lang is the language of a page", "--out page/ makes one")});
    const auto names = gpu_names(o_, in.to);
    if (!names) return complain(names.error());
    auto gpus = gpus_named(*names);
    if (!gpus) return 2;
    gpus_ = std::move(*gpus);
    for (auto& part : parts_) {
      if (!watched_) ask_for(part->in.launch, gpus_, o_.figures.registers);
      if (auto ok = device::check_launch(device_->info(), part->in.launch); !ok) return complain(ok.error());
    }
    return 0;
  }

  /// The module that has the kernel.
  int load(size_t number) {
    Part& part = *parts_[number];
    device::Launch& launch = part.in.launch;
    if (part.o->loaded) {
      part.sources = parts_[number - 1]->sources;
      launch.module = parts_[number - 1]->in.launch.module;
    } else {
      for (const std::string& file : part.o->files) {
        auto ptx = ptx_text(*part.o, file, gpus_);
        if (!ptx) return 2;
        part.sources.push_back({file.ends_with(".cu") ? file + " (its PTX)" : file, std::move(*ptx)});
      }
      auto module = part.sources.size() > 1 ? device_->load_linked(part.sources)
                                            : device_->load(part.sources[0].name, part.sources[0].ptx);
      if (!module) return complain(module.error(), part.text());
      launch.module = *module;
    }
    return 0;
  }

  /// The kernel with its arguments.
  int choose(size_t number) {
    Part& part = *parts_[number];
    device::Launch& launch = part.in.launch;
    auto kernels = launch.module->kernels();
    if (part.o->kernel.empty()) kernels = own_kernels(*part.o, kernels);
    auto kernel = choose_kernel(kernels, part.o->kernel);
    if (!kernel) return complain(kernel.error());
    launch.kernel = *kernel;
    for (NamedArgument& argument : part.in.named)
      if (auto ok = find_shared(argument.value, arrays_); !ok) return complain(ok.error());
    if (!arguments_ready(*part.o, device_->info(), part.in, part.sources)) return 2;
    return place(part);
  }

  /// The arguments, in the device's memory.
  int place(Part& part) {
    part.buffers = std::make_unique<LaunchBuffers>(*device_);
    part.buffers->share(&arrays_);
    part.buffers->know(numbers_of(part.in.arguments, part.in.parameters));
    if (auto ok = prepare(*part.o, *device_, part.in, part.sources, *part.buffers); !ok)
      return complain(ok.error());
    for (const LaunchBuffers::Placed& p : part.buffers->placed())
      arrays_[argument_name(p.argument, part.in.parameters)] = p;
    for (size_t i = 0; i < part.in.arguments.size(); ++i)  // here they have these names
      if (const auto* array = std::get_if<ArrayArgument>(&part.in.arguments[i]);
          array && array->kind == ArrayArgument::Kind::Shared)
        arrays_[argument_name(i, part.in.parameters)] = arrays_.at(array->path);
    return 0;
  }

  /// Each kernel of the file by a guess of its own.
  int survey() {
    const std::unique_ptr<Part> all = std::move(parts_[0]);
    parts_.clear();
    const auto kernels = own_kernels(o_, all->in.launch.module->kernels());
    surveyed_ = options_for_each(o_, kernels);
    std::vector<Guess> guesses;
    std::vector<LeftOut> left_out;
    for (size_t i = 0; i < surveyed_.size() && !interrupted(); ++i) {
      auto part = std::make_unique<Part>();
      part->o = &surveyed_[i], part->in = all->in, part->sources = all->sources;
      part->in.launch.kernel = kernels[i];
      std::string why;
      const auto guess = guess_launch(surveyed_[i], part->in, part->sources, why);
      if (!guess) {
        why = readable_message(why, kernels[i]);
        left_out.push_back({surveyed_[i].kernel, why.substr(0, why.find('\n'))});
        continue;
      }
      guesses.push_back(*guess);
      for (Diagnostic note : guess->notes) {
        note.message = surveyed_[i].kernel + ": " + note.message;
        fmt::print(stderr, "{}", render({note}));
      }
      parts_.push_back(std::move(part));
      int code = place(*parts_.back());
      if (code == 0) code = launch(parts_.size() - 1);
      if (code != 0) return code;
      shown_.back().kernel = surveyed_[i].kernel;  // without parameters, where that is clear
    }
    if (surveyed_.size() < kernels.size())
      fmt::print(stderr, "note: these are the first {} of {} kernels\n", surveyed_.size(), kernels.size());
    if (shown_.empty() || interrupted()) {
      complain(choose_kernel(kernels, "").error());
      fmt::print(stderr, "{}{}", left_out_text(left_out), own_launches_note(o_));
      return interrupted() ? interrupted_exit_code() : 2;
    }
    const auto shown = show_survey(o_, all->in.to, shown_, guesses, left_out, gpus_);
    return shown ? 0 : complain(shown.error());
  }

  /// A fault of the kernel is a finding, as in a launch.
  static int not_recorded(Diagnostics why, const std::string& kernel) {
    const auto fault = std::find_if(why.begin(), why.end(), [&](const Diagnostic& d) {
      return d.message.find("in kernel " + kernel) != d.message.npos;
    });
    if (fault == why.end()) return complain(why);
    fault->message = readable_message(fault->message, kernel);
    complain(why);
    return 1;
  }

  int watch(Part& part) {
    const device::Launch& launch = part.in.launch;
    const KnownArrays known{part.in.parameters, declared_variables(*part.o, part.sources)};
    auto recording = record_own(*device_, launch, *part.buffers, known, short_name_for_people(launch.kernel),
                                gpus_.front(), full_);
    if (!recording) return not_recorded(recording.error(), launch.kernel);
    if (!o_.picture.collect)
      return deliver_watch(*recording, wants_json(o_.picture), o_.picture.out, o_.picture.language);
    o_.picture.collect->push_back(std::move(*recording));
    return 0;
  }

  int launch(size_t number) {
    Part& part = *parts_[number];
    device::Launch& launch = part.in.launch;
    const bool last = number + 1 == parts_.size();
    auto verification = LaunchVerification::make(part.o->verify, part.o->tolerance, part.in.arguments,
                                                 part.in.parameters, arrays_);
    if (!verification) return complain(verification.error());
    if (auto ok = verification->keep_inputs(*device_); !ok) return complain(ok.error());
    if (checks_) {
      for (const LaunchBuffers::Placed& p : part.buffers->placed())
        checks_->array(p.address, p.bytes, p.input);
      checks_->listen(launch, number);
    }
    std::vector<double> seconds;
    auto report = launch_all(*part.o, *device_, launch, *part.buffers, seconds);
    if (!report) {
      complain(report.error(), part.text());
      return interrupted() ? interrupted_exit_code() : 2;
    }
    fmt::print("{}", report->printed);
    if (checks_) {
      std::fflush(stdout);
      const auto& findings = findings_.emplace(checks_->findings(report->faults));
      if (last || !report->faults.empty()) fmt::print(stderr, "{}", checks::render(findings));
      if (last && findings.empty() && report->faults.empty())
        fmt::print(stderr, "nothing wrong was found; looked for: {}\n",
                   fmt::join(parts_[0]->in.checks, ", "));
      if (checks::any_error(findings) && (last || !report->faults.empty())) return tell_findings();
    }
    if (!report->faults.empty()) {
      std::fflush(stdout);
      for (const Fault& fault : report->faults)
        fmt::print(stderr, "{}\n", readable_message(fault.message, launch.kernel));
      return findings_ ? tell_findings() : 1;
    }
    if (!verification->empty()) {
      const auto verdict = verification->check(*device_);
      if (!verdict) return complain(verdict.error());
      std::fflush(stdout);
      fmt::print(stderr, "{}", verdict->text);
      right_ &= verdict->right;
    }
    const std::string name = name_for_people(launch.kernel);
    if (!report->gpus.empty()) {
      const auto lines =
          part.sources.size() > 1 ? source_lines() : source_lines(part.sources[0].name, part.sources[0].ptx);
      shown_.push_back(shown(launch, *report, gpus_, name, lines));
      shown_.back().about = {forecast::engine_ran(report->engine)};
      if (o_.repeat > 0) add_times(shown_.back().about, std::move(seconds));
      return 0;
    }
    std::vector<Value> values = std::move(report->values);
    if (o_.repeat > 0) add_times(values, std::move(seconds));
    if (values.empty()) return 0;
    values.push_back(forecast::engine_ran(report->engine));
    Row row;
    row[Axis::Kernel] = name;
    row[Axis::Device] = device_->info().id;
    row[Axis::Block] = text_of(launch.block);
    row.values = std::move(values);
    rows_.emplace_back(
        fmt::format("{}: grid {}, block {}", name, text_of(launch.grid), text_of(launch.block)),
        std::move(row));
    return 0;
  }

  /// The launches end here because of a mistake: JSON says of it, and of the launches before.
  int tell_findings() {
    const Destination& to = parts_[0]->in.to;
    if (to.format == report::Format::Json)
      if (auto ok = show_rows(to, std::move(rows_), &*findings_); !ok) return complain(ok.error());
    return 1;
  }

  /// The command above the page, with what a reader has to know of it.
  std::string command_shown() const {
    std::string command = command_line();
    std::vector<std::string> remarks;
    for (const auto& part : parts_) {
      if (!part->in.guessed.empty()) command = part->in.guessed;
      remarks.insert(remarks.end(), part->in.remarks.begin(), part->in.remarks.end());
    }
    return remarks.empty() ? command : fmt::format("{}  # {}", command, fmt::join(remarks, "; "));
  }

  int finish() {
    for (auto& part : parts_)
      if (auto ok = part->buffers->save(); !ok) return complain(ok.error());
    const Destination& to = parts_[0]->in.to;
    if (!shown_.empty())
      if (auto ok = show_figures(o_, to, shown_, gpus_, command_shown()); !ok) return complain(ok.error());
    if (!rows_.empty() || (findings_ && to.format == report::Format::Json))
      if (auto ok = show_rows(to, std::move(rows_), findings_ ? &*findings_ : nullptr); !ok)
        return complain(ok.error());
    return right_ && !refused_everywhere() ? 0 : 1;
  }

  /// Whether a launch can run on none of the GPUs that were asked for.
  bool refused_everywhere() const {
    return std::any_of(shown_.begin(), shown_.end(), [](const ShownLaunch& launch) {
      return !launch.gpus.empty() && std::all_of(launch.gpus.begin(), launch.gpus.end(),
                                                 [](const ShownGpu& on) { return !on.refused.empty(); });
    });
  }

  const LaunchOptions& o_;
  const bool watched_;
  std::atomic<bool> full_ = false;  // a picture that has enough stops its launch
  StopOnInterrupt stop_;
  std::unique_ptr<device::Device> device_;
  std::optional<LaunchChecks> checks_;
  std::optional<std::vector<checks::Finding>> findings_;
  std::vector<gpus::Gpu> gpus_;
  SharedArrays arrays_;                  // by name, for the kernels that come later
  std::vector<LaunchOptions> surveyed_;  // one for each kernel; parts refer to them
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<ShownLaunch> shown_;
  std::vector<std::pair<std::string, Row>> rows_;
  bool right_ = true;
};

}  // namespace

int run_launches(const LaunchOptions& o) {
  if (o.purpose != Purpose::Watch) handle_interrupts();
  return LaunchRun(o).run();
}

}  // namespace ww::cli
