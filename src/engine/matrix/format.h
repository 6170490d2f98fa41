// Format strings of printf in kernels: taken apart once, then filled with each thread's arguments. The text
// is made piece by piece, so a hostile format string never reaches the host's printf.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/machine.h"

namespace ww::engine {

/// One conversion, with the text before it.
struct Conversion {
  enum class Kind : u8 { None, Signed, Unsigned, Float, Character, Text, Pointer };
  std::string before;      ///< goes out as it is
  std::string written;     ///< the conversion as written: goes out when it is given no argument
  Kind kind = Kind::None;  ///< None: only the text before it
  std::string flags;
  int width = -1, precision = -1;  ///< -1: not given
  bool width_is_argument = false, precision_is_argument = false;
  std::string size;  ///< "", "h", "hh" or, for what is 64 bits wide, "ll"
  char letter = 0;

  /// Bytes that its argument takes in the argument buffer, which is also its alignment: int 4; long, double
  /// and pointers 8.
  u32 bytes() const {
    return kind == Kind::Float || kind == Kind::Text || kind == Kind::Pointer || size == "ll" ? 8 : 4;
  }
};

/// CUDA C++ Programming Guide, "Formatted Output": %[flags][width][.precision][size]type with flags "#' 0+-",
/// sizes h hh l ll (and z j t, which the host's printf knows) and types cdiouxXpeEfFgGaAs. What is no
/// conversion is text.
std::vector<Conversion> parse_format(std::string_view format);

/// The most arguments a call may have; further conversions go out as they are written (Programming Guide,
/// "Limitations").
inline constexpr int kMostPrintfArguments = 32;

/// Where a conversion's argument comes from.
struct PrintfSource {
  std::function<u64(u32 bytes)> argument;                              ///< the next one, zero-extended
  std::function<bool(u64 address, u64 most, std::string& text)> text;  ///< a string; false: it cannot be read
};

/// Appends one thread's text. Returns the number of arguments parsed; -1 when a string cannot be read.
int format_text(const std::vector<Conversion>& conversions, const PrintfSource& source, std::string& out);

}  // namespace ww::engine
