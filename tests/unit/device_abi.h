// Whether our declaration of a library's function fits the library's own header.
#pragma once

#include <type_traits>

namespace ww::device::driver {

template <class Ours, class Theirs>
constexpr bool same_type() {
  return sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>;
}
template <class R, class... Ours, class S, class... Theirs>
constexpr bool same_abi(R (*)(Ours...), S (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) != sizeof...(Theirs))
    return false;
  else
    return same_type<R, S>() && (same_type<Ours, Theirs>() && ...);
}

}  // namespace ww::device::driver
