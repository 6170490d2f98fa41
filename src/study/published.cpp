#include "study/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "base/csv.h"
#include "counters/gpu_counters.h"
#include "counters/profiler_names.h"
#include "device/ncu_metrics.h"
#include "kernels/axes.h"
#include "kernels/run.h"
#include "study/document_names.h"

namespace ww::study {

namespace {

/// What `study --device gpu --counters` measures under our names and the engine has no counterpart of:
/// machine instructions, times.
bool is_machines_own(std::string_view tag) {
  constexpr std::string_view kOwn[] = {"warp_instructions", "thread_instructions", "time", "ipc", "gflops",
                                       "occupancy_achieved"};
  return std::find(std::begin(kOwn), std::end(kOwn), tag) != std::end(kOwn);
}

/// Our name of a metric on that GPU; "" for one that is not counted.
std::string_view tag_of(const std::string& metric, const gpus::Gpu& gpu) {
  const int cc = rules::capability(gpu);
  for (const auto& m : counters::profiler_names())
    if (m.name == metric && m.first_cc <= cc && cc <= m.last_cc) return m.tag;
  if (cc < 70) return {};
  for (const auto& m : device::ncu_metrics())
    if ((m.metric == metric || m.tag == metric) && !is_machines_own(m.tag)) return m.tag;
  return {};
}

/// A printed number with half a unit of its last digit: "1,28E+03" is 1280 ± 5.
std::optional<std::pair<double, double>> printed(std::string text) {
  std::replace(text.begin(), text.end(), ',', '.');
  double value = 0;
  auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc() || end != text.data() + text.size()) return {};
  const size_t e = text.find_first_of("eE"), dot = text.find('.');
  const std::string exponent = e == std::string::npos ? "0" : text.substr(e + 1);
  const size_t digits = std::min(e, text.size());
  const int decimals = dot == std::string::npos ? 0 : static_cast<int>(digits - dot - 1);
  return std::pair(value, 0.5 * std::pow(10.0, std::atoi(exponent.c_str()) - decimals));
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.size() % 2 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
}

}  // namespace

std::string name_of(const Cell& c) {
  std::string text = fmt::format("{} n={} block={}", c.kernel->name, c.config.n, c.config.shape.block);
  if (c.config.shape.rx > 0) text += fmt::format(" tile={}x{}", c.config.shape.rx, c.config.shape.ry);
  if (c.config.r > 0) text += fmt::format(" r={}", c.config.r);
  if (c.config.k > 0) text += fmt::format(" k={}", c.config.k);
  return text;
}

double Cell::difference() const {
  if (counted == published) return 0;
  return published == 0 ? 1 : std::abs(counted - published) / std::abs(published);
}

bool Cell::equal() const { return std::abs(counted - published) <= half_unit * (1 + 1e-9); }

Result<std::vector<Cell>> read_cells(const PublishedFile& file) {
  auto csv = parse_csv(file.name, file.text);
  if (!csv) return csv.error();
  Diagnostics wrong;
  for (const char* column : {"gpu", "kernel", "n", "block", "metric", "value"})
    if (csv->column(column) < 0)
      wrong.push_back(error(fmt::format("{} has no column \"{}\"", file.name, column)));
  if (!wrong.empty()) return wrong;
  std::vector<Cell> cells;
  for (size_t i = 0; i < csv->rows.size(); ++i) {
    Cell c;
    c.file = file.name;
    c.metric = csv->at(i, "metric");
    c.gpu = gpu_of_document(csv->at(i, "gpu"));
    c.kernel = case_of_document(csv->at(i, "kernel"));
    if (!c.gpu || !c.kernel || c.kernel->axes.shapes.empty()) continue;
    // Results of a study: only what hardware said.
    if (csv->column("provenance") >= 0 && csv->at(i, "provenance") != "measured") continue;
    // Profilers of 2.x count on one SM.
    constexpr std::string_view kPerSm = "_per_SM";
    std::string metric = c.metric;
    if (metric.ends_with(kPerSm)) {
      metric.resize(metric.size() - kPerSm.size());
      c.part = 1 / static_cast<double>(c.gpu->sm_count.value);
    }
    c.tag = tag_of(metric, *c.gpu);
    std::string text = csv->at(i, "raw");
    auto value = printed(text.empty() ? csv->at(i, "value") : text);
    if (c.tag.empty() || !value) continue;
    const double factor = csv->at(i, "unit") == "GFlop" ? 1e9 : 1;
    c.published = value->first * factor;
    c.half_unit = value->second * factor;
    c.config = config_of_document(*csv, i);
    cells.push_back(std::move(c));
  }
  if (cells.empty()) return error(fmt::format("{} has no cell that the engine counts", file.name));
  return cells;
}

