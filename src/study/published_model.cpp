#include "study/published_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "base/csv.h"
#include "study/document_names.h"
#include "study/rank.h"

namespace ww::study {

namespace {

struct Name {
  std::string_view theirs, ours;
};

constexpr Name kMetrics[] = {
    {"time", "time"},
    {"duration", "time"},
    {"gpu__time_duration.sum", "time"},
    {"ipc", "ipc"},
    {"gips", "gips_sm"},  // the profiler of 1.x looked at one SM
    {"sm_efficiency", "sm_efficiency"},
    {"achieved_occupancy", "occupancy_achieved"},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "occupancy_achieved"},
    {"sm__maximum_warps_per_active_cycle_pct", "occupancy_theoretical"},
    {"launch__registers_per_thread", "registers_per_thread"},
    {"smsp__inst_executed.sum", "machine_instructions"},
};

/// What follows from what stands in kMetrics, or from formulas: worth showing, not worth verifying twice.
constexpr Name kMore[] = {
    {"gflops", "gflops"},
    {"efficiency", "gflops"},        // of the GTX 1080 report: its column is in GFlop/s
    {"flop_per_byte", "intensity"},  // flop over the bytes that came from DRAM
    {"occupancy_percent", "occupancy_theoretical"},
};

std::string_view translate(std::span<const Name> names, std::string_view theirs) {
  for (const Name& n : names)
    if (n.theirs == theirs) return n.ours;
  return {};
}

double factor(std::string_view unit) { return unit == "s" ? 1e3 : unit == "ns" ? 1e-6 : 1; }

/// Times by configuration from a table's gflops, for those that print times in whole tenths of milliseconds.
std::map<std::string, double> finer_times(const Csv& csv) {
  std::map<std::string, double> out;
  for (size_t i = 0; i < csv.rows.size(); ++i) {
    if (csv.at(i, "metric") != "gflops" || csv.at(i, "kernel") != "localKernel") continue;
    const kernels::Config c = config_of_document(csv, i);
    const double side = static_cast<double>(c.n - 2 * c.r), width = 2.0 * c.r + 1;
    const double rate = std::strtod(csv.at(i, "value").c_str(), nullptr);
    if (rate > 0)
      out[fmt::format("{} {} {} {}", c.n, c.shape.block, c.r, c.k)] =
          side * side * width * width / rate * 1e-6;
  }
  return out;
}

double error_of(const Cell& c) { return c.counted / c.published - 1; }

void put(Row& row, const char* tag, std::variant<double, int64_t, std::string> value, const char* unit,
         const char* what) {
  row.values.push_back({tag, std::move(value), unit, Provenance::Modelled, what});
}

/// Mean over the sizes of a table of the rank correlation; nothing where no size has three cells.
std::optional<double> order(const std::vector<const Cell*>& cells) {
  std::map<std::string, std::vector<std::pair<double, double>>> sizes;
  for (const Cell* c : cells)
    sizes[fmt::format("{} {}", c->config.n, c->config.r)].push_back({c->counted, c->published});
  double sum = 0;
  int counted = 0;
  for (const auto& [size, pairs] : sizes)
    if (pairs.size() >= 3) sum += kendall_tau(pairs), ++counted;
  return counted > 0 ? std::optional(sum / counted) : std::nullopt;
}

Row errors(const std::string& gpu, const std::string& name, const std::vector<const Cell*>& cells) {
  Row row;
  row[Axis::Gpu] = gpu;
  put(row, "metric", name, "", "as the document calls it");
  std::vector<const Cell*> with;
  for (const Cell* c : cells)
    if (c->missing.empty() && c->published != 0) with.push_back(c);
  put(row, "cells", static_cast<int64_t>(cells.size()), "", "that hold a number");
  put(row, "compared", static_cast<int64_t>(with.size()), "", "of these, which the model predicts");
  if (with.empty()) return row;
  double sum = 0, bias = 0;
  const Cell* worst = with[0];
  for (const Cell* c : with) {
    sum += std::abs(error_of(*c)), bias += error_of(*c);
    if (std::abs(error_of(*c)) > std::abs(error_of(*worst))) worst = c;
  }
  const auto n = static_cast<double>(with.size());
  put(row, "mean_error", 100 * sum / n, "%", "mean of |predicted / published - 1|");
  put(row, "bias", 100 * bias / n, "%", "mean of predicted / published - 1");
  put(row, "worst", 100 * error_of(*worst), "%", "the largest of them");
  put(row, "worst_cell", name_of(*worst), "", "where");
  return row;
}

}  // namespace

