#include "study/peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/axes.h"
#include "kernels/device_buffers.h"
#include "kernels/verify.h"

namespace ww::study {

namespace {

using kernels::Plan;
using kernels::Problem;

/// A peer of a problem. The ratio of our kernels is taken to the one that is marked.
struct Solver {
  Problem problem;
  const char* peer;
  bool compare;
  double (*error_factor)(const kernels::Task&);
  double (*scale)(const kernels::Task&);  ///< what its result has to be multiplied with
};

double one(const kernels::Task&) { return 1; }
double box_area(const kernels::Task& t) { return static_cast<double>((2 * t.r + 1) * (2 * t.r + 1)); }

// A product in any order: n roundings of sums, one of the factor alpha, one to spare.
double product_error(const kernels::Task& t) { return kernels::error_factor(t.n + 2); }
// TF32 has 10 bits of mantissa; a tensor core may cut instead of round (2^-10 for each input), in its sums as
// well.
double tf32_error(const kernels::Task& t) {
  return kernels::error_factor(2 * t.n + 4) + std::ldexp(1, -9) + std::ldexp(1, -20);
}
// Additions a term can meet where at least 2^14 threads share the elements and trees join them.
double reduce_error(const kernels::Task& t) {
  return kernels::error_factor(std::min<int64_t>(t.n, t.n / (1 << 14) + 64));
}
// The sum, the division by the area, and ours back.
double box_error(const kernels::Task& t) {
  return kernels::error_factor(static_cast<int64_t>(box_area(t)) + 3);
}

constexpr Solver kSolvers[] = {
    {Problem::Matmul, "cublas/sgemm", true, product_error, one},
    {Problem::Matmul, "cublas/tf32", false, tf32_error, one},
    {Problem::MatmulTransposed, "cublas/ssyrk", true, product_error, one},
    {Problem::Sum, "cub/reduce", true, reduce_error, one},
    {Problem::BoxSum, "npp/box", true, box_error, box_area},
};

constexpr const char* kCopies[] = {"copy/memcpy", "copy/kernel"};
constexpr const char* kRate = "ffma/rate";
constexpr int kRateSteps = 16384;

uint64_t input_elements(const kernels::Task& task) {
  return static_cast<uint64_t>(task.problem == Problem::Sum ? task.n : task.n * task.n);
}

Value verified(bool good) {
  return {"verified", int64_t{good}, "", Provenance::Measured,
          "1 if every element lies within the error bound around the float64 result"};
}

/// The buffers of one task and its rows.
class Runner {
 public:
  Runner(Table& table, const Study& study, const device::Peers& peers, const PeerContext& context)
      : table_(table), study_(study), peers_(peers), context_(context) {}

  bool has(std::string_view name) const {
    return std::any_of(peers_.list.begin(), peers_.list.end(), [&](const auto& p) { return p.name == name; });
  }
  void solve(const Plan& plan, bool with_copies);
  void rate();

 private:
  using Check = std::function<Status(kernels::DeviceBuffers&, int output, Row&)>;
  bool stopped() const { return context_.stop && context_.stop->load(); }
  void run(const std::string& name, const kernels::Task& task, const std::vector<kernels::Buffer>& buffers,
           ww_peers_task what, double flop, const Check& check);
  Status verify(kernels::DeviceBuffers& buffers, int output, const Solver& solver, const kernels::Task& task,
                Row& row);

