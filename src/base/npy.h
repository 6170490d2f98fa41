// NumPy .npy files: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, versions 1.0
// to 3.0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ww::npy {

/// The element types: the letter is the kind (f float, i signed, u unsigned, b boolean), the digit its bytes.
enum class Dtype { F2, F4, F8, I1, I2, I4, I8, U1, U2, U4, U8, B1 };
inline constexpr int kDtypeCount = 12;
/// "f2" … "b1".
std::string_view name(Dtype dtype);
/// The reverse of name.
std::optional<Dtype> dtype_named(std::string_view name);
/// Bytes of one element.
size_t size_of(Dtype dtype);

/// Elements in C order (the last index runs fastest), little endian. An empty shape is one element.
struct Array {
  Dtype dtype = Dtype::F4;
  std::vector<uint64_t> shape;
  std::vector<std::byte> bytes;

  bool operator==(const Array&) const = default;
};

/// Bytes of an array of this shape; nothing when they do not fit in 63 bits.
std::optional<uint64_t> bytes_of(Dtype dtype, const std::vector<uint64_t>& shape);

/// Errors: not a .npy file, unknown version, damaged header, other element types, big endian, Fortran order,
/// data shorter or longer than the shape says. `file` is the name that errors show. Allocates no more than
/// the input holds.
Result<Array> parse(std::string_view content, const std::string& file);
/// The file's content; array.bytes must be as long as its shape says.
std::string format(const Array& array);

/// What a file says of its array.
struct Header {
  Dtype dtype = Dtype::F4;
  std::vector<uint64_t> shape;
  uint64_t bytes = 0;  ///< of the data
};
/// The array of a file, of which no more is read than the header promises. Errors: as of parse; more than
/// `limit` bytes of data.
Result<Array> read(const std::string& path, uint64_t limit = UINT64_MAX);
/// Its header alone. Errors: as of parse, but for a pipe's data.
Result<Header> read_header(const std::string& path);
Status write(const std::string& path, const Array& array);

}  // namespace ww::npy