void count_cells(std::vector<Cell>& cells, std::span<const std::unique_ptr<device::Device>> devices,
                 const std::function<void(size_t, size_t, const std::string&)>& progress) {
  std::map<std::string, std::vector<Cell*>> by_name;
  for (Cell& c : cells) by_name[c.gpu->id + " " + name_of(c)].push_back(&c);
  const std::vector<std::pair<std::string, std::vector<Cell*>>> runs(by_name.begin(), by_name.end());
  std::mutex mutex;
  size_t next = 0, done = 0;
  const auto work = [&](device::Device& device) {
    for (;;) {
      size_t mine;
      {
        const std::lock_guard lock(mutex);
        if (next == runs.size()) return;
        mine = next++;
        progress(done, runs.size(), runs[mine].first);
      }
      const std::vector<Cell*>& group = runs[mine].second;
      kernels::RunOptions options;
      options.gpus = {group[0]->gpu};
      options.sample = true;
      kernels::Runner runner(options);
      const Row row = runner.run(*group[0]->kernel, group[0]->config, &device);
      for (Cell* c : group) {
        const Value* v = row.find(c->tag);
        if (v)
          c->counted = v->number() * c->part;
        else
          c->missing = row.refused.empty() ? "not counted" : row.refused;
      }
      const std::lock_guard lock(mutex);
      ++done;
    }
  };
  std::vector<std::thread> team;
  for (const auto& device : devices.subspan(1)) team.emplace_back([&] { work(*device); });
  work(*devices[0]);
  for (auto& t : team) t.join();
  progress(done, runs.size(), "");
}

Table agreement(const std::vector<Cell>& cells) {
  std::vector<std::pair<std::string, std::vector<const Cell*>>> groups;
  for (const Cell& c : cells) {
    const std::string key = c.file + "\n" + c.metric;
    auto it = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == key; });
    if (it == groups.end()) it = groups.insert(groups.end(), {key, {}});
    it->second.push_back(&c);
  }
  Table table{"Published counters, and what the engine counts for the same GPU", {}, {}};
  for (const auto& [key, group] : groups) {
    Row row;
    row[Axis::Gpu] = group[0]->gpu->id;
    const auto put = [&](const char* tag, auto value, const char* unit, const char* description) {
      row.values.push_back({tag, value, unit, Provenance::Counted, description});
    };
    std::vector<double> differences;
    const Cell* worst = nullptr;
    int64_t equal = 0;
    for (const Cell* c : group) {
      if (!c->missing.empty()) continue;
      differences.push_back(c->difference());
      equal += c->equal();
      if (!worst || c->difference() > worst->difference()) worst = c;
    }
    put("metric", group[0]->metric, "", "as the document calls it");
    put("counter", group[0]->tag, "", "ours");
    put("cells", static_cast<int64_t>(group.size()), "", "that hold a number");
    put("compared", static_cast<int64_t>(differences.size()), "", "of these, which the engine counts");
    if (worst) {
      put("equal", equal, "", "within half a unit of the last printed digit");
      put("median", 100 * median(differences), "%", "median relative difference");
      put("worst", 100 * worst->difference(), "%", "largest relative difference");
      put("worst_cell", name_of(*worst), "", "where");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table list_cells(const std::vector<Cell>& cells) {
  Table table{"Published counters, cell by cell", {}, {}};
  for (const Cell& c : cells) {
    Row row;
    const auto text = [](int64_t v) { return v == 0 ? std::string() : fmt::format("{}", v); };
    row[Axis::Kernel] = c.kernel->name;
    row[Axis::Gpu] = c.gpu->id;
    row[lab::N] = text(c.config.n);
    row[Axis::Block] = text(c.config.shape.block);
    row[lab::Rx] = text(c.config.shape.rx);
    row[lab::Ry] = text(c.config.shape.ry);
    row[lab::R] = text(c.config.r);
    row[lab::K] = text(c.config.k);
    row.refused = c.missing;
    row.values.push_back({"metric", c.metric, "", Provenance::Published, "as the document calls it"});
    row.values.push_back({"published", c.published, "", Provenance::Published, "in our unit"});
    if (c.missing.empty()) {
      row.values.push_back({"counted", c.counted, "", Provenance::Counted, "by the engine"});
      row.values.push_back({"difference", 100 * c.difference(), "%", Provenance::Counted, "relative"});
      row.values.push_back({"equal", int64_t{c.equal()}, "", Provenance::Counted,
                            "1 within half a unit of the last printed digit"});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace ww::study
