#include "cli/occupancy.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/compile/compile_options.h"
#include "cli/occupancy/kernel.h"
#include "cli/occupancy/page.h"
#include "cli/shared/gpu_option.h"
#include "model/occupancy.h"

namespace ww::cli {

namespace {

struct OccupancyOptions {
  std::vector<std::string> gpus;
  std::string block, kernel, tile;
  model::Demand demand;
  CompileOptions compile;
  bool compiles = false;  ///< one of them was given
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
    } else if ((c == 'x' || c == ',') && digits > 0 && side < 2) {  // 32x8 as in results, 32,8 as in launch
      *sides[side++] = value;
      value = 0, digits = 0;
    } else {
      return false;
    }
  }
  *sides[side] = value;
  return digits > 0 && demand.block_x > 0 && demand.block_y > 0 && demand.block_z > 0;
}

/// The kernel's demand in place of one that is spelt out; what the user gave of registers stays. 0, or 2 with
/// the reason printed.
int ask_kernel(const OccupancyOptions& o, const gpus::Gpu& gpu, model::Demand& demand, std::string& source,
               std::set<std::string>& said) {
  const auto wrong = [](const Diagnostics& why) {
    fmt::print(stderr, "{}", render(why));
    return 2;
  };
  const auto note = [&](const std::string& text) {  // once for all GPUs
    if (said.insert(text).second) fmt::print(stderr, "note: {}\n", text);
  };
  model::Demand sides;
  if (const auto own = userkernel::own_kernel(o.kernel)) {
    if (!o.tile.empty())
      return wrong({error("--tile is an axis of the laboratory's kernels", "of your own, give a --block")});
    if (o.block.empty())
      sides.block_x = 0;
    else if (!parse_block(o.block, sides))
      return wrong({error(fmt::format("'{}' is not a block size", printable(o.block)),
                          "--block 32x8 or --block 256")});
    auto found = demand_of(*own, o.compile, sides, gpu, demand.registers);
    if (!found) return wrong(found.error());
    const model::Demand& d = found->demand;
    if (found->guessed_block)
      note(fmt::format("no --block was given; {} is guessed",
                       d.block_z > 1   ? fmt::format("{}x{}x{}", d.block_x, d.block_y, d.block_z)
                       : d.block_y > 1 ? fmt::format("{}x{}", d.block_x, d.block_y)
                                       : std::to_string(d.block_x)));
    if (found->wants_dynamic_shared && demand.dynamic_shared == 0)
      note("it has dynamic shared memory, of which these figures count none: --dynamic-shared BYTES");
    found->demand.dynamic_shared = demand.dynamic_shared;
    found->demand.grid_blocks = demand.grid_blocks;
    demand = found->demand;
    source = found->registers.source;
    return 0;
  }
  if (!o.block.empty() && (!parse_block(o.block, sides) || sides.block_z != 1 ||
                           (sides.block_y != 1 && sides.block_y != sides.block_x)))
    return wrong(
        {error(fmt::format("'{}' is not a block side", printable(o.block)), "--block 16 or --block 16x16")});
  kernels::Shape shape{o.block.empty() ? 0 : static_cast<int>(sides.block_x), 0, 0};
  if (!o.tile.empty()) {
    int used = 0;
    if (std::sscanf(o.tile.c_str(), "%dx%d%n", &shape.rx, &shape.ry, &used) != 2 ||
        used != static_cast<int>(o.tile.size()))
      return wrong(
          {error(fmt::format("'{}' is not a tile", printable(o.tile)), "write RXxRY, for example 4x4")});
  }
  auto found = demand_of(o.kernel, shape, gpu, demand.registers);
  if (!found) return wrong(found.error());
  const int64_t more = demand.dynamic_shared, grid = demand.grid_blocks;
  demand = found->demand;
  demand.dynamic_shared += more;
  if (grid > 0) demand.grid_blocks = grid;
  source = found->registers.source;
  return 0;
}

