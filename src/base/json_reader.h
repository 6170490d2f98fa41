// Reading JSON strictly: what is wrong is said with its place, all of a file at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace ww {

/// A word of the user's between quotes: short, and nothing that a terminal would act on.
std::string in_quotes(std::string_view word);

/// Collects complaints about one file. What is asked for and not there, or of another kind, is complained
/// about and read as nothing; a key that may be left out is no complaint.
class JsonReader {
 public:
  explicit JsonReader(std::string file) : file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  /// At most kMostErrors, in the order in which they were found.
  Diagnostics errors;

  /// Always false, so that a reader can return it.
  bool complain(const Json& json, std::string message, std::string hint = {});
  bool complain(Location where, std::string message, std::string hint = {});
  /// "unknown `what` 'word'", with the nearest of those known, or all.
  void unknown(Location where, std::string_view what, const std::string& word,
               const std::vector<std::string>& known);

  /// Whether it is an object; complains about keys that are not known.
  bool members(const Json& json, std::string_view what, const std::vector<std::string>& known);

  /// A list's elements, or the one thing that stands without a list.
  static std::vector<const Json*> items(const Json& json);
  /// The elements of the list at this key; none when there is no such key.
  const Json::Array& list(const Json& object, std::string_view key);
  /// The string at this key; "" when there is none.
  std::string text(const Json& object, std::string_view key);
  /// The strings at this key, or the one that stands without a list.
  std::vector<std::string> words(const Json& object, std::string_view key);
  /// `out` stays as it is unless this is true or false.
  void flag(const Json& json, std::string_view key, bool& out);

  /// Whole numbers from `least` to `most`, or the one that stands without a list; an empty list is wrong.
  template <class T>
  std::vector<T> numbers(const Json& json, std::string_view key, int64_t least, int64_t most) {
    std::vector<T> all;
    for (int64_t number : whole_numbers(json, key, least, most)) all.push_back(static_cast<T>(number));
    return all;
  }

 private:
  std::vector<int64_t> whole_numbers(const Json& json, std::string_view key, int64_t least, int64_t most);

  std::string file_;
};

}  // namespace ww
