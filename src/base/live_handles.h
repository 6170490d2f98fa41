// The handles that a program holds. It may pass any address, so each is looked up before it is used.
#pragma once

#include <mutex>
#include <set>

namespace ww {

/// Any thread may call these. A set that is made by `new` and never deleted serves until the process ends,
/// also while destructors of static objects still free their handles.
class LiveHandles {
 public:
  void add(const void* handle) {
    std::lock_guard lock(mutex_);
    live_.insert(handle);
  }
  bool has(const void* handle) const {
    std::lock_guard lock(mutex_);
    return live_.contains(handle);
  }
  /// False where there was none.
  bool remove(const void* handle) {
    std::lock_guard lock(mutex_);
    return live_.erase(handle) > 0;
  }

 private:
  mutable std::mutex mutex_;
  std::set<const void*> live_;
};

}  // namespace ww
