// The outermost parts of a PTX text: directives, declarations, definitions; as text.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ww::ptx {

/// A word of the text: a name, a directive (with its dot), a number, a quoted string, or one other character.
/// Blanks and comments are between words.
struct Word {
  std::string_view text;
  bool is(std::string_view other) const { return text == other; }
  bool is_name() const;
};

/// Words in order; an empty one at the end.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}
  Word next();

 private:
  std::string_view rest_;
};

struct Item {
  enum class Kind : uint8_t { Version, Target, AddressSize, File, Section, Variable, Function, Entry, Other };
  enum class Linkage : uint8_t { Local, Visible, Extern, Weak };  ///< .common counts as weak
  Kind kind = Kind::Other;
  Linkage linkage = Linkage::Local;
  bool defines = false;   ///< a variable that is not .extern, a function with a body
  std::string_view name;  ///< of the variable or function
  std::string_view text;  ///< all of it, with the semicolon
};

/// Error: the text ends within an item.
Result<std::vector<Item>> items_of(std::string_view text);

}  // namespace ww::ptx
