#include "report/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/json.h"
#include "base/text.h"
#include "base/words.h"
#include "report/axes.h"
#include "report/markdown.h"
#include "report/number.h"
#include "report/page_assets.h"

namespace ww::report {

namespace {

constexpr double kLevel = 1.005;  // a ratio below is 1 as shown, and words say it better

/// All messages by language, as the page has them inside.
const Json& catalogues() {
  static const Json all = [] {
    constexpr std::string_view kBegin = "id=\"messages\">";
    std::string_view text = page_frame();
    text.remove_prefix(text.find(kBegin) + kBegin.size());
    auto parsed = parse_json(text.substr(0, text.find("</script>")), "messages");
    return parsed ? std::move(*parsed) : Json{};
  }();
  return all;
}

/// The message: a string, or an object of plural forms. nullptr where there is none.
const Json* message_of(const std::string& language, const std::string& key) {
  for (const std::string& of : {language, std::string("en")})
    if (const Json* catalogue = catalogues().find(of))
      if (const Json* found = catalogue->find(key)) return found;
  return nullptr;
}

/// The plural category of a cardinal number; https://cldr.unicode.org/index/cldr-spec/plural-rules, CLDR 44.
std::string_view category(const std::string& language, double v) {
  if (!std::isfinite(v)) return "other";
  const bool whole = v == std::trunc(v);
  const double size = std::abs(v);
  const int ten = static_cast<int>(std::fmod(size, 10)), hundred = static_cast<int>(std::fmod(size, 100));
  const bool few = ten >= 2 && ten <= 4 && !(hundred >= 12 && hundred <= 14);
  if (language == "pl") return !whole ? "other" : size == 1 ? "one" : few ? "few" : "many";
  if (language == "cs") return !whole ? "many" : size == 1 ? "one" : size >= 2 && size <= 4 ? "few" : "other";
  if (language == "ru") return !whole ? "other" : ten == 1 && hundred != 11 ? "one" : few ? "few" : "many";
  return whole && size == 1 ? "one" : "other";
}

/// Where the brace that opens at `from` closes.
size_t closing(std::string_view text, size_t from) {
  int depth = 0;
  for (size_t at = from; at < text.size(); ++at) {
    depth += text[at] == '{';
    if (text[at] == '}' && --depth == 0) return at;
  }
  return text.size();
}

/// "one {# row} other {# rows}" → the text of the form.
std::string_view form_of(std::string_view forms, std::string_view wanted) {
  std::string_view other;
  for (size_t at = 0;;) {
    const size_t open = forms.find('{', at);
    if (open == forms.npos) return other;
    const size_t end = closing(forms, open);
    std::string_view name = forms.substr(at, open - at);
    while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    const std::string_view text = forms.substr(open + 1, end - open - 1);
    if (name == wanted) return text;
    if (name == "other") other = text;
    at = end + 1;
  }
}

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string out(text);
  for (size_t at = 0; (at = out.find(what, at)) != out.npos; at += with.size())
    out.replace(at, what.size(), with);
  return out;
}

/// The folder that all kernels of the table are in, "" where there are several.
std::string shared_folder(const Table& table) {
  std::string folder;
  bool first = true;
  for (const Row& row : table.rows) {
    const std::string& kernel = row[Axis::Kernel];
    if (kernel.empty()) continue;
    if (std::exchange(first, false)) folder = kernel.substr(0, kernel.find('/') + 1);
    if (folder.empty() || !kernel.starts_with(folder)) return "";
  }
  return folder;
}

/// How many different words the axis has in the table; "" counts for none.
size_t different(const Table& table, Axis axis, bool host_too = true) {
  std::set<std::string_view> values;
  for (const Row& row : table.rows)
    if (!row[axis].empty() && (host_too || row[axis] != "host")) values.insert(row[axis]);
  return values.size();
}

/// Fills one message; a reference to all that it needs.
class Filler {
 public:
  Filler(const std::string& language, const Table& table, const std::vector<std::string>& known)
      : language_(language), table_(table), known_(known) {}

  using Arguments = std::vector<std::pair<std::string, Argument>>;

