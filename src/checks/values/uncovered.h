// Arrays whose end a grid did not reach, because its number of blocks was rounded down.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "checks/check.h"
#include "checks/written_bytes.h"

namespace ww::checks {

/// Knows an array by this: nothing of it had been written; one launch then wrote, of rows of elements, whole
/// blocks' shares from the beginning of each row, or the first rows; what is left is smaller than one
/// block's share; and integers among the launch's arguments say that the array has just so many elements as
/// the host reads. A buffer that is only larger than its contents does not look like that.
class Uncovered {
 public:
  explicit Uncovered(const WrittenBytes& written) : written_(written) {}

  /// `allocations`: those that may be unwritten, with their sizes.
  void launch_begins(const LaunchFacts& facts, const std::map<u64, u64>& allocations);
  void launch_ends(const LaunchFacts& facts, const engine::Program& program);
  void freed(u64 address) { arrays_.erase(address); }
  /// The host reads this; at most one finding for each launch and array.
  std::optional<Finding> host_reads(u64 address, u64 bytes);

 private:
  struct Array {
    u64 bytes = 0;
    engine::Extent3 grid, block;
    std::vector<u64> numbers;  ///< integers among the arguments
    std::string kernel;
    Party party;
  };
  /// How far rows of `row` bytes are written, and how many rows; nothing where that is no rectangle.
  struct Rectangle {
    u64 bytes = 0, rows = 0;
  };
  std::optional<Rectangle> rectangle(u64 address, u64 row, u64 rows) const;
  std::optional<Finding> judge(const Array& array, u64 address, u64 element, u64 width, u64 height) const;

  const WrittenBytes& written_;
  std::vector<u64> begun_;  ///< unwritten arrays among the arguments of the launch that runs
  std::map<u64, Array> arrays_;
};

}  // namespace ww::checks
