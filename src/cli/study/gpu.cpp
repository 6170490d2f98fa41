#include "cli/study/gpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "counters/metric_names.h"
#include "gpus/catalog.h"
#include "study/hardware_counters.h"
#include "study/peers.h"

namespace ww::cli {

device::Device* real_gpu(const std::vector<std::unique_ptr<device::Device>>& devices) {
  for (const auto& d : devices)
    if (d->info().real) return d.get();
  return nullptr;
}

std::string gpu_id(const device::Info& info) {
  const gpus::Gpu* known = gpus::find_product(info.name, info.cc_major, info.cc_minor, info.multiprocessors);
  return known ? known->id : info.name;
}

void name_gpu(Table& table, const device::Info& info) {
  for (Row& row : table.rows)
    if (row[Axis::Device] == info.id || row[Axis::Device].starts_with(info.id + "+"))
      row[Axis::Gpu] = gpu_id(info);
}

void count_on_gpu(Table& table, const std::vector<study::Item>& items, const study::Selection& selection,
                  const device::Info& info, const std::atomic<bool>& stop) {
  if (std::all_of(items.begin(), items.end(), [](const auto& item) { return item.kernel->needs_gpu; })) {
    table.notes.emplace_back("No hardware counters: this measures more than launches of one kernel.");
    return;
  }
  Progress progress("counters", items.size());
  study::CounterOptions options;
  std::error_code wrong;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", wrong);
  options.command = {self.string(), "run-once", "--device",
                     info.id,       "--seed",   std::to_string(selection.seed)};
  for (const auto& file : selection.inputs) options.command.insert(options.command.end(), {"--input", file});
  options.progress = [&](size_t done, size_t) { progress.update(done, "Nsight Compute"); };
  options.stop = &stop;
  study::add_hardware_counters(table, items, info.id, options);
}

void add_peers_on_gpu(Table& table, const study::Study& study, const std::vector<study::Item>& items,
                      device::Device& gpu, bool wanted, const std::atomic<bool>& stop) {
  if (std::all_of(items.begin(), items.end(), [](const auto& item) { return item.kernel->needs_gpu; }))
    return;  // nothing that a library would compute instead
  auto peers = device::open_peers();
  if (!peers) {
    if (wanted) table.notes.push_back(kernels::one_line(peers.error()) + ".");
    return;
  }
  Progress progress("peers", 0);
  study::PeerContext context{&gpu, {}, [&](const std::string& what) { progress.update(0, what); }, &stop};
  study::add_peers(table, study, items, *peers, context);
}

std::vector<std::string> resolve_metrics(const std::vector<std::string>& metrics,
                                         const std::vector<gpus::Gpu>& gpus,
                                         std::vector<std::string>& notes) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& tag) {
    if (std::find(out.begin(), out.end(), tag) == out.end()) out.push_back(tag);
  };
  for (const std::string& metric : metrics) {
    if (!counters::is_particular(metric) || gpus.empty()) {
      add(metric);
      continue;
    }
    std::map<std::string, std::vector<std::string>> lacking;  // by what is nearest on them
    for (const gpus::Gpu& gpu : gpus) {
      const std::string tag = counters::tag_on(metric, gpu);
      if (!tag.empty()) {
        add(tag);
        if (tag != metric) notes.push_back(fmt::format("{} is {} here.", metric, tag));
      } else {
        lacking[counters::nearest_on(metric, gpu)].push_back(gpu.id);
      }
    }
    for (const auto& [near, without] : lacking)
      notes.push_back(fmt::format("No '{}' on {} (but on {}){}.", metric, fmt::join(without, ", "),
                                  fmt::join(counters::gpus_with(metric), ", "),
                                  near.empty() ? "" : fmt::format("; nearest is '{}'", near)));
  }
  std::sort(notes.begin(), notes.end());
  notes.erase(std::unique(notes.begin(), notes.end()), notes.end());
  return out;
}

}  // namespace ww::cli
