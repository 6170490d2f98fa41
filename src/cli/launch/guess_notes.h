// What is said of a launch that was guessed.
#pragma once

#include <vector>

#include "cli/launch/help.h"
#include "cli/launch/parameters.h"
#include "cli/launch/work_seen.h"

namespace ww::cli {

/// What a whole number is that would keep a kernel busy for ever: steps, or tiles.
inline constexpr uint64_t kFewRounds = 4;

/// What it leaves out, or does that is seldom meant, and what it takes for the kernel's numbers and arrays.
Diagnostics notes_on(const Work& work, const ExampleLaunch& launch, const std::vector<Parameter>& parameters);

}  // namespace ww::cli
