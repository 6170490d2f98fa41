#include "study/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

#include "base/json.h"
#include "base/text.h"
#include "kernels/axes.h"
#include "report/json.h"
#include "study/item_text.h"

namespace ww::study {

namespace {

// Rough weights of a floating-point operation. They only decide how even the parts are.
constexpr double kOnHost = 0.02, kPerRun = 1e6;

double work_of(const Item& item) {
  kernels::Config config = item.config;
  config.inputs.clear();  // the files' contents do not matter here
  auto plan = kernels::make_plan(*item.kernel, config);
  if (!plan) return 0;  // a row that says why
  return kPerRun + plan->flop * (plan->host ? kOnHost : 1);
}

/// The run that a row belongs to.
std::string run_of(const Row& row) {
  std::string text = row[Axis::Kernel] + ",n=" + row[lab::N];
  if (!row[Axis::Block].empty()) text += ",block=" + row[Axis::Block];
  if (!row[lab::Rx].empty()) text += fmt::format(",tile={}x{}", row[lab::Rx], row[lab::Ry]);
  if (!row[lab::R].empty()) text += ",r=" + row[lab::R];
  if (!row[lab::K].empty()) text += ",k=" + row[lab::K];
  return text + "@" + (row[Axis::Device].starts_with("gpu") ? "gpu" : row[Axis::Device]);
}

const std::string* text_at(const Json& object, std::string_view key) {
  const Json* found = object.find(key);
  return found ? found->get<std::string>() : nullptr;
}

/// A whole number from 1 to `most`, or 0.
int count_at(const Json& object, std::string_view key, int64_t most) {
  const Json* found = object.find(key);
  const int64_t* number = found ? found->get<int64_t>() : nullptr;
  return number && *number >= 1 && *number <= most ? static_cast<int>(*number) : 0;
}

constexpr int kMostParts = 1 << 20;

bool read_whole(const Json& json, Whole& whole) {
  whole.shard = {count_at(json, "part", kMostParts), count_at(json, "of", kMostParts)};
  const std::string *study = text_at(json, "study"), *settings = text_at(json, "settings");
  const Json *runs = json.find("runs"), *owner = json.find("owner");
  if (whole.shard.part == 0 || whole.shard.of < whole.shard.part || !study || !settings || !runs || !owner ||
      !runs->get<Json::Array>() || !owner->get<Json::Array>() ||
      runs->get<Json::Array>()->size() != owner->get<Json::Array>()->size())
    return false;
  whole.study = *study;
  whole.settings = *settings;
  for (const Json& run : *runs->get<Json::Array>()) {
    if (!run.get<std::string>()) return false;
    whole.runs.push_back(*run.get<std::string>());
  }
  for (const Json& one : *owner->get<Json::Array>()) {
    const int64_t* number = one.get<int64_t>();
    if (!number || *number < 1 || *number > whole.shard.of) return false;
    whole.owner.push_back(static_cast<int>(*number));
  }
  return true;
}

/// What runs of parts have in common once, and what differs side by side: machines, command lines.
void add_facts(std::vector<report::Fact>& facts, const std::vector<report::Fact>& more) {
  for (const report::Fact& fact : more) {
    const auto same = std::find_if(facts.begin(), facts.end(), [&](const report::Fact& f) {
      return f.group == fact.group && f.name == fact.name;
    });
    if (same == facts.end())
      facts.push_back(fact);
    else if (("; " + same->text + "; ").find("; " + fact.text + "; ") == std::string::npos)
      same->text += "; " + fact.text;
  }
}

}  // namespace

Result<Shard> shard_named(std::string_view text) {
  Shard shard{0, 0};
  const char* end = text.data() + text.size();
  const auto part = std::from_chars(text.data(), end, shard.part);
  if (part.ec == std::errc() && part.ptr != end && *part.ptr == '/') {
    const auto of = std::from_chars(part.ptr + 1, end, shard.of);
    if (of.ec == std::errc() && of.ptr == end && shard.part >= 1 && shard.part <= shard.of &&
        shard.of <= kMostParts)
      return shard;
  }
  return error(fmt::format("'{}' is not a part of a study", printable(text)),
               "write 3/16 for the third of sixteen parts, counted from 1");
}

std::vector<int> owners(const std::vector<Item>& items, int of) {
  std::vector<double> work;
  for (const Item& item : items) work.push_back(work_of(item));
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return work[a] > work[b]; });
  std::vector<double> load(static_cast<size_t>(of), 0);
  std::vector<int> owner(items.size());
  for (size_t i : order) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += std::max(work[i], 1.0);
    owner[i] = static_cast<int>(least - load.begin()) + 1;
  }
  return owner;
}

