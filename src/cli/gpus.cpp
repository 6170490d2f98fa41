#include "cli/gpus.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/shared/gpu_option.h"
#include "gpus/catalog.h"
#include "gpus/fields.h"
#include "report/report.h"

namespace ww::cli {

namespace {

Value word(std::string tag, std::string text, std::string description) {
  return {std::move(tag), std::move(text), "", Provenance::Published, std::move(description)};
}

Value value_of(const gpus::Entry& entry) {
  Value value{std::string(entry.key),
              {},
              std::string(entry.unit),
              Provenance::Published,
              fmt::format("{} ({})", entry.description, entry.source)};
  std::visit([&](auto number) { value.value = number; }, entry.value);
  if (entry.source.starts_with("measured")) value.provenance = Provenance::Measured;
  if (entry.source.starts_with("given in")) value.provenance = Provenance::Input;
  return value;
}

/// The list: what tells GPUs apart.
Table list_gpus() {
  Table table{"GPUs", {}, {"warpwright gpus NAME prints every figure of one GPU with its source"}};
  for (const auto& gpu : gpus::known_gpus()) {
    Row row;
    row[Axis::Gpu] = gpu.id;
    row.values.push_back(word("name", gpu.name, "the card"));
    row.values.push_back(word("compute_capability", gpu.compute_capability(), "what its SMs can do"));
    for (const auto& entry : gpus::entries(gpu))
      for (std::string_view key : {"launch_year", "sm_count", "boost_clock", "dram_bandwidth"})
        if (entry.key == key) row.values.push_back(value_of(entry));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// One GPU for programs: after each figure its source.
Table one(const gpus::Gpu& gpu) {
  Row row;
  row[Axis::Gpu] = gpu.id;
  row.values.push_back(word("name", gpu.name, "the card"));
  row.values.push_back(word("compute_capability", gpu.compute_capability(), "what its SMs can do"));
  for (const auto& entry : gpus::entries(gpu)) {
    row.values.push_back(value_of(entry));
    row.values.push_back(
        word(fmt::format("{}_source", entry.key), std::string(entry.source), "where the figure is from"));
  }
  return {gpu.name, {row}, {}};
}

/// One GPU for people: a line per figure; sources are numbered, many figures share one.
std::string gpu_page(const gpus::Gpu& gpu) {
  std::string out = fmt::format("{}: {}{}, compute capability {}\n\n", gpu.id, gpu.name,
                                gpu.chip.empty() ? "" : " (" + gpu.chip + ")", gpu.compute_capability());
  std::vector<std::string_view> sources;
  for (const auto& entry : gpus::entries(gpu)) {
    auto at = std::find(sources.begin(), sources.end(), entry.source);
    if (at == sources.end()) at = sources.insert(at, entry.source);
    std::string number = std::visit([](auto v) { return fmt::format("{}", v); }, entry.value);
    out += fmt::format("  {:<24}{:>14} {:<8} {:>4}  {}\n", entry.key, number, entry.unit,
                       fmt::format("[{}]", at - sources.begin() + 1), entry.description);
  }
  std::string missing;
  for (const auto& field : gpus::fields())
    if (!gpus::has(gpu, field)) missing += fmt::format(" {}", field.key);
  if (!missing.empty()) out += fmt::format("\n  It has none, or no public source gives:{}\n", missing);
  out += "\n";
  for (size_t i = 0; i < sources.size(); ++i)
    out += fmt::format("  {:>4}  {}\n", fmt::format("[{}]", i + 1), sources[i]);
  return out;
}

struct GpusOptions {
  std::string name;
  report::Format format = report::Format::Table;
};

int run(const GpusOptions& options) {
  if (options.name.empty()) {
    fmt::print("{}", report::render(list_gpus(), options.format));
    return 0;
  }
  auto gpu = gpu_named(options.name);
  if (!gpu) return 2;
  fmt::print("{}", options.format == report::Format::Table ? gpu_page(*gpu)
                                                           : report::render(one(*gpu), options.format));
  return 0;
}

}  // namespace

Row gpu_row(const gpus::Gpu& gpu) {
  Row row;
  row[Axis::Gpu] = gpu.id;
  row.values.push_back(word("name", gpu.name, "the card"));
  row.values.push_back(word("compute_capability", gpu.compute_capability(), "what its SMs can do"));
  for (const auto& entry : gpus::entries(gpu)) row.values.push_back(value_of(entry));
  return row;
}

void add_gpus(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<GpusOptions>();
  auto* command = app.add_subcommand("gpus", "List the GPUs, or show one with every figure and its source");
  command->add_option("NAME", options->name, "A GPU's id, or a JSON file that describes one");
  add_format(*command, options->format);
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace ww::cli
