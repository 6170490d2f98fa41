#include "cli/program/profile_ncu.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <vector>

#include "device/ncu_metrics.h"

namespace ww::cli {

namespace {

std::string field(std::string_view text) {
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string record(const std::vector<std::string>& fields) {
  std::string out;
  for (const std::string& f : fields) out += (out.empty() ? "" : ",") + field(f);
  return out + "\n";
}

/// "16,384", "91.64": as Nsight Compute groups and rounds.
std::string ncu_number(double v) {
  constexpr double kSame = 1e-9;  // what is lost between our units and theirs
  if (std::abs(v - std::round(v)) > kSame * std::abs(v) || std::abs(v) >= 9e15)
    return fmt::format("{:.2f}", v);
  std::string digits = fmt::format("{}", std::llround(std::abs(v))), out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return (v < 0 ? "-" : "") + out;
}

/// "32x8" → "(32, 8, 1)".
std::string extent_of(const std::string& text) {
  std::string out = "(";
  int sides = 0;
  for (size_t at = 0; at <= text.size() && sides < 3; ++sides) {
    const size_t end = std::min(text.find('x', at), text.size());
    out += (sides ? ", " : "") + text.substr(at, end - at);
    at = end + 1;
  }
  for (; sides < 3; ++sides) out += ", 1";
  return out + ")";
}

std::string_view section_of(std::string_view metric) {
  if (metric.starts_with("launch__")) return "Launch Statistics";
  if (metric.find("warps_active") != metric.npos) return "Occupancy";
  return "Command line profiler metrics";
}

std::string text_of(const Row& row, const char* tag) {
  const Value* v = row.find(tag);
  return v ? v->text() : std::string();
}

}  // namespace

std::string tag_of_ncu(const std::string& metric) {
  for (const device::NcuMetric& m : device::ncu_metrics())
    if (m.metric == metric) return std::string(m.tag);
  return metric;
}

std::string write_ncu_csv(const Table& table, std::span<const gpus::Gpu> gpus, const std::string& program) {
  std::string out = record({"ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
                            "Stream", "Block Size", "Grid Size", "Device", "CC", "Section Name",
                            "Metric Name", "Metric Unit", "Metric Value"});
  std::map<std::pair<std::string, std::string>, size_t> ids;
  for (const Row& row : table.rows) {
    if (!row.refused.empty()) continue;
    const size_t id =
        ids.try_emplace({text_of(row, "process"), text_of(row, "launch")}, ids.size()).first->second;
    size_t device = 0;
    while (device + 1 < gpus.size() && gpus[device].id != row[Axis::Gpu]) ++device;
    const std::string cc = gpus.empty() ? "" : gpus[device].compute_capability();
    for (const device::NcuMetric& m : device::ncu_metrics()) {
      const Value* v = row.find(m.tag);
      if (!v || std::holds_alternative<std::string>(v->value)) continue;
      const bool time = m.metric == "gpu__time_duration.sum";
      out += record({fmt::format("{}", id), text_of(row, "process"), program, "127.0.0.1", row[Axis::Kernel],
                     "1", "7", extent_of(row[Axis::Block]), extent_of(text_of(row, "grid")),
                     fmt::format("{}", device), cc, std::string(section_of(m.metric)), std::string(m.metric),
                     time ? std::string("ns") : std::string(m.unit), ncu_number(v->number() / m.factor)});
    }
  }
  return out;
}

}  // namespace ww::cli