Whole whole_of(const std::string& study, const std::vector<Item>& items,
               const std::vector<device::Device*>& devices, Shard shard, std::string settings) {
  Whole whole{shard, study, std::move(settings), {}, {}};
  const std::vector<int> owner = owners(items, shard.of);
  for (size_t i = 0; i < items.size(); ++i) {
    const auto add = [&](const std::string& device) {
      whole.runs.push_back(item_text(items[i]) + "@" + device);
      whole.owner.push_back(owner[i]);
    };
    if (items[i].kernel->on_host()) {
      add("host");
      continue;
    }
    for (const device::Device* device : devices) add(device->info().real ? "gpu" : device->info().id);
  }
  return whole;
}

std::string write_part(const Table& table, const Whole& whole, const report::Presentation& page) {
  std::string out =
      fmt::format("{{\"part\":{{\"part\":{},\"of\":{},\"study\":{},\n\"settings\":{},\n\"runs\":[",
                  whole.shard.part, whole.shard.of, json_quote(whole.study), json_quote(whole.settings));
  for (size_t i = 0; i < whole.runs.size(); ++i) out += (i ? "," : "") + json_quote(whole.runs[i]);
  out += "],\n\"owner\":[";
  for (size_t i = 0; i < whole.owner.size(); ++i) out += fmt::format("{}{}", i ? "," : "", whole.owner[i]);
  return out + "]},\n" + report::write_json(table, &page).substr(1);
}

Result<Part> read_part(std::string_view text, const std::string& file) {
  auto json = parse_json(text, file);
  if (!json) return json.error();
  Part part{file, {}, {}, {}};
  const char* const hint = "study --shard writes such files";
  const Json* whole = json->find("part");
  if (!whole) return error_at(json->where(file), "this is not a part of a study", hint);
  if (!read_whole(*whole, part.whole))
    return error_at(whole->where(file), "this does not say which part of a study it is", hint);
  auto results = report::read_results(text, file);
  if (!results) return results.error();
  part.table = std::move(results->table);
  part.page = std::move(results->page);
  return part;
}

Result<Merged> merge(const std::vector<Part>& parts) {
  const Whole& whole = parts.at(0).whole;
  Diagnostics wrong;
  for (const Part& part : parts) {
    const Whole& other = part.whole;
    const auto differ = [&](const char* what, const std::string& a, const std::string& b) {
      wrong.push_back(
          error(fmt::format("{} and {} do not belong together: {}", parts[0].file, part.file, what),
                a == b ? "" : fmt::format("{} and {}", printable(a), printable(b))));
    };
    if (other.study != whole.study)
      differ("they are of different studies", whole.study, other.study);
    else if (other.shard.of != whole.shard.of)
      differ("the study was cut differently", fmt::format("{} parts", whole.shard.of),
             fmt::format("{} parts", other.shard.of));
    else if (other.settings != whole.settings)
      differ("they were run with different settings", whole.settings, other.settings);
    else if (other.runs != whole.runs || other.owner != whole.owner)
      differ("they were cut from different selections, or have different devices", "", "");
  }
  if (!wrong.empty()) return wrong;

  Merged merged;
  merged.table.title = parts[0].table.title;
  if (parts[0].page) merged.page = *parts[0].page;
  for (const Part& part : parts)
    if (part.page) add_facts(merged.page.facts, part.page->facts);
  std::map<std::string, size_t> place;
  for (size_t i = 0; i < whole.runs.size(); ++i) place.emplace(whole.runs[i], i);
  std::vector<const Part*> from(whole.runs.size(), nullptr);
  std::vector<std::vector<Row>> rows(whole.runs.size());
  std::vector<Row> others;  // which belong to no run
  for (const Part& part : parts) {
    std::vector<bool> named(whole.runs.size(), false);
    for (const Row& row : part.table.rows) {
      const auto it = place.find(run_of(row));
      if (it == place.end()) {
        others.push_back(row);
        continue;
      }
      const size_t i = it->second;
      if (!from[i]) from[i] = &part;
      if (from[i] == &part) {
        rows[i].push_back(row);
      } else if (!named[i]) {
        named[i] = true;
        merged.doubled.push_back(fmt::format("{}, in {} and {}", whole.runs[i], from[i]->file, part.file));
      }
    }
    for (const AxisInfo& axis : part.table.axes)
      if (std::find(merged.table.axes.begin(), merged.table.axes.end(), axis) == merged.table.axes.end())
        merged.table.axes.push_back(axis);
    for (const std::string& note : part.table.notes)
      if (std::find(merged.table.notes.begin(), merged.table.notes.end(), note) == merged.table.notes.end())
        merged.table.notes.push_back(note);
  }
  for (size_t i = 0; i < whole.runs.size(); ++i) {
    if (!from[i])
      merged.missing.push_back(
          fmt::format("{}, of part {}/{}", whole.runs[i], whole.owner[i], whole.shard.of));
    for (Row& row : rows[i]) merged.table.rows.push_back(std::move(row));
  }
  for (Row& row : others) merged.table.rows.push_back(std::move(row));
  if (!merged.missing.empty())
    merged.table.notes.push_back(
        fmt::format("{} of {} runs are missing.", merged.missing.size(), whole.runs.size()));
  return merged;
}

}  // namespace ww::study
