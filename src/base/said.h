// A sentence in English together with what it says, so that a page can say it in another language.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ww {

/// A finished sentence, and the message of the pages' catalogue (report/page/messages) that says the same
/// with gaps.
struct Said {
  struct Count {
    double value = 0;  ///< of things
  };
  struct Time {
    double ms = 0;
  };
  /// Words that the catalogue has, by their keys.
  struct Words {
    std::vector<std::string> keys;
  };
  /// A ratio or a mean is a double; a string stands as it is, code in it between backquotes; sentences are
  /// parts of this one.
  using Gap = std::variant<double, Count, Time, Words, std::string, std::vector<Said>>;

  std::string text;          ///< in English
  std::string message = {};  ///< "said.conflicts"; "": only English has it
  std::vector<std::pair<std::string, Gap>> gaps = {};
};

/// As JSON: {"text": …, "message": …, "with": {"time": {"ms": 0.5}, …}}.
std::string said_json(const Said& said);

}  // namespace ww
