#include "cli/shared/kernel_axes.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>

#include "base/text.h"
#include "cli/shared/number_checks.h"

namespace ww::cli {

CLI::Option* add_kernel_axes(CLI::App& c, KernelAxes& axes) {
  c.add_option("KERNEL", axes.kernel,
               "A kernel of the laboratory, for example matmul/grid (`warpwright kernels` lists them), or "
               "FILE.cu[:KERNEL] with the options of `launch`")
      ->required()
      ->type_name("");
  auto* n = c.add_option("--n", axes.config.n, "Size of the problem")->type_name("N")->check(positive());
  c.add_option("--block", axes.config.shape.block, "Block side (default: the first that fits)")
      ->type_name("SIDE")
      ->check(positive());
  c.add_option("--tile", axes.tile, "Results per thread, for example 2x3")->type_name("RXxRY");
  c.add_option("--r", axes.config.r, "Radius")->type_name("R")->check(positive());
  c.add_option("--k", axes.config.k, "Results per thread, or the meaning that k has for the kernel")
      ->type_name("K")
      ->check(positive());
  return n;
}

Result<const kernels::Case*> chosen_case(KernelAxes& axes) {
  auto chosen = kernels::find_case(axes.kernel);
  if (!chosen) return chosen;
  kernels::Shape& shape = axes.config.shape;
  int used = 0;
  if (!axes.tile.empty() && (std::sscanf(axes.tile.c_str(), "%dx%d%n", &shape.rx, &shape.ry, &used) != 2 ||
                             used != static_cast<int>(axes.tile.size()) || shape.rx < 1 || shape.ry < 1))
    return error(fmt::format("'{}' is not a tile", printable(axes.tile)), "write RXxRY, for example 4x4");
  return chosen;
}

bool complete_shape(kernels::Config& c, const kernels::Case& chosen,
                    const std::vector<kernels::Shape>& shapes) {
  for (const kernels::Shape& s : shapes) {
    const bool block = c.shape.block == 0 || c.shape.block == s.block;
    if (!block || (c.shape.rx > 0 && (c.shape.rx != s.rx || c.shape.ry != s.ry))) continue;
    kernels::Config trial = c;
    trial.shape = s;
    if (!kernels::make_plan(chosen, trial)) continue;
    c.shape = s;
    return true;
  }
  return false;
}

Status complete_shape(kernels::Config& c, const kernels::Case& chosen) {
  const kernels::Shape given = c.shape;
  if (chosen.axes.shapes.empty()) return {};  // make_plan refuses what was given
  kernels::Config usual = c;
  if (given.block == 0) usual.shape.block = kernels::usual_block(chosen);
  if (complete_shape(usual, chosen, chosen.axes.shapes)) {
    c.shape = usual.shape;
    return {};
  }
  for (const auto* shapes : {&chosen.axes.shapes, &chosen.axes.small})
    if (complete_shape(c, chosen, *shapes)) return {};
  // Nothing fits: the first that has what was given says why, if there is one.
  for (const auto* shapes : {&chosen.axes.shapes, &chosen.axes.small})
    for (const kernels::Shape& s : *shapes) {
      if (given.block != 0 && given.block != s.block) continue;
      if (given.rx != 0 && (given.rx != s.rx || given.ry != s.ry)) continue;
      c.shape = s;
      return {};
    }
  if (given.rx == 0) return {};  // a block that there is not: make_plan lists those that there are
  const int block = given.block != 0 ? given.block : kernels::usual_block(chosen);
  const std::string tiles = kernels::list_of_tiles(chosen, block);
  if (tiles.empty() && given.block == 0) return error(fmt::format("{} has no tile axis", chosen.name));
  if (given.block != 0) return {};
  return error(
      fmt::format("{} does not exist with {}x{} results per thread", chosen.name, given.rx, given.ry),
      fmt::format("with block {} there are {}", block, tiles));
}

}  // namespace ww::cli
