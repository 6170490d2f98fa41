#include "ptx/link_items.h"

#include <algorithm>
#include <cctype>

namespace ww::ptx {

namespace {

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
}
bool is_name_part(char c) { return is_name_start(c) || std::isdigit(static_cast<unsigned char>(c)); }

/// Without blanks and comments at its start.
std::string_view skip_blanks(std::string_view text) {
  for (;;) {
    size_t start = std::min(text.find_first_not_of(" \t\r\n\v\f"), text.size());
    text.remove_prefix(start);
    size_t end = 0;
    if (text.starts_with("//"))
      end = text.find('\n');
    else if (text.starts_with("/*"))
      end = text.find("*/", 2) == text.npos ? text.npos : text.find("*/", 2) + 2;
    else
      return text;
    text.remove_prefix(std::min(end, text.size()));
  }
}

size_t word_length(std::string_view text) {
  size_t length = 1;
  if (text[0] == '"') {
    while (length < text.size() && text[length] != '"') length += text[length] == '\\' ? 2 : 1;
    return std::min(length + 1, text.size());
  }
  if (!is_name_part(text[0]) && text[0] != '.') return length;
  while (length < text.size() && is_name_part(text[length])) length++;
  return length;
}

Item::Kind kind_of_directive(std::string_view word) {
  if (word == ".version") return Item::Kind::Version;
  if (word == ".target") return Item::Kind::Target;
  if (word == ".address_size") return Item::Kind::AddressSize;
  if (word == ".file") return Item::Kind::File;
  if (word == ".section") return Item::Kind::Section;
  return Item::Kind::Other;
}

bool ends_with_line(Item::Kind kind) { return kind <= Item::Kind::File; }

/// Takes the words of one item as they come.
class ItemReader {
 public:
  /// True when the item ends with this word.
  bool take(Word word) {
    if (first_) {
      item.kind = kind_of_directive(word.text);
      first_ = false;
    }
    note(word);
    if (word.is("{")) braces_++;
    if (word.is("(") || word.is("[")) inner_++;
    if (word.is(")") || word.is("]")) inner_--;
    if (word.is(";")) return braces_ == 0;
    if (!word.is("}") || --braces_ > 0) return false;
    bool function = item.kind == Item::Kind::Function || item.kind == Item::Kind::Entry;
    item.defines |= function;
    return function || item.kind == Item::Kind::Section;
  }
  bool whole_line() const { return ends_with_line(item.kind); }

  Item item;

 private:
  bool first_ = true;
  int braces_ = 0, inner_ = 0;

  void note(Word word) {
    if (braces_ > 0) return;
    if (word.is(".func")) item.kind = Item::Kind::Function;
    if (word.is(".entry")) item.kind = Item::Kind::Entry;
    if (word.is(".extern")) item.linkage = Item::Linkage::Extern;
    if (word.is(".visible")) item.linkage = Item::Linkage::Visible;
    if (word.is(".weak") || word.is(".common")) item.linkage = Item::Linkage::Weak;
    for (std::string_view space : {".global", ".const", ".shared", ".tex", ".local"})
      if (word.is(space) && item.kind == Item::Kind::Other) item.kind = Item::Kind::Variable;
    if (item.kind == Item::Kind::Variable && inner_ == 0 && word.is(";"))
      item.defines = item.linkage != Item::Linkage::Extern;
    bool named = item.kind >= Item::Kind::Variable && item.kind <= Item::Kind::Entry;
    if (named && inner_ == 0 && item.name.empty() && word.is_name()) item.name = word.text;
  }
};

}  // namespace

bool Word::is_name() const { return !text.empty() && is_name_start(text[0]); }

Word Words::next() {
  rest_ = skip_blanks(rest_);
  if (rest_.empty()) return {};
  Word word{rest_.substr(0, word_length(rest_))};
  rest_.remove_prefix(word.text.size());
  return word;
}

Result<std::vector<Item>> items_of(std::string_view text) {
  std::vector<Item> items;
  const char* end = text.data() + text.size();
  auto rest_from = [&](const char* at) { return std::string_view(at, size_t(end - at)); };
  Words words(text);
  for (Word word = words.next(); !word.text.empty(); word = words.next()) {
    const char* start = word.text.data();
    if (word.text.starts_with("@")) {  // @@DWARF lines of old compilers
      words = Words(rest_from(std::find(start, end, '\n')));
      continue;
    }
    ItemReader reader;
    bool done = reader.take(word);
    if (reader.whole_line()) {
      const char* line_end = std::find(start, end, '\n');
      reader.item.text = {start, size_t(line_end - start)};
      words = Words(rest_from(line_end));
    } else {
      while (!done) {
        word = words.next();
        if (word.text.empty()) return error("the text ends within a declaration or function");
        done = reader.take(word);
      }
      reader.item.text = {start, size_t(word.text.data() + word.text.size() - start)};
    }
    items.push_back(reader.item);
  }
  return items;
}

}  // namespace ww::ptx
