#include "cli/launch/guess_numbers.h"

#include <algorithm>
#include <utility>

#include "cli/launch/guess_notes.h"

namespace ww::cli {

namespace {

bool is_whole_number(const Parameter& p) {
  return p.kind == Parameter::Kind::Integer && !p.pointer && p.object.empty() && p.bytes >= 2;
}

}  // namespace

int likeness(const Work& work) {
  return (work.seen.written > 0 ? 4 : 0) + (work.overlaps() ? 0 : 2) + (work.idle() ? 0 : 1);
}

bool never_ended(const std::string& fault) {
  return fault.starts_with("time limit") || fault.starts_with("instruction limit") ||
         fault.starts_with("endless loop") || fault.starts_with("mbarrier deadlock");
}

std::optional<Tried> with_few_rounds(const ExampleLaunch& example, const std::vector<Parameter>& parameters,
                                     std::string& fault, const Trial& run) {
  const bool behind = fault.find("constant memory") != fault.npos;
  if (!never_ended(fault) && !behind) return {};
  std::optional<Tried> best;
  for (size_t i = parameters.size(); i-- > 0;) {  // they stand behind the sizes
    const Parameter& p = parameters[i];
    if (!is_whole_number(p)) continue;
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

Tried with_work(const Tried& found, const std::vector<Parameter>& parameters, const Trial& run) {
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
    if (!is_whole_number(p)) continue;
    ++numbers;
    for (const uint64_t elements : {with.elements, std::max(with.elements, rows)}) {
      ExampleLaunch wider = with;
      wider.elements = elements;
      const ExampleLaunch other = with_number(wider, parameters, i, 1);
      std::string ignored;
      auto work = run(other, ignored);
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

Tried with_first_row(const Tried& found, const std::vector<Parameter>& parameters, const Trial& run) {
  const auto nearly = [](uint64_t is, uint64_t was) { return 10 * is >= 9 * was; };
  const ExampleLaunch& launch = found.launch;
  const bool small = launch.factors > 2;
  for (size_t i = parameters.size(); i-- > 0;) {
    if (!is_whole_number(parameters[i]) || launch.fixed.contains(i)) continue;
    for (const uint64_t elements : {1, 4, 32, 128}) {
      if (elements >= launch.elements && !small) break;
      ExampleLaunch smaller = launch;
      smaller.elements = elements, smaller.factors = 0;
      smaller = with_number(smaller, parameters, i, 0);
      std::string ignored;
      auto work = run(smaller, ignored);
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

Tried with_more_reached(const Tried& found, const std::vector<Parameter>& parameters, const Trial& run) {
  constexpr size_t kMostNumbers = 4;
  if (found.work.seen.reached.size() >= found.work.seen.known()) return found;
  size_t numbers = 0;
  for (size_t i = parameters.size(); i-- > 0 && numbers < kMostNumbers;) {  // they stand behind the sizes
    if (!is_whole_number(parameters[i]) || found.launch.fixed.contains(i)) continue;
    ++numbers;
    ExampleLaunch other = with_number(found.launch, parameters, i, 1);
    std::string ignored;
    auto work = run(other, ignored);
    if (work && likeness(*work) >= likeness(found.work) && work->accesses > found.work.accesses &&
        work->seen.distinct() >= found.work.seen.distinct() &&
        work->seen.reached.size() > found.work.seen.reached.size())
      return {std::move(other), std::move(*work)};
  }
  return found;
}

Tried with_small_reals(const Tried& found, const std::vector<Parameter>& parameters, const Trial& run) {
  constexpr double kMuchMore = 2;
  if (std::none_of(parameters.begin(), parameters.end(),
                   [](const Parameter& p) { return p.kind == Parameter::Kind::Float && !p.pointer; }))
    return found;
  for (const char* real : {"0.01", "0.0001"}) {
    ExampleLaunch small = with_real(found.launch, parameters, real);
    std::string ignored;
    auto work = run(small, ignored);
    if (work && work->instructions >= kMuchMore * found.work.instructions &&
        likeness(*work) >= likeness(found.work) &&
        work->seen.reached.size() >= found.work.seen.reached.size())
      return {std::move(small), std::move(*work)};
  }
  return found;
}

}  // namespace ww::cli
