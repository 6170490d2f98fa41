// How a thread of the host computes while it runs a kernel.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace ww::engine {

/// While it lives, the thread rounds to nearest and keeps denormal numbers, as rows of instructions expect.
/// The program may have set otherwise: what gcc links with -ffast-math flushes denormal numbers in all
/// threads.
class DeviceArithmetic {
 public:
  DeviceArithmetic(const DeviceArithmetic&) = delete;
  DeviceArithmetic& operator=(const DeviceArithmetic&) = delete;

#if defined(__x86_64__)
  DeviceArithmetic() : before_(_mm_getcsr()) {
    constexpr unsigned kUsual = 0x1f80;  // to nearest, exceptions masked
    _mm_setcsr(kUsual);
  }
  ~DeviceArithmetic() { _mm_setcsr(before_); }

 private:
  unsigned before_;
#else
  DeviceArithmetic() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DeviceArithmetic() { std::fesetenv(&before_); }

 private:
  std::fenv_t before_;
#endif
};

}  // namespace ww::engine
