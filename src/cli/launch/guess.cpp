#include "cli/launch/guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/launch/assign.h"
#include "cli/launch/buffers.h"
#include "cli/launch/guess_notes.h"
#include "cli/launch/guess_numbers.h"
#include "cli/launch/prepare.h"
#include "cli/launch/work_seen.h"
#include "device/engine_device.h"

namespace ww::cli {

namespace {

void forget_files(LaunchArgument& value) {
  if (auto* array = std::get_if<ArrayArgument>(&value); array && array->has_shape()) array->path.clear();
  if (auto* texture = std::get_if<TextureArgument>(&value)) texture->texels.path.clear();
  if (auto* structure = std::get_if<StructArgument>(&value))
    for (LaunchArgument& member : structure->members) forget_files(member);
}

/// The example's arguments, without the files that they would write. Nothing where they do not fit.
std::optional<std::vector<LaunchArgument>> arguments_of(const ExampleLaunch& example,
                                                        const std::vector<Parameter>& parameters) {
  std::vector<NamedArgument> named;
  for (const std::string& text : example.arguments) {
    auto argument = parse_named_argument(text);
    if (!argument) return {};
    named.push_back(std::move(*argument));
  }
  std::vector<LaunchArgument> arguments;
  Diagnostics notes;
  if (!take_arguments(named, parameters, "", arguments, notes)) return {};
  for (LaunchArgument& argument : arguments) forget_files(argument);
  return arguments;
}

constexpr uint64_t kMostBranches = 2'000'000, kFewestBranches = 15'000;  // backwards: of all warps, of each

/// Nothing where the example does not end well, soon; `why` (may be null) gets the fault that it ended with.
std::optional<Work> example_runs(const LaunchOptions& o, const LaunchInput& in, const ExampleLaunch& example,
                                 const std::vector<Parameter>& parameters,
                                 const std::vector<device::Source>& sources, std::string* why = nullptr,
                                 bool watched = true) {
  const auto arguments = arguments_of(example, parameters);
  if (!arguments) return {};
  engine::Settings settings;
  settings.threads = o.threads;
  // A guess must not depend on how busy the machine is: an example is given up by what it did, not by the
  // time that it took. Those that are searched are small, and more of them may never end.
  const uint64_t warps = example.grid.count() * ((example.block.count() + 31) / 32);
  settings.branch_limit =
      why ? std::max(kMostBranches / std::max<uint64_t>(warps, 1), kFewestBranches) : kMostBranches;
  settings.patience = 60;  // seconds: for what waits without a branch
  const auto device = device::make_engine_device(settings);
  auto module =
      sources.size() > 1 ? device->load_linked(sources) : device->load(sources[0].name, sources[0].ptx);
  if (!module) return {};
  LaunchBuffers buffers(*device);
  if (!buffers.prepare(*arguments, o.seed)) return {};
  device::Launch launch;
  launch.module = *module;
  launch.kernel = in.launch.kernel;
  launch.grid = example.grid, launch.block = example.block;
  launch.dynamic_shared = example.shared;
  launch.cooperative = in.launch.cooperative;
  launch.arguments = buffers.arguments();
  launch.count = true;
  Work work;
  if (watched) launch.listeners.push_back(&work.seen);
  const bool possible = device::check_launch(device->info(), launch).ok();
  const auto report = possible ? device->launch(launch) : Result<device::LaunchReport>(error(""));
  launch.module.reset();
  module->reset();
  if (report && !report->faults.empty() && why) *why = report->faults[0].message;
  if (!report || !report->faults.empty()) return {};
  for (const Value& v : report->values) {
    if (v.tag == "warp_instructions") work.instructions = v.number();
    if (v.tag.starts_with("global_") && v.tag.ends_with("_requests")) work.accesses += v.number();
  }
  work.blocks = static_cast<double>(example.grid.count());
  work.warps = static_cast<double>(example.grid.count() * ((example.block.count() + 31) / 32));
  return work;
}

/// With random whole numbers instead of zeros where it then runs and does no less, else with 0, 1, 2, ….
/// Flags, locks and counters stay zeros, as they begin, unless it reaches more of the kernel without that.
ExampleLaunch livelier(const LaunchOptions& o, const LaunchInput& in, const ExampleLaunch& example,
                       const Work& with_zeros, const std::vector<Parameter>& parameters,
                       const std::vector<device::Source>& sources) {
  using Integers = ExampleLaunch::Integers;
  if (example.read.empty()) return example;
  ExampleLaunch begun = example;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].flags) begun.flags.insert(i);
  const bool meets = !begun.flags.empty();
  begun = with_integers(begun, parameters, Integers::Zeros);
  const auto good = [&](const std::optional<Work>& work) {
    // Threads that all meet in one place do more than those that part.
    return work && (meets ? work->seen.written > 0 : work->accesses >= with_zeros.accesses) &&
           work->seen.reached.size() >= with_zeros.seen.reached.size();
  };
  for (const Integers integers : {Integers::Random, Integers::Range}) {
    ExampleLaunch other = with_integers(begun, parameters, integers);
    auto work = other.read.empty() ? std::nullopt : example_runs(o, in, other, parameters, sources);
    if (!begun.zeros.empty()) {
      ExampleLaunch all = with_integers(example, parameters, integers);
      const auto with_all = example_runs(o, in, all, parameters, sources);
      const size_t most = good(work) ? work->seen.reached.size() : with_zeros.seen.reached.size();
      if (good(with_all) && with_all->seen.reached.size() > most) return all;
    }
    if (good(work)) return other;
  }
  if (begun.read.size() > 1) {
    ExampleLaunch apart = with_integers(begun, parameters, Integers::First);
    if (meets && good(example_runs(o, in, apart, parameters, sources))) return apart;
  }
  return begun;
}

