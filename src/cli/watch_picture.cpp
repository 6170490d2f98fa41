#include "cli/watch_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "cli/kernel_axes.h"
#include "gpus/catalog.h"
#include "report/page.h"

namespace ww::cli {

void complete_for_watching(kernels::Config& c, const kernels::Case& chosen) {
  if (c.r == 0 && !chosen.axes.r.empty()) c.r = 1;
  if (c.k == 0 && !chosen.axes.k.empty()) c.k = chosen.axes.k.front();
  for (const auto* shapes : {&chosen.axes.small, &chosen.axes.shapes}) {
    if (c.n > 0) {
      if (complete_shape(c, chosen, *shapes)) return;
      continue;
    }
    // Any n will do: the first shape that fits what was given of it.
    for (const kernels::Shape& s : *shapes) {
      kernels::Config trial = c;
      trial.shape = s;
      trial.n = watch::small_n(chosen, trial);
      if (trial.n > 0 && complete_shape(trial, chosen, {s})) {
        const bool fits = (c.shape.block == 0 || c.shape.block == s.block) &&
                          (c.shape.rx == 0 || (c.shape.rx == s.rx && c.shape.ry == s.ry));
        if (!fits) continue;
        c = trial;
        return;
      }
    }
  }
}

Result<std::string> watch_page(const watch::Recording& recording, const std::string& language) {
  const std::string title = kernels::title(recording.kernel, recording.config);
  std::string page = report::write_watch_page(title, language, watch::write_json(recording));
  if (page.size() <= kMostPageBytes) return page;
  return error(fmt::format("the page of {} would have {:.1f} MB, at most {:.0f} are good for a browser",
                           title, static_cast<double>(page.size()) * 1e-6, kMostPageBytes * 1e-6),
               "choose a smaller n, block or tile; --format json has no such limit");
}

Status add_pictures(report::Page& page, const std::string& folder) {
  auto gpu = gpus::find_gpu("h200");
  for (const Row& row : page.table.rows)
    if (auto known = gpus::find_gpu(row[Axis::Gpu])) {
      gpu = std::move(known);
      break;
    }
  for (report::Listing& listing : page.listings) {
    constexpr std::string_view kBefore = "src/kernels/", kBehind = ".cu";
    std::string name = listing.name;
    if (!name.starts_with(kBefore) || !name.ends_with(kBehind)) continue;
    name = name.substr(kBefore.size(), name.size() - kBefore.size() - kBehind.size());
    const auto chosen = kernels::find_case(name);
    if (!chosen) continue;
    kernels::Config config;
    complete_for_watching(config, **chosen);
    std::atomic<bool> stop = false;
    const auto recording = watch::record(**chosen, config, *gpu, stop);
    if (!recording) continue;
    const auto picture = watch_page(*recording, page.language);
    if (!picture) continue;
    std::error_code wrong;
    std::filesystem::create_directories(folder + "watch", wrong);  // if not, writing says why
    std::replace(name.begin(), name.end(), '/', '-');
    const std::string file = fmt::format("watch/{}.html", name);
    if (auto ok = write_file_atomically(folder + file, *picture); !ok) return ok;
    listing.watch = file;
  }
  return {};
}

std::string summary(const watch::Recording& r, const std::string& file) {
  size_t steps = 0, events = 0;
  for (const watch::Launch& l : r.launches) {
    steps += l.steps.size();
    events += static_cast<size_t>(std::count_if(
        l.events.begin(), l.events.end(), [](const watch::Event& e) { return e.form != watch::kNone; }));
  }
  return fmt::format("{}: {} on {}, {} steps, {} accesses by warps", file, kernels::title(r.kernel, r.config),
                     r.gpu_name, steps, events);
}

}  // namespace ww::cli