/// Whether the options fit together; false after the reason has been printed on stderr.
bool options_fit(const OccupancyOptions& o) {
  const auto wrong = [](const Diagnostic& why) {
    fmt::print(stderr, "{}", render(why));
    return false;
  };
  const model::Demand& d = o.demand;
  if (d.registers < 0 || d.static_shared < 0 || d.dynamic_shared < 0 || d.parameters < 0 || d.grid_blocks < 0)
    return wrong(error("registers, bytes and blocks cannot be negative"));
  const auto own = o.kernel.empty() ? std::nullopt : userkernel::own_kernel(o.kernel);
  if (o.compiles && !(own && own->file.ends_with(".cu")))
    return wrong(
        error("-I, -D, --std, --arch, --flag and --compiler are for the compiler of a .cu file, but there is "
              "none"));
  model::Demand sides;
  if (!o.kernel.empty()) return true;
  if (o.block.empty() || d.registers == 0)
    return wrong(error("occupancy needs a block and registers: --block and --registers, or --kernel",
                       "--kernel matmul/tiled --block 16, or --block 16x16 --registers 32"));
  if (!parse_block(o.block, sides))
    return wrong(error(fmt::format("'{}' is not a block size", printable(o.block)),
                       "--block 16x16, --block 256 or --block 8x8x4"));
  return true;
}

int run(const OccupancyOptions& options) {
  std::vector<gpus::Gpu> all;
  if (!add_gpus(options.gpus.empty() ? std::vector<std::string>{"h200"} : options.gpus, all)) return 2;
  if (!options_fit(options)) return 2;
  int code = 0;
  std::set<std::string> said;
  Table table{"Occupancy", {}, {}};
  for (const gpus::Gpu& gpu : all) {
    model::Demand d = options.demand;
    std::string source;
    if (options.kernel.empty())
      parse_block(options.block, d);
    else if (int failed = ask_kernel(options, gpu, d, source, said))
      return failed;
    const auto result = model::occupancy(gpu, d);
    if (!result) code = 1;
    if (options.format == report::Format::Table) {
      fmt::print("{}{}{}", &gpu == &all.front() ? "" : "\n",
                 source.empty()
                     ? ""
                     : fmt::format("{}: registers per thread {} ({})\n", options.kernel, d.registers, source),
                 occupancy_page(gpu, d, result));
      continue;
    }
    Row row = occupancy_table(gpu, d, result).rows[0];
    if (!options.kernel.empty()) {
      row[Axis::Kernel] = options.kernel;
      row.values.insert(row.values.begin() + 1, {"registers_from", source, "", Provenance::Input,
                                                 "where the number of registers is from"});
    }
    table.rows.push_back(std::move(row));
  }
  if (options.format != report::Format::Table) fmt::print("{}", report::render(table, options.format));
  return code;
}

}  // namespace

void add_occupancy(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<OccupancyOptions>();
  auto& demand = options->demand;
  auto* command = app.add_subcommand(
      "occupancy", "How many blocks an SM holds at once, what limits it, where that changes");
  auto* file = command->add_option("FILE", options->kernel, "The same as --kernel")->type_name("");
  command
      ->add_option(
          "--gpu", options->gpus,
          "On these GPUs: h200 (default), gtx1080, FILE.json ..., or all (warpwright gpus lists them)")
      ->delimiter(',')
      ->type_name("G,...");
  command->add_option("--block", options->block,
                      "Threads of a block: 256, 16x16 or 8x8x4; for a kernel of the laboratory its side");
  command
      ->add_option("--kernel", options->kernel,
                   "A kernel of the laboratory, or FILE.cu[:KERNEL] or FILE.ptx[:KERNEL]: its registers, "
                   "shared memory and parameters")
      ->excludes(file);
  command->add_option("--tile", options->tile, "Results per thread of matmul/tiles, for example 4x4");
  command->add_option("--registers", demand.registers, "Registers per thread, as `ptxas -v` reports them");
  command->add_option("--shared", demand.static_shared, "Bytes of shared memory that the kernel declares");
  command->add_option("--dynamic-shared", demand.dynamic_shared, "Bytes of dynamic shared memory");
  command->add_option("--parameters", demand.parameters,
                      "Bytes of kernel parameters, which take shared memory on compute capability 1.x");
  command->add_option("--grid", demand.grid_blocks, "Blocks of the grid (default: as many as fit)");
  add_format(*command, options->format);
  add_compile_options(*command, options->compile);
  add_compiler_option(*command, options->compile.compiler);
  command->callback([options, command, &exit_code] {
    options->compiles = compiles(*command);
    exit_code = run(*options);
  });
}

}  // namespace ww::cli
