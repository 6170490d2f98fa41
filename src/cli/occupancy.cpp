#include "cli/occupancy.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/text.h"
#include "cli/gpu_option.h"
#include "cli/occupancy_page.h"
#include "model/occupancy.h"

namespace ww::cli {

namespace {

struct Options {
  std::string gpu, block;
  model::Demand demand;
  report::Format format = report::Format::Table;
};

/// "16x16" or "256" or "8x8x4".
bool parse_block(std::string_view text, model::Demand& demand) {
  int64_t* sides[] = {&demand.block_x, &demand.block_y, &demand.block_z};
  size_t digits = 0;
  int side = 0;
  int64_t value = 0;
  for (char c : text) {
    if (c >= '0' && c <= '9' && digits < 9) {
      value = 10 * value + (c - '0'), ++digits;
    } else if (c == 'x' && digits > 0 && side < 2) {
      *sides[side++] = value;
      value = 0, digits = 0;
    } else {
      return false;
    }
  }
  *sides[side] = value;
  return digits > 0;
}

int run(Options& options) {
  auto gpu = gpu_named(options.gpu);
  if (!gpu) return 2;
  auto& d = options.demand;
  if (!parse_block(options.block, d)) {
    fmt::print(stderr, "{}",
               render(error(fmt::format("'{}' is no block size", printable(options.block)),
                            "--block 16x16, --block 256 or --block 8x8x4")));
    return 2;
  }
  if (d.registers < 0 || d.static_shared < 0 || d.dynamic_shared < 0 || d.parameters < 0 ||
      d.grid_blocks < 0) {
    fmt::print(stderr, "{}", render(error("registers, bytes and blocks cannot be negative")));
    return 2;
  }
  auto result = model::occupancy(*gpu, d);
  if (options.format == report::Format::Table)
    fmt::print("{}", occupancy_page(*gpu, d, result));
  else
    fmt::print("{}", report::render(occupancy_table(*gpu, d, result), options.format));
  return result ? 0 : 1;
}

}  // namespace

void add_occupancy(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  auto& demand = options->demand;
  auto* command = app.add_subcommand(
      "occupancy", "How many blocks an SM holds at once, what limits it, where that changes");
  command->add_option("--gpu", options->gpu, "A GPU's id (warpwright gpus lists them), or a JSON file")
      ->required();
  command->add_option("--block", options->block, "Threads of a block: 256, 16x16 or 8x8x4")->required();
  command->add_option("--registers", demand.registers, "Registers per thread, as ptxas -v tells")->required();
  command->add_option("--shared", demand.static_shared, "Bytes of shared memory that the kernel declares");
  command->add_option("--dynamic-shared", demand.dynamic_shared, "Bytes of shared memory given at launch");
  command->add_option("--parameters", demand.parameters,
                      "Bytes of kernel parameters; count on compute capability 1.x");
  command->add_option("--grid", demand.grid_blocks, "Blocks of the grid; left out: as many as fit");
  add_format(*command, options->format);
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace ww::cli
