#include "caches/kept_hierarchy.h"

#include <mutex>
#include <vector>

namespace ww::caches {

namespace {

struct Unused {
  std::mutex mutex;
  std::vector<std::unique_ptr<Hierarchy>> caches;
};

/// Never destroyed: a thread may replay while the process ends.
Unused& unused() {
  static Unused* const all = new Unused;
  return *all;
}

}  // namespace

KeptHierarchy::KeptHierarchy(const CacheSetup& setup) {
  {
    Unused& all = unused();
    std::lock_guard lock(all.mutex);
    if (!all.caches.empty()) {
      caches_ = std::move(all.caches.back());
      all.caches.pop_back();
    }
  }
  if (caches_)
    caches_->reset(setup);
  else
    caches_ = std::make_unique<Hierarchy>(setup);
}

KeptHierarchy::~KeptHierarchy() {
  Unused& all = unused();
  std::lock_guard lock(all.mutex);
  all.caches.push_back(std::move(caches_));
}

}  // namespace ww::caches
