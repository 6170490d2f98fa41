// `launch` and `explain` of a file with several kernels, when the command says nothing of how they are
// launched: every kernel by a guess of its own, and what they do beside each other.
#pragma once

#include <string>
#include <vector>

#include "cli/launch/guess.h"
#include "cli/launch/options.h"
#include "cli/launch/shown.h"

namespace ww::cli {

/// A kernel of the survey that could not be launched.
struct LeftOut {
  std::string kernel, why;
};

/// Whether a file with several kernels is surveyed, rather than one of them to be named.
bool wants_survey(const LaunchOptions& options, const LaunchInput& in);

/// Those whose names the source has: kernels of CUB, Thrust and other headers are left out. Of PTX all.
std::vector<std::string> own_kernels(const LaunchOptions& options, const std::vector<std::string>& kernels);

/// The options with each of the kernels in turn (names as the PTX has them), at most kMostSurveyed.
inline constexpr size_t kMostSurveyed = 24;
std::vector<LaunchOptions> options_for_each(const LaunchOptions& options,
                                            const std::vector<std::string>& kernels);

/// Which could not be launched, and why.
std::string left_out_text(const std::vector<LeftOut>& left_out);

/// Whether the arrays have as many elements and the whole numbers are the same, whatever blocks there are.
bool same_sizes(const ExampleLaunch& a, const ExampleLaunch& b);

/// A table of the launches, what limits each of them most, and how one sees all of one; or as `to` says.
/// `guesses`: of the launches, in their order.
Status show_survey(const LaunchOptions& options, const Destination& to,
                   const std::vector<ShownLaunch>& launches, const std::vector<Guess>& guesses,
                   const std::vector<LeftOut>& left_out, const std::vector<gpus::Gpu>& gpus);

}  // namespace ww::cli
