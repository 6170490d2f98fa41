// What subcommands share that take one kernel of the laboratory with its axes.
#pragma once

#include <string>

#include "cli/shared/app.h"
#include "kernels/case.h"

namespace ww::cli {

struct KernelAxes {
  std::string kernel, tile;
  kernels::Config config;
};

/// KERNEL, --n, --block, --tile, --r and --k, all of them positive. Returns --n, for those that require it.
CLI::Option* add_kernel_axes(CLI::App& command, KernelAxes& axes);

/// The case by its name, with --tile read into the configuration. Errors: unknown kernel, bad tile.
Result<const kernels::Case*> chosen_case(KernelAxes& axes);

/// Of `shapes`, the first that the axes given so far and n admit; false if none does.
bool complete_shape(kernels::Config& config, const kernels::Case& chosen,
                    const std::vector<kernels::Shape>& shapes);

/// The block and tile that were not given: the case's usual block where it fits, else the first shape that
/// does; where none fits, what make_plan can give the reason of. Errors: a tile or block that the case does
/// not have.
Status complete_shape(kernels::Config& config, const kernels::Case& chosen);

}  // namespace ww::cli
