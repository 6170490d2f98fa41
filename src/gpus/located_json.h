// JSON whose every value knows its place in the text, so that a wrong value can be pointed at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ww::gpus {

struct Json {
  enum class Kind { Null, Bool, Integer, Real, String, Array, Object };
  Kind kind = Kind::Null;
  Location where;           ///< of the value; of the opening bracket for arrays and objects
  Location key_where;       ///< of the key, for members of objects
  int64_t integer = 0;      ///< Integer, Bool
  double real = 0;          ///< Integer and Real
  std::string text;         ///< String
  std::vector<Json> items;  ///< Array
  std::vector<std::pair<std::string, Json>> members;  ///< Object, in the order of the text

  const Json* find(std::string_view key) const;
  bool is_number() const { return kind == Kind::Integer || kind == Kind::Real; }
  /// "a number", "an object", …
  std::string_view kind_name() const;
};

/// Errors: not JSON, a key twice in one object, nested deeper than a GPU file has reason to be.
Result<Json> parse_json(const std::string& file, std::string_view text);

/// A word from the user's text between quotes, short and without control characters.
std::string in_quotes(std::string_view word);

}  // namespace ww::gpus
