#include "study/bands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

#include "base/csv.h"
#include "gpus/catalog.h"

namespace ww::study {

namespace {

constexpr double kLowDecile = 0.1, kHighDecile = 0.9;

/// "matmul" of "matmul/tiled".
std::string kind_of(std::string_view kernel) { return std::string(kernel.substr(0, kernel.find('/'))); }

/// Of sorted numbers, between neighbours by their distance.
double quantile(const std::vector<double>& sorted, double part) {
  const double at = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Kind and GPU; "" for all.
using Group = std::pair<std::string, std::string>;

struct Errors {
  int64_t cells = 0;
  double low = 0, high = 0;  ///< predicted / measured - 1
};

std::map<Group, Errors> read_bands() {
  std::map<Group, Errors> out;
  for (const PublishedFile& file : band_files()) {
    const auto csv = parse_csv(file.name, file.text);
    if (!csv) continue;  // a test reads it
    for (size_t i = 0; i < csv->rows.size(); ++i) {
      Errors& e = out[{csv->at(i, "kernel"), csv->at(i, "gpu")}];
      const std::string metric = csv->at(i, "metric");
      const double value = std::strtod(csv->at(i, "value").c_str(), nullptr);
      if (metric == "compared") e.cells = static_cast<int64_t>(value);
      if (metric == "low") e.low = value / 100;
      if (metric == "high") e.high = value / 100;
    }
  }
  return out;
}

struct Chosen {
  Group group;
  Errors errors;
};

/// The nearest group with enough times: the kind on the GPU, the kind, the GPU, all.
std::optional<Chosen> band_of(const std::string& kind, const std::string& gpu) {
  static const std::map<Group, Errors> kAll = read_bands();
  for (const Group& group : {Group{kind, gpu}, Group{kind, ""}, Group{"", gpu}, Group{"", ""}})
    if (auto it = kAll.find(group); it != kAll.end() && it->second.cells >= kFewestTimes)
      return Chosen{group, it->second};
  return {};
}

std::string about(const Group& group, bool launch_added) {
  return fmt::format("eight of ten such times lie in this band; {}{}: data/accuracy/time_errors.csv{}",
                     group.first.empty() ? "all kernels" : group.first,
                     group.second.empty() ? "" : " on " + group.second,
                     launch_added ? "; the largest known launch overhead added" : "");
}

/// ms; of the built-in GPUs.
double largest_launch_overhead() {
  double most = 0;
  for (const gpus::Gpu& gpu : gpus::known_gpus())
    if (gpu.launch_overhead) most = std::max(most, gpu.launch_overhead->value * 1e-3);
  return most;
}

bool knows_launch_overhead(const std::string& id, std::span<const gpus::Gpu> gpus) {
  for (std::span<const gpus::Gpu> list : {gpus, std::span<const gpus::Gpu>(gpus::known_gpus())})
    for (const gpus::Gpu& gpu : list)
      if (gpu.id == id) return gpu.launch_overhead.has_value();
  return false;
}

}  // namespace

Table error_bands(const std::vector<Cell>& cells) {
  std::map<Group, std::vector<double>> groups;
  for (const Cell& c : cells) {
    if (c.tag != "time" || !c.missing.empty() || c.published <= 0) continue;
    const std::string kind = kind_of(c.kernel->name);
    for (const Group& group : {Group{kind, c.gpu->id}, Group{kind, ""}, Group{"", c.gpu->id}, Group{"", ""}})
      groups[group].push_back(c.counted / c.published - 1);
  }
  Table table{"How far predicted times lie from measured ones", {}, {}};
  for (auto& [group, errors] : groups) {
    std::sort(errors.begin(), errors.end());
    Row& row = table.rows.emplace_back();
    row[Axis::Kernel] = group.first, row[Axis::Gpu] = group.second;
    const auto percent = [](double v) { return std::round(1e4 * v) / 100; };
    row.values = {{"compared", static_cast<int64_t>(errors.size()), "", Provenance::Modelled, "times"},
                  {"low", percent(quantile(errors, kLowDecile)), "%", Provenance::Modelled,
                   "a tenth of predicted / published - 1 lies below"},
                  {"high", percent(quantile(errors, kHighDecile)), "%", Provenance::Modelled,
                   "a tenth of predicted / published - 1 lies above"}};
  }
  return table;
}

void add_bands(Table& table, std::span<const gpus::Gpu> gpus) {
  for (Row& row : table.rows) {
    const auto time = std::find_if(row.values.begin(), row.values.end(), [](const Value& v) {
      return v.tag == "time" && v.provenance == Provenance::Modelled;
    });
    if (time == row.values.end() || row.find("not_modelled") || row.find("time_low")) continue;
    const auto band = band_of(kind_of(row[Axis::Kernel]), row[Axis::Gpu]);
    if (!band || band->errors.low <= -1) continue;
    const double launch = knows_launch_overhead(row[Axis::Gpu], gpus) ? 0 : largest_launch_overhead();
    const std::string words = about(band->group, launch > 0);
    const double ms = time->number();
    const Value ends[] = {
        {"time_low", ms / (1 + band->errors.high), "ms", Provenance::Modelled, words},
        {"time_high", ms / (1 + band->errors.low) + launch, "ms", Provenance::Modelled, words}};
    row.values.insert(time + 1, std::begin(ends), std::end(ends));
  }
}

}  // namespace ww::study
