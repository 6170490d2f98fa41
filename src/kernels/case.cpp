#include "kernels/case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/families.h"

namespace ww::kernels {

namespace {

std::string tile_text(const Shape& shape) { return fmt::format("{}x{}", shape.rx, shape.ry); }

Status check_shape(const Case& chosen, const Shape& shape) {
  const auto& shapes = chosen.axes.shapes;
  if (shapes.empty()) {
    if (shape == Shape{}) return {};
    return error(fmt::format("{} {} and has neither block nor tile", chosen.name,
                             chosen.on_host() ? "runs on the host" : "is no single kernel"));
  }
  if (std::find(shapes.begin(), shapes.end(), shape) != shapes.end()) return {};
  const bool block_known =
      std::any_of(shapes.begin(), shapes.end(), [&](const Shape& s) { return s.block == shape.block; });
  if (!block_known) {
    return error(fmt::format("{} does not exist with block {}", chosen.name, shape.block),
                 "it exists with block " + list_of_blocks(chosen));
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
    for (auto family : {matmul_cases, aat_cases, box_sum_cases, sum_cases, host_memory_cases})
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
  const std::string near = nearest(name, names);
  return error(fmt::format("there is no kernel \"{}\"", name),
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

std::string list_of_blocks(const Case& chosen) {
  std::vector<int> blocks;
  for (const Shape& s : chosen.axes.shapes)
    if (std::find(blocks.begin(), blocks.end(), s.block) == blocks.end()) blocks.push_back(s.block);
  return fmt::format("{}", fmt::join(blocks, ", "));
}

std::string list_of_tiles(const Case& chosen, int block) {
  std::vector<std::string> tiles;
  for (const Shape& s : chosen.axes.shapes)
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
