#include "kernels/case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "kernels/families.h"

namespace ww::kernels {

namespace {

std::string tile_text(const Shape& shape) { return fmt::format("{}x{}", shape.rx, shape.ry); }

std::string blocks_of(const std::vector<Shape>& shapes) {
  std::vector<int> blocks;
  for (const Shape& s : shapes)
    if (std::find(blocks.begin(), blocks.end(), s.block) == blocks.end()) blocks.push_back(s.block);
  return fmt::format("{}", fmt::join(blocks, ", "));
}

Status check_shape(const Case& chosen, const Shape& shape) {
  const auto& shapes = chosen.axes.shapes;
  if (shapes.empty()) {
    if (shape == Shape{}) return {};
    return error(fmt::format("{} {} and has neither block nor tile", chosen.name,
                             chosen.on_host() ? "runs on the host" : "is no single kernel"));
  }
  const auto& small = chosen.axes.small;
  if (std::find(shapes.begin(), shapes.end(), shape) != shapes.end()) return {};
  if (std::find(small.begin(), small.end(), shape) != small.end()) return {};
  const auto same_block = [&](const Shape& s) { return s.block == shape.block; };
  if (std::none_of(shapes.begin(), shapes.end(), same_block) &&
      std::none_of(small.begin(), small.end(), same_block)) {
    std::string right = "it exists with block " + list_of_blocks(chosen);
    if (const std::string tiny = list_of_small_blocks(chosen); !tiny.empty())
      right += fmt::format("; for watching also with {}", tiny);
    return error(fmt::format("{} does not exist with block {}", chosen.name, shape.block), right);
  }
  const std::string tiles = list_of_tiles(chosen, shape.block);
  if (tiles.empty()) return error(fmt::format("{} has no tile axis", chosen.name));
  return error(fmt::format("{} does not exist with {} results per thread and block {}", chosen.name,
                           tile_text(shape), shape.block),
               fmt::format("with block {} there are {}", shape.block, tiles));
}

Status check_count(const Case& chosen, const char* axis, int value, const std::vector<int>& usual) {
  if (usual.empty() && value != 0) return error(fmt::format("{} has no axis {}", chosen.name, axis));
  if (!usual.empty() && (value < 1 || value > 1 << 15))
    return error(fmt::format("{} = {}, it must be between 1 and 32768", axis, value),
                 fmt::format("usual values are {}", fmt::join(usual, ", ")));
  return {};
}

}  // namespace

const std::vector<Case>& all_cases() {
  static const std::vector<Case> kAll = [] {
    std::vector<Case> all;
    for (auto family :
         {matmul_cases, aat_cases, box_sum_cases, sum_cases, spaces_cases, simt_cases, host_memory_cases})
      for (Case& one : family()) all.push_back(std::move(one));
    return all;
  }();
  return kAll;
}

Result<const Case*> find_case(std::string_view name) {
  std::vector<std::string> names;
  for (const Case& one : all_cases()) {
    if (one.name == name) return &one;
    names.push_back(one.name);
  }
  std::string near = nearest(name, names);
  std::vector<std::string> ending;  // the kernel's name without its family
  for (const std::string& one : names)
    if (std::string_view(one).substr(one.find('/') + 1) == name) ending.push_back(one);
  if (ending.size() == 1) near = ending.front();
  if (ending.size() > 1)
    return error(fmt::format("there is no kernel \"{}\"", printable(name)),
                 fmt::format("did you mean one of {}?", fmt::join(ending, ", ")));
  return error(fmt::format("there is no kernel \"{}\"", printable(name)),
               near.empty() ? "the laboratory has " + fmt::format("{}", fmt::join(names, ", "))
                            : fmt::format("did you mean \"{}\"?", near));
}

Result<Plan> make_plan(const Case& chosen, const Config& config) {
  if (auto ok = check_shape(chosen, config.shape); !ok) return ok.error();
  if (auto ok = check_count(chosen, "r", config.r, chosen.axes.r); !ok) return ok.error();
  if (auto ok = check_count(chosen, "k", config.k, chosen.axes.k); !ok) return ok.error();
  if (config.n < 1) return error(fmt::format("n = {}, it must be at least 1", config.n));
  auto plan = chosen.plan(config);
  if (plan && config.inputs.size() > plan->task.inputs.size()) {
    return error(fmt::format("{} input files are given, {} takes {}", config.inputs.size(), chosen.name,
                             plan->task.inputs.size()));
  }
  return plan;
}

std::string title(const std::string& kernel, const Config& c) {
  std::string text = fmt::format("{} n={}", kernel, c.n);
  if (c.shape.block > 0) text += fmt::format(" block={}", c.shape.block);
  if (c.shape.rx > 0) text += fmt::format(" tile={}x{}", c.shape.rx, c.shape.ry);
  if (c.r > 0) text += fmt::format(" r={}", c.r);
  if (c.k > 0) text += fmt::format(" k={}", c.k);
  return text;
}

int usual_block(const Case& chosen) {
  constexpr int kUsual = 16;
  const auto& shapes = chosen.axes.shapes;
  if (shapes.empty()) return 0;
  const bool has =
      std::any_of(shapes.begin(), shapes.end(), [](const Shape& s) { return s.block == kUsual; });
  return has ? kUsual : shapes.front().block;
}

std::string list_of_blocks(const Case& chosen) { return blocks_of(chosen.axes.shapes); }

std::string list_of_small_blocks(const Case& chosen) { return blocks_of(chosen.axes.small); }

std::string list_of_tiles(const Case& chosen, int block) {
  std::vector<std::string> tiles;
  for (const auto* list : {&chosen.axes.shapes, &chosen.axes.small})
    for (const Shape& s : *list)
      if (s.block == block && s.rx > 0) tiles.push_back(tile_text(s));
  return fmt::format("{}", fmt::join(tiles, ", "));
}

Status require_multiple(int64_t n, int64_t of, std::string_view what) {
  if (n % of == 0) return {};
  const int64_t below = n / of * of;
  const std::string right = below == 0 ? fmt::format("the smallest is {}", of)
                                       : fmt::format("the nearest are {} and {}", below, below + of);
  return error(fmt::format("n = {} is not a multiple of {}, {}", n, of, what), right);
}

Result<Input> make_input(const Config& config, size_t index, uint64_t count) {
  if (index < config.inputs.size()) return Input::from_file(config.inputs[index], count);
  return Input(config.seed, index);
}

}  // namespace ww::kernels
