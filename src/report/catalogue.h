// The page's messages for text: a sentence in one of its languages, without a page.
#pragma once

#include <string>
#include <vector>

#include "base/table.h"
#include "report/page.h"

namespace ww::report {

/// Fills messages of the catalogue (page/messages) as the page's own code does (page/messages.js): plural
/// forms are those of CLDR. Numbers have the form of the terminal's tables, with a comma where the language
/// has one.
class Catalogue {
 public:
  /// `language`: one of languages(); any other is English.
  explicit Catalogue(std::string language);

  /// The message without gaps; its key where there is none.
  std::string text(const std::string& key) const;
  /// The sentence; rows in it are named by the axes that vary in the table, without `known`.
  std::string sentence(const Table& table, const Conclusion& conclusion,
                       const std::vector<std::string>& known = {}) const;

 private:
  std::string language_;
};

/// A verdict for the terminal: an answer a line ("The best", "Why", …), wrapped to `width` columns. "" where
/// it says nothing.
std::string verdict_text(const Table& table, const std::vector<Conclusion>& verdict,
                         const std::string& language, int width);
/// The same as a list in Markdown.
std::string verdict_markdown(const Table& table, const std::vector<Conclusion>& verdict,
                             const std::string& language);

}  // namespace ww::report