  std::string message(const std::string& key, const Arguments& arguments) const {
    const Json* found = message_of(language_, key);
    if (!found) return key.starts_with("axis.") ? axis_label(key.substr(5)) : key;
    if (const auto* text = found->get<std::string>()) return filled(*text, arguments);
    const Argument* count = argument(arguments, "count");
    const Json* form = found->find(category(language_, count ? number_of(*count) : NAN));
    if (!form) form = found->find("other");
    const auto* text = form ? form->get<std::string>() : nullptr;
    return text ? filled(*text, arguments) : key;
  }

 private:
  static const Argument* argument(const Arguments& arguments, std::string_view name) {
    for (const auto& [key, value] : arguments)
      if (key == name) return &value;
    return nullptr;
  }

  static double number_of(const Argument& argument) {
    const auto* v = std::get_if<Value>(&argument);
    return v ? v->number() : NAN;
  }

  std::string filled(std::string_view text, const Arguments& arguments) const {
    std::string out;
    for (size_t from = 0; from < text.size();) {
      const size_t open = text.find('{', from);
      out += text.substr(from, open - from);
      if (open == text.npos) break;
      const size_t end = closing(text, open);
      const std::string_view gap = text.substr(open + 1, end - open - 1);
      out += gap_text(gap, arguments);
      from = end + 1;
    }
    return out;
  }

  std::string gap_text(std::string_view gap, const Arguments& arguments) const {
    constexpr std::string_view kPlural = ", plural, ";
    const size_t at = gap.find_first_of(":,");
    const std::string name(gap.substr(0, at));
    const Argument* value = argument(arguments, name);
    if (!value) return fmt::format("{{{}}}", gap);
    const std::string_view rest = at == gap.npos ? std::string_view() : gap.substr(at);
    if (rest.starts_with(kPlural)) {
      const std::string_view form =
          form_of(rest.substr(kPlural.size()), category(language_, number_of(*value)));
      return filled(replaced(form, "#", "{" + name + "}"), arguments);
    }
    if (rest.empty() || rest == ":genitive") return shown(*value, !rest.empty());
    const std::string word = "form." + std::string(rest.substr(1));
    const auto* amount = std::get_if<Value>(value);
    if (amount && amount->tag.empty() && !amount->description.empty()) {
      Value plain = *amount;
      plain.description.clear();
      return message(word + ".least", {{"count", plain}});
    }
    if (number_of(*value) < kLevel) return message(word + ".level", {});
    return message(word, {{"count", *value}});
  }

  std::string shown(const Argument& argument, bool genitive) const {
    if (auto* text = std::get_if<std::string>(&argument)) return *text;
    if (auto* row = std::get_if<RowName>(&argument)) return row_name(row->index);
    if (auto* other = std::get_if<MessageName>(&argument)) return message(other->key, {});
    if (auto* metric = std::get_if<MetricName>(&argument)) return metric_name(metric->tag);
    if (auto* figures = std::get_if<FigureNames>(&argument)) {
      std::string list;
      for (const std::string& key : figures->keys)
        list +=
            (list.empty() ? "" : ", ") +
            (message_of(language_, "figure." + key) ? message("figure." + key, {}) : replaced(key, "_", " "));
      return list;
    }
    const Value& v = std::get<Value>(argument);
    const auto [unit, factor] = readable_unit(v.unit, std::abs(v.number()));
    std::string number = std::isnan(v.number()) || factor == 1
                             ? short_text(v)
                             : short_text({"", v.number() * factor, "", v.provenance, ""});
    if (language_ != "en") number = replaced(number, ".", ",");
    if (v.unit.empty()) return number;
    if (v.tag.empty()) return number + " " + unit;
    std::string key = "unit." + unit;
    if (genitive && message_of(language_, key + ".genitive")) key += ".genitive";
    return number + " " + (message_of(language_, key) ? message(key, {{"count", v}}) : unit);
  }

  std::string metric_name(const std::string& tag) const {
    const std::string key = "metric." + tag;
    return message_of(language_, key) ? message(key, {}) : replaced(tag, "_", " ");
  }

  std::string axis_label(const std::string& name) const {
    for (const AxisInfo& info : table_.axes)
      if (info.name == name && !info.label.empty()) return info.label;
    return name;
  }

