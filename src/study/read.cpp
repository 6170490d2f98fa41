// A study from its JSON file: strict, every complaint with its place.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/json.h"
#include "base/text.h"
#include "gpus/catalog.h"
#include "study/study.h"

namespace ww::study {

namespace {

using kernels::Case;
using kernels::Shape;

bool has_axis(std::string_view text) {
  for (int a = 0; a < kAxisCount; ++a)
    if (name(static_cast<Axis>(a)) == text) return true;
  return false;
}

std::vector<std::string> axis_names() {
  std::vector<std::string> names;
  for (int a = 0; a < kAxisCount; ++a) names.emplace_back(name(static_cast<Axis>(a)));
  return names;
}

std::string in_quotes(std::string_view word) {
  return fmt::format("'{}{}'", printable(word.substr(0, 60)), word.size() > 60 ? "..." : "");
}

/// "/home/me/mine.json" is "mine".
std::string stem(std::string_view path) {
  path = path.substr(path.rfind('/') + 1);
  return std::string(path.substr(0, path.rfind('.')));
}

class Reader {
 public:
  Reader(const std::string& file, const Json& root) : file_(file), root_(root) {}

  Result<Study> read() {
    if (!members(
            root_, "a study file",
            {"name", "summary", "text", "full", "quick", "gpus", "sample", "metrics", "theory", "plots"}))
      return why_;
    study_.name = text(root_, "name");
    if (study_.name.empty()) study_.name = printable(stem(file_));
    study_.summary = text(root_, "summary");
    if (study_.summary.empty()) study_.summary = study_.name;
    study_.text = text(root_, "text");
    if (const Json* full = root_.find("full"))
      study_.full = sweeps(*full, "full");
    else
      complain(root_, "'full' is missing", "the list of what to run: {\"kernel\": …, \"n\": …}");
    study_.quick = root_.find("quick") ? sweeps(*root_.find("quick"), "quick") : study_.full;
    if (const Json* sample = root_.find("sample")) flag(*sample, "sample", study_.sample);
    study_.metrics = words(root_, "metrics");
    study_.theory = words(root_, "theory");
    read_gpus();
    read_plots();
    if (!why_.empty()) return why_;
    return std::move(study_);
  }

 private:
  // --- what to run

  std::vector<Sweep> sweeps(const Json& list, std::string_view key) {
    std::vector<Sweep> all;
    const auto* entries = list.get<Json::Array>();
    if (!entries || entries->empty()) {
      complain(list, fmt::format("'{}' must be a list of what to run, not {}", key,
                                 entries ? "an empty one" : list.kind()));
      return all;
    }
    for (const Json& entry : *entries) {
      Sweep sweep;
      if (read_sweep(entry, sweep)) all.push_back(std::move(sweep));
    }
    return all;
  }

  bool read_sweep(const Json& json, Sweep& sweep) {
    if (!members(json, "an entry of what to run", {"kernel", "block", "tile", "n", "r", "k"})) return false;
    const Json* named = json.find("kernel");
    if (!named) return complain(json, "'kernel' is missing");
    sweep.kernel = text(json, "kernel");
    if (sweep.kernel.empty()) return false;
    auto found = kernels::find_case(sweep.kernel);
    if (!found) return complain(*named, found.error()[0].message, found.error()[0].hint);
    const Case& kernel = **found;
    sweep.shapes = shapes(json, kernel);
    if (const Json* n = json.find("n"))
      sweep.n = numbers<int64_t>(*n, "n", 1, int64_t{1} << 40);
    else
      complain(json, "'n' is missing", fmt::format("usual values are {}", fmt::join(kernel.axes.n, ", ")));
    sweep.r = axis(json, "r", kernel, kernel.axes.r);
    sweep.k = axis(json, "k", kernel, kernel.axes.k);
    return true;
  }

