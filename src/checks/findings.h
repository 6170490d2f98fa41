// All findings of a run, each once.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "checks/finding.h"

namespace ww::checks {

/// Findings are the same when their kind, kernel and places (all parties', inlined calls included) are; the
/// first by launch, block and thread stands for all, whatever order the host's threads met them in.
class Findings {
 public:
  /// Takes it, or counts it with the same one. May be called from several threads at once.
  void add(Finding finding);
  /// By severity, then launch, kernel and place.
  std::vector<Finding> all() const;
  bool empty() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Finding> by_place_;
};

}  // namespace ww::checks
