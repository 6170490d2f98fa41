#include <algorithm>

#include "kernels_library/gpu.h"
#include "kernels_library/matrix.h"

namespace warpwright {

namespace {

constexpr int kHopper = 90;
constexpr int64_t kMostBlocks = 1024, kBulkFrom = int64_t{1} << 27, kPiece = 4096;
constexpr size_t kBulkShared = 12 * 16384;
constexpr int64_t kMost = int64_t{1} << 40;

Status run_sum(Stream stream, const float* in, int64_t n, float* out, const Workspace& workspace,
               bool counter_is_zero) {
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
  if (Status s = counter_is_zero ? Status::ok : zero(counter); s != Status::ok) return s;
  if (n == 0) return zero(out);
  const bool aligned = reinterpret_cast<uintptr_t>(in) % 16 == 0, long_enough = n >= int64_t{1} << 22;
  const bool early = gpu->compute_capability() >= kHopper, bulk = early && aligned && n >= kBulkFrom;
  const int64_t sms = gpu->multiprocessors(), each = bulk          ? kPiece
                                                     : !aligned    ? 512 * 16
                                                     : long_enough ? 512 * 32
                                                                   : 512 * 4;
  Dim grid{static_cast<uint64_t>(std::min({divide_up(n, each), bulk ? sms : 2 * sms, kMostBlocks}))};
  grid.early = early;
  const char* entry = bulk          ? "bulk_sum_544"
                      : !aligned    ? "wide_loads_from"
                      : long_enough ? "wide_loads_8"
                                    : "wide_loads_1";
  return gpu->launch(early ? "sum_early" : "sum", entry, grid, bulk ? 544 : 512, bulk ? kBulkShared : 0,
                     stream, in, partial, counter, out, static_cast<size_t>(n));
}

}  // namespace

Status sum(Stream stream, const float* in, int64_t n, float* out, Workspace workspace) {
  return run_sum(stream, in, n, out, workspace, false);
}
Status sum_again(Stream stream, const float* in, int64_t n, float* out, Workspace workspace) {
  return run_sum(stream, in, n, out, workspace, true);
}
size_t sum_workspace() {
  Parts parts(nullptr);
  parts.take<unsigned>(1);
  parts.take<float>(kMostBlocks);
  return parts.used();
}

}  // namespace warpwright
