#include "cli/kernel_axes.h"

#include <fmt/format.h>

#include <cstdio>

namespace ww::cli {

CLI::Option* add_kernel_axes(CLI::App& c, KernelAxes& axes) {
  c.add_option("KERNEL", axes.kernel, "Its name: matmul/grid (warpwright kernels lists them)")
      ->required()
      ->type_name("");
  auto* n = c.add_option("--n", axes.config.n, "Size of the problem")->type_name("N");
  c.add_option("--block", axes.config.shape.block, "Block side (default: the first that fits)")
      ->type_name("SIDE");
  c.add_option("--tile", axes.tile, "Results per thread, for example 2x3")->type_name("RXxRY");
  c.add_option("--r", axes.config.r, "Radius")->type_name("R");
  c.add_option("--k", axes.config.k, "Results per thread, or what k is in the kernel")->type_name("K");
  return n;
}

Result<const kernels::Case*> chosen_case(KernelAxes& axes) {
  auto chosen = kernels::find_case(axes.kernel);
  if (!chosen) return chosen;
  kernels::Shape& shape = axes.config.shape;
  int used = 0;
  if (!axes.tile.empty() && (std::sscanf(axes.tile.c_str(), "%dx%d%n", &shape.rx, &shape.ry, &used) != 2 ||
                             used != static_cast<int>(axes.tile.size())))
    return error(fmt::format("'{}' is not a tile", axes.tile), "write RXxRY, for example 4x4");
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

}  // namespace ww::cli
