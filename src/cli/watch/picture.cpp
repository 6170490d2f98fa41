#include "cli/watch/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>

#include "base/file.h"
#include "base/words.h"
#include "cli/shared/kernel_axes.h"
#include "cli/shared/output.h"
#include "gpus/catalog.h"
#include "report/page.h"

namespace ww::cli {

namespace {

constexpr uint64_t kMostBlocks = 64;  // that are still easy to look at

/// The configuration with this shape, if the kernel admits it with what was given.
std::optional<kernels::Config> with_shape(const kernels::Config& given, const kernels::Case& chosen,
                                          const kernels::Shape& shape) {
  kernels::Config c = given;
  if (c.n == 0) {
    c.shape = shape;
    c.n = watch::small_n(chosen, c);
    c.shape = given.shape;
  }
  if (!complete_shape(c, chosen, {shape})) return {};
  return c;
}

}  // namespace

void complete_for_watching(kernels::Config& c, const kernels::Case& chosen) {
  if (c.k == 0 && !chosen.axes.k.empty()) c.k = chosen.axes.k.front();
  if (c.r == 0) {
    kernels::Config first = c;
    if (!chosen.axes.shapes.empty() && first.shape.block == 0) first.shape = chosen.axes.shapes.front();
    c.r = watch::small_r(chosen, first);
  }
  std::optional<kernels::Config> any;
  for (const auto* shapes : {&chosen.axes.small, &chosen.axes.shapes})
    for (const kernels::Shape& s : *shapes) {
      const auto one = with_shape(c, chosen, s);
      if (!one) continue;
      if (!any) any = one;
      const auto plan = kernels::make_plan(chosen, *one);
      if (!plan->launches.empty() && plan->launches[0].grid.count() > kMostBlocks) continue;
      c = *one;
      return;
    }
  if (any) {
    c = *any;
    return;
  }
  // Nothing fits: the refusal should speak of what was given, not of a block that the user did not choose.
  const auto& shapes = chosen.axes.small.empty() ? chosen.axes.shapes : chosen.axes.small;
  if (shapes.empty()) return;
  if (c.shape.block == 0) c.shape.block = shapes.front().block;
  if (c.shape.rx == 0) c.shape.rx = shapes.front().rx, c.shape.ry = shapes.front().ry;
}

namespace {

/// The page of one recording, or of two beside each other; without the cells' values if it would be too
/// large.
Result<std::string> page_of(std::span<watch::Recording> recordings, const std::string& language) {
  std::string title;
  for (const watch::Recording& r : recordings) title += (title.empty() ? "" : " · ") + watch::title_of(r);
  const auto make = [&] {
    if (recordings.size() == 1)
      return report::write_watch_page(title, language, watch::write_json(recordings[0]));
    std::string data;
    for (const watch::Recording& r : recordings) data += (data.empty() ? "" : ",") + watch::write_json(r);
    return report::write_watch_page(title, language, "{\"beside\":[" + data + "]}\n");
  };
  std::string page = make();
  if (page.size() <= kMostPageBytes) return page;
  for (watch::Recording& r : recordings)
    for (watch::Launch& l : r.launches) l.changes.clear();  // half of the page
  page = make();
  if (page.size() <= kMostPageBytes) return page;
  return error(fmt::format("the page of {} would have {:.1f} MB, at most {:.0f} are good for a browser",
                           title, static_cast<double>(page.size()) * 1e-6, kMostPageBytes * 1e-6),
               "choose a smaller n, block or tile; --format json has no such limit");
}

}  // namespace

Result<std::string> watch_page(watch::Recording& recording, const std::string& language) {
  return page_of({&recording, 1}, language);
}

int deliver_beside(std::vector<watch::Recording>& recordings, const std::string& out,
                   const std::string& language) {
  auto text = page_of(recordings, language);
  if (!text) return complain(text.error());
  if (auto ok = deliver_text(*text, out); !ok) return complain(ok.error());
  for (const watch::Recording& r : recordings) fmt::print("{}\n", summary(r, out));
  return 0;
}

int deliver_watch(watch::Recording& recording, bool json, const std::string& out,
                  const std::string& language) {
  auto text = json ? Result<std::string>(watch::write_json(recording)) : watch_page(recording, language);
  if (!text) return complain(text.error());
  const std::string file = out.empty() && !json ? "watch.html" : out;
  if (auto ok = deliver_text(*text, file); !ok) return complain(ok.error());
  if (!file.empty()) fmt::print("{}\n", summary(recording, file));
  return 0;
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
    auto recording = watch::record(**chosen, config, *gpu, stop);
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
  const bool no_values = std::all_of(r.launches.begin(), r.launches.end(),
                                     [](const watch::Launch& l) { return l.changes.empty(); });
  std::string found;
  for (const watch::Launch& l : r.launches)
    for (const watch::Found& f : l.found) found += fmt::format("\n{}: {}", f.severity, f.message);
  return fmt::format(
      "{}: {} on {}, {}, {} by warps{}{}", file, watch::title_of(r), r.gpu_name,
      counted(static_cast<int64_t>(steps), "step"),
      counted(static_cast<int64_t>(events), "access", "accesses"),
      events > 0 && no_values ? "; without the cells' values: the page would be too large" : "", found);
}

}  // namespace ww::cli
