#include "cli/study/options.h"

#include <algorithm>

#include "cli/shared/gpu_option.h"
#include "gpus/catalog.h"

namespace ww::cli {

std::optional<std::vector<gpus::Gpu>> counted_gpus(const StudyOptions& o, const study::Study& study) {
  std::vector<gpus::Gpu> gpus;
  for (const auto& name : o.gpus.empty() ? study.gpus : o.gpus) {
    if (name == "all") {
      auto all = gpus::known_gpus();
      const auto year = [](const gpus::Gpu& gpu) { return gpu.launch_year ? gpu.launch_year->value : 0; };
      std::stable_sort(all.begin(), all.end(), [&](auto& a, auto& b) { return year(a) < year(b); });
      gpus.insert(gpus.end(), all.begin(), all.end());
      continue;
    }
    auto gpu = gpu_named(name);
    if (!gpu) return {};
    gpus.push_back(std::move(*gpu));
  }
  return gpus;
}

}  // namespace ww::cli
