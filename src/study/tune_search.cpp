#include "study/tune_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>

#include "forecast/forecast.h"
#include "kernels/axes.h"
#include "model/continued.h"
#include "study/contest.h"

namespace ww::study {

namespace {

constexpr const char* kFirstLookSays =
    "predicted from runs of very small sizes: it takes too long for certain";

bool grows_with_cube(const Item& item) {
  return item.kernel->name.starts_with("matmul/") || item.kernel->name.starts_with("aat/");
}

/// A thread's own engine and what it has loaded there.
struct Worker {
  Worker(const Search& search, device::Device* device) : engine(device), runner(options(search)) {}
  static kernels::RunOptions options(const Search& search) {
    kernels::RunOptions out;
    out.gpus = {search.gpu};
    out.sample = true;
    return out;
  }
  device::Device* engine;
  kernels::Runner runner;
};

/// Items by the time that is expected of them, and what the threads have found.
class Queue {
 public:
  using Job = std::function<Row(size_t item, Worker&)>;

  /// `expected`: ms by item, 0 where nothing is known; `problems`: by item, contests are among equal ones.
  Queue(std::string work, std::vector<double> expected, std::vector<std::string> problems, Job job)
      : work_(std::move(work)),
        expected_(std::move(expected)),
        problems_(std::move(problems)),
        job_(std::move(job)),
        order_(expected_.size()),
        places_(expected_.size()),
        rows_(expected_.size()) {
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](size_t a, size_t b) { return expected_[a] < expected_[b]; });
    std::map<std::string, size_t> before;
    for (const size_t i : order_) places_[i] = before[problems_[i]]++;
  }

  /// A row for each item; nothing for the hopeless ones, and for all that is left when it was stopped.
  std::vector<std::optional<Row>> run(const Search& search, std::vector<Worker>& workers) {
    {
      std::vector<std::jthread> others;
      for (size_t i = 1; i < workers.size(); ++i) others.emplace_back([&, i] { work(search, workers[i]); });
      work(search, workers[0]);
    }
    // Without those that a thread took before a better one was known.
    for (size_t i = 0; i < rows_.size(); ++i)
      if (hopeless(i)) rows_[i].reset();
    return std::move(rows_);
  }

 private:
  void work(const Search& search, Worker& worker) {
    while (const auto at = next(search)) keep(*at, job_(*at, worker), search);
  }

  bool hopeless(size_t at) const {
    const auto best = best_.find(problems_[at]);
    return places_[at] >= kAlways && best != best_.end() && expected_[at] > kHopeless * best->second;
  }

  std::optional<size_t> next(const Search& search) {
    const std::lock_guard lock(mutex_);
    while (taken_ < order_.size() && !(search.stop && search.stop->load())) {
      const size_t at = order_[taken_++];
      if (!hopeless(at)) return at;
    }
    return std::nullopt;
  }

  void keep(size_t at, Row row, const Search& search) {
    const std::lock_guard lock(mutex_);
    const Value* time = figure(row, "time", Provenance::Modelled);
    if (time && row.refused.empty() && modelled_whole(row)) {
      double& best = best_.try_emplace(problems_[at], time->number()).first->second;
      best = std::min(best, time->number());
    }
    rows_[at] = std::move(row);
    if (search.progress) search.progress(work_, taken_, order_.size());
  }

  std::string work_;
  std::vector<double> expected_;
  std::vector<std::string> problems_;
  Job job_;
  std::mutex mutex_;
  std::vector<size_t> order_;   // of items
  std::vector<size_t> places_;  // of an item among those of its problem
  size_t taken_ = 0;
  std::map<std::string, double> best_;  // by problem
  std::vector<std::optional<Row>> rows_;
};

/// The launches of a configuration at a smaller n.
struct Look {
  int64_t n = 0;  ///< 0: it admits none
  std::vector<model::Prediction> launches;
};

Look look(const Item& item, int64_t most, Worker& worker) {
  kernels::Config config = item.config;
  for (config.n = most; 2 * config.n > most; --config.n) {
    if (!kernels::make_plan(*item.kernel, config)) continue;
    Look out{config.n, {}};
    const auto reports = worker.runner.reports(*item.kernel, config, *worker.engine);
    if (!reports) break;
    for (const device::LaunchReport& report : *reports)
      if (!report.gpus.empty() && report.gpus[0].figures)
        out.launches.push_back(report.gpus[0].figures->prediction);
    return out;
  }
  return {};
}

/// The launches at the item's own n. Both looks have as many as the plan.
std::vector<model::Prediction> continue_to(const Item& item, const kernels::Plan& plan, const Look& small,
                                           const Look& medium, const gpus::Gpu& gpu) {
  kernels::Config twice = item.config;
  twice.n *= 2;
  const auto larger = kernels::make_plan(*item.kernel, twice);
  std::vector<model::Prediction> out;
  for (size_t i = 0; i < plan.launches.size(); ++i) {
    const model::Prediction& last = medium.launches[i];
    if (!last.refused.empty()) return {last};
    const auto blocks = static_cast<int64_t>(plan.launches[i].grid.count());
    // A grid that would not grow any more is of blocks that stay.
    const bool stay = larger && static_cast<int64_t>(larger->launches[i].grid.count()) == blocks;
    out.push_back(model::predict(gpu,
                                 model::continued({small.n, small.launches[i].activity},
                                                  {medium.n, last.activity}, item.config.n, blocks, stay),
                                 last.registers));
  }
  return out;
}

