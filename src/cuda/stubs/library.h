// What the heads of the libraries on the processor (cuBLAS, cuSOLVER, cuSPARSE, …) have in common. Device
// memory lies where the host sees it (docs/cuda.md), so that their bodies are plain loops over it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#define WW_LIBRARY_API extern "C" __attribute__((visibility("default")))

namespace ww::stubs {

/// cublasOperation_t, cusparseOperation_t; cublasSideMode_t.
enum class Op : int { None = 0, Transposed = 1, Adjoint = 2 };
enum class Side : int { Left = 0, Right = 1 };

/// Work for `count` items, spread over the host's cores where there is enough (`cost`: operations for each).
inline void in_parallel(int64_t count, double cost, const std::function<void(int64_t, int64_t)>& range) {
  constexpr double kWorthAThread = 1e6;  // operations
  const int64_t cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int64_t threads =
      std::min<int64_t>({cores, count, static_cast<int64_t>(1 + cost * double(count) / kWorthAThread)});
  if (threads <= 1) return count > 0 ? range(0, count) : void();
  std::vector<std::thread> all;
  for (int64_t t = 0; t < threads; ++t)
    all.emplace_back([&, t] { range(count * t / threads, count * (t + 1) / threads); });
  for (auto& t : all) t.join();
}

}  // namespace ww::stubs
