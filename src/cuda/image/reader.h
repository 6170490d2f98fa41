// Numbers and parts of untrusted bytes; nothing is read outside of them.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace ww::image {

using Bytes = std::span<const std::byte>;

/// The little-endian T at `offset`; nothing where it does not lie wholly inside.
template <class T>
std::optional<T> read_at(Bytes bytes, uint64_t offset) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// `size` bytes from `offset` on; nothing where they do not lie wholly inside.
inline std::optional<Bytes> part_of(Bytes bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return std::nullopt;
  return bytes.subspan(offset, size);
}

inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace ww::image
