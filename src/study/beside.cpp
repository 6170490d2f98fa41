#include "study/beside.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/csv.h"
#include "gpus/catalog.h"
#include "kernels/axes.h"
#include "model/theory.h"
#include "study/published_model.h"

namespace ww::study {

namespace {

int64_t number(const std::string& text) {
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

const gpus::Gpu* gpu_called(const std::string& id, std::span<const gpus::Gpu> gpus) {
  for (std::span<const gpus::Gpu> list : {gpus, std::span<const gpus::Gpu>(gpus::known_gpus())})
    for (const gpus::Gpu& gpu : list)
      if (gpu.id == id) return &gpu;
  return nullptr;
}

/// The lecture's kernels and what its numbers are called here. Its blocks are 16 × 16.
constexpr std::pair<std::string_view, std::string_view> kLectureKernels[] = {
    {"mmul_naive", "matmul/grid"}, {"mmul_tiled16", "matmul/tiled"}};
constexpr std::pair<std::string_view, std::string_view> kLectureMetrics[] = {{"bound", "bandwidth_bound"},
                                                                             {"measured", "gflops"}};
constexpr int kLectureBlock = 16;

std::vector<Cell> lecture_cells() {
  std::vector<Cell> cells;
  const auto files = modelled_files();
  const auto at = std::find_if(files.begin(), files.end(),
                               [](const PublishedFile& f) { return f.name == "gtx280_matmul_bounds.csv"; });
  if (at == files.end()) return cells;
  const PublishedFile& file = *at;
  auto csv = parse_csv(file.name, file.text);
  if (!csv) return cells;
  const gpus::Gpu* gpu = gpu_called("gtx280", {});
  for (size_t i = 0; i < csv->rows.size(); ++i)
    for (auto [their_kernel, kernel] : kLectureKernels)
      for (auto [metric, tag] : kLectureMetrics) {
        if (csv->at(i, "kernel") != their_kernel || csv->at(i, "metric") != metric) continue;
        auto found = kernels::find_case(kernel);
        if (!found || !gpu) continue;
        Cell cell;
        cell.file = file.name;
        cell.metric = metric;
        cell.tag = tag;
        cell.gpu = gpu;
        cell.kernel = *found;
        cell.config.shape.block = kLectureBlock;
        cell.published = std::strtod(csv->at(i, "value").c_str(), nullptr);
        cells.push_back(std::move(cell));
      }
  return cells;
}

bool belongs(const Cell& cell, const Row& row) {
  const kernels::Config& c = cell.config;
  return cell.gpu->id == row[Axis::Gpu] && cell.kernel->name == row[Axis::Kernel] &&
         (c.n == 0 || c.n == number(row[lab::N])) && c.shape.block == number(row[Axis::Block]) &&
         c.shape.rx == number(row[lab::Rx]) && c.shape.ry == number(row[lab::Ry]) &&
         c.r == number(row[lab::R]) && c.k == number(row[lab::K]);
}

/// What runs or is predicted, rather than a formula.
bool found_out(const Value& value) {
  return value.provenance != Provenance::Theory && value.provenance != Provenance::Input;
}

void add_cell(Row& row, const Cell& cell) {
  const Value* ours = nullptr;  // decides the unit: documents count what their profiler did
  for (const Value& value : row.values) {
    if (value.tag != cell.tag || std::holds_alternative<std::string>(value.value)) continue;
    if (value.provenance == Provenance::Published) return;
    if (!ours || (found_out(value) && !found_out(*ours))) ours = &value;
  }
  std::vector<Value> more{{cell.tag, cell.published, ours ? ours->unit : "", Provenance::Published,
                           fmt::format("{} in {}", cell.metric, cell.file)}};
  if (ours && cell.published != 0)
    for (const Value& value : row.values)
      if (value.tag == cell.tag && value.unit == ours->unit && found_out(value) == found_out(*ours))
        more.push_back({cell.tag + "_of_published", value.number() / cell.published, "", value.provenance,
                        "as a part of what is published"});
  row.values.insert(row.values.end(), more.begin(), more.end());
}

}  // namespace

void add_theory(Table& table, const std::vector<std::string>& tags, std::span<const gpus::Gpu> gpus) {
  if (tags.empty()) return;
  for (Row& row : table.rows) {
    const gpus::Gpu* gpu = row[Axis::Gpu].empty() ? nullptr : gpu_called(row[Axis::Gpu], gpus);
    if (!gpu) continue;
    const auto or_one = [](int64_t value) { return std::max<int64_t>(value, 1); };
    auto lines = model::theory(
        *gpu, {row[Axis::Kernel], number(row[lab::N]), number(row[Axis::Block]), or_one(number(row[lab::Rx])),
               or_one(number(row[lab::Ry])), number(row[lab::R]), or_one(number(row[lab::K]))});
    if (!lines) continue;
    for (const std::string& tag : tags)
      for (auto& [value, formula] : *lines) {
        if (value.tag != tag) continue;
        if (!formula.empty()) value.description += " = " + formula;
        row.values.push_back(value);
      }
  }
}

const std::vector<Cell>& published_cells() {
  static const std::vector<Cell> kAll = [] {
    std::vector<Cell> all = lecture_cells();
    const auto add = [&](Result<std::vector<Cell>> cells) {
      if (cells) all.insert(all.end(), cells->begin(), cells->end());
    };
    for (const PublishedFile& file : published_files()) add(read_cells(file));
    for (const PublishedFile& file : modelled_files()) {
      add(read_modelled_cells(file));
      add(read_derived_cells(file));
    }
    // Where a kernel was timed by itself and under a profiler, the former is its time.
    std::stable_partition(all.begin(), all.end(), [](const Cell& c) { return c.metric == "time"; });
    return all;
  }();
  return kAll;
}

void add_published(Table& table, const std::vector<Cell>& cells) {
  std::map<std::string, std::vector<const Cell*>> of_gpu;
  for (const Cell& cell : cells) of_gpu[cell.gpu->id].push_back(&cell);
  for (Row& row : table.rows) {
    const auto it = of_gpu.find(row[Axis::Gpu]);
    if (it == of_gpu.end()) continue;
    for (const Cell* cell : it->second)
      if (belongs(*cell, row)) add_cell(row, *cell);
  }
}

}  // namespace ww::study
