#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "base/text.h"

namespace ww {
namespace {

constexpr size_t kDeepest = 100;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Builds the tree from the parser's callbacks. The parser does not tell where its tokens are, so the builder
/// walks through the text along with it: between two callbacks lie only blanks, commas and colons.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, const std::string& file) : text_(text), file_(file) {
    if (text.starts_with(kByteOrderMark)) cursor_ = line_start_ = kByteOrderMark.size();
  }

  Json root;
  Diagnostics errors;

  bool null() override { return add({}, 4); }
  bool boolean(bool value) override { return add(value, value ? 4 : 5); }
  bool number_integer(int64_t value) override { return add(value, number_length()); }
  bool number_unsigned(uint64_t value) override {
    if (value > INT64_MAX) return add(static_cast<double>(value), number_length());
    return add(static_cast<int64_t>(value), number_length());
  }
  bool number_float(double value, const std::string&) override { return add(value, number_length()); }
  bool string(std::string& value) override { return add(std::move(value), string_length()); }
  bool binary(nlohmann::json::binary_t&) override { return false; }

  bool key(std::string& name) override {
    size_t length = string_length();  // moves to the key
    auto& members = std::get<Json::Object>(open_.back()->value);
    members.push_back({std::move(name), line_, column(), {}});
    cursor_ += length;
    return true;
  }
  bool start_object(size_t) override { return open(Json::Object{}); }
  bool start_array(size_t) override { return open(Json::Array{}); }
  bool end_array() override { return close(); }
  bool end_object() override {
    std::unordered_set<std::string_view> seen;
    for (const auto& member : std::get<Json::Object>(open_.back()->value))
      if (!seen.insert(member.key).second)
        errors.push_back(
            error_at(member.where(file_), fmt::format("key '{}' is given twice", printable(member.key))));
    return close();
  }

  bool parse_error(size_t position, const std::string&, const nlohmann::json::exception& e) override {
    // "[json.exception…] parse error at line 1, column 2: syntax error while …": the place is said by the
    // location.
    std::string_view message = e.what();
    if (size_t i = message.find("] "); i != message.npos) message.remove_prefix(i + 2);
    if (message.starts_with("parse error"))
      if (size_t i = message.find(": "); i != message.npos) message.remove_prefix(i + 2);
    advance(std::min(std::max(position, size_t{1}) - 1, text_.size()));
    errors.push_back(error_at({file_, line_, column(), 1}, "not JSON: " + printable(message)));
    return false;
  }

 private:
  using Variant = decltype(Json::value);

  // The parents' vectors do not grow while a child is open, so pointers into them stay valid.
  Json& place() {
    if (open_.empty()) return root;
    if (auto* array = std::get_if<Json::Array>(&open_.back()->value)) return array->emplace_back();
    return std::get<Json::Object>(open_.back()->value).back().value;
  }

  bool add(Variant value, size_t length) {
    skip();
    Json& json = place();
    json.value = std::move(value);
    json.line = line_, json.column = column();
    cursor_ += length;
    return true;
  }

  bool open(Variant empty) {
    skip();
    if (open_.size() == kDeepest) {
      errors.push_back(error_at({file_, line_, column(), 1}, fmt::format("more than {} levels", kDeepest)));
      return false;
    }
    Json& json = place();
    json.value = std::move(empty);
    json.line = line_, json.column = column();
    open_.push_back(&json);
    ++cursor_;
    return true;
  }

  bool close() {
    open_.pop_back();
    skip();
    ++cursor_;
    return true;
  }

  void skip() { advance(std::min(text_.find_first_not_of(" \t\r\n,:", cursor_), text_.size())); }
  void advance(size_t to) {
    for (; cursor_ < to; ++cursor_)
      if (text_[cursor_] == '\n') ++line_, line_start_ = cursor_ + 1;
  }
  int column() const { return static_cast<int>(cursor_ - line_start_) + 1; }

  size_t number_length() {
    skip();
    return std::min(text_.find_first_not_of("+-.0123456789eE", cursor_), text_.size()) - cursor_;
  }
  size_t string_length() {
    skip();
    size_t end = cursor_ + 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    return end + 1 - cursor_;
  }

  std::string_view text_;
  const std::string& file_;
  size_t cursor_ = 0, line_start_ = 0;
  int line_ = 1;
  std::vector<Json*> open_;
};

}  // namespace

double Json::as_double() const {
  if (auto* i = get<int64_t>()) return static_cast<double>(*i);
  auto* d = get<double>();
  assert(d);
  return *d;
}

const Json* Json::find(std::string_view key) const {
  if (auto* members = get<Object>())
    for (const auto& member : *members)
      if (member.key == key) return &member.value;
  return nullptr;
}

std::string_view Json::kind() const {
  static constexpr std::string_view kKinds[] = {"null",     "a boolean", "an integer", "a number",
                                                "a string", "an array",  "an object"};
  return kKinds[value.index()];
}

Result<Json> parse_json(std::string_view text, const std::string& file) {
  Builder builder(text, file);
  try {
    nlohmann::json::sax_parse(text, &builder);
  } catch (const std::exception& e) {  // out of memory
    return error(fmt::format("cannot read '{}': {}", file, e.what()));
  }
  if (!builder.errors.empty()) return std::move(builder.errors);
  return std::move(builder.root);
}

std::string json_quote(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_in_script(std::string json) {
  if (json.find('<') == json.npos) return json;
  std::string out;
  out.reserve(json.size() + 64);
  for (char c : json)
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

}  // namespace ww
