#include "study/published_occupancy.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "base/csv.h"
#include "gpus/catalog.h"
#include "model/occupancy.h"
#include "model/theory.h"

namespace ww::study {

namespace {

/// Half a unit of the last printed digit.
double half_unit(const std::string& printed) {
  const size_t point = printed.find('.');
  const auto decimals = point == std::string::npos ? 0.0 : static_cast<double>(printed.size() - point - 1);
  return 0.5 * std::pow(10.0, -decimals) * (1 + 1e-9);
}

double number_in(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

class Sheet {
 public:
  explicit Sheet(std::string_view file) : file_(file) {
    for (const PublishedFile& f : modelled_files())
      if (f.name == file)
        if (auto csv = parse_csv(f.name, f.text)) csv_ = std::move(*csv);
  }
  size_t rows() const { return csv_.rows.size(); }
  const std::string& at(size_t row, const char* column) const { return csv_.at(row, column); }

  void compare(std::string what, const std::string& metric, const std::string& published, double ours) {
    cells.push_back({file_, std::move(what), metric, published, fmt::format("{:.6g}", ours),
                     std::abs(ours - number_in(published)) <= half_unit(published)});
  }
  void compare_text(std::string what, const std::string& metric, const std::string& published,
                    const std::string& ours) {
    cells.push_back({file_, std::move(what), metric, published, ours, ours == published});
  }
  std::vector<FormulaCell> cells;

 private:
  std::string file_;
  Csv csv_;
};

using model::Resource;

std::map<std::string, double> occupancy_values(const model::Occupancy& o, const model::Demand& d) {
  const auto limit = [&](Resource r) { return static_cast<double>(o[r].value_or(-1)); };
  return {{"active_blocks", o.active_blocks},
          {"active_warps", o.active_warps},
          {"active_threads", o.active_threads},
          {"occupancy_percent", o.percent},
          {"threads_per_block", d.threads()},
          {"warps_per_block", o.warps_per_block},
          {"regs_per_thread", d.registers},
          {"regs_per_block", o.registers_per_block},
          {"smem_per_block", o.shared_used},
          {"limit_blocks_warps", limit(Resource::Warps)},
          {"limit_blocks_regs", limit(Resource::Registers)},
          {"limit_blocks_smem", limit(Resource::SharedMemory)}};
}

/// What the report's kernels ask for, as the document describes them: v1 and v2 no shared memory, v3 and v4a
/// two tiles, v4b and v5 four; three pointers and an int.
void gt240_occupancy(std::vector<FormulaCell>& out) {
  Sheet sheet("gt240_occupancy.csv");
  std::map<std::string, int64_t> registers;
  for (size_t i = 0; i < sheet.rows(); ++i)
    if (sheet.at(i, "metric") == "regs_per_thread")
      registers[sheet.at(i, "kernel") + " " + sheet.at(i, "block")] =
          std::atoll(sheet.at(i, "value").c_str());
  const auto gpu = gpus::find_gpu("gt240");
  for (size_t i = 0; gpu && i < sheet.rows(); ++i) {
    const std::string &kernel = sheet.at(i, "kernel"), &block = sheet.at(i, "block"),
                      &metric = sheet.at(i, "metric");
    const int64_t side = std::atoll(block.c_str());
    model::Demand d{side, side, 1, registers[kernel + " " + block]};
    const int tiles = kernel == "v1" || kernel == "v2" ? 0 : kernel == "v3" || kernel == "v4a" ? 2 : 4;
    d.static_shared = tiles * side * side * 4;
    d.parameters = 3 * 8 + 4;
    if (kernel == "v1") d.grid_blocks = 1;
    const auto o = model::occupancy(*gpu, d);
    if (!o || sheet.at(i, "value").empty()) continue;
    const auto values = occupancy_values(*o, d);
    if (auto it = values.find(metric); it != values.end())
      sheet.compare(kernel + " block " + block, metric, sheet.at(i, "value"), it->second);
  }
  out.insert(out.end(), sheet.cells.begin(), sheet.cells.end());
}

/// `bandwidth`: GB/s, where the document has another than the data sheet; 0: the GPU's.
std::map<std::string, Value> theory_of(const std::string& gpu, const model::TheoryCase& problem,
                                       double bandwidth = 0) {
  std::map<std::string, Value> out;
  auto known = gpus::find_gpu(gpu);
  if (!known) return out;
  if (bandwidth > 0) known->dram_bandwidth.value = bandwidth;
  if (auto lines = model::theory(*known, problem))
    for (const auto& line : *lines) out.emplace(line.value.tag, line.value);
  return out;
}

void gtx1080_theory(std::vector<FormulaCell>& out) {
  Sheet sheet("gtx1080_theory.csv");
  const auto tiles = [](int64_t block, int64_t rx, int64_t ry) {
    return theory_of("gtx1080", {"matmul/tiles", 4096, block, rx, ry, 0, 1});
  };
  const std::map<std::string, std::pair<const char*, std::array<int64_t, 3>>> text = {
      {"max RxRy sum BS16", {"max_rx_ry_sum", {16, 1, 1}}},
      {"max tile BS16", {"max_tile", {16, 1, 1}}},
      {"max RxRy sum BS32", {"max_rx_ry_sum", {32, 1, 1}}},
      {"max tile BS32", {"max_tile", {32, 1, 1}}},
      {"max resident threads", {"resident_threads", {16, 1, 1}}},
      {"min N 1x1 BS32", {"saturating_n", {32, 1, 1}}},
      {"min N 6x6 BS32", {"saturating_n", {32, 6, 6}}},
      {"min N 1x1 BS16", {"saturating_n", {16, 1, 1}}},
      {"min N 24x24 BS16", {"saturating_n", {16, 24, 24}}},
      {"blocks N4096 24x24 BS16", {"blocks", {16, 24, 24}}},
      {"blocks per SM 24x24", {"blocks_per_sm", {16, 24, 24}}},
      {"time increase 4096->4857", {"saturating_work", {16, 24, 24}}},
  };
  for (size_t i = 0; i < sheet.rows(); ++i) {
    const std::string &name = sheet.at(i, "case"), &value = sheet.at(i, "value");
    std::string tag = sheet.at(i, "metric");
    std::map<std::string, Value> ours;
    int rx = 0, ry = 0;
    if (auto it = text.find(name); it != text.end()) {
      tag = it->second.first;
      ours = tiles(it->second.second[0], it->second.second[1], it->second.second[2]);
    } else if (std::sscanf(name.c_str(), "%dx%d", &rx, &ry) == 2) {
      ours = tiles(16, rx, ry);
    }
    const auto it = ours.find(tag);
    if (value.empty() || it == ours.end()) continue;
    const bool words = std::holds_alternative<std::string>(it->second.value);
    if (words)
      sheet.compare_text(name, tag, value, it->second.text());
    else
      sheet.compare(name, tag, value, it->second.number());
  }
  out.insert(out.end(), sheet.cells.begin(), sheet.cells.end());
}

void gtx280_bounds(std::vector<FormulaCell>& out) {
  Sheet sheet("gtx280_matmul_bounds.csv");
  double printed = 0;  // the lecture reckons with a rounded bandwidth
  for (size_t i = 0; i < sheet.rows(); ++i)
    if (sheet.at(i, "metric") == "mem_bandwidth") printed = number_in(sheet.at(i, "value"));
  auto naive = theory_of("gtx280", {"matmul/grid", 1024, 16}, printed);
  auto tiled = theory_of("gtx280", {"matmul/tiled", 1024, 16}, printed);
  for (size_t i = 0; i < sheet.rows(); ++i) {
    const std::string &kernel = sheet.at(i, "kernel"), &metric = sheet.at(i, "metric"),
                      &value = sheet.at(i, "value");
    if (metric == "usable_peak") sheet.compare(kernel, metric, value, naive["compute_bound"].number());
    if (metric == "float_rate") sheet.compare(kernel, metric, value, naive["float_rate"].number());
    if (metric == "bound" && kernel == "mmul_naive")
      sheet.compare(kernel, metric, value, naive["bandwidth_bound"].number());
    if (metric == "bound" && kernel == "mmul_tiled16")
      sheet.compare(kernel, metric, value, tiled["bandwidth_bound"].number());
  }
  out.insert(out.end(), sheet.cells.begin(), sheet.cells.end());
}

/// Printed is flop per second and time; their product is the flop, as good as the time's digits.
void box_sum_flop(std::vector<FormulaCell>& out) {
  Sheet sheet("rtx4070s_box_sum.csv");
  std::map<std::string, std::string> times;
  const auto key = [&](size_t i) {
    std::string k;
    for (const char* column : {"table", "kernel", "block", "n", "r", "k"}) k += sheet.at(i, column) + " ";
    return k;
  };
  for (size_t i = 0; i < sheet.rows(); ++i)
    if (sheet.at(i, "metric") == "time") times[key(i)] = sheet.at(i, "value");
  for (size_t i = 0; i < sheet.rows(); ++i) {
    const auto time = times.find(key(i));
    const double rate = number_in(sheet.at(i, "value"));
    if (sheet.at(i, "metric") != "gflops" || rate <= 0 || time == times.end() || time->second.empty())
      continue;
    if (sheet.at(i, "table") == "7") continue;  // a misprint (data/published/README.md)
    const double n = number_in(sheet.at(i, "n")), r = number_in(sheet.at(i, "r"));
    const double flop = std::pow(n - 2 * r, 2) * std::pow(2 * r + 1, 2);
    sheet.compare(key(i), "flop / gflops [s]", time->second, flop / rate * 1e-9);
  }
  out.insert(out.end(), sheet.cells.begin(), sheet.cells.end());
}

}  // namespace

std::vector<FormulaCell> formula_cells() {
  std::vector<FormulaCell> out;
  gt240_occupancy(out);
  gtx1080_theory(out);
  gtx280_bounds(out);
  box_sum_flop(out);
  return out;
}

Table formula_agreement(const std::vector<FormulaCell>& cells) {
  Table table{"What follows from formulas: occupancy, bounds, operations", {}, {}};
  std::vector<std::string> files;
  for (const FormulaCell& c : cells)
    if (std::find(files.begin(), files.end(), c.file) == files.end()) files.push_back(c.file);
  const auto put = [](Row& row, const char* tag, std::variant<double, int64_t, std::string> value,
                      const char* what) {
    row.values.push_back({tag, std::move(value), "", Provenance::Theory, what});
  };
  for (const std::string& file : files) {
    int64_t count = 0, equal = 0;
    std::string different;
    for (const FormulaCell& c : cells) {
      if (c.file != file) continue;
      ++count, equal += c.equal;
      if (!c.equal)
        different += fmt::format("{}{} {}: {}, ours {}", different.empty() ? "" : "; ", c.what, c.metric,
                                 c.published, c.ours);
    }
    Row row;
    put(row, "file", file, "the published table");
    put(row, "cells", count, "that a formula gives");
    put(row, "equal", equal, "within half a unit of the last printed digit");
    put(row, "different", different, "the others");
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace ww::study
