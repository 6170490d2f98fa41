// Which level of memory answers a warp's loads. A warp waits for the slowest of the loads that are in flight
// together, and loads that miss tend to follow one another, so loads are counted in groups.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ww::caches {

/// The level that answers a load. A load of a line that is already requested waits like the first request.
enum class Level : uint8_t { L1, L2, Dram };

/// Groups of 2^k loads of one warp that follow one another, and those of them that went past L1, and past L2.
struct WaitCounts {
  static constexpr size_t kSizes = 7;
  using Numbers = std::array<uint64_t, kSizes>;
  Numbers groups{}, past_l1{}, past_l2{};

  WaitCounts& operator+=(const WaitCounts& more);
  WaitCounts operator-(const WaitCounts& less) const;
  bool operator==(const WaitCounts&) const = default;

  struct Shares {
    double past_l1 = 0, past_l2 = 0;
  };
  /// Of groups of so many loads (at least 1, 64 at most); between the sizes by the logarithm. Zeros without
  /// any.
  Shares shares(double loads) const;
};

/// The loads of one warp.
class WarpWaits {
 public:
  void add(Level level, WaitCounts& counts);

 private:
  uint64_t loads_ = 0;
  std::array<Level, WaitCounts::kSizes> farthest_{};
};

}  // namespace ww::caches
