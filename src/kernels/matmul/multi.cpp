#include "kernels/matmul/multi.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/round.h"
#include "device/collective.h"
#include "device/timing.h"
#include "kernels/axes.h"
#include "kernels/embedded.h"
#include "kernels/host_memory/host_gpus.h"
#include "kernels/host_memory/measure.h"
#include "kernels/reference.h"
#include "kernels/run.h"
#include "kernels/verify.h"

namespace ww::kernels {

namespace {

/// Milliseconds of one run: until the others had their inputs, of the slowest kernel, from its end until C
/// was whole, and of everything.
struct Parts {
  double distribute = 0, compute = 0, gather = 0, total = 0;
};

/// The rows of C that one GPU computes.
struct Share {
  uint64_t first = 0, count = 0;
};

/// Whole rows of blocks for everybody, as even as they can be.
std::vector<Share> shares(uint64_t n, uint64_t block_rows, size_t gpus) {
  const uint64_t blocks = divide_up(n, block_rows);
  std::vector<Share> all;
  for (size_t i = 0; i < gpus; ++i) {
    const uint64_t first = blocks * i / gpus * block_rows;
    all.push_back({first, std::min(n, blocks * (i + 1) / gpus * block_rows) - first});
  }
  return all;
}

/// One GPU with what it needs of the product.
struct Worker {
  device::Device* gpu;
  Share share;
  DeviceMemory a, b, c;
  device::Launch launch;
  std::unique_ptr<device::Streams> streams;
};

class Product {
 public:
  Product(const ProbeRun& run, const Task& task, const MultiKernel& kernel)
      : run_(run), task_(task), kernel_(kernel), n_(static_cast<uint64_t>(task.n)) {}

  Status prepare(const HostGpus& gpus, size_t count) {
    const uint64_t block_rows = uint64_t{kernel_.block} * kernel_.ry;
    const auto parts = shares(n_, block_rows, count);
    if (std::any_of(parts.begin(), parts.end(), [](const Share& s) { return s.count == 0; }))
      return error(fmt::format("n = {} has {} rows of blocks, too few for {} GPUs", n_,
                               divide_up(n_, block_rows), count));
    for (size_t i = 0; i < count; ++i)
      if (auto ok = add(gpus[i], parts[i], i == 0 ? n_ : round_up(parts[i].count, block_rows)); !ok)
        return ok;
    if (auto ok = write_inputs(); !ok) return ok;
    if (count == 1) return {};
    std::vector<device::Streams*> streams;
    for (Worker& w : workers_) streams.push_back(w.streams.get());
    auto joined = workers_[0].gpu->link()->join(streams);
    if (!joined) return joined.error();
    nccl_ = std::move(*joined);
    return {};
  }

  /// The parts of the runs, each a median.
  Result<Parts> measure(device::Timing& timing) {
    device::Repeats repeats(run_.timing);
    std::vector<double> distribute, compute, gather;
    double warm = 0;
    for (int i = -run_.timing.warm_ups; i < 0 || !repeats.enough(); ++i) {
      auto parts = run_once();
      if (!parts) return parts.error();
      if (i < 0) {
        // One warm-up that takes longer than the whole budget is warm enough.
        warm += parts->total;
        if (warm > run_.timing.max_seconds * 1e3) i = -1;
        continue;
      }
      repeats.add(parts->total);
      distribute.push_back(parts->distribute);
      compute.push_back(parts->compute);
      gather.push_back(parts->gather);
    }
    timing = repeats.timing();
    return Parts{device::quantile(distribute, 0.5), device::quantile(compute, 0.5),
                 device::quantile(gather, 0.5), timing.median_ms};
  }

  /// Once more from nothing: everything but the first GPU's inputs is poisoned.
  Status verify(const Reference& reference, int64_t rounding, Row& row) {
    for (size_t i = 0; i < workers_.size(); ++i) {
      Worker& w = workers_[i];
      const uint64_t part = w.share.count * n_ * sizeof(float);
      if (auto ok = poison_floats(*w.gpu, w.c.address(), i == 0 ? n_ * n_ : w.share.count * n_); !ok)
        return ok;
      if (i == 0) continue;
      if (auto ok = poison(*w.gpu, w.a.address(), part); !ok) return ok;
      if (auto ok = poison(*w.gpu, w.b.address(), n_ * n_ * sizeof(float)); !ok) return ok;
    }
    if (auto parts = run_once(); !parts) return parts.error();
    Verifier verifier(reference, error_factor(rounding));
    const uint64_t step = std::max<uint64_t>(1, (1 << 20) / n_);
    std::vector<float> rows(step * n_);
    for (uint64_t first = 0; first < n_; first += step) {
      const std::span<float> part(rows.data(), std::min(step, n_ - first) * n_);
      if (auto ok = run_.gpu.read(workers_[0].c.address() + first * n_ * sizeof(float),
                                  std::as_writable_bytes(part));
          !ok)
        return ok;
      verifier.check(first, part);
    }
    add_verification(row, verifier.result());
    return {};
  }

