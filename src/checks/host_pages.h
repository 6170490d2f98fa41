// Managed memory that the host has not touched since it was allocated. The host writes there without telling,
// but the system knows which pages were ever touched: what it never was given has no value.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace ww::checks {

class HostPages {
 public:
  /// Whether the system tells (/proc/self/pagemap).
  static bool usable();
  /// Fresh memory, of which nobody has touched a page.
  void add(uint64_t address, uint64_t bytes);
  void remove(uint64_t address, uint64_t bytes);
  bool empty() const { return untouched_.empty(); }
  /// Calls it for what has been touched by now, in pages; these are forgotten.
  void settle(const std::function<void(uint64_t address, uint64_t bytes)>& touched);
  /// Calls it for all that is left, which is forgotten.
  void give_up(const std::function<void(uint64_t address, uint64_t bytes)>& left);

 private:
  struct Range {
    uint64_t address = 0, bytes = 0;
  };
  std::vector<Range> untouched_;
};

}  // namespace ww::checks
