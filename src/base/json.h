// JSON with places: every value and key knows its line and column, so readers can point at what is wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace ww {

struct JsonMember;

struct Json {
  using Array = std::vector<Json>;
  using Object = std::vector<JsonMember>;  ///< in the order of the text, keys unique

  std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object> value;
  int line = 0, column = 0;  ///< of its first character

  template <class T>
  const T* get() const {
    return std::get_if<T>(&value);
  }
  bool null() const { return std::holds_alternative<std::monostate>(value); }
  /// Whether it is an integer or a real number; as_double is for these only.
  bool number() const { return get<int64_t>() || get<double>(); }
  double as_double() const;
  /// The member of an object with this key, or nullptr (also when this is no object).
  const Json* find(std::string_view key) const;
  /// What it is, for messages: "a string", "an object", …
  std::string_view kind() const;
  Location where(const std::string& file) const { return {file, line, column, 1}; }
};

struct JsonMember {
  std::string key;
  int line = 0, column = 0;  ///< of the key
  Json value;

  Location where(const std::string& file) const {
    return {file, line, column, static_cast<int>(key.size()) + 2};
  }
};

/// Parses UTF-8 text as RFC 8259 has it. Integers that do not fit int64_t become real numbers. Errors,
/// located in `file`: bad syntax, a key given twice, more than 100 levels, numbers out of double's range.
/// Never throws.
Result<Json> parse_json(std::string_view text, const std::string& file);

/// `text` as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
std::string json_quote(std::string_view text);

/// JSON that may stand in a script element of a page, which "<" could end or make a comment of. In JSON it
/// stands in strings only.
std::string json_in_script(std::string json);

}  // namespace ww