  const device::Collective* nccl() const { return nccl_.get(); }
  /// What passes between GPUs in one run.
  double moved_bytes() const {
    double elements = 0;
    for (size_t i = 1; i < workers_.size(); ++i)
      elements += 2.0 * static_cast<double>(workers_[i].share.count * n_) + static_cast<double>(n_ * n_);
    return elements * sizeof(float);
  }
  uint64_t most_rows() const {
    uint64_t most = 0;
    for (const Worker& w : workers_) most = std::max(most, w.share.count);
    return most;
  }

 private:
  /// `rows` of A and C are allocated: the kernel looks at whole blocks.
  Status add(device::Device& gpu, Share share, uint64_t rows) {
    auto a = DeviceMemory::create(gpu, rows * n_ * sizeof(float));
    if (!a) return a.error();
    auto b = DeviceMemory::create(gpu, n_ * n_ * sizeof(float));
    if (!b) return b.error();
    auto c = DeviceMemory::create(gpu, rows * n_ * sizeof(float));
    if (!c) return c.error();
    auto streams = gpu.link()->streams(1);
    if (!streams) return streams.error();
    auto module = gpu.load(kernel_.module, std::string(embedded_ptx(kernel_.module)));
    if (!module) return module.error();
    device::Launch launch;
    launch.module = *module;
    launch.kernel = kernel_.entry;
    const auto blocks = [&](uint64_t elements, uint32_t per_thread) {
      return static_cast<uint32_t>(divide_up(elements, uint64_t{kernel_.block} * per_thread));
    };
    launch.grid = {blocks(n_, kernel_.rx), blocks(share.count, kernel_.ry)};
    launch.block = {kernel_.block, kernel_.block};
    launch.arguments = {device::Argument::of(a->address()), device::Argument::of(b->address()),
                        device::Argument::of(c->address()), device::Argument::of(static_cast<int32_t>(n_))};
    workers_.push_back(
        {&gpu, share, std::move(*a), std::move(*b), std::move(*c), std::move(launch), std::move(*streams)});
    return {};
  }

  /// A and B on the first GPU.
  Status write_inputs() {
    constexpr uint64_t kChunk = 1 << 22;
    std::vector<float> chunk(std::min(n_ * n_, kChunk));
    const device::Address to[] = {workers_[0].a.address(), workers_[0].b.address()};
    for (size_t input = 0; input < 2; ++input)
      for (uint64_t first = 0; first < n_ * n_; first += kChunk) {
        const std::span<float> part(chunk.data(), std::min(kChunk, n_ * n_ - first));
        task_.inputs[input].read(first, part);
        if (auto ok = run_.gpu.write(to[input] + first * sizeof(float), std::as_bytes(part)); !ok) return ok;
      }
    return {};
  }

  /// With the NaN that a verification knows as never written.
  static Status poison_floats(device::Device& gpu, device::Address address, uint64_t elements) {
    const std::vector<float> chunk(std::min<uint64_t>(elements, 1 << 22), std::bit_cast<float>(kPoison));
    for (uint64_t first = 0; first < elements; first += chunk.size()) {
      const uint64_t count = std::min<uint64_t>(chunk.size(), elements - first);
      auto ok = gpu.write(address + first * sizeof(float), std::as_bytes(std::span(chunk.data(), count)));
      if (!ok) return ok;
    }
    return {};
  }

  Status distribute() {
    std::vector<device::Collective::Transfer> parts;
    std::vector<device::Address> b;
    for (size_t i = 0; i < workers_.size(); ++i) {
      const Worker& w = workers_[i];
      b.push_back(w.b.address());
      if (i > 0)
        parts.push_back({0, static_cast<int>(i), workers_[0].a.address() + w.share.first * n_ * sizeof(float),
                         w.a.address(), w.share.count * n_ * sizeof(float)});
    }
    if (auto ok = nccl_->move(parts); !ok) return ok;
    return nccl_->broadcast(0, b, n_ * n_ * sizeof(float));
  }

  Status gather() {
    std::vector<device::Collective::Transfer> parts;
    for (size_t i = 1; i < workers_.size(); ++i) {
      const Worker& w = workers_[i];
      parts.push_back({static_cast<int>(i), 0, w.c.address(),
                       workers_[0].c.address() + w.share.first * n_ * sizeof(float),
                       w.share.count * n_ * sizeof(float)});
    }
    return nccl_->move(parts);
  }

