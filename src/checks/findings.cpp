#include "checks/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace ww::checks {

namespace {

std::string key_of(const Finding& f) {
  std::string key = f.kind + '\0' + f.kernel;
  for (const Party& p : f.parties) {
    key += fmt::format("\n{}\t{}:{}:{}", p.what, p.where.file, p.where.line, p.ptx_line);
    for (const Location& l : p.inlined) key += fmt::format("<{}:{}", l.file, l.line);
  }
  if (!f.parties.empty()) return key;
  // What the host does wrong: the same call from the same place, the same allocation's leak.
  key += fmt::format("{}\n{}", f.message, f.allocation);
  for (const HostTrace* trace : {&f.launched, &f.allocated})
    for (const std::string& frame : *trace) key += "\n" + frame;
  return key;
}

auto order_of(const Party& p) {
  const Thread& t = p.by;
  auto backwards = [](const std::array<u32, 3>& a) { return std::tuple(a[2], a[1], a[0]); };
  return std::tuple(t.launch, backwards(t.block), backwards(t.thread));
}

/// Which of two of the same kind and place is shown.
bool earlier(const Finding& a, const Finding& b) {
  return std::lexicographical_compare(
      a.parties.begin(), a.parties.end(), b.parties.begin(), b.parties.end(),
      [](const Party& x, const Party& y) { return order_of(x) < order_of(y); });
}

}  // namespace

void Findings::add(Finding finding) {
  std::string key = key_of(finding);
  std::unique_lock lock(mutex_);
  auto [at, fresh] = by_place_.try_emplace(std::move(key), finding);
  Finding& kept = at->second;
  if (fresh) {
    kept.id = by_place_.size();
  } else {
    const u64 count = kept.count + finding.count, id = kept.id;
    // What is an error in one launch may have been without effect in an earlier one.
    if (finding.severity < kept.severity || (finding.severity == kept.severity && earlier(finding, kept)))
      kept = std::move(finding);
    kept.count = count, kept.id = id;
  }
  changed_[kept.id] = &kept;
  lock.unlock();
  if (fresh && when_new_) when_new_();
}

std::vector<Finding> Findings::take_changed() {
  std::lock_guard lock(mutex_);
  std::vector<Finding> list;
  for (const auto& [id, finding] : changed_) list.push_back(*finding);
  changed_.clear();
  return list;
}

std::vector<Finding> Findings::all() const {
  std::vector<Finding> list;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [key, f] : by_place_) list.push_back(f);
  }
  std::stable_sort(list.begin(), list.end(), [](const Finding& a, const Finding& b) {
    auto rank = [](const Finding& f) {
      // What concerns no kernel (bad copies, leaks) comes behind what launches did.
      const u64 launch = f.parties.empty() ? ~u64{0} : f.parties[0].by.launch;
      return std::tuple(f.severity, launch, f.kernel, f.parties.empty() ? 0 : f.parties[0].where.line);
    };
    return rank(a) < rank(b);
  });
  return list;
}

bool Findings::empty() const {
  std::lock_guard lock(mutex_);
  return by_place_.empty();
}

}  // namespace ww::checks
