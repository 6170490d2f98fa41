#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/shared/gpu_option.h"
#include "cli/shared/output.h"
#include "kernels/axes.h"
#include "model/theory.h"

namespace ww::cli {

namespace {

struct TheoryOptions {
  std::string name, output;
  std::vector<std::string> gpus, tiles, given;
  std::vector<int64_t> sizes;
  model::TheoryCase problem;
  report::Format format = report::Format::Table;
};

/// "4x4": Rx × Ry.
bool parse_tile(std::string_view text, model::TheoryCase& problem) {
  const char* end = text.data() + text.size();
  auto rx = std::from_chars(text.data(), end, problem.rx);
  if (rx.ec != std::errc() || rx.ptr == end || *rx.ptr != 'x') return false;
  auto ry = std::from_chars(rx.ptr + 1, end, problem.ry);
  return ry.ec == std::errc() && ry.ptr == end;
}

std::string page(const gpus::Gpu& gpu, const model::TheoryCase& p,
                 const std::vector<model::TheoryLine>& lines) {
  std::string out = fmt::format("{} on {}, compute capability {}: N = {}", p.kernel, gpu.name,
                                gpu.compute_capability(), p.n);
  if (p.block > 0 && p.kernel != "sum/last_block") out += fmt::format(", BS = {}", p.block);
  if (p.kernel == "matmul/tiles") out += fmt::format(", Rx = {}, Ry = {}", p.rx, p.ry);
  if (p.kernel == "box_sum/direct") out += fmt::format(", R = {}, K = {}", p.r, p.k);
  out += fmt::format("\nB = {} GB/s, {} SMs of {} lanes, clock {} MHz\n\n", gpu.dram_bandwidth.value,
                     gpu.sm_count.value, gpu.fp32.value, gpu.boost_clock.value);
  for (const auto& [value, formula] : lines) {
    const auto* number = std::get_if<double>(&value.value);
    std::string text = number ? fmt::format("{:.6g}", *number) : value.text();
    out += fmt::format("  {:<22}{:>18} {:<12} {}{}\n", value.tag, text, value.unit, value.description,
                       formula.empty() ? "" : fmt::format(" = {}", formula));
  }
  return out;
}

Row row_of(const gpus::Gpu& gpu, const model::TheoryCase& p, std::vector<model::TheoryLine> lines) {
  Row row;
  row[Axis::Kernel] = p.kernel;
  row[Axis::Gpu] = gpu.id;
  row[lab::N] = std::to_string(p.n);
  if (p.block > 0) row[Axis::Block] = std::to_string(p.block);
  if (p.kernel == "matmul/tiles") row[lab::Rx] = std::to_string(p.rx), row[lab::Ry] = std::to_string(p.ry);
  if (p.kernel == "box_sum/direct") row[lab::R] = std::to_string(p.r), row[lab::K] = std::to_string(p.k);
  for (auto& [value, formula] : lines) {
    if (!formula.empty()) value.description += " = " + formula;
    row.values.push_back(std::move(value));
  }
  return row;
}

/// Whether the formulas of a kernel have this axis.
bool has_axis(const std::string& kernel, std::string_view option) {
  const bool sum = kernel == "box_sum/direct";
  if (option == "--r" || option == "--k") return sum;
  return !sum && kernel != "sum/last_block";
}

/// Options that were given and that no formula asks for.
Status check_axes(const TheoryOptions& o, const std::vector<std::string>& kernels) {
  Diagnostics wrong;
  for (const std::string& option : o.given)
    if (std::none_of(kernels.begin(), kernels.end(),
                     [&](const std::string& kernel) { return has_axis(kernel, option); }))
      wrong.push_back(error(fmt::format("the theory of {} has no {}", printable(o.name), option)));
  if (!wrong.empty()) return wrong;
  return {};
}

int run(TheoryOptions& o) {
  const auto kernels = model::theory_kernels(o.name);
  if (kernels.empty()) {
    std::string known;
    for (const auto& name : model::theory_names()) known += (known.empty() ? "" : ", ") + name;
    return complain(
        {error(fmt::format("there is no theory of '{}'", printable(o.name)), "of these there is: " + known)});
  }
  if (auto ok = check_axes(o, kernels); !ok) return complain(ok.error());
  if (o.tiles.empty()) o.tiles = {"1x1"};
  Table table{"Theory", {}, {}};
  std::string text;
  std::vector<gpus::Gpu> gpus;
  if (!add_gpus(o.gpus, gpus)) return 2;
  for (const gpus::Gpu& gpu : gpus) {
    for (const auto& kernel : kernels)
      for (int64_t n : o.sizes)
        for (const auto& tile : o.tiles) {
          auto problem = o.problem;
          problem.kernel = kernel;
          problem.n = n;
          if (!parse_tile(tile, problem))
            return complain({error(fmt::format("'{}' is not a tile", printable(tile)),
                                   "--tile 4x4: Rx, the results side by side, then Ry")});
          auto lines = model::theory(gpu, problem);
          if (!lines) return complain(lines.error());
          text += (text.empty() ? "" : "\n") + page(gpu, problem, *lines);
          table.rows.push_back(row_of(gpu, problem, std::move(*lines)));
        }
  }
  if (o.format == report::Format::Table) {
    fmt::print("{}", text);
    return 0;
  }
  auto done = deliver(table, o.format, "");
  return done ? 0 : complain(done.error());
}

}  // namespace

void add_theory(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<TheoryOptions>();
  auto* command =
      app.add_subcommand("theory", "Work, accesses and bounds of a laboratory kernel, with their formulas");
  command
      ->add_option("NAME", o->name,
                   "A study (matmul-tiles, matmul-ladder, aat, box-sum, sum) or one of its kernels")
      ->required();
  command->add_option("--gpu", o->gpus, "GPUs' ids (warpwright gpus lists them), or JSON files")
      ->required()
      ->delimiter(',');
  command->add_option("--n", o->sizes, "Sides of the matrix, or length of the vector")
      ->required()
      ->delimiter(',');
  o->problem.block = 16;
  command->add_option("--block", o->problem.block, "Side of the block (16)");
  command->add_option("--tile", o->tiles, "Results per thread, Rx by Ry: 4x4 (1x1)")->delimiter(',');
  command->add_option("--r", o->problem.r, "Radius of the box sum");
  command->add_option("--k", o->problem.k, "Results per thread of the box sum (1)");
  add_format(*command, o->format);
  command->callback([o, command, &exit_code] {
    for (const char* option : {"--block", "--tile", "--r", "--k"})
      if (command->count(option) > 0) o->given.push_back(option);
    exit_code = run(*o);
  });
}

}  // namespace ww::cli
