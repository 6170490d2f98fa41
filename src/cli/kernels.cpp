// warpwright kernels [NAME]: the laboratory, or one of its kernels.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/shared/output.h"
#include "kernels/case.h"
#include "kernels/embedded.h"

namespace ww::cli {

namespace {

int list_kernels() {
  size_t width = 0;
  for (const auto& c : kernels::all_cases()) width = std::max(width, c.name.size());
  for (const auto& c : kernels::all_cases()) fmt::print("{:{}}  {}\n", c.name, width, c.summary);
  return 0;
}

template <class T>
void print_axis(std::string_view name, const std::vector<T>& values, std::string_view more = "") {
  if (!values.empty()) fmt::print("  {:<6} {}{}\n", name, fmt::join(values, ", "), more);
}

/// The file of its code; "" for what runs on the host.
std::string_view code_of(const kernels::Case& c) {
  const auto first = [](const auto& values) { return values.empty() ? 0 : values.front(); };
  kernels::Config config;
  config.n = c.axes.n.empty() ? 0 : c.axes.n.front();
  if (!c.axes.shapes.empty()) config.shape = c.axes.shapes.front();
  config.r = first(c.axes.r), config.k = first(c.axes.k);
  const auto plan = kernels::make_plan(c, config);
  const auto* found = plan ? kernels::find_embedded(plan->module) : nullptr;
  return found ? found->path : std::string_view();
}

int show_kernel(const std::string& name) {
  auto found = kernels::find_case(name);
  if (!found) return complain(found.error());
  const kernels::Case& c = **found;
  fmt::print("{}: {}\n\nTeaches: {}\n", c.name, c.summary, c.teaches);
  if (!c.source.empty()) fmt::print("Source:  {}\n", c.source);
  if (const auto code = code_of(c); !code.empty()) fmt::print("Code:    {}\n", code);
  fmt::print("\nAxes\n");
  std::vector<int> blocks;
  bool tiles = false;
  for (const auto& s : c.axes.shapes) {
    if (blocks.empty() || blocks.back() != s.block) blocks.push_back(s.block);
    tiles |= s.rx > 0;
  }
  print_axis("block", blocks);
  if (tiles)
    for (int b : blocks)
      fmt::print("  {:<6} {}\n", fmt::format("tile"),
                 kernels::list_of_tiles(c, b) + fmt::format("  (block {})", b));
  if (!c.axes.small.empty())
    fmt::print("  {:<6} {}  (blocks for warpwright watch)\n", "small", kernels::list_of_small_blocks(c));
  print_axis("r", c.axes.r);
  print_axis("k", c.axes.k, c.k_means.empty() ? "" : "  (" + c.k_means + ")");
  print_axis("n", c.axes.n);
  print_axis("quick", c.axes.quick_n, "  (n with --quick)");
  if (!c.axes.shapes.empty()) fmt::print("\nCompiled to PTX by {}\n", kernels::cuda_compiler());
  return 0;
}

}  // namespace

void add_kernels(CLI::App& app, int& exit_code) {
  auto name = std::make_shared<std::string>();
  auto* c = app.add_subcommand("kernels", "List the laboratory's kernels, or show one");
  c->add_option("NAME", *name, "The kernel to show, for example matmul/tiled")->type_name("");
  c->callback([name, &exit_code] { exit_code = name->empty() ? list_kernels() : show_kernel(*name); });
}

}  // namespace ww::cli
