#include "cli/watch_own.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "cli/output.h"
#include "cli/watch_picture.h"
#include "report/page.h"
#include "watch/watch.h"

namespace ww::cli {

Status check_picture(const PictureOptions& o) {
  if (auto ok = report::check_language(o.language); !ok) return ok;
  const std::string ending = std::filesystem::path(o.out).extension();
  std::error_code ignored;
  if (!o.out.empty() && o.format.empty() && ending != ".html" && ending != ".json" &&
      !std::filesystem::exists(o.out, ignored))
    return error(fmt::format("'{}' does not say what is to be written", printable(o.out)),
                 "end it in .html or .json, or add --format");
  return {};
}

int watch_own(device::Device& device, const device::Launch& launch, const LaunchBuffers& buffers,
              const std::string& title, const gpus::Gpu& gpu, const PictureOptions& o,
              std::atomic<bool>& stop) {
  watch::Launch what;
  what.entry = launch.kernel;
  what.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
  what.block = {launch.block.x, launch.block.y, launch.block.z};
  what.shared_bytes = static_cast<watch::u32>(launch.dynamic_shared);
  constexpr uint64_t kWord = 4;
  size_t number = 0;
  for (const LaunchBuffers::Placed& p : buffers.placed())
    what.arrays.push_back({fmt::format("array {}", ++number), ir::Space::Global, p.address, p.bytes,
                           (p.bytes + kWord - 1) / kWord, p.row_bytes / kWord});
  auto recording = watch::record(device, launch, std::move(what), gpu, stop);
  if (!recording) return complain(recording.error());
  recording->title = title;
  for (const watch::Launch& l : recording->launches)
    for (const watch::Site& s : l.sites)
      if (!s.file.empty() && !recording->sources.contains(s.file))
        if (auto text = read_file(s.file)) recording->sources[s.file] = std::move(*text);
  const bool json = o.format.empty() ? o.out.ends_with(".json") : o.format == "json";
  return deliver_watch(*recording, json, o.out, o.language);
}

}  // namespace ww::cli
