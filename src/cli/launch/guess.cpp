#include "cli/launch/guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "cli/launch/assign.h"
#include "cli/launch/buffers.h"
#include "cli/launch/guess_notes.h"
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

bool never_ended(const std::string& fault) {
  return fault.starts_with("time limit") || fault.starts_with("instruction limit") ||
         fault.starts_with("endless loop") || fault.starts_with("mbarrier deadlock");
}

/// How much a launch looks like one that is meant: it stores something, its blocks do not store over each
/// other, most of its warps have work. 7 is all of it.
int likeness(const Work& work) {
  return (work.seen.written > 0 ? 4 : 0) + (work.overlaps() ? 0 : 2) + (work.idle() ? 0 : 1);
}

struct Tried {
  ExampleLaunch launch;
  Work work;
};

/// What example_runs needs beside the example.
using Trial = std::function<std::optional<Work>(const ExampleLaunch&, std::string& fault)>;

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

/// With a few rounds for the whole number that keeps a kernel busy for ever: steps, or tiles. Also for one
/// that is longer than an array in constant memory.
std::optional<Tried> with_few_rounds(const ExampleLaunch& example, const std::vector<Parameter>& parameters,
                                     std::string& fault, const Trial& run) {
  const bool behind = fault.find("constant memory") != fault.npos;
  if (!never_ended(fault) && !behind) return {};
  std::optional<Tried> best;
  for (size_t i = parameters.size(); i-- > 0;) {  // they stand behind the sizes
    const Parameter& p = parameters[i];
    if (p.kind != Parameter::Kind::Integer || p.pointer || !p.object.empty() || p.bytes < 2) continue;
    ExampleLaunch other = with_number(example, parameters, i, kFewRounds);
    other.behind_constants = behind;
    std::string why;
    auto work = run(other, why);
    // It may have got here because only large arrays were large enough for so many.
    for (const uint64_t elements : {1, 4, 32}) {
      if (!work || elements >= other.elements) break;
      ExampleLaunch smaller = other;
      smaller.elements = elements;
      smaller = with_number(smaller, parameters, i, kFewRounds);
      if (auto small_work = run(smaller, why)) {
        other = std::move(smaller), work = std::move(small_work);
        break;
      }
    }
    if (work && work->accesses > 0 && work->seen.written > 0 &&
        (!best || work->accesses > best->work.accesses))
      best = Tried{std::move(other), std::move(*work)};
    if (best && !behind) break;
    if (never_ended(why)) break;  // each takes seconds
  }
  if (best) fault.clear();
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

/// Where most warps have no work, or all sizes had to be small, with 1 for one of the whole numbers, such as
/// a stride, the number of channels or that of a step, with which it does more.
Tried with_work(const LaunchOptions& o, const LaunchInput& in, const Tried& found,
                const std::vector<Parameter>& parameters, const std::vector<device::Source>& sources) {
  constexpr size_t kMostNumbers = 6;
  Tried best = found;
  const bool small = found.launch.factors > 2;
  if (found.work.accesses > 0 && !(found.work.idle() || small)) return best;
  ExampleLaunch with = found.launch;
  if (small) with.factors = 0, with.elements = 1;
  // Where nothing was done, nobody knows yet how long the arrays must be: a row for each thread, perhaps.
  const uint64_t rows = found.work.accesses == 0 && with.directions == 1 ? with.wide() : 1;
  size_t numbers = 0;
  for (size_t i = parameters.size(); i-- > 0 && numbers < kMostNumbers;) {  // they stand behind the sizes
    const Parameter& p = parameters[i];
    if (p.kind != Parameter::Kind::Integer || p.pointer || !p.object.empty() || p.bytes < 2) continue;
    ++numbers;
    for (const uint64_t elements : {with.elements, std::max(with.elements, rows)}) {
      ExampleLaunch wider = with;
      wider.elements = elements;
      const ExampleLaunch other = with_number(wider, parameters, i, 1);
      auto work = example_runs(o, in, other, parameters, sources);
      if (!work) continue;  // its arrays may be too short
      const WorkSeen &now = work->seen, &before = best.work.seen;
      if (likeness(*work) >= likeness(best.work) &&
          (now.busy > 2 * before.busy || (small && now.distinct() > 2 * before.distinct())))
        best = {other, std::move(*work)};
      break;
    }
  }
  return best;
}

/// Where arrays had to be larger than what the blocks cover, with 0 for one of the whole numbers: the row
/// that a step is about, say, of which the size of the array is no row. Smaller arrays are enough then for
/// the same work. (With 0 for the distance between rows, rows would be read again and again.)
Tried with_first_row(const LaunchOptions& o, const LaunchInput& in, const Tried& found,
                     const std::vector<Parameter>& parameters, const std::vector<device::Source>& sources) {
  const auto nearly = [](uint64_t is, uint64_t was) { return 10 * is >= 9 * was; };
  for (size_t i = parameters.size(); i-- > 0;) {
    const Parameter& p = parameters[i];
    if (p.kind != Parameter::Kind::Integer || p.pointer || !p.object.empty() || p.bytes < 2 ||
        found.launch.fixed.contains(i))
      continue;
    for (const uint64_t elements : {1, 4}) {
      if (elements >= found.launch.elements) break;
      ExampleLaunch smaller = found.launch;
      smaller.elements = elements;
      smaller = with_number(smaller, parameters, i, 0);
      std::string fault;
      auto work = example_runs(o, in, smaller, parameters, sources, &fault);
      if (!work) continue;
      const WorkSeen &now = work->seen, &before = found.work.seen;
      if (likeness(*work) >= likeness(found.work) && now.reached.size() >= before.reached.size() &&
          nearly(now.distinct(), before.distinct()) &&
          nearly(now.distinct_loaded(), before.distinct_loaded()))
        return {smaller, std::move(*work)};
    }
  }
  return found;
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

/// Its floating-point numbers may end loops at once (a point far outside, a wide tolerance): with small ones
/// where it then does much more.
Tried with_small_reals(const LaunchOptions& o, const LaunchInput& in, Tried found,
                       const std::vector<Parameter>& parameters, const std::vector<device::Source>& sources) {
  constexpr double kMuchMore = 2;
  if (std::none_of(parameters.begin(), parameters.end(),
                   [](const Parameter& p) { return p.kind == Parameter::Kind::Float && !p.pointer; }))
    return found;
  for (const char* real : {"0.01", "0.0001"}) {
    ExampleLaunch small = with_real(found.launch, parameters, real);
    auto work = example_runs(o, in, small, parameters, sources);
    if (work && work->instructions >= kMuchMore * found.work.instructions &&
        likeness(*work) >= likeness(found.work) &&
        work->seen.reached.size() >= found.work.seen.reached.size())
      return {std::move(small), std::move(*work)};
  }
  return found;
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
  Tried best = with_work(o, in, *found, parameters, sources);
  if (best.work.accesses == 0) return best;
  best = with_first_row(o, in, best, parameters, sources);
  best = with_small_reals(o, in, std::move(best), parameters, sources);
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
