#include "cli/launch/array_fill.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "base/half.h"
#include "base/in_parts.h"
#include "kernels/random.h"

namespace ww::cli {

namespace {

constexpr uint64_t kWorthAThread = 1 << 18;

template <class T, class Convert>
void fill_floats(std::vector<std::byte>& bytes, uint64_t seed, uint64_t stream, Convert convert) {
  in_parts(bytes.size() / sizeof(T), kWorthAThread, [&](uint64_t first, uint64_t end) {
    std::array<float, 1024> some;
    for (uint64_t i = first; i < end; i += some.size()) {
      const size_t n = std::min<uint64_t>(some.size(), end - i);
      kernels::fill_random(seed, stream, i, {some.data(), n});
      for (size_t k = 0; k < n; ++k) {
        const T value = convert(some[k]);
        std::memcpy(bytes.data() + (i + k) * sizeof(T), &value, sizeof(T));
      }
    }
  });
}

template <class T>
void count_up(std::vector<std::byte>& bytes) {
  for (size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    const T value = static_cast<T>(i);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
}

}  // namespace

void fill_random(npy::Array& array, uint64_t seed, uint64_t stream, bool bfloat) {
  if (bfloat)
    return fill_floats<uint16_t>(array.bytes, seed, stream, [](float f) { return to_bf16(f).bits; });
  switch (array.dtype) {
    case npy::Dtype::F2:
      return fill_floats<uint16_t>(array.bytes, seed, stream, [](float f) { return to_f16(f).bits; });
    case npy::Dtype::F4:
      return fill_floats<float>(array.bytes, seed, stream, [](float f) { return f; });
    case npy::Dtype::F8:
      return fill_floats<double>(array.bytes, seed, stream, [](float f) { return double{f}; });
    default:
      break;
  }
  std::seed_seq seeds{seed & 0xffffffff, seed >> 32, stream};
  std::mt19937_64 generator(seeds);
  for (size_t at = 0; at < array.bytes.size(); at += 8) {
    uint64_t word = generator();
    std::memcpy(array.bytes.data() + at, &word, std::min<size_t>(8, array.bytes.size() - at));
  }
  if (array.dtype == npy::Dtype::B1)  // a bool that is neither 0 nor 1 means nothing
    for (std::byte& b : array.bytes) b &= std::byte{1};
}

void fill_range(npy::Array& array, bool bfloat) {
  const uint64_t bytes = *npy::bytes_of(array.dtype, {1});
  if (array.dtype == npy::Dtype::F4) return count_up<float>(array.bytes);
  if (array.dtype == npy::Dtype::F8) return count_up<double>(array.bytes);
  if (array.dtype == npy::Dtype::F2 || bfloat) {
    for (size_t i = 0; i < array.bytes.size() / 2; ++i) {
      const auto value = static_cast<float>(i);
      const uint16_t bits = bfloat ? to_bf16(value).bits : to_f16(value).bits;
      std::memcpy(array.bytes.data() + 2 * i, &bits, 2);
    }
    return;
  }
  if (array.dtype == npy::Dtype::B1) {
    for (size_t i = 0; i < array.bytes.size(); ++i) array.bytes[i] = static_cast<std::byte>(i % 2);
    return;
  }
  if (bytes == 1) return count_up<uint8_t>(array.bytes);
  if (bytes == 2) return count_up<uint16_t>(array.bytes);
  return bytes == 4 ? count_up<uint32_t>(array.bytes) : count_up<uint64_t>(array.bytes);
}

}  // namespace ww::cli