/// A configuration's row without any values but its problem.
Row named(const Item& item, const Search& search) {
  Row row;
  kernels::name_row(row, *item.kernel, item.config);
  row[Axis::Study] = search.study->name, row[Axis::Gpu] = search.gpu->id, row[Axis::Device] = "engine";
  if (const auto plan = kernels::make_plan(*item.kernel, item.config); !plan)
    row.refused = kernels::one_line(plan.error());
  else if (!plan->problem.empty())
    row.values.push_back({"problem", plan->problem, "", Provenance::Input,
                          "kernels of one problem do the same in different ways"});
  return row;
}

/// Larger products by two smaller ones.
class Continuation {
 public:
  Continuation(const std::vector<Item>& items, const Search& search)
      : items_(items), search_(search), small_(items.size()) {
    for (size_t i = 0; i < items.size(); ++i) named_.push_back(named(items[i], search));
  }

  Found run(std::vector<Worker>& workers) {
    std::vector<std::string> problems;
    for (const Row& row : named_) problems.push_back(problem_of(row));
    std::vector<double> expected(items_.size(), std::numeric_limits<double>::infinity());
    const auto first =
        Queue("first look", std::vector<double>(items_.size(), 0), problems, [&](size_t i, Worker& w) {
          if (!named_[i].refused.empty()) return named_[i];
          const Look smallest = look(items_[i], kFirstLook / 2, w);
          small_[i] = look(items_[i], kFirstLook, w);
          return row_of(i, smallest, small_[i]);
        }).run(search_, workers);
    for (size_t i = 0; i < items_.size(); ++i)
      if (const Value* time = first[i] ? figure(*first[i], "time", Provenance::Modelled) : nullptr)
        expected[i] = time->number();
    auto second = Queue("predicting", expected, problems, [&](size_t i, Worker& w) {
                    if (!named_[i].refused.empty()) return named_[i];
                    const Look medium = look(items_[i], std::min(kSecondLook, items_[i].config.n), w);
                    return row_of(i, small_[i], medium);
                  }).run(search_, workers);
    Found out;
    out.continued = true;
    const auto add = [&](size_t i, Row row) {
      out.items.push_back(items_[i]);
      out.predictions.rows.push_back(std::move(row));
    };
    for (size_t i = 0; i < items_.size(); ++i)
      if (second[i]) add(i, std::move(*second[i]));
    for (size_t i = 0; i < items_.size(); ++i)
      if (!second[i] && first[i]) {
        Row row = named_[i];
        row.refused = first[i]->refused;
        if (row.refused.empty())
          row.values.push_back({"first_look", expected[i], "ms", Provenance::Modelled, kFirstLookSays});
        add(i, std::move(row));
      }
    return out;
  }

 private:
  Row row_of(size_t i, const Look& small, const Look& medium) const {
    Row row = named_[i];
    const auto plan = kernels::make_plan(*items_[i].kernel, items_[i].config);
    if (!plan) return row;
    const size_t launches = plan->launches.size();
    if (small.launches.size() != launches || medium.launches.size() != launches || small.n == medium.n) {
      row.refused = "no smaller size of it could be run";
      return row;
    }
    const auto predictions = continue_to(items_[i], *plan, small, medium, *search_.gpu);
    for (const model::Prediction& p : predictions)
      if (row.refused.empty()) row.refused = p.refused;
    kernels::add_values(row.values, model::values_of(predictions));
    if (getenv("TUNE_DEBUG"))
      fprintf(stderr, "LOOK %d %s %d %d %d %d %g\n", medium.n > 256 ? 2 : 1, items_[i].kernel->name.c_str(),
              items_[i].config.shape.block, items_[i].config.shape.rx, items_[i].config.shape.ry,
              items_[i].config.k,
              figure(row, "time", Provenance::Modelled) ? figure(row, "time", Provenance::Modelled)->number()
                                                        : -1);
    return row;
  }

  const std::vector<Item>& items_;
  const Search& search_;
  std::vector<Row> named_;
  std::vector<Look> small_;  // by item
};

/// Every item by a run of its own.
Found run_all(const std::vector<Item>& items, const Search& search, std::vector<Worker>& workers) {
  Found out;
  std::atomic<size_t> known{0};
  auto rows =
      Queue("predicting", std::vector<double>(items.size(), 0), std::vector<std::string>(items.size()),
            [&](size_t i, Worker& worker) {
              RunContext context;
              context.devices = {worker.engine};
              context.options = Worker::options(search);
              context.stop = search.stop;
              context.cache = search.cache;
              context.progress = [&](const Progress& p) { known += p.done == p.total ? p.known : 0; };
              Table table = study::run(*search.study, {items[i]}, context);
              return table.rows.empty() ? named(items[i], search) : std::move(table.rows[0]);
            })
          .run(search, workers);
  for (size_t i = 0; i < items.size(); ++i)
    if (rows[i]) out.items.push_back(items[i]), out.predictions.rows.push_back(std::move(*rows[i]));
  out.runs = items.size();
  out.known = known;
  return out;
}

}  // namespace

std::string problem_of(const Row& row) {
  const Value* v = row.find("problem");
  return v ? v->text() : "";
}

bool is_hopeless(const Row& row) { return row.find("first_look") != nullptr; }

Found search_best(const std::vector<Item>& items, const Search& search) {
  std::vector<Worker> workers;
  workers.reserve(search.engines.size());
  for (device::Device* engine : search.engines) workers.emplace_back(search, engine);
  const bool larger = std::all_of(items.begin(), items.end(), [](const Item& item) {
    return grows_with_cube(item) && item.config.n > kFirstLook;
  });
  return larger ? Continuation(items, search).run(workers) : run_all(items, search, workers);
}

}  // namespace ww::study
