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
  const bool aligned = reinterpret_cast<uintptr_t>(in) % 16 == 0;
  const auto count = static_cast<size_t>(n);
  const int64_t sms = gpu->multiprocessors();
  const auto blocks = [&](int64_t words_each, int64_t most) {
    return Dim{static_cast<uint64_t>(std::clamp<int64_t>(divide_up(n, words_each), 1, most))};
  };
  if (aligned && n >= kBulkFrom && gpu->compute_capability() >= kHopper)
    return gpu->launch("sum_bulk", "bulk_sum_544", blocks(kPiece, std::min(sms, kMostBlocks)), 544,
                       kBulkShared, stream, in, partial, counter, out, count);
  const bool long_enough = n >= int64_t{1} << 22;
  const char* entry = !aligned ? "wide_loads_from" : long_enough ? "wide_loads_8" : "wide_loads_1";
  const int64_t each = 512 * (!aligned ? 16 : long_enough ? 32 : 4);
  return gpu->launch("sum", entry, blocks(each, std::min(2 * sms, kMostBlocks)), 512, 0, stream, in, partial,
                     counter, out, count);
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
