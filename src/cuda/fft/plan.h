// cuFFT's plans.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/stubs/library.h"

namespace ww::fft {

/// cufftResult.
enum class Result : int {
  Success = 0,
  InvalidPlan = 1,
  AllocFailed = 2,
  InvalidType = 3,
  InvalidValue = 4,
  ExecFailed = 6,
  InvalidSize = 8,
  InvalidDevice = 11,
  NotSupported = 16
};
/// cufftType.
enum class Kind : int { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };

/// Where the elements of one side lie: those of dimension d are `embed` apart, as in an array of those sizes.
struct Layout {
  std::vector<int64_t> embed;  ///< empty: the basic layout, closely packed
  int64_t stride = 1, distance = 0;
};

struct Plan {
  std::vector<int64_t> sizes;  ///< empty: nothing is planned yet
  Kind kind = Kind::C2C;
  int64_t batch = 1;
  Layout in, out;
  void* stream = nullptr;
  std::vector<int> devices;  ///< of cufftXtSetGPUs: several
};

/// Null: there is no such plan.
std::shared_ptr<Plan> plan_of(int handle);

}  // namespace ww::fft

/// By the plan's kind, whatever it is.
WW_LIBRARY_API ww::fft::Result cufftXtExec(int handle, void* in, void* out, int direction);