/// With as much dynamic shared memory, in KiB, as a kernel that was stopped behind its end needs.
std::optional<Tried> with_more_shared(const ExampleLaunch& example, std::string& fault, const Trial& run) {
  constexpr uint64_t kMost = 96 << 10, kStep = 1 << 10;
  const auto too_small = [&] { return fault.find("of the block's shared memory") != fault.npos; };
  if (example.shared == 0 || !too_small()) return {};
  Tried best{example, {}};
  uint64_t less = example.shared / kStep;
  std::optional<Work> work;
  for (uint64_t kib = 2 * less; !work && too_small() && kib * kStep <= kMost; kib *= 2) {
    best.launch.shared = kib * kStep;
    work = run(best.launch, fault);
    if (!work) less = kib;
  }
  if (!work) return {};
  best.work = std::move(*work);
  for (uint64_t enough = best.launch.shared / kStep; enough > less + 1;) {
    ExampleLaunch smaller = best.launch;
    const uint64_t kib = (enough + less) / 2;
    smaller.shared = kib * kStep;
    if (auto runs = run(smaller, fault))
      best = {std::move(smaller), std::move(*runs)}, enough = kib;
    else
      less = kib;
  }
  fault.clear();
  return best;
}

/// The first example that looks most like one that is meant, of those that run. `why`: the fault of the last
/// that did not run.
std::optional<Tried> likeliest_launch(const LaunchOptions& o, const LaunchInput& in,
                                      const std::vector<ExampleLaunch>& examples,
                                      const std::vector<Parameter>& parameters,
                                      const std::vector<device::Source>& sources, std::string& why) {
  constexpr int kMostEndless = 3;  // each takes seconds to be known
  constexpr int kMostHalos = 3;
  constexpr int kMostBehind = 12;            // that are tried behind one that runs
  constexpr double kMostInstructions = 3e7;  // of those that run
  std::optional<Tried> best;
  double executed = 0;
  int endless = 0, behind = 0;
  for (ExampleLaunch e : examples) {
    if (best && (++behind > kMostBehind || executed > kMostInstructions)) break;
    std::string fault;
    auto work = example_runs(o, in, e, parameters, sources, &fault);
    for (int wider = 0; !work && !best && wider < kMostHalos; ++wider) {
      const auto with = with_halo(e, parameters, fault);
      if (!with) break;
      e = *with;
      std::string next;
      work = example_runs(o, in, e, parameters, sources, &next);
      if (!next.empty()) fault = next;
    }
    const Trial run = [&](const ExampleLaunch& other, std::string& said) {
      return example_runs(o, in, other, parameters, sources, &said);
    };
    if (!work && o.shared == 0)
      if (auto with = with_more_shared(e, fault, run)) e = with->launch, work = std::move(with->work);
    if (!work && !best)
      if (auto with = with_few_rounds(e, parameters, fault, run))
        e = with->launch, work = std::move(with->work);
    if (!fault.empty()) why = fault;
    if (never_ended(fault) && ++endless == kMostEndless) break;
    if (!work) continue;
    executed += work->instructions;
    if (work->accesses == 0) --behind;  // its sizes give it nothing to do
    if (!best || (best->work.accesses == 0 && work->accesses > 0) || likeness(*work) > likeness(best->work))
      if (!best || work->accesses > 0) best = Tried{e, *work};
    // Where blocks cover tiles of their own size, the block that stores most of a tile is meant.
    const bool tiles = best->launch.tiles;
    if (tiles && work->seen.distinct() > best->work.seen.distinct() &&
        likeness(*work) == likeness(best->work) && e.grid == best->launch.grid &&
        e.elements == best->launch.elements && e.factors == best->launch.factors)
      best = Tried{e, *work};
    if (best->work.accesses > 0 && likeness(best->work) == 7 && !tiles) break;
  }
  return best;
}

