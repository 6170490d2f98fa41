#include "cli/launch/shown.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/shared/short_names.h"
#include "report/axes.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/metrics.h"
#include "report/number.h"
#include "report/page.h"
#include "study/bands.h"
#include "study/contest.h"

namespace ww::cli {

namespace {

double number_of(const Row& row, std::string_view tag) {
  const Value* v = row.find(tag);
  return v ? v->number() : 0;
}

/// Words that would make a column wide; the sentences have them.
bool long_words(const Value& v) {
  constexpr size_t kMost = 16;
  const auto* words = std::get_if<std::string>(&v.value);
  return words && ww::columns(*words) > kMost;
}

/// The longest of its times on the GPUs.
double time_of(const Table& table, size_t launch, size_t gpus) {
  double most = 0;
  for (size_t g = 0; g < gpus; ++g) most = std::max(most, number_of(table.rows[launch * gpus + g], "time"));
  return most;
}

}  // namespace

Table launch_table(const std::vector<ShownLaunch>& launches, std::span<const gpus::Gpu> gpus,
                   std::string title) {
  Table table;
  table.title = std::move(title);
  for (const ShownLaunch& launch : launches)
    for (size_t g = 0; g < launch.gpus.size(); ++g) {
      Row row;
      row[Axis::Kernel] = launch.kernel;
      row[Axis::Gpu] = gpus[g].id;
      row[Axis::Device] = "engine";
      row[Axis::Block] = launch.block;
      row.values = launch.about;
      for (const Value& v : launch.gpus[g].values)
        if (!row.find(v.tag)) row.values.push_back(v);
      row.refused = launch.gpus[g].refused;
      table.rows.push_back(std::move(row));
    }
  study::add_bands(table, gpus);
  return table;
}

Table main_columns(Table table) {
  const std::vector<std::string> kMainMetrics = {"launch",
                                                 "grid",
                                                 "warp_instructions",
                                                 "flop",
                                                 "global_load_sectors|global_load_transactions",
                                                 "shared_load_wavefronts|shared_load_transactions",
                                                 "l2_hit_rate",
                                                 "dram_bytes_read",
                                                 "occupancy_theoretical",
                                                 "time",
                                                 "time_low",
                                                 "time_high",
                                                 "not_modelled"};
  std::vector<std::string> there;
  for (const std::string& tag : kMainMetrics)
    if (!report::chosen_metric(table, tag).empty()) there.push_back(tag);
  return report::keep_metrics(std::move(table), there);
}

std::vector<std::string> kernels_of(const std::vector<ShownLaunch>& launches) {
  std::vector<std::string> names;
  for (const ShownLaunch& launch : launches) names.push_back(launch.kernel);
  return names;
}

std::string launch_page(const std::vector<ShownLaunch>& launches, std::span<const gpus::Gpu> gpus,
                        const Table& table, const std::string& title, const std::string& command,
                        const std::string& language) {
  std::vector<size_t> shown(launches.size());
  std::iota(shown.begin(), shown.end(), size_t{0});
  if (shown.size() > kMostOnPage) {
    std::stable_sort(shown.begin(), shown.end(), [&](size_t a, size_t b) {
      return time_of(table, a, gpus.size()) > time_of(table, b, gpus.size());
    });
    shown.resize(kMostOnPage);
    std::sort(shown.begin(), shown.end());
  }
  std::string list;
  constexpr size_t kMostInTitle = 100;  // bytes of a kernel's name
  const ShortNames names(kernels_of(launches), kMostInTitle);
  for (size_t i : shown) {
    const ShownLaunch& launch = launches[i];
    std::string on;
    for (size_t g = 0; g < launch.gpus.size(); ++g) {
      const Row& row = table.rows[i * gpus.size() + g];
      std::string band = "null";
      if (row.find("time_low") && row.find("time_high"))
        band = fmt::format("[{:.6g},{:.6g}]", number_of(row, "time_low"), number_of(row, "time_high"));
      on += fmt::format("{}{{\"band\":{},\"view\":{}}}", on.empty() ? "" : ",", band, launch.gpus[g].view);
    }
    list +=
        fmt::format("{}{{\"kernel\":{},\"grid\":{},\"block\":{},\"gpus\":[{}]}}", list.empty() ? "" : ",\n",
                    json_in_script(json_quote(printable(names.of(launch.kernel)))), json_quote(launch.grid),
                    json_quote(launch.block), on);
  }
  return report::write_launch_page(
      title, language,
      fmt::format("{{\"program\":\"warpwright " WW_VERSION "\",\"command\":{},\"left_out\":{},"
                  "\"launches\":[{}]}}",
                  json_in_script(json_quote(printable(command))), launches.size() - shown.size(), list));
}

Status write_launch_folder(const std::string& folder, const std::string& page, const Table& table) {
  std::error_code wrong;
  std::filesystem::create_directories(folder, wrong);
  const std::string at = folder.ends_with('/') ? folder : folder + "/";
  if (wrong) return error(fmt::format("{} cannot be made: {}", printable(at), wrong.message()));
  for (const auto& [name, text] :
       {std::pair<std::string, std::string>{"results.csv", report::write_csv(table)},
        {"results.json", report::write_json(table)},
        {"index.html", page}})
    if (auto ok = write_file_atomically(at + name, text); !ok) return ok;
  return {};
}

std::string beside_each_other(const Table& table, int width) {
  std::vector<std::string> tags;
  for (const Row& row : table.rows)
    for (const Value& v : row.values)
      if (!long_words(v) && std::find(tags.begin(), tags.end(), v.tag) == tags.end()) tags.push_back(v.tag);
  size_t tag_width = 0, unit_width = 0;
  const auto any = [&](const std::string& tag) {
    const Value* found = nullptr;
    for (const Row& row : table.rows)
      if (const Value* v = row.find(tag); v && !found) found = v;
    return found;
  };
  for (const auto& tag : tags)
    tag_width = std::max(tag_width, ww::columns(tag)),
    unit_width = std::max(unit_width, ww::columns(any(tag)->unit));
  // What tells the rows apart: axes in which they differ.
  std::vector<Axis> axes;
  for (const Axis a : report::axes_of(table))
    for (const Row& row : table.rows)
      if (row[a] != table.rows[0][a]) {
        axes.push_back(a);
        break;
      }
  if (axes.empty()) axes.push_back(Axis::Gpu);
  struct Column {
    std::vector<std::string> heads, cells;
    size_t width = 0;
  };
  std::vector<Column> list;
  for (const Row& row : table.rows) {
    Column& c = list.emplace_back();
    for (Axis a : axes) c.heads.push_back(shortened(printable(row[a]), 40));
    for (const auto& tag : tags) {
      const Value* v = row.find(tag);
      c.cells.push_back(v ? printable(report::short_text(*v)) : "-");
    }
    for (const auto* texts : {&c.heads, &c.cells})
      for (const auto& text : *texts) c.width = std::max(c.width, ww::columns(text));
  }
  std::string out;
  const size_t fixed = 2 + tag_width + 2 + unit_width;
  for (size_t from = 0; from < list.size();) {
    size_t to = from, used = fixed;
    while (to < list.size() && (to == from || used + 2 + list[to].width <= static_cast<size_t>(width)))
      used += 2 + list[to++].width;
    if (from > 0) out += '\n';
    for (size_t h = 0; h < axes.size(); ++h) {
      out += fmt::format("  {:<{}}", "", tag_width);
      for (size_t c = from; c < to; ++c) out += fmt::format("  {:>{}}", list[c].heads[h], list[c].width);
      out += '\n';
    }
    for (size_t t = 0; t < tags.size(); ++t) {
      std::string line = fmt::format("  {:<{}}", tags[t], tag_width);
      for (size_t c = from; c < to; ++c) line += fmt::format("  {:>{}}", list[c].cells[t], list[c].width);
      line += " " + any(tags[t])->unit;
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + '\n';
    }
    from = to;
  }
  return out;
}

namespace {

/// Cuts what does not fit, between characters.
void cut_to(std::string& line, size_t width) {
  if (ww::columns(line) <= width) return;
  while (ww::columns(line) > width - 1) line.pop_back();
  while (static_cast<unsigned char>(line.back()) >= 0x80) line.pop_back();
  line += "…";
}

/// A line of the view's files.
struct SourceRow {
  std::string place, instructions, lanes, moved, passes, conflicts, text;
};

double member(const Json& values, const std::string& tag) {
  const Json* v = values.find(tag);
  return v && v->number() ? v->as_double() : 0;
}

/// Over the families, "" where there are no requests.
std::string for_each_request(const Json& values, std::initializer_list<const char*> families,
                             const char* what) {
  double sum = 0, requests = 0;
  for (const char* family : families)
    sum += member(values, std::string(family) + what),
        requests += member(values, std::string(family) + "_requests");
  return requests > 0 ? fmt::format("{:.3g}", sum / requests) : "";
}

/// `moved` counts what a global access moves: "_sectors" or "_transactions".
SourceRow source_row(const std::string& file, const Json& line, const Json& values, const char* moved) {
  const double warps = member(values, "warp_instructions");
  double conflicts = 0;
  for (const char* family : {"shared_load", "shared_store", "shared_atomic", "async_copy"})
    conflicts += member(values, std::string(family) + "_bank_conflicts");
  const auto* text = line.find("text")->get<std::string>();
  return {
      fmt::format("{}:{}", std::filesystem::path(file).filename().string(),
                  static_cast<int64_t>(member(line, "line"))),
      fmt::format("{:.0f}", warps),
      warps > 0 ? fmt::format("{:.3g}", member(values, "thread_instructions") / warps) : "",
      for_each_request(values, {"global_load", "global_store", "global_atomic"}, moved),
      for_each_request(values, {"shared_load", "shared_store", "shared_atomic", "async_copy"}, "_wavefronts"),
      conflicts > 0 ? fmt::format("{:.0f}", conflicts) : "",
      text ? printable(*text) : ""};
}

}  // namespace

std::string lines_text(const gpus::Gpu& gpu, const ShownGpu& on, int width) {
  const bool sectors = gpu.cc_major >= 2;  // compute capability 1.x has transactions only
  std::vector<SourceRow> rows = {
      {"", "warp", "", sectors ? "sectors/" : "transactions/", "passes/", "bank", ""},
      {"line", "instructions", "lanes", "request", "request", "conflicts", ""}};
  const auto view = parse_json(on.view, "the view");
  const Json* files = view ? view->find("files") : nullptr;
  if (const auto* list = files ? files->get<Json::Array>() : nullptr)
    for (const Json& file : *list)
      for (const Json& line : *file.find("lines")->get<Json::Array>())
        if (const Json* values = line.find("values"))
          rows.push_back(source_row(*file.find("file")->get<std::string>(), line, *values,
                                    sectors ? "_sectors" : "_transactions"));
  std::string SourceRow::*const fields[] = {&SourceRow::place,  &SourceRow::instructions,
                                            &SourceRow::lanes,  &SourceRow::moved,
                                            &SourceRow::passes, &SourceRow::conflicts};
  std::vector<size_t> widths;
  for (auto field : fields) {
    size_t most = 0;
    for (const SourceRow& row : rows) most = std::max(most, ww::columns(row.*field));
    widths.push_back(most);
  }
  std::string out = fmt::format("By source line, counted as on {}\n", gpu.name);
  for (const SourceRow& row : rows) {
    std::string line;
    for (size_t k = 0; k < widths.size(); ++k)
      line += k == 0 ? fmt::format("{:<{}}", row.place, widths[k])
                     : fmt::format("  {:>{}}", row.*fields[k], widths[k]);
    line += "  " + row.text;
    if (width > 0) cut_to(line, static_cast<size_t>(width));
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

namespace {

/// As the page says it (launch.band). `side` is that of study::side_of_band.
std::string band_sentence(double time, double low, double high, std::string_view side) {
  return fmt::format("Expect {} to {}: eight in ten measured kernels lay so far from their prediction{}.",
                     time_text_beside(low, time), time_text_beside(high, time),
                     side == ".short"  ? "; most took longer than predicted"
                     : side == ".long" ? "; most took less than predicted"
                                       : "");
}

/// The time with what was tried, as a part of the time without; 0 where nothing that was tried is faster.
double tried_part(const std::string& view) {
  const auto json = parse_json(view, "the view");
  const Json* sentences = json ? json->find("sentences") : nullptr;
  if (const auto* list = sentences ? sentences->get<Json::Array>() : nullptr)
    for (const Json& said : *list) {
      const Json *message = said.find("message"), *gaps = said.find("with");
      const auto* key = message ? message->get<std::string>() : nullptr;
      if (!key || *key != "said.tried.faster" || !gaps) continue;
      const Json *time = gaps->find("time"), *before = gaps->find("before");
      if (time && before && member(*before, "ms") > 0) return member(*time, "ms") / member(*before, "ms");
    }
  return 0;
}

}  // namespace

std::string sentences_text(const gpus::Gpu& gpu, const ShownGpu& on, const Row& row, int width) {
  std::string out = fmt::format("On {} ({})\n", gpu.name, gpu.id);
  std::vector<std::string> said = on.sentences;
  // Behind the first, which says the time.
  if (!said.empty() && row.find("time_low") && row.find("time_high")) {
    const double low = number_of(row, "time_low"), high = number_of(row, "time_high");
    said.insert(said.begin() + 1, band_sentence(number_of(row, "time"), low, high, study::side_of_band(row)));
    // As the page says it (launch.tried_unsure).
    if (high * tried_part(on.view) >= low)
      said.emplace_back("What was tried gains less than such predictions are uncertain by: measure it.");
  }
  for (const std::string& s : said) {
    bool first = true;
    for (const auto& line :
         wrap(printable(s), width > 0 ? static_cast<size_t>(std::max(20, width - 2)) : 0)) {
      out += fmt::format("{} {}\n", first ? "-" : " ", line);
      first = false;
    }
  }
  return out;
}

}  // namespace ww::cli
