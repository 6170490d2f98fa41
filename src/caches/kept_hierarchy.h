// Caches that are kept from one replay to the next: to make those of a large GPU takes longer than to replay
// a small launch.
#pragma once

#include <memory>

#include "caches/hierarchy.h"

namespace ww::caches {

/// Empty caches, for one thread; they go back to where the next one takes them from. So many are made as were
/// used at once.
class KeptHierarchy {
 public:
  explicit KeptHierarchy(const CacheSetup& setup);
  ~KeptHierarchy();
  KeptHierarchy(const KeptHierarchy&) = delete;
  Hierarchy& operator*() { return *caches_; }

 private:
  std::unique_ptr<Hierarchy> caches_;
};

}  // namespace ww::caches