/// Without the blocks at the ends of the grid that neither load nor store, if they are half of it or more: a
/// kernel may take two elements with each thread, two rows with each block, or have another size than its
/// grid.
std::optional<ExampleLaunch> without_idle_end(const Tried& found) {
  const device::Dim3 grid = found.launch.grid;
  const uint64_t blocks = grid.count();
  device::Dim3 needed{1, 1, 1};
  const WorkSeen& seen = found.work.seen;
  for (const auto* working : {&seen.storing, &seen.loading})
    for (const uint64_t block : *working) {
      const uint64_t row = block / grid.x;
      needed.x = std::max(needed.x, static_cast<uint32_t>(block % grid.x + 1));
      needed.y = std::max(needed.y, static_cast<uint32_t>(row % grid.y + 1));
      needed.z = std::max(needed.z, static_cast<uint32_t>(row / grid.y + 1));
    }
  if (static_cast<double>(blocks) < kManyBlocks || 2 * needed.count() > blocks) return {};
  ExampleLaunch less = found.launch;
  less.grid = needed;
  return less;
}

/// A launch that is likely meant; where its work is little, with more blocks: what a few of them do says
/// little of a GPU. A picture stays small. `why`: the fault of the last that did not run.
std::optional<Tried> guessed_launch(const LaunchOptions& o, const LaunchInput& in,
                                    const std::vector<ExampleLaunch>& examples,
                                    const std::vector<Parameter>& parameters,
                                    const std::vector<device::Source>& sources, std::string& why) {
  constexpr double kMostInstructions = 2e7;  // a second or less
  constexpr double kMostElements = 1 << 25;  // of an array
  auto found = likeliest_launch(o, in, examples, parameters, sources, why);
  if (!found) return found;
  const Trial run = [&](const ExampleLaunch& example, std::string&) {
    return example_runs(o, in, example, parameters, sources);
  };
  Tried best = with_work(*found, parameters, run);
  if (best.work.accesses == 0) return best;
  best = with_first_row(best, parameters, run);
  best = with_more_reached(best, parameters, run);
  best = with_small_reals(best, parameters, run);
  best.launch = livelier(o, in, best.launch, best.work, parameters, sources);
  const ExampleLaunch lively = best.launch;
  if (auto work = example_runs(o, in, lively, parameters, sources)) best.work = std::move(*work);
  if (o.purpose == Purpose::Watch || lively.one_block) return best;
  const auto more = lively.directions == 1   ? std::vector<uint32_t>{64, 16, 4}
                    : lively.directions == 2 ? std::vector<uint32_t>{16, 8, 4, 2}
                                             : std::vector<uint32_t>{4, 2};
  std::optional<Tried> idle;                   // where most blocks store nothing
  for (const bool same_sizes : {false, true})  // a row for each block: sizes are those of the row
    for (const uint32_t times : more) {
      // Kernels over n by n elements often walk over n more, those over n over n more.
      const double power = static_cast<double>(lively.directions) + (same_sizes ? 0 : 1);
      const double elements = static_cast<double>(lively.wide() * lively.high() * lively.elements) *
                              std::pow(times, static_cast<double>(lively.directions));
      if (best.work.instructions * std::pow(times, power) > kMostInstructions || elements > kMostElements)
        continue;
      ExampleLaunch larger = grown(lively, parameters, times, same_sizes);
      auto work = example_runs(o, in, larger, parameters, sources);
      if (!work) continue;
      // With the sizes of a row, blocks behind the last row have nothing to do; else they may be few.
      if (work->idle() && (same_sizes || idle)) continue;
      if (!work->idle()) return Tried{std::move(larger), std::move(*work)};
      idle = Tried{std::move(larger), std::move(*work)};
    }
  return idle ? *idle : best;
}

}  // namespace

