// Words around numbers, as people write them: one block, two blocks; warps, registers and blocks; 3.8 µs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ww {

/// The form for so many things. English has two (CLDR: "one" for the integer 1, "other" for all else).
std::string_view plural(int64_t count, std::string_view one, std::string_view other);
/// "1 block", "2 blocks"; `other` where the plural does not end in a mere s.
std::string counted(int64_t count, std::string_view one, std::string_view other = {});

/// "a", "a and b", "a, b and c".
std::string listed(std::span<const std::string> items);

/// A unit for people, and what a number in the old one is multiplied by.
struct ReadableUnit {
  std::string unit;
  double factor = 1;
};
/// The unit in which times of this size are read best: 0.00384 ms are 3.84 µs. Of "s", "ms", "us" and "ns"
/// the largest in which `size` is 0.1 or more; never a larger one. Other units stay as they are.
ReadableUnit readable_unit(std::string_view unit, double size);

/// "3.84 µs": milliseconds in their readable unit, four significant digits.
std::string time_text(double ms);
/// The same in the unit that `other` is told in, since times that a sentence compares are read best in one
/// unit; in its own where less than a thousandth, or 10^5 and more, would stand there.
std::string time_text_beside(double ms, double other);

}  // namespace ww