  Result<Parts> run_once() {
    for (Worker& w : workers_) w.streams->forget_marks();
    device::Streams& first = *workers_[0].streams;
    std::vector<std::pair<int, int>> kernels;
    auto begin = first.mark(0);
    if (!begin) return begin.error();
    if (nccl_)
      if (auto ok = distribute(); !ok) return ok.error();
    for (Worker& w : workers_) {
      auto start = w.streams->mark(0);
      if (!start) return start.error();
      if (auto ok = w.streams->launch(0, w.launch); !ok) return ok.error();
      auto end = w.streams->mark(0);
      if (!end) return end.error();
      kernels.emplace_back(*start, *end);
    }
    if (nccl_)
      if (auto ok = gather(); !ok) return ok.error();
    auto end = first.mark(0);
    if (!end) return end.error();
    for (Worker& w : workers_)
      if (auto ok = w.streams->finish(); !ok) return ok.error();
    Parts parts;
    for (size_t i = 0; i < workers_.size(); ++i) {
      auto ms = workers_[i].streams->ms(kernels[i].first, kernels[i].second);
      if (!ms) return ms.error();
      parts.compute = std::max(parts.compute, *ms);
    }
    auto before = first.ms(*begin, kernels[0].first), after = first.ms(kernels[0].second, *end),
         total = first.ms(*begin, *end);
    for (const auto* part : {&before, &after, &total})
      if (!*part) return part->error();
    return Parts{*before, parts.compute, *after, *total};
  }

  const ProbeRun& run_;
  const Task& task_;
  const MultiKernel& kernel_;
  const uint64_t n_;
  std::vector<Worker> workers_;
  std::unique_ptr<device::Collective> nccl_;  // first to go: it uses the workers' streams
};

void add_times(Row& row, const Product& product, const Parts& parts, double flop, size_t gpus, double alone) {
  const auto add = [&](const char* tag, double value, const char* unit, const char* description) {
    row.values.push_back(measured(tag, value, unit, description));
  };
  add("time", parts.total, "ms", "median, from the first copy's start until C is whole on the first GPU");
  add("gflops", flop / parts.total * 1e-6, "GFlop/s", "2·n³ / time");
  add("compute_time", parts.compute, "ms", "the kernel on the GPU that takes longest");
  add("communication_time", gpus > 1 ? std::max(0.0, parts.total - parts.compute) : 0.0, "ms",
      "time − compute_time; 0 on one GPU");
  if (gpus > 1) {
    add("distribute_time", parts.distribute, "ms", "rows of A and all of B to the other GPUs");
    add("gather_time", parts.gather, "ms", "rows of C to the first GPU, after its own kernel");
    row.values.push_back({"moved_bytes", product.moved_bytes(), "byte", Provenance::Theory,
                          "what the other GPUs receive and send in a run"});
  }
  add("speed_up", alone / parts.total, "", "time on one GPU / time");
  add("efficiency", alone / parts.total / static_cast<double>(gpus), "", "speed_up / number of GPUs");
  row.values.push_back({"rows_per_gpu", static_cast<int64_t>(product.most_rows()), "", Provenance::Input,
                        "rows of C of the GPU that has most"});
  if (product.nccl())
    row.values.push_back(
        {"library", product.nccl()->library(), "", Provenance::Input, "what moves data between the GPUs"});
}

Row numbered(size_t gpus) {
  Row row;
  row[lab::K] = fmt::format("{}", gpus);
  return row;
}

}  // namespace

std::vector<Row> probe_multi(const ProbeRun& run, const Task& task, int64_t rounding,
                             const MultiKernel& kernel) {
  auto reference = compute_reference(task);
  if (!reference) return {row_of(numbered(1), [&](Row&) -> Status { return reference.error(); })};
  const double n = static_cast<double>(task.n), flop = 2 * n * n * n;
  auto gpus = HostGpus::open(run.gpu);
  if (!gpus) return {row_of(numbered(1), [&](Row&) -> Status { return gpus.error(); })};
  std::vector<Row> rows;
  double alone = 0;
  for (size_t count = 1; count <= gpus->size(); ++count) {
    rows.push_back(row_of(numbered(count), [&](Row& row) -> Status {
      Product product(run, task, kernel);
      if (auto ok = product.prepare(*gpus, count); !ok) return ok;
      device::Timing timing;
      auto parts = product.measure(timing);
      if (!parts) return parts.error();
      if (auto ok = product.verify(**reference, rounding, row); !ok) return ok;
      if (count == 1) alone = parts->total;
      add_times(row, product, *parts, flop, count, alone);
      row.values.insert(row.values.end(), timing.values.begin(), timing.values.end());
      return {};
    }));
    if (!rows.back().refused.empty()) return rows;  // more GPUs would say the same
  }
  if (gpus->size() == 1)
    rows.push_back(row_of(numbered(2), [&](Row&) -> Status {
      return error(fmt::format("this host has one GPU, {}: there is nothing to share the work with",
                               run.gpu.info().id));
    }));
  return rows;
}

}  // namespace ww::kernels