bool is_modelled(const Cell& cell) {
  return std::any_of(std::begin(kMetrics), std::end(kMetrics),
                     [&](const Name& n) { return n.ours == cell.tag; });
}

namespace {

Result<std::vector<Cell>> cells_called(const PublishedFile& file, std::span<const Name> names) {
  auto csv = parse_csv(file.name, file.text);
  if (!csv) return csv.error();
  const auto finer = finer_times(*csv);
  std::vector<Cell> cells;
  for (size_t i = 0; i < csv->rows.size(); ++i) {
    Cell c;
    c.file = file.name;
    c.metric = csv->at(i, "metric");
    c.tag = translate(names, c.metric);
    c.gpu = gpu_of_document(csv->at(i, "gpu"));
    c.kernel = case_of_document(csv->at(i, "kernel"));
    if (c.tag.empty() || !c.gpu || !c.kernel || c.kernel->axes.shapes.empty() || csv->at(i, "value").empty())
      continue;
    // Results of a study: only what hardware said.
    if (csv->column("provenance") >= 0 && csv->at(i, "provenance") != "measured") continue;
    if (c.gpu->id == "rtx4070s" && csv->at(i, "table") == "7") continue;
    // One block is launched, and the report counts its warps; ours are those that an SM could hold.
    if (c.tag == "occupancy_theoretical" && c.kernel->name == "matmul/one_block") continue;
    c.config = config_of_document(*csv, i);
    c.published = std::strtod(csv->at(i, "value").c_str(), nullptr) * factor(csv->at(i, "unit"));
    const auto fine =
        finer.find(fmt::format("{} {} {} {}", c.config.n, c.config.shape.block, c.config.r, c.config.k));
    if (c.tag == "time" && fine != finer.end()) c.published = fine->second;
    cells.push_back(std::move(c));
  }
  return cells;
}

}  // namespace

Result<std::vector<Cell>> read_modelled_cells(const PublishedFile& file) {
  return cells_called(file, kMetrics);
}

Result<std::vector<Cell>> read_derived_cells(const PublishedFile& file) { return cells_called(file, kMore); }

Table model_agreement(const std::vector<Cell>& cells) {
  std::vector<std::pair<std::string, std::vector<const Cell*>>> groups;
  std::map<std::string, std::vector<const Cell*>> times;
  std::vector<const Cell*> all;
  for (const Cell& c : cells) {
    const std::string key = c.file + "\n" + c.metric;
    auto it = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == key; });
    if (it == groups.end()) it = groups.insert(groups.end(), {key, {}});
    it->second.push_back(&c);
    if (c.tag == "time") times[c.gpu->id].push_back(&c), all.push_back(&c);
  }
  Table table{"What documents print, and what the model predicts for the same GPU", {}, {}};
  for (const auto& [key, group] : groups) {
    table.rows.push_back(errors(group[0]->gpu->id, group[0]->metric, group));
    std::vector<const Cell*> with;
    for (const Cell* c : group)
      if (c->missing.empty()) with.push_back(c);
    if (auto tau = order(with); tau && group[0]->tag == "time")
      put(table.rows.back(), "tau", *tau, "",
          "rank correlation within a table (Kendall's tau-b), mean over its sizes");
  }
  for (const auto& [gpu, group] : times) table.rows.push_back(errors(gpu, "all times", group));
  if (!all.empty()) table.rows.push_back(errors("", "all times of all GPUs", all));
  return table;
}

Table worst_times(const std::vector<Cell>& cells, size_t count) {
  std::vector<const Cell*> with;
  for (const Cell& c : cells)
    if (c.tag == "time" && c.missing.empty()) with.push_back(&c);
  std::sort(with.begin(), with.end(),
            [](const Cell* a, const Cell* b) { return std::abs(error_of(*a)) > std::abs(error_of(*b)); });
  Table table{"The times that the model misses most", {}, {}};
  for (size_t i = 0; i < std::min(count, with.size()); ++i) {
    Row row;
    row[Axis::Gpu] = with[i]->gpu->id;
    put(row, "cell", name_of(*with[i]), "", "which");
    row.values.push_back({"published", with[i]->published, "ms", Provenance::Published, "or measured"});
    put(row, "predicted", with[i]->counted, "ms", "by the model");
    put(row, "error", 100 * error_of(*with[i]), "%", "predicted / published - 1");
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace ww::study
