#include "base/said.h"

#include <cmath>
#include <cstdio>

#include "base/json.h"

namespace ww {

namespace {

std::string member(const char* kind, double v) {
  char digits[48];
  std::snprintf(digits, sizeof digits, "%.10g", v);
  return std::string("{\"") + kind + "\":" + (std::isfinite(v) ? digits : "null") + "}";
}

/// [a, b]
template <class Items, class Text>
std::string list_of(const Items& items, Text text) {
  std::string out = "[";
  for (const auto& item : items) out += (out.size() > 1 ? "," : "") + text(item);
  return out + "]";
}

struct GapText {
  std::string operator()(double v) const { return member("number", v); }
  std::string operator()(Said::Count v) const { return member("count", v.value); }
  std::string operator()(Said::Time v) const { return member("ms", v.ms); }
  std::string operator()(const Said::Words& w) const {
    return "{\"words\":" + list_of(w.keys, [](const std::string& key) { return json_quote(key); }) + "}";
  }
  std::string operator()(const std::string& text) const { return "{\"text\":" + json_quote(text) + "}"; }
  std::string operator()(const std::vector<Said>& parts) const {
    return "{\"parts\":" + list_of(parts, said_json) + "}";
  }
};

}  // namespace

std::string said_json(const Said& said) {
  std::string out = "{\"text\":" + json_quote(said.text);
  if (!said.message.empty()) {
    out += ",\"message\":" + json_quote(said.message) + ",\"with\":{";
    for (size_t i = 0; i < said.gaps.size(); ++i)
      out += (i > 0 ? "," : "") + json_quote(said.gaps[i].first) + ":" +
             std::visit(GapText{}, said.gaps[i].second);
    out += "}";
  }
  return out + "}";
}

}  // namespace ww
