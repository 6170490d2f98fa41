// What the command line says of a study.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/shared/destination.h"
#include "cli/study/cache.h"
#include "gpus/gpu.h"
#include "study/study.h"

namespace ww::cli {

struct StudyOptions {
  std::string name;
  study::Selection selection;
  std::vector<std::string> tiles, metrics;
  int threads = 0;
  std::string device = "auto";
  std::vector<std::string> gpus;
  bool sample = false;
  int64_t registers = 0;
  bool counters = false, no_peers = false;
  OutputOptions output;
  std::string language = "en";
  CacheOptions cache;
  std::string shard;
  std::vector<std::string> axes;  ///< "tile=16,32"
  std::string junit;              ///< a file; "": none
  std::string checks;             ///< checks::names_in(); "": none
  bool list = false;              ///< only say what would run
};

/// The GPUs to count as: those asked for, or else the study's own. Nothing after a reason has been printed.
std::optional<std::vector<gpus::Gpu>> counted_gpus(const StudyOptions& o, const study::Study& study);

}  // namespace ww::cli
