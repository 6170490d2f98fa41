#include "cli/study/options.h"

#include <algorithm>

#include "cli/shared/gpu_option.h"
#include "gpus/catalog.h"

namespace ww::cli {

std::optional<std::vector<gpus::Gpu>> counted_gpus(const StudyOptions& o, const study::Study& study) {
  std::vector<gpus::Gpu> gpus;
  if (!add_gpus(o.gpus.empty() ? study.gpus : o.gpus, gpus)) return {};
  return gpus;
}

}  // namespace ww::cli
