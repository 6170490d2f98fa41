#include "report/presentation.h"

#include <fmt/format.h>

#include "report/json.h"
#include "report/plot_json.h"

namespace ww::report {

std::string presentation_json(const Presentation& presentation) {
  std::string out;
  const auto add = [&](std::string_view key, const std::string& json) {
    out += fmt::format("{}\"{}\":{}", out.empty() ? "" : ",\n", key, json);
  };
  if (!presentation.study.empty()) add("study", json_quote(presentation.study));
  if (!presentation.text.empty()) add("text", json_quote(presentation.text));
  if (!presentation.headline.empty())
    add("headline", json_array(presentation.headline, [](const auto& tag) { return json_quote(tag); }));
  if (!presentation.plots.empty()) add("plots", json_array(presentation.plots, plot_json));
  std::vector<Fact> facts = presentation.facts;
  std::erase_if(facts, [](const Fact& f) { return f.text.empty(); });  // not known
  if (!facts.empty())
    add("facts", json_array(facts, [](const Fact& f) {
          return fmt::format(R"({{"group":{},"name":{},"text":{}}})", json_quote(f.group), json_quote(f.name),
                             json_quote(f.text));
        }));
  if (!presentation.figures.empty())
    add("figures", json_array(presentation.figures, [](const Table& t) { return write_json(t); }));
  return "{" + out + "}";
}

Presentation read_presentation(const Json& json, const std::vector<AxisInfo>& own, JsonReader& reader) {
  Presentation out;
  if (!reader.members(json, "what the page needs",
                      {"study", "text", "headline", "plots", "facts", "figures"}))
    return out;
  out.study = reader.text(json, "study");
  out.text = reader.text(json, "text");
  out.headline = reader.words(json, "headline");
  out.plots = read_plots(json, own, reader);
  for (const Json& fact : reader.list(json, "facts"))
    if (reader.members(fact, "a fact", {"group", "name", "text"}))
      out.facts.push_back({reader.text(fact, "group"), reader.text(fact, "name"), reader.text(fact, "text")});
  for (const Json& table : reader.list(json, "figures")) out.figures.push_back(read_table(table, reader));
  return out;
}

}  // namespace ww::report
