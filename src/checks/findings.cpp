#include "checks/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tuple>

namespace ww::checks {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The message without its numbers, which are of one address.
std::string without_numbers(const std::string& message) {
  std::string out;
  for (size_t at = 0; at < message.size(); ++at) {
    if (!std::isdigit(static_cast<unsigned char>(message[at])) || (at && is_word(message[at - 1]))) {
      out += message[at];
      continue;
    }
    while (at + 1 < message.size() && is_word(message[at + 1])) ++at;
    out += '#';
  }
  return out;
}

std::string key_of(const Finding& f) {
  std::string key = f.kind + '\0' + f.kernel;
  for (const Party& p : f.parties) {
    key += fmt::format("\n{}\t{}:{}:{}", p.what, p.where.file, p.where.line, p.ptx_line);
    for (const Location& l : p.inlined) key += fmt::format("<{}:{}", l.file, l.line);
  }
  for (const std::string& frame : f.other) key += "\n" + frame;
  // An instruction may reach past one array, and past another, or follow a null pointer.
  if (f.parties.size() == 1 && f.other.empty())
    key += fmt::format("\n{}\n{}", without_numbers(f.message), f.allocation);
  if (!f.parties.empty() && f.other.empty()) return key;
  // What the host does wrong: the same call from the same place, the same allocation's leak. The streams and
  // bytes of two operations of the same places may differ.
  if (f.other.empty()) key += fmt::format("{}\n{}", f.message, f.allocation);
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

/// The same for all instructions of a line that do the same wrong to the same memory: those of an unrolled
/// loop. Memory is the same if it was allocated in the same place, such as in each round of a loop. And for
/// all that one call of the host does wrong so.
std::string line_key(const Finding& f) {
  std::string key = fmt::format("{}\n{}\n{}\n{}\n", static_cast<int>(f.severity), f.kind, f.kernel,
                                without_numbers(f.message));
  if (f.allocated.empty()) key += std::to_string(f.allocation);
  for (const std::string& frame : f.allocated) key += frame + "\n";
  for (const Party& p : f.parties) {
    key += fmt::format("\n{}\t{}:{}", p.what, p.where.file, p.where.line);
    for (const Location& l : p.inlined) key += fmt::format("<{}:{}", l.file, l.line);
  }
  if (!f.parties.empty()) return key;
  for (const HostTrace* trace : {&f.launched, &f.other, &f.freed}) {
    key += "\n";
    for (const std::string& frame : *trace) key += frame + "\n";
  }
  return key;
}

std::vector<Finding> joined_by_line(std::vector<Finding> list) {
  std::map<std::string, size_t> place;
  std::vector<Finding> out;
  for (Finding& f : list) {
    if (f.parties.empty() && f.launched.empty()) {  // a leak
      out.push_back(std::move(f));
      continue;
    }
    auto [at, fresh] = place.try_emplace(line_key(f), out.size());
    if (fresh) {
      out.push_back(std::move(f));
      continue;
    }
    Finding& kept = out[at->second];
    const u64 count = kept.count + f.count;
    const bool same_thread = !earlier(f, kept) && !earlier(kept, f);
    if (earlier(f, kept) ||
        (same_thread &&
         (f.parties.empty() ? f.id < kept.id : f.parties[0].ptx_line < kept.parties[0].ptx_line)))
      kept = std::move(f);
    kept.count = count;
  }
  return out;
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
  list = joined_by_line(std::move(list));
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
