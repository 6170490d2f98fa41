// What names mean, with the scopes of { }.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ww::ptx {

/// What a name stands for; `id` counts in the list of its kind.
struct Meaning {
  enum class Kind : uint8_t { Register, Vector, Symbol, Targets, CallTargets, Prototype };
  Kind kind = Kind::Symbol;
  uint32_t id = 0;
};

class Names {
 public:
  void open() { marks_.push_back(changes_.size()); }
  void close();
  size_t depth() const { return marks_.size(); }

  /// False if the name is taken in this scope already.
  bool add(std::string_view name, Meaning meaning);
  /// Registers prefix0 … prefix<count-1>, with ids from `first`.
  bool add_range(std::string_view prefix, uint32_t first, uint32_t count);

  std::optional<Meaning> find(std::string_view name) const;
  bool in_this_scope(std::string_view name) const;
  /// The known name nearest to a wrong one, or "".
  std::string nearest(std::string_view name) const;

 private:
  struct Entry {
    Meaning meaning;
    uint32_t count = 0;  ///< of a range
    size_t depth = 0;
  };
  using Map = std::unordered_map<std::string_view, Entry>;
  struct Change {
    bool range;
    std::string_view name;
    std::optional<Entry> before;
  };
  bool add(bool range, std::string_view name, const Entry& entry);
  Map& map(bool range) { return range ? ranges_ : names_; }
  /// The entry of the range that a name like %r12 belongs to, innermost first, and its number there.
  std::optional<std::pair<Entry, uint32_t>> find_in_ranges(std::string_view name) const;

  Map names_, ranges_;
  std::vector<Change> changes_;  ///< what closing the scopes brings back
  std::vector<size_t> marks_;
};

}  // namespace ww::ptx
