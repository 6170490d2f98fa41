#include "cli/watch/own.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "cli/program/stand_in.h"
#include "cli/shared/output.h"
#include "cli/watch/picture.h"
#include "report/page.h"
#include "watch/watch.h"

namespace ww::cli {

Status check_picture(const PictureOptions& o) {
  if (auto ok = report::check_language(o.language); !ok) return ok;
  const std::string ending = std::filesystem::path(o.out).extension();
  std::error_code ignored;
  if (!o.out.empty() && o.format.empty() && ending != ".html" && ending != ".json" &&
      !std::filesystem::exists(o.out, ignored))
    return error(fmt::format("the name '{}' does not tell the format", printable(o.out)),
                 "end it in .html or .json, or add --format");
  return {};
}

/// Rows of texels, whose channels lie side by side, and slices or layers of rows.
static void shape_texels(watch::Array& array, const LaunchBuffers::Placed& p) {
  std::vector<uint64_t> shape = p.shape;
  if (p.channels > 1) shape.pop_back();
  array.channels = static_cast<watch::u32>(p.channels);
  array.columns = shape.size() > 1 ? shape.back() * array.channels : 0;
  array.rows = shape.size() > 2 ? shape[shape.size() - 2] : 0;
}

bool wants_json(const PictureOptions& o) {
  return o.format.empty() ? o.out.ends_with(".json") : o.format == "json";
}

Result<watch::Recording> record_own(device::Device& device, const device::Launch& launch,
                                    const LaunchBuffers& buffers, const KnownArrays& known,
                                    const std::string& title, const gpus::Gpu& gpu, std::atomic<bool>& stop) {
  watch::Launch what;
  what.entry = launch.kernel;
  what.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
  what.block = {launch.block.x, launch.block.y, launch.block.z};
  what.shared_bytes = static_cast<watch::u32>(launch.dynamic_shared);
  size_t number = 0;
  for (const LaunchBuffers::Placed& p : buffers.placed()) {
    const Parameter* of = p.argument < known.parameters.size() ? &known.parameters[p.argument] : nullptr;
    watch::Array array{fmt::format("array {}", ++number), ir::Space::Global, p.address, p.bytes};
    if (of && !of->name.empty()) {
      const auto taken = std::count_if(what.arrays.begin(), what.arrays.end(), [&](const watch::Array& a) {
        return a.name == of->name || a.name.starts_with(of->name + ".");
      });
      array.name = taken ? fmt::format("{}.{}", of->name, taken + 1) : of->name;
    }
    array.type = of && !of->element.empty() && of->pointer ? of->element : element_of(p.dtype);
    array.declared = true;
    array.unit = watch::unit_of(array.type);
    array.elements = (p.bytes + array.unit - 1) / array.unit;
    array.columns = p.row_bytes / array.unit;
    if (p.texels) shape_texels(array, p);
    what.arrays.push_back(std::move(array));
  }
  auto recording = watch::record(device, launch, std::move(what),
                                 {known.shared,
                                  [stand_ins = stand_in_folder()](const std::string& file) {
                                    return !file.empty() && !file.starts_with("/usr/") &&
                                           !(stand_ins && file.starts_with(*stand_ins));
                                  }},
                                 gpu, stop);
  if (!recording) return recording;
  recording->title = title;
  for (const watch::Launch& l : recording->launches)
    for (const watch::Site& s : l.sites)
      if (!s.file.empty() && !recording->sources.contains(s.file))
        if (auto text = read_file(s.file)) recording->sources[s.file] = std::move(*text);
  return recording;
}

}  // namespace ww::cli
