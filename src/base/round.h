// Whole multiples of integers that are not negative.
#pragma once

#include <type_traits>

namespace ww {

/// How many of `unit` (> 0) cover `value`.
template <class T>
constexpr T divide_up(T value, std::type_identity_t<T> unit) {
  return (value + unit - 1) / unit;
}

/// The smallest multiple of `unit` (> 0) that is at least `value`.
template <class T>
constexpr T round_up(T value, std::type_identity_t<T> unit) {
  return divide_up(value, unit) * unit;
}

}  // namespace ww
