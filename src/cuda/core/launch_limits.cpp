// What cannot be launched, and why.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "cuda/core/attributes.h"
#include "cuda/core/code.h"
#include "cuda/core/operation.h"
#include "cuda/core/platform.h"

namespace ww::cuda {

namespace {

/// Plain: handlers of exit() may launch, and run behind the destructors of the thread.
thread_local std::string* refusal = nullptr;

Error refuse(Error error, std::string why) {
  delete std::exchange(refusal, new std::string(std::move(why)));
  return error;
}

std::string text(const Dim3& d) { return fmt::format("{} × {} × {}", d.x, d.y, d.z); }

/// CUDA's limits of a grid and a block (programming guide, "Technical specifications per compute
/// capability").
constexpr u32 kMostBlocks[] = {0x7fffffff, 65535, 65535};
constexpr u32 kMostThreads[] = {1024, 1024, 64};

/// Whether wrong_size() has nothing to say. Every launch is asked.
bool right_size(const gpus::Gpu& gpu, const Dim3& grid, const Dim3& block) {
  const u32 blocks[] = {grid.x, grid.y, grid.z}, threads[] = {block.x, block.y, block.z};
  bool right = grid.count() && block.count() && block.count() <= static_cast<u64>(gpu.max_threads_per_block);
  for (int k = 0; k < 3; ++k) right = right && blocks[k] <= kMostBlocks[k] && threads[k] <= kMostThreads[k];
  return right;
}
std::string wrong_size(const gpus::Gpu& gpu, const Dim3& grid, const Dim3& block) {
  if (!grid.count()) return fmt::format("a grid of {} blocks: there are none", text(grid));
  if (!block.count()) return fmt::format("blocks of {} threads: there are none", text(block));
  const u32 blocks[] = {grid.x, grid.y, grid.z}, threads[] = {block.x, block.y, block.z};
  for (int k = 0; k < 3; ++k) {
    if (blocks[k] > kMostBlocks[k])
      return fmt::format("a grid of {} blocks: at most {} are possible along {}", text(grid), kMostBlocks[k],
                         "xyz"[k]);
    if (threads[k] > kMostThreads[k])
      return fmt::format("blocks of {} threads: at most {} are possible along {}", text(block),
                         kMostThreads[k], "xyz"[k]);
  }
  if (block.count() > static_cast<u64>(gpu.max_threads_per_block))
    return fmt::format("blocks of {} = {} threads: at most {} are possible", text(block), block.count(),
                       gpu.max_threads_per_block);
  return "";
}

}  // namespace

std::string take_refusal() {
  const std::unique_ptr<std::string> taken(std::exchange(refusal, nullptr));
  return taken ? std::move(*taken) : std::string();
}

Error check_cluster(DeviceContext& device, const KernelCall& call, const ir::Function& f) {
  const Dim3 &c = call.cluster, &g = call.grid;
  const u32 compiled[3] = {f.cluster[0], f.cluster[1], f.cluster[2]}, asked[3] = {c.x, c.y, c.z},
            blocks[3] = {g.x, g.y, g.z};
  for (int k = 0; k < 3; ++k) {
    const u32 own = std::max(1u, compiled[k]);
    if (compiled[0] && c.count() > 1 && asked[k] != own)
      return refuse(Error::InvalidClusterSize,
                    fmt::format("clusters of {} blocks, but the kernel was compiled for {} along {}", text(c),
                                own, "xyz"[k]));
    if (compiled[0] && blocks[k] % own)
      return refuse(Error::InvalidClusterSize,
                    fmt::format("a grid of {} blocks, but the kernel's clusters have {} along {}", text(g),
                                own, "xyz"[k]));
  }
  if (c.count() <= 1) return Error::Success;
  if (!device.gpu->at_least(9))
    return refuse(Error::InvalidClusterSize, "this GPU has no clusters (from compute capability 9.0 on)");
  const u32 most = call.function->non_portable_cluster ? 16 : 8;
  if (c.count() > most)
    return refuse(
        Error::InvalidClusterSize,
        fmt::format("clusters of {} = {} blocks: at most {} are possible", text(c), c.count(), most));
  for (int k = 0; k < 3; ++k)
    if (blocks[k] % asked[k])
      return refuse(
          Error::InvalidClusterSize,
          fmt::format("a grid of {} blocks cannot be divided into clusters of {}", text(g), text(c)));
  return Error::Success;
}

Error check_launch(DeviceContext& device, const KernelCall& call) {
  const Dim3& b = call.block;
  if (!right_size(*device.gpu, call.grid, b))
    // CUDA 13 on a card (data/measured/h200-api); the manuals' code before.
    return refuse(
        Platform::get().runtime_version() >= 13000 ? Error::InvalidValue : Error::InvalidConfiguration,
        wrong_size(*device.gpu, call.grid, b));
  const LoadedKernel* kernel = nullptr;
  if (Error e = loaded_kernel(device, *call.function, kernel); e != Error::Success) return e;
  const ir::Function* f = kernel->declaration;
  if (Error e = check_cluster(device, call, *f); e != Error::Success) return e;
  u64 most = 1;
  for (u32 n : f->max_threads) most *= n ? n : 1;
  if (f->max_threads[0] && b.count() > most)
    return refuse(Error::InvalidValue,
                  fmt::format("blocks of {} threads, but the kernel was compiled for {} at most "
                              "(__launch_bounds__)",
                              b.count(), most));
  const u32 sizes[3] = {b.x, b.y, b.z};
  for (int k = 0; k < 3; ++k)
    if (f->required_threads[0] && sizes[k] != std::max<u32>(1, f->required_threads[k]))
      return refuse(
          Error::InvalidValue,
          fmt::format("blocks of {} threads, but the kernel was compiled for {} along {} (.reqntid)", text(b),
                      std::max<u32>(1, f->required_threads[k]), "xyz"[k]));
  const size_t fixed = kernel->static_shared;
  const int asked = call.function->max_dynamic_shared;  // by cudaFuncSetAttribute
  const size_t allowed = asked >= 0 ? static_cast<size_t>(asked)
                                    : device.shared_per_block() - std::min(device.shared_per_block(), fixed);
  if (call.shared <= allowed) return Error::Success;
  std::string why =
      fmt::format("{} bytes of dynamic shared memory, but {} are allowed", call.shared, allowed);
  if (fixed > 0) why += fmt::format(" beside the kernel's own {}", fixed);
  if (call.shared + fixed <= device.shared_optin())
    why += "; cudaFuncSetAttribute (cudaFuncAttributeMaxDynamicSharedMemorySize) allows more";
  return refuse(Error::InvalidValue, std::move(why));
}

}  // namespace ww::cuda
