// Elements as programs store them: the types of cudaDataType, read as and written from numbers.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "base/half.h"

namespace ww::blas {

/// cudaDataType.
enum DataType : int {
  kF32 = 0,
  kF64 = 1,
  kF16 = 2,
  kS8 = 3,
  kC32 = 4,
  kC64 = 5,
  kC8 = 7,
  kU8 = 8,
  kS32 = 10,
  kBF16 = 14,
  kE4M3 = 28,
  kE5M2 = 29
};

/// As stored. Both become float exactly; back they are rounded to nearest even.
struct Half {
  uint16_t bits;
  Half() = default;
  explicit Half(float v) : bits(ww::to_f16(v).bits) {}
  explicit Half(double v) : Half(static_cast<float>(v)) {}
  operator float() const { return ww::to_float(ww::f16{bits}); }
};
struct BFloat {
  uint16_t bits;
  BFloat() = default;
  explicit BFloat(float v) : bits(ww::to_bf16(v).bits) {}
  explicit BFloat(double v) : BFloat(static_cast<float>(v)) {}
  operator float() const { return ww::to_float(ww::bf16{bits}); }
};

/// Numbers of 8 bits (OCP 8-bit Floating Point Specification): `kMantissa` bits behind the point. Beyond the
/// largest number they are written as that (saturation, as cuBLAS writes them); E5M2 has infinities, E4M3 has
/// one NaN.
template <int kMantissa>
struct Float8 {
  static constexpr int kBias = kMantissa == 3 ? 7 : 15;
  static constexpr float kLargest = kMantissa == 3 ? 448.0f : 57344.0f;
  uint8_t bits;
  Float8() = default;
  explicit Float8(double v) : Float8(static_cast<float>(v)) {}
  explicit Float8(float v) {
    const uint8_t sign = std::signbit(v) ? 0x80 : 0;
    float size = std::fabs(v);
    if (std::isnan(v)) {
      bits = 0x7f;
      return;
    }
    if (size > kLargest) size = kLargest;
    int exponent = 0;
    (void)std::frexp(size, &exponent);
    // One unit in the last place: of the number's exponent, or of the subnormal ones.
    const int unit = (exponent - 1 < 1 - kBias ? 1 - kBias : exponent - 1) - kMantissa;
    const float rounded = std::fmin(std::ldexp(std::nearbyint(std::ldexp(size, -unit)), unit), kLargest);
    (void)std::frexp(rounded, &exponent);
    const int biased = exponent - 1 + kBias;
    if (rounded == 0 || biased < 1)
      bits = static_cast<uint8_t>(sign | static_cast<int>(std::ldexp(rounded, kBias - 1 + kMantissa)));
    else
      bits = static_cast<uint8_t>(
          sign | biased << kMantissa |
          (static_cast<int>(std::ldexp(rounded, kMantissa - exponent + 1)) & ((1 << kMantissa) - 1)));
  }
  operator float() const {
    const int fraction = bits & ((1 << kMantissa) - 1), biased = (bits & 0x7f) >> kMantissa;
    float size = biased
                     ? std::ldexp(static_cast<float>(fraction | 1 << kMantissa), biased - kBias - kMantissa)
                     : std::ldexp(static_cast<float>(fraction), 1 - kBias - kMantissa);
    if (kMantissa == 3 && (bits & 0x7f) == 0x7f) size = NAN;
    if (kMantissa == 2 && biased == 31) size = fraction ? NAN : INFINITY;
    return bits & 0x80 ? -size : size;
  }
};
using E4M3 = Float8<3>;
using E5M2 = Float8<2>;

/// CUDA_C_8I, which only products read.
struct ComplexByte {
  int8_t real, imaginary;
};
/// A matrix of them, without gaps between its columns.
inline std::vector<std::complex<float>> floats_of(const ComplexByte* from, int64_t rows, int64_t columns,
                                                  int64_t lead) {
  std::vector<std::complex<float>> to;
  to.reserve(static_cast<size_t>(rows * columns));
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t i = 0; i < rows; ++i) to.emplace_back(from[i + j * lead].real, from[i + j * lead].imaginary);
  return to;
}

/// Calls body(T{}) with the type behind the number. False: such numbers are not there.
template <class F>
bool with_type(int type, F&& body) {
  switch (type) {
    case kF32:
      return body(float{}), true;
    case kF64:
      return body(double{}), true;
    case kF16:
      return body(Half{}), true;
    case kBF16:
      return body(BFloat{}), true;
    case kS8:
      return body(int8_t{}), true;
    case kU8:
      return body(uint8_t{}), true;
    case kS32:
      return body(int32_t{}), true;
    case kE4M3:
      return body(E4M3{}), true;
    case kE5M2:
      return body(E5M2{}), true;
    case kC32:
      return body(std::complex<float>{}), true;
    case kC64:
      return body(std::complex<double>{}), true;
    default:
      return false;
  }
}
inline bool is_type(int type) {
  return with_type(type, [](auto) {});
}
inline size_t type_bytes(int type) {
  size_t bytes = 0;
  with_type(type, [&](auto t) { bytes = sizeof t; });
  return bytes;
}
/// As cudaDataType calls it.
inline std::string type_name(int type) {
  constexpr const char* kNames[] = {"CUDA_R_32F",  "CUDA_R_64F", "CUDA_R_16F", "CUDA_R_8I",  "CUDA_C_32F",
                                    "CUDA_C_64F",  "CUDA_C_16F", "CUDA_C_8I",  "CUDA_R_8U",  "CUDA_C_8U",
                                    "CUDA_R_32I",  "CUDA_C_32I", "CUDA_R_32U", "CUDA_C_32U", "CUDA_R_16BF",
                                    "CUDA_C_16BF", "CUDA_R_4I"};
  if (type >= 0 && type < static_cast<int>(std::size(kNames))) return kNames[type];
  return "cudaDataType " + std::to_string(type);
}
inline bool is_complex(int type) { return type == kC32 || type == kC64; }

/// Whole numbers are rounded to the nearest and saturate.
template <class T>
void write(T& to, std::complex<double> v) {
  if constexpr (std::is_integral_v<T>) {
    const double low = double(std::numeric_limits<T>::min()), high = double(std::numeric_limits<T>::max());
    to = static_cast<T>(std::fmin(std::fmax(std::nearbyint(v.real()), low), high));
  } else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    to = T(v);
  } else {
    to = T(v.real());
  }
}
template <class T>
std::complex<double> read(const T& from) {
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
    return std::complex<double>(from);
  else
    return static_cast<double>(from);
}
/// The number at an index; the type is one that is_type() knows.
inline std::complex<double> number_at(int type, const void* from, int64_t index) {
  std::complex<double> v;
  with_type(type, [&](auto t) { v = read(static_cast<const decltype(t)*>(from)[index]); });
  return v;
}
inline void put_number(int type, void* to, int64_t index, std::complex<double> v) {
  with_type(type, [&](auto t) { write(static_cast<decltype(t)*>(to)[index], v); });
}

}  // namespace ww::blas
