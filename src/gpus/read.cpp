// A GPU from its JSON file: strict, every complaint with its place.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/json_reader.h"
#include "base/text.h"
#include "gpus/capability.h"
#include "gpus/catalog.h"
#include "gpus/fields.h"

namespace ww::gpus {

namespace {

constexpr std::array<std::string_view, 5> kNoFigures{"name", "chip", "driver_name", "compute_capability",
                                                     "sources"};

class Reader {
 public:
  Reader(const std::string& id, const std::string& file, const Json& root) : file_(file), root_(root) {
    gpu_.id = id;
  }

  Result<Gpu> read() {
    const auto* members = root_.get<Json::Object>();
    if (!members) {
      complain(root_.where(file_), fmt::format("a GPU file holds an object, not {}", root_.kind()));
      return why_;
    }
    gpu_.name = text_of("name", true);
    gpu_.chip = text_of("chip", false);
    gpu_.driver_name = text_of("driver_name", false);
    read_capability();
    read_sources();
    for (const auto& member : *members) read_member(member);
    if (why_.empty()) check_complete();
    if (why_.empty()) check_consistent();
    if (!why_.empty()) return why_;
    return std::move(gpu_);
  }

 private:
  void complain(Location where, std::string message, std::string hint = {}) {
    why_.push_back(error_at(std::move(where), std::move(message), std::move(hint)));
  }

  std::string text_of(std::string_view key, bool required) {
    const Json* value = root_.find(key);
    if (!value) {
      if (required) complain(root_.where(file_), fmt::format("'{}' is missing", key));
      return {};
    }
    const auto* text = value->get<std::string>();
    if (text && !text->empty()) return printable(*text);
    complain(value->where(file_), fmt::format("'{}' must be {}", key,
                                              text ? "a string that is not empty"
                                                   : fmt::format("a string, not {}", value->kind())));
    return {};
  }

  void read_capability() {
    std::string capability = text_of("compute_capability", true);
    if (capability.empty() || apply_capability(gpu_, capability)) return;
    complain(root_.find("compute_capability")->where(file_),
             fmt::format("unknown compute capability {}", in_quotes(capability)),
             fmt::format("known: {}", fmt::join(known_capabilities(), " ")));
  }

  void read_sources() {
    const Json* sources = root_.find("sources");
    if (!sources) return;
    const auto* members = sources->get<Json::Object>();
    if (!members)
      return complain(sources->where(file_),
                      fmt::format("'sources' must be an object, not {}", sources->kind()));
    for (const auto& member : *members) {
      const auto* text = member.value.get<std::string>();
      if (text && !text->empty())
        sources_["@" + member.key] = *text;
      else
        complain(member.value.where(file_),
                 fmt::format("source {} must be a string that is not empty", in_quotes(member.key)));
    }
  }