std::vector<ExampleLaunch> possible_launches(const LaunchOptions& o, const LaunchInput& in,
                                             const std::vector<Parameter>& parameters, bool fits) {
  const ir::Module& code = *in.launch.module->code();
  const std::string& entry = in.launch.kernel;
  const device::Dim3 open{0, 0, 0};
  KernelShape shape = kernel_shape(code, entry);
  if (meets_grid(code, entry))
    shape.grid = 1, shape.tile = {0, 0, 0}, shape.per_thread = {1, 1, 1};  // ranks ask for all directions
  return examples_for(parameters, !o.grid.empty() && fits ? in.launch.grid : open,
                      !o.block.empty() && fits ? in.launch.block : open, shape, o.shared,
                      wants_dynamic_shared(code, entry));
}

bool runs(const LaunchOptions& o, const LaunchInput& in, const ExampleLaunch& example,
          const std::vector<Parameter>& parameters, const std::vector<device::Source>& sources) {
  return example_runs(o, in, example, parameters, sources, nullptr, false).has_value();
}

std::optional<Guess> guess_launch(const LaunchOptions& o, LaunchInput& in,
                                  const std::vector<device::Source>& sources, std::string& why) {
  const ir::Module& code = *in.launch.module->code();
  const std::string& entry = in.launch.kernel;
  in.parameters = known_parameters(o, code, entry, sources, true);
  in.launch.cooperative |= meets_grid(code, entry);
  auto found =
      guessed_launch(o, in, possible_launches(o, in, in.parameters, false), in.parameters, sources, why);
  if (!found) return {};
  if (auto less = without_idle_end(*found))
    if (auto work = example_runs(o, in, *less, in.parameters, sources);
        work && work->seen.distinct() == found->work.seen.distinct())
      found = Tried{std::move(*less), std::move(*work)};
  const ExampleLaunch& launch = found->launch;
  in.launch.grid = launch.grid, in.launch.block = launch.block;
  in.launch.dynamic_shared = launch.shared;
  in.arguments = *arguments_of(launch, in.parameters);
  Guess guess{launch, command_of(o, launch, in.launch.cooperative), {}};
  guess.notes = notes_on(found->work, launch, in.parameters);
  return guess;
}

}  // namespace ww::cli
