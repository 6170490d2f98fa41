#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "study/study.h"

namespace ww::study {

namespace {

using kernels::Case;
using kernels::Config;
using kernels::Shape;

template <class T>
bool contains(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

template <class T>
void add_once(std::vector<T>& list, const T& value) {
  if (!contains(list, value)) list.push_back(value);
}

const Case& case_of(const Sweep& sweep) { return **kernels::find_case(sweep.kernel); }

/// The part after the slash.
std::string short_name(const std::string& kernel) { return kernel.substr(kernel.find('/') + 1); }

bool same_tile(const Shape& a, const Shape& b) { return a.rx == b.rx && a.ry == b.ry; }

/// Whether a shape is within the selection's blocks and tiles.
bool wanted(const Selection& selection, const Shape& shape) {
  const auto has_tile = [&](const Shape& tile) { return same_tile(tile, shape); };
  return (selection.blocks.empty() || contains(selection.blocks, shape.block)) &&
         (selection.tiles.empty() || shape.rx == 0 ||
          std::any_of(selection.tiles.begin(), selection.tiles.end(), has_tile));
}

Result<std::vector<std::string>> selected_kernels(const std::vector<Sweep>& sweeps,
                                                  const Selection& selection) {
  std::vector<std::string> all, names;
  for (const Sweep& sweep : sweeps) add_once(all, sweep.kernel);
  if (selection.kernels.empty()) return all;
  Diagnostics wrong;
  for (const std::string& given : selection.kernels) {
    const auto it = std::find_if(all.begin(), all.end(), [&](const std::string& name) {
      return name == given || short_name(name) == given;
    });
    if (it != all.end()) {
      add_once(names, *it);
      continue;
    }
    std::vector<std::string> candidates = all;
    for (const std::string& name : all) candidates.push_back(short_name(name));
    const std::string near = nearest(given, candidates);
    wrong.push_back(error(fmt::format("this study has no kernel \"{}\"", given),
                          near.empty() ? fmt::format("it has {}", fmt::join(all, ", "))
                                       : fmt::format("did you mean \"{}\"?", near)));
  }
  if (!wrong.empty()) return wrong;
  // In the order of the study.
  std::erase_if(all, [&](const std::string& name) { return !contains(names, name); });
  return all;
}

/// The kernel's sweeps, narrowed to the selection. Shapes that were asked for by name and that the kernel
/// exists in join with the sizes of the kernel's first sweep.
std::vector<Sweep> narrowed(const std::vector<Sweep>& sweeps, const std::string& kernel,
                            const Selection& selection) {
  std::vector<Sweep> result;
  std::vector<Shape> covered, used_tiles;
  std::vector<int> used_blocks;
  for (const Sweep& sweep : sweeps) {
    if (sweep.kernel != kernel) continue;
    Sweep mine = sweep;
    std::erase_if(mine.shapes, [&](const Shape& s) { return !wanted(selection, s); });
    for (const Shape& s : sweep.shapes) {
      covered.push_back(s);
      add_once(used_blocks, s.block);
      add_once(used_tiles, Shape{0, s.rx, s.ry});
    }
    result.push_back(mine);
  }
  std::vector<Shape> more;
  for (const Shape& s : case_of(result[0]).axes.shapes) {
    // An axis that the selection leaves open keeps to the study's values.
    const bool block_open = selection.blocks.empty() && !contains(used_blocks, s.block);
    const bool tile_open = selection.tiles.empty() && !contains(used_tiles, Shape{0, s.rx, s.ry});
    if (!(selection.blocks.empty() && selection.tiles.empty()) && wanted(selection, s) && !block_open &&
        !tile_open && !contains(covered, s))
      more.push_back(s);
  }
  if (!more.empty()) {
    result.push_back(result[0]);
    result.back().shapes = more;
  }
  return result;
}

std::vector<Item> combinations(const Sweep& sweep, const Selection& selection) {
  const Case& kernel = case_of(sweep);
  const auto values = [](const auto& given, const auto& own, const auto& usual) {
    auto list = given.empty() ? own : given;
    if (usual.empty()) list = {0};  // no such axis
    return list;
  };
  std::vector<Shape> shapes = sweep.shapes;
  if (kernel.axes.shapes.empty()) shapes = {Shape{}};
  std::vector<Item> items;
  for (const Shape& shape : shapes)
    for (int64_t n : selection.n.empty() ? sweep.n : selection.n)
      for (int r : values(selection.r, sweep.r, kernel.axes.r))
        for (int k : values(selection.k, sweep.k, kernel.axes.k))
          items.push_back({&kernel, Config{n, shape, r, k, selection.seed, selection.inputs}});
  return items;
}

/// Each value exists, but does every one of them in a combination with the others?
Diagnostics unmatched_pairs(const std::vector<const Case*>& cases, const std::vector<Item>& items,
                            const Selection& selection) {
  const auto used = [&](auto matches) {
    return std::any_of(items.begin(), items.end(),
                       [&](const Item& item) { return matches(item.config.shape); });
  };
  Diagnostics wrong;
  for (int block : selection.blocks) {
    for (const Shape& tile : selection.tiles) {
      if (used([&](const Shape& s) { return s.block == block; }) &&
          used([&](const Shape& s) { return same_tile(s, tile); }))
        continue;
      for (const Case* kernel : cases) {
        if (kernel->axes.shapes.empty() || kernel->axes.shapes[0].rx == 0) continue;
        auto plan = kernels::make_plan(*kernel, {1, {block, tile.rx, tile.ry}});
        if (!plan) wrong.push_back(plan.error()[0]);
      }
    }
  }
  return wrong;
}

/// Every value asked for must have met a kernel that has it.
Diagnostics unmatched(const std::vector<const Case*>& cases, const std::vector<Item>& items,
                      const Selection& selection) {
  Diagnostics wrong;
  std::vector<int> blocks;
  std::vector<std::string> tiles;
  bool any_r = false, any_k = false;
  for (const Case* kernel : cases) {
    for (const Shape& s : kernel->axes.shapes) {
      add_once(blocks, s.block);
      if (s.rx > 0) add_once(tiles, fmt::format("{}x{}", s.rx, s.ry));
    }
    any_r |= !kernel->axes.r.empty();
    any_k |= !kernel->axes.k.empty();
  }
  std::sort(blocks.begin(), blocks.end());
  for (int block : selection.blocks) {
    if (contains(blocks, block)) continue;
    wrong.push_back(error(fmt::format("no kernel selected here exists with block {}", block),
                          fmt::format("there are blocks {}", fmt::join(blocks, ", "))));
  }
  for (const Shape& tile : selection.tiles) {
    if (contains(tiles, fmt::format("{}x{}", tile.rx, tile.ry))) continue;
    wrong.push_back(error(fmt::format("no kernel selected here exists with tile {}x{}", tile.rx, tile.ry),
                          tiles.empty() ? "none of them has tiles"
                                        : fmt::format("there are tiles {}", fmt::join(tiles, ", "))));
  }
  if (wrong.empty()) wrong = unmatched_pairs(cases, items, selection);
  if (!selection.r.empty() && !any_r) wrong.push_back(error("no kernel selected here has an axis r"));
  if (!selection.k.empty() && !any_k) wrong.push_back(error("no kernel selected here has an axis k"));
  return wrong;
}

}  // namespace

Result<std::vector<Item>> select(const Study& study, const Selection& selection) {
  const std::vector<Sweep>& sweeps = selection.quick ? study.quick : study.full;
  auto names = selected_kernels(sweeps, selection);
  if (!names) return names.error();
  std::vector<Item> items;
  std::vector<const Case*> cases;
  for (const std::string& name : *names) {
    const auto mine = narrowed(sweeps, name, selection);
    cases.push_back(&case_of(mine[0]));
    for (const Sweep& sweep : mine)
      for (const Item& item : combinations(sweep, selection)) add_once(items, item);
  }
  if (Diagnostics wrong = unmatched(cases, items, selection); !wrong.empty()) return wrong;
  if (items.empty()) return error("this selection leaves nothing of the study");

  Diagnostics wrong;
  for (const Item& item : items) {
    auto plan = kernels::make_plan(*item.kernel, item.config);
    if (plan) return items;
    for (const Diagnostic& d : plan.error()) {
      const auto same = [&](const Diagnostic& other) { return other.message == d.message; };
      if (std::none_of(wrong.begin(), wrong.end(), same)) wrong.push_back(d);
    }
  }
  return wrong;
}

}  // namespace ww::study
