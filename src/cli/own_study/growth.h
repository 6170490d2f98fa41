// Sizes of a first study of kernels that walk along arrays: thousands of elements keep no GPU busy.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace ww::cli {

class Growth {
 public:
  /// `work`: the warp instructions that a kernel took at some sizes. `run`: tries it with another size;
  /// nothing where it does not run.
  void add(const std::map<int, double>& work, const std::function<std::optional<double>(int)>& run);
  /// A kernel shall stay small, and so do all.
  void stop() { sizes_.clear(); }
  /// The largest that all kernels run with in a second or so; none where they shall stay small.
  std::vector<int> sizes() const { return sizes_.empty() ? std::vector<int>() : sizes_.front(); }

 private:
  std::vector<std::vector<int>> sizes_ = {{1 << 16, 1 << 20}, {1 << 13, 1 << 16}};
};

}  // namespace ww::cli
