#include "ptx/names.h"

#include <cctype>

#include "base/diagnostic.h"

namespace ww::ptx {

void Names::close() {
  for (size_t to = marks_.back(); changes_.size() > to; changes_.pop_back()) {
    Change& change = changes_.back();
    if (change.before)
      map(change.range)[change.name] = *change.before;
    else
      map(change.range).erase(change.name);
  }
  marks_.pop_back();
}

bool Names::add(bool range, std::string_view name, const Entry& entry) {
  auto [it, fresh] = map(range).try_emplace(name, entry);
  if (!fresh && it->second.depth == depth()) return false;
  changes_.push_back({range, name, fresh ? std::nullopt : std::optional(it->second)});
  it->second = entry;
  return true;
}

bool Names::add(std::string_view name, Meaning meaning) {
  auto in_range = find_in_ranges(name);
  if (in_range && in_range->first.depth == depth()) return false;
  return add(false, name, {meaning, 0, depth()});
}

bool Names::add_range(std::string_view prefix, uint32_t first, uint32_t count) {
  return add(true, prefix, {{Meaning::Kind::Register, first}, count, depth()});
}

std::optional<std::pair<Names::Entry, uint32_t>> Names::find_in_ranges(std::string_view name) const {
  // %r12 is number 12 of %r<…>, or number 2 of %r1<…>. A number is written without leading zeros.
  std::optional<std::pair<Entry, uint32_t>> best;
  uint64_t number = 0, power = 1;
  for (size_t i = name.size(); i-- > 1 && power < 10'000'000'000;) {
    if (!std::isdigit(static_cast<unsigned char>(name[i]))) break;
    number += power * static_cast<uint64_t>(name[i] - '0');
    power *= 10;
    if (name[i] == '0' && i + 1 < name.size()) continue;
    auto it = ranges_.find(name.substr(0, i));
    if (it == ranges_.end() || number >= it->second.count) continue;
    if (!best || it->second.depth > best->first.depth) best = {it->second, static_cast<uint32_t>(number)};
  }
  return best;
}

std::optional<Meaning> Names::find(std::string_view name) const {
  auto it = names_.find(name);
  auto in_range = find_in_ranges(name);
  if (in_range && (it == names_.end() || it->second.depth < in_range->first.depth))
    return Meaning{Meaning::Kind::Register, in_range->first.meaning.id + in_range->second};
  if (it == names_.end()) return std::nullopt;
  return it->second.meaning;
}

bool Names::in_this_scope(std::string_view name) const {
  auto it = names_.find(name);
  return it != names_.end() && it->second.depth == depth();
}

std::string Names::nearest(std::string_view name) const {
  constexpr size_t kLongest = 64, kMost = 20'000;  // edit distances are not free
  if (name.size() > kLongest) return {};
  std::vector<std::string> candidates;
  for (const auto& [known, entry] : names_) {
    if (candidates.size() == kMost) break;
    size_t gap = known.size() > name.size() ? known.size() - name.size() : name.size() - known.size();
    if (gap <= 3 && known[0] == name[0] && known.size() > 1) candidates.emplace_back(known);
  }
  return ww::nearest(name, candidates);
}

}  // namespace ww::ptx
