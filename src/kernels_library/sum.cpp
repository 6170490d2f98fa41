#include <algorithm>
#include <map>
#include <mutex>

#include "kernels_library/gpu.h"
#include "kernels_library/matrix.h"
#include "kernels_library/remembered.h"

namespace warpwright {

namespace {

constexpr int kHopper = 90;
constexpr int64_t kMostBlocks = 1024, kBulkFrom = int64_t{1} << 27, kPiece = 4096;
constexpr size_t kBulkShared = 12 * 16384;
constexpr int64_t kMost = int64_t{1} << 40;
constexpr size_t kCounters = 1024;  // kSumCounters of cuda/sum.h
// Up to which lengths one block is the fastest, of 256 and of 512 threads, and a cluster of eight
// (data/measured/h200-rungs/sum_short.csv).
constexpr int64_t kBlock256 = 4096, kBlock512 = 8192, kCluster = int64_t{1} << 17;

/// A kernel, its threads, and its blocks, which are one cluster where they need no counter.
struct SumLaunch {
  const char* entry;
  uint32_t threads;
  Dim grid;
  bool counts;
  size_t shared = 0;
};
SumLaunch choose_sum(const Gpu& gpu, int64_t n, bool aligned) {
  const bool hopper = gpu.compute_capability() >= kHopper;
  const auto launch = [&](const char* entry, uint32_t threads, int64_t each, int64_t most) {
    return SumLaunch{
        entry, threads, {static_cast<uint64_t>(std::min({divide_up(n, each), most, kMostBlocks}))}, true};
  };
  if (n <= kBlock512)
    return {n <= kBlock256 ? "one_block_256" : "one_block_512", n <= kBlock256 ? 256U : 512U, {}, false};
  if (hopper && n <= kCluster) return {"one_cluster", 512, {8, 1, 1, 8}, false};
  const int64_t sms = gpu.multiprocessors();
  if (!aligned) return launch("wide_loads_from", 512, 512 * 16, 2 * sms);
  if (n < int64_t{1} << 22) return launch("wide_loads_1", 512, 512 * 4, 2 * sms);
  if (!hopper || n < kBulkFrom) return launch("wide_loads_8", 512, 512 * 32, 2 * sms);
  SumLaunch bulk = launch("bulk_sum_544", 544, kPiece, sms);
  bulk.shared = kBulkShared;
  return bulk;
}

/// Every workspace that sums of a context were given has a number. Two calls that may run at the same time
/// have different workspaces, and so different numbers.
class Numbers {
 public:
  /// The workspace's number, below `most`; or `most` where all are taken.
  size_t of(const Gpu& gpu, const void* workspace, size_t most) {
    const std::lock_guard lock(mutex_);
    auto& known = of_[&gpu];
    if (const auto found = known.find(workspace); found != known.end()) return found->second;
    if (known.size() == most) return most;
    return known.emplace(workspace, known.size()).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<const Gpu*, std::map<const void*, size_t>> of_;
};

Status run_sum(Stream stream, const float* in, int64_t n, float* out, const Workspace& workspace) {
  if (n < 0 || n > kMost) return Status::bad_shape;
  if (!out || (!in && n > 0)) return Status::null_pointer;
  if (reinterpret_cast<uintptr_t>(in) % sizeof(float) != 0 ||
      reinterpret_cast<uintptr_t>(out) % sizeof(float) != 0)
    return Status::misaligned;
  if (Status s = check_memory({{in, static_cast<size_t>(n) * sizeof(float)}}, {out, sizeof(float)}, workspace,
                              sum_workspace());
      s != Status::ok)
    return s;
  Gpu* gpu = nullptr;
  if (Status s = Gpu::current(&gpu); s != Status::ok) return s;
  Parts parts(workspace.data);
  auto* counter = parts.take<unsigned>(1);
  auto* partial = parts.take<float>(kMostBlocks);
  const auto zero = [&](const void* word) {
    return check_driver(Driver::get()->cuMemsetD32Async(reinterpret_cast<Address>(word), 0, 1, stream));
  };
  if (n == 0) return zero(out);
  const bool aligned = reinterpret_cast<uintptr_t>(in) % 16 == 0;
  SumLaunch launch = choose_sum(*gpu, n, aligned);
  launch.grid.early = gpu->compute_capability() >= kHopper;
  const char* const file = launch.grid.early ? "sum_early" : "sum";
  if (launch.counts) {
    static Numbers numbers;
    thread_local Remembered<2, unsigned*> known;
    Status s = Status::ok;
    unsigned* word = known.answer(
        {reinterpret_cast<intptr_t>(gpu), reinterpret_cast<intptr_t>(workspace.data)}, [&]() -> unsigned* {
          const size_t number = numbers.of(*gpu, workspace.data, kCounters);
          unsigned* found = nullptr;
          if (number < kCounters) s = gpu->word_of(file, "sum_counters", number, &found);
          return found;
        });
    if (s == Status::ok && !word) s = zero(counter);
    if (s != Status::ok) return s;
    if (word) counter = word;
  }
  return gpu->launch(file, launch.entry, launch.grid, launch.threads, launch.shared, stream, in, partial,
                     counter, out, static_cast<size_t>(n));
}

}  // namespace

Status sum(Stream stream, const float* in, int64_t n, float* out, Workspace workspace) {
  return run_sum(stream, in, n, out, workspace);
}
Status sum_again(Stream stream, const float* in, int64_t n, float* out, Workspace workspace) {
  return run_sum(stream, in, n, out, workspace);
}
size_t sum_workspace() {
  Parts parts(nullptr);
  parts.take<unsigned>(1);
  parts.take<float>(kMostBlocks);
  return parts.used();
}

}  // namespace warpwright