  void read_member(const JsonMember& member) {
    const auto& [key, line, column, value] = member;
    if (std::find(kNoFigures.begin(), kNoFigures.end(), key) != kNoFigures.end()) return;
    const Field* field = find_field(key);
    if (!field) {
      std::vector<std::string> all(kNoFigures.begin(), kNoFigures.end());
      for (const auto& f : fields()) all.emplace_back(f.key);
      std::string near = nearest(key, all);
      return complain(member.where(file_), fmt::format("unknown key {}", in_quotes(key)),
                      near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    }
    if (value.number()) return read_figure(*field, value, given_here_);
    const auto* parts = value.get<Json::Object>();
    if (!parts)
      return complain(
          value.where(file_),
          fmt::format("'{}' must be a number or {{\"value\": number, \"source\": string}}, not {}", key,
                      value.kind()));
    const Json* number = value.find("value");
    if (!number) return complain(value.where(file_), fmt::format("'{}' has no \"value\"", key));
    if (!number->number())
      return complain(number->where(file_),
                      fmt::format("the value of '{}' must be a number, not {}", key, number->kind()));
    std::string source = given_here_;
    for (const auto& part : *parts) {
      if (part.key == "source")
        source = source_of(part.value);
      else if (part.key != "value")
        complain(part.where(file_), fmt::format("unknown key {} in '{}'", in_quotes(part.key), key),
                 "a figure has \"value\" and \"source\"");
    }
    read_figure(*field, *number, source);
  }

  // "@name" stands for an entry of "sources".
  std::string source_of(const Json& source) {
    const auto* text = source.get<std::string>();
    if (!text || text->empty()) {
      complain(source.where(file_), "a source must be a string that is not empty");
      return {};
    }
    if (text->front() != '@') return *text;
    if (auto entry = sources_.find(*text); entry != sources_.end()) return entry->second;
    std::vector<std::string> names;
    for (const auto& entry : sources_) names.push_back(entry.first);
    std::string near = nearest(*text, names);
    complain(source.where(file_), fmt::format("{} is not in 'sources'", in_quotes(*text)),
             near.empty() ? "" : fmt::format("did you mean {}?", in_quotes(near)));
    return {};
  }

  void read_figure(const Field& field, const Json& json, std::string source) {
    double number = json.as_double();
    std::string unit = field.unit.empty() ? "" : fmt::format(" {}", field.unit);
    if (is_count(field) && number != std::floor(number))
      return complain(json.where(file_),
                      fmt::format("'{}' must be a whole number, not {}", field.key, number));
    if (!(number >= field.min && number <= field.max))
      return complain(json.where(file_), fmt::format("'{}' cannot be {}{}", field.key, number, unit),
                      fmt::format("{}: from {} to {}{}", field.description, field.min, field.max, unit));
    set(gpu_, field, number, std::move(source));
  }

  void check_complete() {
    for (const auto& field : fields())
      if (is_required(field) && !has(gpu_, field))
        complain(root_.where(file_), fmt::format("'{}' is missing", field.key),
                 fmt::format("{}{}", field.description,
                             field.unit.empty() ? "" : fmt::format(", {}", field.unit)));
  }

  /// The place of a figure's key if the file gives it, else of the whole object.
  Location place_of(std::string_view key) const {
    for (const auto& member : *root_.get<Json::Object>())
      if (member.key == key) return member.where(file_);
    return root_.where(file_);
  }
  void at_most(std::string_view a, double x, std::string_view b, double y) {
    if (x > y)
      complain(place_of(root_.find(a) ? a : b), fmt::format("'{}' ({}) is above '{}' ({})", a, x, b, y));
  }

  void check_consistent() {
    const Gpu& g = gpu_;
    auto number = [](const auto& figure) { return static_cast<double>(figure.value); };
    if (g.base_clock) at_most("base_clock", *g.base_clock, "boost_clock", g.boost_clock);
    if (g.dram_bandwidth_measured)
      at_most("dram_bandwidth_measured", *g.dram_bandwidth_measured, "dram_bandwidth", g.dram_bandwidth);
    at_most("max_threads_per_block", number(g.max_threads_per_block), "max_threads_per_sm",
            number(g.max_threads_per_sm));
    at_most("max_blocks_per_sm", number(g.max_blocks_per_sm), "max_warps_per_sm", number(g.max_warps_per_sm));
    at_most("max_regs_per_block", number(g.max_regs_per_block), "regs_per_sm", number(g.regs_per_sm));
    double shared =
        g.smem_per_block_optin ? number(*g.smem_per_block_optin) : number(g.smem_per_block_default);
    at_most("smem_per_block_default", number(g.smem_per_block_default), "smem_per_sm", number(g.smem_per_sm));
    at_most("smem_per_block_optin", shared + number(g.reserved_smem_per_block), "smem_per_sm",
            number(g.smem_per_sm));
    if (g.l1_shared_bytes)
      at_most("smem_per_sm", number(g.smem_per_sm), "l1_shared_bytes", number(*g.l1_shared_bytes));
    if (g.max_threads_per_sm != 32 * g.max_warps_per_sm)
      complain(place_of(root_.find("max_threads_per_sm") ? "max_threads_per_sm" : "max_warps_per_sm"),
               fmt::format("'max_threads_per_sm' ({}) is not 32 times 'max_warps_per_sm' ({})",
                           g.max_threads_per_sm.value, g.max_warps_per_sm.value));
    if (g.regs_per_sm % g.warp_alloc_gran != 0)
      complain(place_of("regs_per_sm"), "'regs_per_sm' is not a multiple of 'warp_alloc_gran'");
    if (g.dram_bus && g.dram_data_rate) {
      double implied = static_cast<double>(g.dram_bus->value) * *g.dram_data_rate / 8;
      if (std::abs(implied / g.dram_bandwidth - 1) > 0.02)
        complain(place_of("dram_bandwidth"), fmt::format("'dram_bandwidth' ({} GB/s) does not follow from "
                                                         "'dram_bus' and 'dram_data_rate' ({:.1f} GB/s)",
                                                         g.dram_bandwidth.value, implied));
    }
    check_carveouts();
  }

  // From 7.0 the shared part of an SM can only take certain sizes; a file can lower the largest of them.
  void check_carveouts() {
    if (!gpu_.at_least(7)) return;
    auto& sizes = gpu_.smem_carveouts;
    std::erase_if(sizes, [&](int64_t size) { return size > gpu_.smem_per_sm; });
    if (sizes.empty() || sizes.back() != gpu_.smem_per_sm)
      complain(place_of("smem_per_sm"),
               fmt::format("'smem_per_sm' ({}) is none of the sizes that compute capability {} has",
                           gpu_.smem_per_sm.value, gpu_.compute_capability()));
  }

  const std::string& file_;
  const Json& root_;
  const std::string given_here_ = "given in " + file_;  // source of a figure that names none
  Gpu gpu_;
  std::map<std::string, std::string> sources_;  // "@name" to text
  Diagnostics why_;
};

}  // namespace

Result<Gpu> read_gpu(const std::string& id, const std::string& file, std::string_view text) {
  auto root = parse_json(text, file);
  if (!root) return root.error();
  return Reader(id, file, *root).read();
}

}  // namespace ww::gpus
