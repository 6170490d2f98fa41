// Numbers of a guessed launch that are something else than the size of its arrays: what is tried, and what is
// taken for better.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/launch/help.h"
#include "cli/launch/parameters.h"
#include "cli/launch/work_seen.h"

namespace ww::cli {

/// A launch, and what it did.
struct Tried {
  ExampleLaunch launch;
  Work work;
};

/// Runs an example. Nothing where it does not end well, soon: `fault` says why.
using Trial = std::function<std::optional<Work>(const ExampleLaunch&, std::string& fault)>;

/// How much a launch looks like one that is meant: it stores something, its blocks do not store over each
/// other, most of its warps have work. 7 is all of it.
int likeness(const Work& work);

/// Whether it was given up, or all that is left of it waits.
bool never_ended(const std::string& fault);

/// With a few rounds for the whole number that keeps a kernel busy for ever: steps, or tiles. Also for one
/// that is longer than an array in constant memory.
std::optional<Tried> with_few_rounds(const ExampleLaunch& example, const std::vector<Parameter>& parameters,
                                     std::string& fault, const Trial& run);

/// Where most warps have no work, or all sizes had to be small, with 1 for one of the whole numbers, such as
/// a stride, the number of channels or that of a step, with which it does more.
Tried with_work(const Tried& found, const std::vector<Parameter>& parameters, const Trial& run);

/// Where arrays had to be larger than what the blocks cover, or all sizes small, with 0 for one of the whole
/// numbers: the row that a step is about, say, of which the size of the array is no row. Smaller arrays are
/// enough then for the same work. (With 0 for the distance between rows, rows would be read again and again.)
Tried with_first_row(const Tried& found, const std::vector<Parameter>& parameters, const Trial& run);

/// With 1 for a whole number with which it reaches accesses that it does not reach otherwise: how far a step
/// looks, say.
Tried with_more_reached(const Tried& found, const std::vector<Parameter>& parameters, const Trial& run);

/// Its floating-point numbers may end loops at once (a point far outside, a wide tolerance): with small ones
/// where it then does much more.
Tried with_small_reals(const Tried& found, const std::vector<Parameter>& parameters, const Trial& run);

}  // namespace ww::cli
