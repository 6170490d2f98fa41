#include "counters/metric_names.h"

#include <algorithm>

#include "counters/gpu_counters.h"
#include "counters/memory_values.h"
#include "counters/profiler_names.h"
#include "gpus/catalog.h"

namespace ww::counters {

namespace {

/// What stands in for what, the nearest first.
constexpr std::string_view kAlike[] = {"sectors", "transactions", "lines", "requests"};

struct Split {
  const MemoryFamily* family = nullptr;
  const MemoryMetric* metric = nullptr;
};

/// "global_load_sectors" as family and metric.
Split split(std::string_view tag) {
  for (const MemoryFamily& f : memory_families()) {
    if (!tag.starts_with(f.name + "_")) continue;
    for (const MemoryMetric& m : memory_metrics(f.space))
      if (tag.substr(f.name.size() + 1) == m.name) return {&f, &m};
  }
  return {};
}

bool is_profilers(std::string_view metric) {
  return std::any_of(profiler_names().begin(), profiler_names().end(),
                     [&](const ProfilerName& n) { return n.name == metric; });
}

/// Of a profiler's name, on any GPU.
std::string_view some_tag(std::string_view metric) {
  for (const ProfilerName& n : profiler_names())
    if (n.name == metric) return n.tag;
  return metric;
}

}  // namespace

bool is_particular(std::string_view metric) { return is_profilers(metric) || split(metric).metric; }

std::string tag_on(std::string_view metric, const gpus::Gpu& gpu) {
  const rules::Capability cc = rules::capability(gpu);
  if (is_profilers(metric)) {
    for (const ProfilerName& n : profiler_names())
      if (n.name == metric && n.first_cc <= cc && cc <= n.last_cc) return std::string(n.tag);
    return {};
  }
  const Split s = split(metric);
  return s.metric && !s.metric->on(cc) ? "" : std::string(metric);
}

std::string nearest_on(std::string_view metric, const gpus::Gpu& gpu) {
  const std::string_view tag = some_tag(metric);
  const Split s = split(tag);
  if (!s.metric) return is_profilers(metric) ? std::string(tag) : "";
  if (s.metric->on(rules::capability(gpu))) return std::string(tag);
  for (std::string_view name : kAlike)
    for (const MemoryMetric& m : memory_metrics(s.family->space))
      if (m.name == name && m.on(rules::capability(gpu))) return s.family->name + "_" + std::string(name);
  return {};
}

std::vector<std::string> gpus_with(std::string_view metric) {
  std::vector<std::string> out;
  for (const gpus::Gpu& gpu : gpus::known_gpus())
    if (!tag_on(metric, gpu).empty()) out.push_back(gpu.id);
  return out;
}

}  // namespace ww::counters
