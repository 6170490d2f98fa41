#include "study/read_sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace ww::study {

namespace {

using kernels::Case;
using kernels::Shape;

class SweepReader {
 public:
  explicit SweepReader(JsonReader& reader) : reader_(reader) {}

  std::vector<Sweep> read(const Json& list, std::string_view key) {
    std::vector<Sweep> all;
    const auto* entries = list.get<Json::Array>();
    if (!entries || entries->empty()) {
      reader_.complain(list, fmt::format("'{}' must be a list of what to run, not {}", key,
                                         entries ? "an empty one" : list.kind()));
      return all;
    }
    for (const Json& entry : *entries) {
      Sweep sweep;
      if (read_sweep(entry, sweep)) all.push_back(std::move(sweep));
    }
    return all;
  }

 private:
  bool read_sweep(const Json& json, Sweep& sweep) {
    if (!reader_.members(json, "an entry of what to run", {"kernel", "block", "tile", "n", "r", "k"}))
      return false;
    const Json* named = json.find("kernel");
    if (!named) return reader_.complain(json, "'kernel' is missing");
    sweep.kernel = reader_.text(json, "kernel");
    if (sweep.kernel.empty()) return false;
    auto found = kernels::find_case(sweep.kernel);
    if (!found) return reader_.complain(*named, found.error()[0].message, found.error()[0].hint);
    const Case& kernel = **found;
    sweep.shapes = shapes(json, kernel);
    if (const Json* n = json.find("n"))
      sweep.n = reader_.numbers<int64_t>(*n, "n", 1, int64_t{1} << 40);
    else
      reader_.complain(json, "'n' is missing",
                       fmt::format("usual values are {}", fmt::join(kernel.axes.n, ", ")));
    sweep.r = axis(json, "r", kernel, kernel.axes.r);
    sweep.k = axis(json, "k", kernel, kernel.axes.k);
    return true;
  }

  std::vector<int> axis(const Json& json, const char* key, const Case& kernel,
                        const std::vector<int>& usual) {
    const Json* given = json.find(key);
    if (!given) return usual;
    if (usual.empty()) {
      reader_.complain(*given, fmt::format("{} has no axis {}", kernel.name, key));
      return {};
    }
    return reader_.numbers<int>(*given, key, 1, 1 << 15);
  }

  /// Left out: all blocks, and all tiles that exist with these blocks.
  std::vector<Shape> shapes(const Json& json, const Case& kernel) {
    const Json *block = json.find("block"), *tile = json.find("tile");
    const auto& all = kernel.axes.shapes;
    const bool tiles = !all.empty() && all[0].rx > 0;
    if (block && all.empty())
      reader_.complain(*block, fmt::format("{} runs on the host and has no blocks", kernel.name));
    if (tile && !tiles) reader_.complain(*tile, fmt::format("{} has no tile axis", kernel.name));
    std::vector<int> blocks;
    if (block && !all.empty()) blocks = reader_.numbers<int>(*block, "block", 1, 1 << 15);
    std::vector<Shape> wanted;
    if (tile && tiles)
      for (const Json* one : JsonReader::items(*tile)) add_tile(*one, wanted);
    for (int side : blocks)
      if (std::none_of(all.begin(), all.end(), [&](const Shape& s) { return s.block == side; }))
        reader_.complain(*block, fmt::format("{} does not exist with block {}", kernel.name, side),
                         "it exists with block " + kernels::list_of_blocks(kernel));
    std::vector<Shape> chosen;
    for (const Shape& s : all) {
      const bool of_block = !block || std::find(blocks.begin(), blocks.end(), s.block) != blocks.end();
      const bool of_tile =
          !tile || std::find(wanted.begin(), wanted.end(), Shape{0, s.rx, s.ry}) != wanted.end();
      if (of_block && of_tile) chosen.push_back(s);
    }
    if (tile && tiles) check_tiles(*tile, kernel, blocks, wanted, chosen);
    return in_order(chosen, blocks, wanted);
  }

  /// As the file has them, not as the kernel has.
  static std::vector<Shape> in_order(std::vector<Shape> chosen, const std::vector<int>& blocks,
                                     const std::vector<Shape>& tiles) {
    const auto place = [&](const Shape& s) {
      return std::pair(std::find(blocks.begin(), blocks.end(), s.block) - blocks.begin(),
                       std::find(tiles.begin(), tiles.end(), Shape{0, s.rx, s.ry}) - tiles.begin());
    };
    std::stable_sort(chosen.begin(), chosen.end(),
                     [&](const Shape& a, const Shape& b) { return place(a) < place(b); });
    return chosen;
  }

  void check_tiles(const Json& where, const Case& kernel, const std::vector<int>& blocks,
                   const std::vector<Shape>& wanted, const std::vector<Shape>& chosen) {
    for (const Shape& tile : wanted) {
      const auto same = [&](const Shape& s) { return s.rx == tile.rx && s.ry == tile.ry; };
      if (std::any_of(chosen.begin(), chosen.end(), same)) continue;
      std::string known;
      for (int side : blocks.empty() ? std::vector{kernel.axes.shapes[0].block} : blocks)
        known += fmt::format("{}with block {} there are {}", known.empty() ? "" : "; ", side,
                             kernels::list_of_tiles(kernel, side));
      reader_.complain(
          where,
          fmt::format("{} does not exist with tile {}x{} and these blocks", kernel.name, tile.rx, tile.ry),
          known);
    }
  }

  void add_tile(const Json& json, std::vector<Shape>& tiles) {
    Shape tile;
    if (const auto* word = json.get<std::string>()) {
      const char *begin = word->data(), *end = begin + word->size();
      const auto rx = std::from_chars(begin, end, tile.rx);
      if (rx.ec == std::errc() && rx.ptr != end && *rx.ptr == 'x') {
        const auto ry = std::from_chars(rx.ptr + 1, end, tile.ry);
        if (ry.ec == std::errc() && ry.ptr == end && tile.rx > 0 && tile.ry > 0) {
          tiles.push_back(tile);
          return;
        }
      }
    }
    reader_.complain(json, "a tile is a string of two numbers, its results per thread",
                     "for example \"4x4\"");
  }

  JsonReader& reader_;
};

}  // namespace

std::vector<Sweep> read_sweeps(const Json& list, std::string_view key, JsonReader& reader) {
  return SweepReader(reader).read(list, key);
}

}  // namespace ww::study
