// The rows of a study brought to where the user wants them: judged, shown, written.
#pragma once

#include <optional>
#include <vector>

#include "cli/shared/destination.h"
#include "cli/study/options.h"
#include "gpus/gpu.h"
#include "report/page.h"
#include "study/shard.h"

namespace ww::cli {

struct FoundRows {
  Table table;
  size_t done = 0, runs = 0;                   ///< less are done where the study was stopped
  std::optional<study::Whole> whole = {};      ///< of a part of a study
  std::vector<report::Listing> listings = {};  ///< sources of the user's kernels
};

/// Adds what stands beside the rows, judges what the study expects, and writes all that was asked for. The
/// exit code: 1 where a row is not verified or an expectation failed, else 0; 2 where it cannot be written.
int deliver_study(const StudyOptions& o, Destination to, const study::Study& study,
                  const std::vector<gpus::Gpu>& gpus, FoundRows found);

}  // namespace ww::cli
