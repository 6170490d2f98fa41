#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "study/cache.h"
#include "study/study.h"

namespace ww::study {

namespace {

struct Job {
  const Item* item;
  device::Device* device;  // null on the host
};

std::vector<Job> jobs_of(const std::vector<Item>& items, const RunContext& context) {
  std::vector<Job> jobs;
  for (const Item& item : items) {
    if (item.kernel->on_host()) {
      jobs.push_back({&item, nullptr});
    } else if (item.kernel->needs_gpu) {
      // Beside a real GPU it goes without saying that the engine is none.
      device::Device* chosen = context.devices.empty() ? nullptr : context.devices.front();
      for (device::Device* device : context.devices)
        if (device->link()) chosen = device;
      jobs.push_back({&item, chosen});
    } else {
      for (device::Device* device : context.devices) jobs.push_back({&item, device});
    }
  }
  return jobs;
}

std::string describe(const Job& job) {
  const kernels::Config& c = job.item->config;
  std::string text = fmt::format("{} n={}", job.item->kernel->name, c.n);
  if (c.shape.block > 0) text += fmt::format(" block={}", c.shape.block);
  if (c.shape.rx > 0) text += fmt::format(" tile={}x{}", c.shape.rx, c.shape.ry);
  if (c.r > 0) text += fmt::format(" r={}", c.r);
  if (c.k > 0) text += fmt::format(" k={}", c.k);
  return text;
}

/// The order in which to run: equal tasks together.
std::vector<size_t> order_of(const std::vector<Job>& jobs) {
  std::vector<size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), 0);
  const auto task = [&](size_t i) {
    const kernels::Config& c = jobs[i].item->config;
    return std::tuple(c.n, c.r, i);
  };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return task(a) < task(b); });
  return order;
}

/// The rows of a job, from the cache as far as it has them. `known`: it had all.
std::vector<Row> rows_of(const Job& job, const RunContext& context, kernels::Runner& runner, bool& known) {
  const auto run = [&] { return runner.run_for_gpus(*job.item->kernel, job.item->config, job.device); };
  known = false;
  if (!context.cache || !job.device || job.device->info().real) return run();
  std::vector<const gpus::Gpu*> gpus = context.options.gpus, missing;
  if (gpus.empty()) gpus = {nullptr};
  std::vector<std::string> keys;
  std::vector<std::optional<Row>> found;
  for (const gpus::Gpu* gpu : gpus) {
    keys.push_back(Cache::key(*job.item, gpu, context.options));
    found.push_back(context.cache->find(keys.back()));
    if (!found.back() && gpu) missing.push_back(gpu);
  }
  known = std::all_of(found.begin(), found.end(), [](const auto& row) { return row.has_value(); });
  std::vector<Row> rows;
  if (!known) {
    runner.count_as(missing);
    rows = run();
    runner.count_as(context.options.gpus);
    // What no GPU could run is one row without any.
    const bool each = missing.empty() || !rows[0][Axis::Gpu].empty();
    if (!each || rows.size() != std::max<size_t>(missing.size(), 1)) return rows;
  }
  for (size_t i = 0, next = 0; i < gpus.size(); ++i) {
    if (found[i]) continue;
    context.cache->store(keys[i], rows[next]);
    found[i] = std::move(rows[next++]);
  }
  rows.clear();
  for (auto& row : found) rows.push_back(std::move(*row));
  return rows;
}

}  // namespace

Table run(const Study& study, const std::vector<Item>& items, const RunContext& context) {
  const std::vector<Job> jobs = jobs_of(items, context);
  const std::vector<size_t> order = order_of(jobs);
  std::vector<std::vector<Row>> rows(jobs.size());
  kernels::Runner runner(context.options);
  size_t done = 0, known_runs = 0;
  const auto report = [&](size_t done, const Row* row) {
    if (!context.progress) return;
    context.progress(
        {done, jobs.size(), known_runs, done < jobs.size() ? describe(jobs[order[done]]) : "", row});
  };

  report(done, nullptr);
  const auto stopped = [&] { return context.stop && context.stop->load(); };
  for (; done < jobs.size() && !stopped(); ++done) {
    const Job& job = jobs[order[done]];
    bool known = false;
    std::vector<Row> found = rows_of(job, context, runner, known);
    if (stopped() && !found[0].refused.empty()) break;  // cut off, not refused
    for (Row& row : found) row[Axis::Study] = study.name;
    known_runs += known;
    report(done + 1, &found[0]);
    rows[order[done]] = std::move(found);
  }

  Table table{study.summary, {}, {}};
  for (auto& found : rows)
    for (Row& row : found) table.rows.push_back(std::move(row));
  if (done < jobs.size())
    table.notes.push_back(fmt::format("Stopped: {} of {} configurations ran.", done, jobs.size()));
  return table;
}

}  // namespace ww::study
