#include "study/hardware_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "device/ncu_metrics.h"
#include "study/item_text.h"

namespace ww::study {

namespace {

/// A row and the item it is of.
struct Target {
  Row* row;
  const Item* item;
  std::vector<std::string> entries;  ///< its launches' kernels in their order
};

std::vector<Target> targets_of(Table& table, const std::vector<Item>& items, const std::string& id) {
  std::vector<Target> targets;
  for (Row& row : table.rows) {
    if (row[Axis::Device] != id || !row.refused.empty() || row.find("fault")) continue;
    const auto names_row = [&](const Item& item) {
      Row named = row;
      kernels::name_row(named, *item.kernel, item.config);
      return named.axes == row.axes;
    };
    const auto item = std::find_if(items.begin(), items.end(), names_row);
    if (item == items.end()) continue;  // not one of ours: a peer
    auto plan = kernels::make_plan(*item->kernel, item->config);
    if (!plan || plan->probe) continue;
    Target target{&row, &*item, {}};
    for (const auto& launch : plan->launches) target.entries.push_back(launch.entry);
    targets.push_back(std::move(target));
  }
  return targets;
}

/// "matmul_tiled_16(const float *, …)" → "matmul_tiled_16".
std::string_view base_name(std::string_view name) { return name.substr(0, name.find('(')); }

/// Whether these are the launches that were asked for, one by one: a launch too few or too many must not give
/// one row the counters of another.
Status matches(std::span<const Target> targets, const std::vector<device::ProfiledKernel>& kernels) {
  size_t i = 0;
  for (const Target& target : targets)
    for (const std::string& entry : target.entries) {
      if (i == kernels.size())
        return error(fmt::format("Nsight Compute saw {} launches, too few", kernels.size()));
      if (base_name(kernels[i].name) != entry)
        return error(fmt::format("Nsight Compute saw kernel '{}' where '{}' was launched",
                                 base_name(kernels[i].name), entry));
      ++i;
    }
  if (i != kernels.size())
    return error(fmt::format("Nsight Compute saw {} launches, {} were asked for", kernels.size(), i));
  return {};
}

void merge(Row& row, std::span<const device::ProfiledKernel> launches) {
  for (Value& value : device::neutral_values(device::total_of(launches))) {
    if (value.tag == "time") {
      value.tag = "time_profiled";
      value.description = "duration under Nsight Compute: one run with cold caches";
    }
    if (!row.find(value.tag)) row.values.push_back(std::move(value));
  }
}

Status count(std::span<Target> targets, const CounterOptions& options) {
  std::vector<std::string> command = options.command;
  for (const Target& target : targets) command.push_back(item_text(*target.item));
  auto kernels = device::profile(command, options.ncu);
  if (!kernels) return kernels.error();
  if (auto ok = matches(targets, *kernels); !ok) return ok;
  std::span<const device::ProfiledKernel> rest = *kernels;
  for (Target& target : targets) {
    merge(*target.row, rest.first(target.entries.size()));
    rest = rest.subspan(target.entries.size());
  }
  return {};
}

}  // namespace

void add_hardware_counters(Table& table, const std::vector<Item>& items, const std::string& id,
                           const CounterOptions& options) {
  std::vector<Target> targets = targets_of(table, items, id);
  const std::span<Target> all(targets);
  std::vector<std::pair<std::string, size_t>> missing;  // why, and for how many
  bool any = false;
  const auto note = [&](const std::string& why, size_t how_many) {
    auto it = std::find_if(missing.begin(), missing.end(), [&](const auto& m) { return m.first == why; });
    if (it == missing.end()) it = missing.insert(missing.end(), {why, 0});
    it->second += how_many;
  };
  for (size_t first = 0; first < all.size();) {
    if (options.progress) options.progress(first, all.size());
    if (options.stop && options.stop->load()) {
      note("stopped", all.size() - first);
      break;
    }
    const auto part =
        all.subspan(first, std::min(std::max<size_t>(1, options.at_a_time), all.size() - first));
    auto ok = count(part, options);
    any |= ok.ok();
    // Where nothing came at all, there is no tool or no permission: the others would fail as well.
    const size_t lost = any ? part.size() : all.size() - first;
    if (!ok) note(kernels::one_line(ok.error()), lost);
    first += ok ? part.size() : lost;
  }
  for (const auto& [why, how_many] : missing)
    table.notes.push_back(fmt::format("Hardware counters are missing for {} of {} configurations: {}.",
                                      how_many, all.size(), why));
}

}  // namespace ww::study