  /// As rowName of page/data.js.
  std::string row_name(size_t index) const {
    const Row& row = table_.rows[index];
    std::string out;
    const auto add = [&](const std::string& text) {
      out += (out.empty() || text.empty() ? "" : " · ") + text;
    };
    const Axis rx = axis_named("rx"), ry = axis_named("ry");
    const bool tiles = different(table_, rx) + different(table_, ry) > 2;
    for (const Axis axis : axes_of(table_)) {
      const std::string& value = row[axis];
      const bool known = std::find(known_.begin(), known_.end(), axis.name()) != known_.end();
      if (axis == Axis::Study || value.empty() || known) continue;
      if (axis == Axis::Kernel) {
        add(value.substr(shared_folder(table_).size()));
        continue;
      }
      if (axis == rx && tiles && !row[ry].empty()) {
        add(fmt::format("{} {}×{}", message("axis.tile", {}), value, row[ry]));
        continue;
      }
      if ((axis == ry && tiles && !row[rx].empty()) || different(table_, axis) < 2) continue;
      if (axis == Axis::Device) {
        if (different(table_, axis, false) > 1) add(value);
      } else if (axis == Axis::Gpu) {
        add(value);
      } else {
        add(message("axis." + std::string(axis.name()), {}) + " " + value);
      }
    }
    return out.empty()
               ? fmt::format("{} {}", message("row.only", {{"number", std::to_string(index + 1)}}), "")
               : out;
  }

  const std::string& language_;
  const Table& table_;
  const std::vector<std::string>& known_;
};

/// "verdict.best.level" → "best".
std::string answer_of(const Conclusion& c) {
  const size_t at = c.message.find('.') + 1;
  return c.message.substr(at, c.message.find('.', at) - at);
}

struct Answer {
  std::string head, text;
};

std::vector<Answer> answers(const Table& table, const std::vector<Conclusion>& verdict,
                            const std::string& language) {
  const Catalogue catalogue(language);
  std::vector<Answer> out;
  std::vector<std::string> known;
  for (const Conclusion& c : verdict) {
    if (!c.goes_on || out.empty()) out.push_back({catalogue.text("verdict.head." + answer_of(c)), ""});
    for (const auto& [key, argument] : c.arguments)
      if (key == "gpu" || key == "n") known.push_back(key);
    std::string& text = out.back().text;
    text += (text.empty() ? "" : " ") + printable(catalogue.sentence(table, c, known));
  }
  return out;
}

}  // namespace

Catalogue::Catalogue(std::string language) : language_(std::move(language)) {}

std::string Catalogue::text(const std::string& key) const {
  const Table none;
  const std::vector<std::string> known;
  return Filler(language_, none, known).message(key, {});
}

std::string Catalogue::sentence(const Table& table, const Conclusion& conclusion,
                                const std::vector<std::string>& known) const {
  return Filler(language_, table, known).message(conclusion.message, conclusion.arguments);
}

std::string verdict_text(const Table& table, const std::vector<Conclusion>& verdict,
                         const std::string& language, int width) {
  const std::vector<Answer> all = answers(table, verdict, language);
  size_t head = 0;
  for (const Answer& a : all) head = std::max(head, columns(a.head));
  const size_t room = static_cast<size_t>(std::max(width, 40)) - head - 2;
  std::string out;
  for (const Answer& a : all) {
    std::string line = a.head + std::string(head - columns(a.head) + 2, ' ');
    size_t used = 0;
    for (size_t begin = 0; begin < a.text.size();) {
      const size_t end = std::min(a.text.find(' ', begin), a.text.size());
      const std::string word = a.text.substr(begin, end - begin);
      if (used > 0 && used + 1 + columns(word) > room) {
        out += line + "\n";
        line = std::string(head + 2, ' ');
        used = 0;
      }
      if (used > 0) line += ' ', ++used;
      line += word;
      used += columns(word);
      begin = end + 1;
    }
    out += line + "\n";
  }
  return out;
}

std::string verdict_markdown(const Table& table, const std::vector<Conclusion>& verdict,
                             const std::string& language) {
  std::string out;
  for (const Answer& a : answers(table, verdict, language))
    out += fmt::format("- **{}**: {}\n", markdown_text(a.head), markdown_text(a.text));
  return out.empty() ? out : out + "\n";
}

}  // namespace ww::report