  std::vector<int> axis(const Json& json, const char* key, const Case& kernel,
                        const std::vector<int>& usual) {
    const Json* given = json.find(key);
    if (!given) return usual;
    if (usual.empty()) {
      complain(*given, fmt::format("{} has no axis {}", kernel.name, key));
      return {};
    }
    return numbers<int>(*given, key, 1, 1 << 15);
  }

  /// Left out: all blocks, and all tiles that exist with these blocks.
  std::vector<Shape> shapes(const Json& json, const Case& kernel) {
    const Json *block = json.find("block"), *tile = json.find("tile");
    const auto& all = kernel.axes.shapes;
    const bool tiles = !all.empty() && all[0].rx > 0;
    if (block && all.empty())
      complain(*block, fmt::format("{} runs on the host and has no blocks", kernel.name));
    if (tile && !tiles) complain(*tile, fmt::format("{} has no tile axis", kernel.name));
    std::vector<int> blocks;
    if (block && !all.empty()) blocks = numbers<int>(*block, "block", 1, 1 << 15);
    std::vector<Shape> wanted;
    if (tile && tiles)
      for (const Json* one : items(*tile)) add_tile(*one, wanted);
    for (int side : blocks)
      if (std::none_of(all.begin(), all.end(), [&](const Shape& s) { return s.block == side; }))
        complain(*block, fmt::format("{} does not exist with block {}", kernel.name, side),
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
      complain(
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
    complain(json, "a tile is a string of two numbers, its results per thread", "for example \"4x4\"");
  }

  // --- what to show

  void read_gpus() {
    const Json* list = root_.find("gpus");
    if (!list) return;
    for (const Json* one : items(*list)) {
      const auto* given = one->get<std::string>();
      if (!given || given->empty()) {
        complain(*one,
                 fmt::format("a GPU is named by a string, not {}", given ? "an empty one" : one->kind()));
        continue;
      }
      std::string id = *given;
      const size_t slash = file_.rfind('/');
      if (id.ends_with(".json") && id[0] != '/' && slash != file_.npos) id = file_.substr(0, slash + 1) + id;
      study_.gpus.push_back(id);
      if (id == "all") continue;
      if (auto gpu = gpus::find_gpu(id); !gpu) complain(*one, gpu.error()[0].message, gpu.error()[0].hint);
    }
  }

  void read_plots() {
    const Json* list = root_.find("plots");
    if (!list) return;
    const auto* plots = list->get<Json::Array>();
    if (!plots) {
      complain(*list, fmt::format("'plots' must be a list, not {}", list->kind()));
      return;
    }
    for (const Json& json : *plots) {
      if (!members(json, "a plot", {"title", "x", "y", "series", "filter", "log_x", "log_y"})) continue;
      report::Plot plot;
      plot.title = text(json, "title");
      plot.x = text(json, "x");
      plot.y = words(json, "y");
      plot.series = words(json, "series");
      for (const char* key : {"title", "x", "y"})
        if (!json.find(key)) complain(json, fmt::format("'{}' is missing", key));
      if (const Json* series = json.find("series"))
        for (const Json* one : items(*series)) check_axis(*one);
      if (const Json* filter = json.find("filter")) read_filter(*filter, plot);
      if (const Json* log = json.find("log_x")) flag(*log, "log_x", plot.log_x);
      if (const Json* log = json.find("log_y")) flag(*log, "log_y", plot.log_y);
      study_.plots.push_back(std::move(plot));
    }
  }

  void read_filter(const Json& json, report::Plot& plot) {
    const auto* axes = json.get<Json::Object>();
    if (!axes) {
      complain(json, fmt::format("'filter' must be an object of axes and their values, not {}", json.kind()));
      return;
    }
    for (const JsonMember& axis : *axes) {
      if (!has_axis(axis.key)) unknown(axis.where(file_), "axis", axis.key, axis_names());
      report::Plot::Filter filter{axis.key, {}};
      for (const Json* one : items(axis.value)) {
        if (const auto* word = one->get<std::string>())
          filter.values.push_back(*word);
        else if (const auto* number = one->get<int64_t>())
          filter.values.push_back(std::to_string(*number));
        else
          complain(*one,
                   fmt::format("a value of an axis is a string or a whole number, not {}", one->kind()));
      }
      plot.filter.push_back(std::move(filter));
    }
  }

  void check_axis(const Json& json) {
    const auto* axis = json.get<std::string>();
    if (axis && !has_axis(*axis)) unknown(json.where(file_), "axis", *axis, axis_names());
  }

  // --- JSON

  bool complain(const Json& json, std::string message, std::string hint = {}) {
    return complain(json.where(file_), std::move(message), std::move(hint));
  }
  bool complain(Location where, std::string message, std::string hint = {}) {
    if (why_.size() < kMostErrors)
      why_.push_back(error_at(std::move(where), std::move(message), std::move(hint)));
    return false;
  }
  void unknown(Location where, std::string_view what, const std::string& word,
               const std::vector<std::string>& known) {
    const std::string near = nearest(word, known);
    complain(std::move(where), fmt::format("unknown {} {}", what, in_quotes(word)),
             near.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                          : fmt::format("did you mean '{}'?", near));
  }

  /// Whether it is an object; complains about keys that are not known.
  bool members(const Json& json, std::string_view what, const std::vector<std::string>& known) {
    const auto* object = json.get<Json::Object>();
    if (!object) return complain(json, fmt::format("{} must be an object, not {}", what, json.kind()));
    for (const JsonMember& member : *object)
      if (std::find(known.begin(), known.end(), member.key) == known.end())
        unknown(member.where(file_), "key", member.key, known);
    return true;
  }

  /// A list's elements, or the one thing that stands without a list.
  static std::vector<const Json*> items(const Json& json) {
    std::vector<const Json*> all;
    if (const auto* list = json.get<Json::Array>())
      for (const Json& one : *list) all.push_back(&one);
    else
      all.push_back(&json);
    return all;
  }

  /// The string at this key; "" when there is none, or something else (a complaint).
  std::string text(const Json& object, std::string_view key) {
    const Json* json = object.find(key);
    if (!json) return {};
    const auto* word = json->get<std::string>();
    if (word && !word->empty()) return *word;
    complain(*json, fmt::format("'{}' must be a string, not {}", key, word ? "an empty one" : json->kind()));
    return {};
  }

  std::vector<std::string> words(const Json& object, std::string_view key) {
    std::vector<std::string> all;
    const Json* json = object.find(key);
    if (!json) return all;
    for (const Json* one : items(*json)) {
      const auto* word = one->get<std::string>();
      if (word && !word->empty())
        all.push_back(*word);
      else
        complain(*one, fmt::format("'{}' holds strings, not {}", key, word ? "an empty one" : one->kind()));
    }
    return all;
  }

  void flag(const Json& json, std::string_view key, bool& out) {
    if (const bool* value = json.get<bool>())
      out = *value;
    else
      complain(json, fmt::format("'{}' must be true or false, not {}", key, json.kind()));
  }

  template <class T>
  std::vector<T> numbers(const Json& json, std::string_view key, int64_t least, int64_t most) {
    std::vector<T> all;
    for (const Json* one : items(json)) {
      const auto* number = one->get<int64_t>();
      if (!number)
        complain(*one, fmt::format("'{}' holds whole numbers, not {}", key,
                                   one->number() ? "fractions" : one->kind()));
      else if (*number < least || *number > most)
        complain(*one, fmt::format("{} = {}, it must be between {} and {}", key, *number, least, most));
      else
        all.push_back(static_cast<T>(*number));
    }
    if (all.empty() && items(json).empty()) complain(json, fmt::format("'{}' is an empty list", key));
    return all;
  }

  const std::string& file_;
  const Json& root_;
  Study study_;
  Diagnostics why_;
};

}  // namespace

Result<Study> read_study(const std::string& file, std::string_view text) {
  auto root = parse_json(text, file);
  if (!root) return root.error();
  return Reader(file, *root).read();
}

}  // namespace ww::study