  Table& table_;
  const Study& study_;
  const device::Peers& peers_;
  const PeerContext& context_;
  std::shared_ptr<const kernels::Reference> reference_;
};

/// One row: buffers made, the peer timed, its last output checked.
void Runner::run(const std::string& name, const kernels::Task& task,
                 const std::vector<kernels::Buffer>& buffers, ww_peers_task what, double flop,
                 const Check& check) {
  if (stopped() || !has(name)) return;
  if (context_.progress) context_.progress(fmt::format("{} n={}", name, task.n));
  Row row;
  row[Axis::Study] = study_.name;
  row[Axis::Kernel] = name;
  row[Axis::Device] = context_.gpu->info().id;
  if (task.n > 0) row[lab::N] = fmt::format("{}", task.n);
  if (task.r > 0) row[lab::R] = fmt::format("{}", task.r);
  const auto run = [&]() -> Status {
    kernels::DeviceBuffers memory(*context_.gpu);
    if (auto ok = memory.create(buffers); !ok) return ok;
    const int output = static_cast<int>(buffers.size()) - 1;
    for (int i = 0; i < output; ++i) what.input[i] = memory.address(i);
    what.output = memory.address(output);
    auto timing = peers_.time(*context_.gpu, name, what, context_.timing);
    if (!timing) return timing.error();
    if (auto ok = check(memory, output, row); !ok) return ok;
    row.values.push_back({"time", timing->median_ms, "ms", Provenance::Measured, "median time of a run"});
    if (flop > 0)
      row.values.push_back(
          {"gflops", flop / timing->median_ms * 1e-6, "GFlop/s", Provenance::Measured, "flop / time"});
    if (what.bytes > 0)
      row.values.push_back({"bandwidth", 2e-6 * static_cast<double>(what.bytes) / timing->median_ms, "GB/s",
                            Provenance::Measured, "bytes read and written / time"});
    row.values.insert(row.values.end(), timing->values.begin(), timing->values.end());
    return {};
  };
  if (auto ok = run(); !ok) row.refused = kernels::one_line(ok.error());
  table_.rows.push_back(std::move(row));
}

Status Runner::verify(kernels::DeviceBuffers& buffers, int output, const Solver& solver,
                      const kernels::Task& task, Row& row) {
  if (!reference_) {
    auto computed = kernels::compute_reference(task);
    if (!computed) return computed.error();
    reference_ = *computed;
  }
  kernels::Verifier verifier(*reference_, solver.error_factor(task));
  const auto scale = static_cast<float>(solver.scale(task));
  const uint64_t length = reference_->row_length(), step = std::max<uint64_t>(1, (1 << 20) / length);
  std::vector<float> rows(step * length);
  for (uint64_t first = 0; first < reference_->rows(); first += step) {
    const std::span<float> part(rows.data(), std::min(step, reference_->rows() - first) * length);
    if (auto ok = buffers.read(output, first * length, part); !ok) return ok;
    if (scale != 1)
      for (float& x : part)
        if (std::bit_cast<uint32_t>(x) != kernels::kPoison) x *= scale;
    verifier.check(first, part);
  }
  kernels::add_verification(row, verifier.result());
  return {};
}

Status equal(kernels::DeviceBuffers& buffers, int output, uint64_t elements, Row& row) {
  constexpr uint64_t kStep = 1 << 20;
  std::vector<float> a(kStep), b(kStep);
  bool same = true;
  for (uint64_t first = 0; first < elements && same; first += kStep) {
    const uint64_t count = std::min(kStep, elements - first);
    if (auto ok = buffers.read(0, first, {a.data(), count}); !ok) return ok;
    if (auto ok = buffers.read(output, first, {b.data(), count}); !ok) return ok;
    same = std::memcmp(a.data(), b.data(), count * sizeof(float)) == 0;
  }
  row.values.push_back(verified(same));
  return {};
}

void Runner::solve(const Plan& plan, bool with_copies) {
  const kernels::Task& task = plan.task;
  const uint64_t elements = input_elements(task);
  std::vector<kernels::Buffer> buffers;
  for (const auto& input : task.inputs) buffers.push_back({"input", elements, input});
  buffers.push_back({"output", elements, kernels::Poison{}});
  reference_.reset();
  for (const Solver& solver : kSolvers)
    if (solver.problem == task.problem)
      run(solver.peer, task, buffers, {.n = task.n, .r = task.r}, plan.flop,
          [&](kernels::DeviceBuffers& memory, int output, Row& row) {
            return verify(memory, output, solver, task, row);
          });
  reference_.reset();
  if (!with_copies) return;
  kernels::Task copy = task;
  copy.r = 0;
  for (const char* name : kCopies)
    run(name, copy, {buffers.front(), buffers.back()}, {.n = task.n, .bytes = elements * sizeof(float)}, 0,
        [&](kernels::DeviceBuffers& memory, int output, Row& row) {
          return equal(memory, output, elements, row);
        });
}

float chain_sum(int64_t thread) {
  float sum = 0;
  for (int c = 0; c < WW_PEERS_CHAINS; ++c) {
    float x = static_cast<float>(thread % 1024) / 1024 + static_cast<float>(c);
    for (int i = 0; i < kRateSteps; ++i) x = std::fma(x, WW_PEERS_MULTIPLIER, WW_PEERS_SUMMAND);
    sum = c == 0 ? x : sum + x;
  }
  return sum;
}

void Runner::rate() {
  // Twice as many threads as can be resident.
  const int64_t threads = int64_t{std::max(1u, context_.gpu->info().multiprocessors)} * 2048 * 2;
  const double flop = 2.0 * WW_PEERS_CHAINS * kRateSteps * static_cast<double>(threads);
  run(kRate, {}, {{"output", static_cast<uint64_t>(threads), kernels::Poison{}}},
      {.n = threads, .r = kRateSteps}, flop,
      [&](kernels::DeviceBuffers& memory, int output, Row& row) -> Status {
        std::vector<float> out(static_cast<size_t>(threads));
        if (auto ok = memory.read(output, 0, out); !ok) return ok;
        float expected[1024];
        for (int64_t i = 0; i < 1024; ++i) expected[i] = chain_sum(i);
        bool good = true;
        for (size_t i = 0; i < out.size(); ++i) good &= out[i] == expected[i % 1024];
        row.values.push_back(verified(good));
        return {};
      });
}

/// Adds ratio_to_peer to our rows of this task on this GPU.
void compare(Table& table, const kernels::Task& task, const std::vector<Item>& items,
             const std::string& gpu) {
  const auto solver = std::find_if(std::begin(kSolvers), std::end(kSolvers),
                                   [&](const Solver& s) { return s.compare && s.problem == task.problem; });
  const auto of_task = [&](const Row& row) {
    return row[Axis::Device] == gpu && row[lab::N] == fmt::format("{}", task.n) &&
           row[lab::R] == (task.r > 0 ? fmt::format("{}", task.r) : "");
  };
  const auto peer = std::find_if(table.rows.begin(), table.rows.end(), [&](const Row& row) {
    return row[Axis::Kernel] == solver->peer && of_task(row);
  });
  const Value* theirs = peer == table.rows.end() ? nullptr : peer->find("time");
  if (!theirs) return;
  const double time = theirs->number();
  for (Row& row : table.rows) {
    const bool ours = std::any_of(items.begin(), items.end(),
                                  [&](const Item& item) { return item.kernel->name == row[Axis::Kernel]; });
    const Value* own = ours && of_task(row) ? row.find("time") : nullptr;
    if (own && own->number() > 0)
      row.values.push_back({"ratio_to_peer", time / own->number(), "", Provenance::Measured,
                            fmt::format("speed as a part of that of {}", solver->peer)});
  }
}

}  // namespace

void add_peers(Table& table, const Study& study, const std::vector<Item>& items, const device::Peers& peers,
               const PeerContext& context) {
  Runner runner(table, study, peers, context);
  std::vector<std::string> done;
  std::vector<uint64_t> copied;
  for (const Item& item : items) {
    auto plan = kernels::make_plan(*item.kernel, item.config);
    // No library has what a study's own function asks for.
    if (!plan || plan->probe || plan->task.problem == Problem::Given) continue;
    const std::string identity = plan->task.identity();
    if (std::find(done.begin(), done.end(), identity) != done.end()) continue;
    done.push_back(identity);
    const uint64_t size = input_elements(plan->task);
    const bool new_size = std::find(copied.begin(), copied.end(), size) == copied.end();
    if (new_size) copied.push_back(size);
    runner.solve(*plan, new_size);
    compare(table, plan->task, items, context.gpu->info().id);
  }
  runner.rate();
}

}  // namespace ww::study
