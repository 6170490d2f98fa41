#include "checks/json.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <functional>

#include "base/json.h"

namespace ww::checks {

namespace {

std::string list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : ",") + json_quote(w);
  return "[" + text + "]";
}

std::string list(const std::array<u32, 3>& n) { return fmt::format("[{},{},{}]", n[0], n[1], n[2]); }

std::string place(const Location& l) {
  return fmt::format("\"file\":{},\"line\":{},\"column\":{}", json_quote(l.file), l.line, l.column);
}

std::string party_json(const Party& p) {
  std::string inlined;
  for (const Location& l : p.inlined) inlined += (inlined.empty() ? "{" : ",{") + place(l) + "}";
  return fmt::format(
      "{{\"what\":{},{},\"inlined\":[{}],\"ptx_line\":{},\"block\":{},\"thread\":{},\"launch\":{}}}",
      json_quote(p.what), place(p.where), inlined, p.ptx_line, p.everyone ? "null" : list(p.by.block),
      p.everyone ? "null" : list(p.by.thread), p.by.launch);
}

std::string text(const Json& object, std::string_view key) {
  const Json* j = object.find(key);
  const std::string* s = j ? j->get<std::string>() : nullptr;
  return s ? *s : std::string();
}

std::vector<std::string> texts(const Json& object, std::string_view key) {
  std::vector<std::string> all;
  if (const Json* j = object.find(key))
    if (const auto* a = j->get<Json::Array>())
      for (const Json& one : *a)
        if (const auto* s = one.get<std::string>()) all.push_back(*s);
  return all;
}

const Json::Array& list(const Json& object, std::string_view key) {
  static const Json::Array none;
  const Json* j = object.find(key);
  const auto* a = j ? j->get<Json::Array>() : nullptr;
  return a ? *a : none;
}

int64_t number(const Json& object, std::string_view key) {
  const Json* j = object.find(key);
  const int64_t* n = j ? j->get<int64_t>() : nullptr;
  return n ? *n : 0;
}

std::array<u32, 3> three(const Json& object, std::string_view key) {
  std::array<u32, 3> out{};
  if (const Json* j = object.find(key))
    if (const auto* a = j->get<Json::Array>())
      for (size_t k = 0; k < 3 && k < a->size(); ++k)
        if (const int64_t* n = (*a)[k].get<int64_t>()) out[k] = static_cast<u32>(*n);
  return out;
}

Location location(const Json& object) {
  Location l;
  l.file = text(object, "file");
  l.line = static_cast<int>(number(object, "line"));
  l.column = static_cast<int>(number(object, "column"));
  return l;
}

Party party(const Json& object) {
  Party p;
  p.what = text(object, "what");
  p.where = location(object);
  for (const Json& l : list(object, "inlined")) p.inlined.push_back(location(l));
  p.ptx_line = static_cast<int>(number(object, "ptx_line"));
  p.everyone = !object.find("block") || !object.find("block")->get<Json::Array>();
  p.by.block = three(object, "block"), p.by.thread = three(object, "thread");
  p.by.launch = static_cast<u64>(number(object, "launch"));
  return p;
}

}  // namespace

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    default:
      return "hint";
  }
}

std::string write_json(const Finding& f) {
  std::string parties;
  for (const Party& p : f.parties) parties += (parties.empty() ? "" : ",") + party_json(p);
  return fmt::format(
      "{{\"kind\":{},\"severity\":\"{}\",\"kernel\":{},\"message\":{},\"parties\":[{}],\"more\":{},"
      "\"allocation\":\"{}\",\"launched\":{},\"allocated\":{},\"freed\":{},\"other\":{},\"count\":{},\"id\":{"
      "}}}",
      json_quote(f.kind), name(f.severity), json_quote(f.kernel), json_quote(f.message), parties,
      list(f.more), f.allocation ? fmt::format("{:#x}", f.allocation) : "", list(f.launched),
      list(f.allocated), list(f.freed), list(f.other), f.count, f.id);
}

namespace {

Result<Finding> finding(const Json& json, const std::string& file) {
  Finding f;
  f.kind = text(json, "kind");
  const std::string severity = text(json, "severity");
  for (Severity s : {Severity::Error, Severity::Warning, Severity::Hint})
    if (severity == name(s)) f.severity = s;
  f.kernel = text(json, "kernel");
  f.message = text(json, "message");
  for (const Json& p : list(json, "parties")) f.parties.push_back(party(p));
  f.more = texts(json, "more");
  f.allocation = std::strtoull(text(json, "allocation").c_str(), nullptr, 16);
  f.launched = texts(json, "launched");
  f.allocated = texts(json, "allocated");
  f.freed = texts(json, "freed");
  f.other = texts(json, "other");
  f.count = static_cast<u64>(number(json, "count"));
  f.id = static_cast<u64>(number(json, "id"));
  if (f.kind.empty()) return error(file + ": not a finding");
  return f;
}

}  // namespace

Result<Finding> read_json(std::string_view line, const std::string& file) {
  auto json = parse_json(line, file);
  if (!json) return json.error();
  return finding(*json, file);
}

Result<std::vector<Finding>> read_findings_file(std::string_view content, const std::string& file) {
  auto json = parse_json(content, file);
  if (!json) return json.error();
  if (!text(*json, "format").starts_with("warpwright findings"))
    return error(file + " holds no findings",
                 "`warpwright check --format json --out FILE ./app` writes them");
  std::vector<Finding> all;
  for (const Json& j : list(*json, "findings")) {
    auto f = finding(j, file);
    if (!f) return f.error();
    all.push_back(std::move(*f));
  }
  return all;
}

}  // namespace ww::checks
