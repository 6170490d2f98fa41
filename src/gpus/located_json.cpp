#include "gpus/located_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

namespace ww::gpus {

const Json* Json::find(std::string_view key) const {
  for (const auto& [name, value] : members)
    if (name == key) return &value;
  return nullptr;
}

std::string_view Json::kind_name() const {
  static constexpr std::string_view kNames[] = {"null",   "true or false", "a number", "a number",
                                                "a text", "an array",      "an object"};
  return kNames[static_cast<int>(kind)];
}

std::string in_quotes(std::string_view word) {
  std::string out(word.substr(0, 60));
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return fmt::format("'{}{}'", out, word.size() > 60 ? "..." : "");
}

namespace {

constexpr size_t kMaxDepth = 8;

// Walks over the text and tells a counter how far it is: nlohmann's reader reports no places for values
// itself.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at;
  size_t* consumed;

  reference operator*() const { return *at; }
  CountingIterator& operator++() { return ++at, ++*consumed, *this; }
  CountingIterator operator++(int) {
    auto old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator& other) const { return at == other.at; }
  bool operator!=(const CountingIterator& other) const { return at != other.at; }
};

class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(const std::string& file, std::string_view text) : file_(file), text_(text) {}

  size_t consumed = 0;
  Diagnostics why;
  Json root;

  bool null() override { return add(word(Json::Kind::Null, 4)); }
  bool boolean(bool value) override {
    Json json = word(Json::Kind::Bool, value ? 4 : 5);
    json.integer = value;
    return add(std::move(json));
  }
  bool number_integer(number_integer_t value) override {
    Json json = number(Json::Kind::Integer);
    json.integer = value, json.real = static_cast<double>(value);
    return add(std::move(json));
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return number_integer(static_cast<int64_t>(value));
    return number_float(static_cast<double>(value), {});
  }
  bool number_float(number_float_t value, const string_t&) override {
    Json json = number(Json::Kind::Real);
    json.real = value;
    return add(std::move(json));
  }
  bool string(string_t& value) override {
    Json json;
    json.kind = Json::Kind::String, json.where = string_place(), json.text = std::move(value);
    return add(std::move(json));
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::Kind::Object); }
  bool start_array(std::size_t) override { return open(Json::Kind::Array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    key_ = name, key_where_ = string_place();
    if (const Json* first = open_.back()->find(name)) {
      why.push_back(error_at(key_where_, fmt::format("{} stands here a second time", in_quotes(name)),
                             fmt::format("the first is in line {}", first->key_where.line)));
      return false;
    }
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: what"
    std::string_view what = e.what();
    if (size_t colon = what.find(": "); colon != what.npos) what.remove_prefix(colon + 2);
    // A text that ends too early is pointed at where its last word ends.
    size_t end = std::clamp<size_t>(position, 1, text_.find_last_not_of(" \t\r\n") + 1);
    why.push_back(error_at(place(end - 1, end), fmt::format("not JSON: {}", what)));
    return false;
  }

 private:
  Location place(size_t begin, size_t end) const {
    auto before = text_.substr(0, std::min(begin, text_.size()));
    size_t line_start = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
    int line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    return {file_, line, static_cast<int>(begin - line_start) + 1, static_cast<int>(end - begin)};
  }
  // The string whose closing quote was read last. A quote after an odd number of backslashes belongs to the
  // string.
  Location string_place() const {
    size_t begin = consumed - 1;
    for (bool escaped = true; escaped;) {
      begin = text_.rfind('"', begin - 1);
      size_t slashes = 0;
      while (slashes < begin && text_[begin - 1 - slashes] == '\\') ++slashes;
      escaped = slashes % 2 == 1;
    }
    return place(begin, consumed);
  }
  Json word(Json::Kind kind, size_t length) const {
    Json json;
    json.kind = kind, json.where = place(consumed - length, consumed);
    return json;
  }
  // Numbers end where something else begins, so the reader may be one character further on.
  Json number(Json::Kind kind) const {
    static constexpr std::string_view kDigits = "+-.0123456789eE";
    size_t end = text_.find_last_of(kDigits, consumed - 1) + 1;
    size_t begin = text_.find_last_not_of(kDigits, end - 1);
    Json json;
    json.kind = kind, json.where = place(begin == text_.npos ? 0 : begin + 1, end);
    return json;
  }
  Json* put(Json json) {
    if (open_.empty()) {
      root = std::move(json);
      return &root;
    }
    Json& parent = *open_.back();
    if (parent.kind == Json::Kind::Array) return &parent.items.emplace_back(std::move(json));
    json.key_where = key_where_;
    return &parent.members.emplace_back(key_, std::move(json)).second;
  }
  bool add(Json json) { return put(std::move(json)), true; }
  bool open(Json::Kind kind) {
    Json json = word(kind, 1);
    if (open_.size() == kMaxDepth) {
      why.push_back(error_at(json.where, fmt::format("nested more than {} deep", kMaxDepth)));
      return false;
    }
    open_.push_back(put(std::move(json)));
    return true;
  }
  bool close() { return open_.pop_back(), true; }

  const std::string& file_;
  std::string_view text_;
  std::vector<Json*> open_;  // parents do not move while a child is open: only the innermost grows
  std::string key_;
  Location key_where_;
};

}  // namespace

Result<Json> parse_json(const std::string& file, std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == text.npos) return error_at({file, 1, 1}, "the file is empty");
  Builder builder(file, text);
  CountingIterator begin{text.data(), &builder.consumed};
  CountingIterator end{text.data() + text.size(), &builder.consumed};
  if (!nlohmann::json::sax_parse(begin, end, &builder) && builder.why.empty())
    builder.why.push_back(error_at({file, 1, 1}, "not JSON"));
  if (!builder.why.empty()) return builder.why;
  return std::move(builder.root);
}

}  // namespace ww::gpus
