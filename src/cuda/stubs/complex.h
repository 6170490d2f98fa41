// Code for real and complex elements alike.
#pragma once

#include <complex>
#include <type_traits>

namespace ww::stubs {

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
/// float of float and of std::complex<float>.
template <class T>
using Real = typename RealOf<T>::type;
template <class T>
inline constexpr bool kComplex = !std::is_same_v<T, Real<T>>;

/// A real number is its own conjugate.
template <class T>
T conjugate(T v) {
  if constexpr (kComplex<T>)
    return std::conj(v);
  else
    return v;
}

}  // namespace ww::stubs
