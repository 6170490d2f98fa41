// All findings of a run, each once.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "checks/finding.h"

namespace ww::checks {

/// Findings are the same when their kind, kernel and places (all parties', inlined calls included) are, and,
/// where there is one party alone, what it does wrong to which allocation; the first by launch, block and
/// thread stands for all, whatever order the host's threads met them in.
class Findings {
 public:
  /// Takes it, or counts it with the same one. May be called from several threads at once.
  void add(Finding finding);
  /// By severity, then launch, kernel and place; instructions of one source line that do the same wrong to
  /// the same allocation (an unrolled loop), or to several that one place of the host made, are one finding.
  std::vector<Finding> all() const;
  bool empty() const;

  /// Called after a finding that was not there yet has been added, by the thread that added it.
  void when_new(std::function<void()> call) { when_new_ = std::move(call); }
  /// Those added or counted again since the last call, in the order of their ids.
  std::vector<Finding> take_changed();

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Finding> by_place_;
  std::map<u64, const Finding*> changed_;
  std::function<void()> when_new_;
};

}  // namespace ww::checks
