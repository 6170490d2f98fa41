#include "forecast/view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <ranges>

#include "base/json.h"
#include "model/peak.h"

namespace ww::forecast {

namespace {

constexpr int kAround = 3;     // lines of the source shown before and behind those that ran
constexpr int kFarApart = 40;  // more lines than this between two that ran are left out
constexpr size_t kMostLines = 2000;
constexpr size_t kMostInstructions = 4000;

std::string number(double v) { return std::isfinite(v) ? fmt::format("{:.10g}", v) : "null"; }

/// Joins members and elements with commas.
class Json {
 public:
  explicit Json(char open) : text_(1, open) {}
  Json& add(std::string_view key, const std::string& json) {
    comma();
    text_ += json_quote(key) + ":" + json;
    return *this;
  }
  Json& add(std::string_view key, double v) { return add(key, number(v)); }
  Json& words(std::string_view key, std::string_view v) { return add(key, json_quote(v)); }
  Json& item(const std::string& json) {
    comma();
    text_ += json;
    return *this;
  }
  std::string end(char close) { return text_ + close; }

 private:
  void comma() {
    if (text_.size() > 1) text_ += ',';
  }
  std::string text_;
};

std::string percent_or_null(std::optional<double> v) { return v ? number(*v) : "null"; }

std::string time_of(const model::Time& t) {
  Json parts('[');
  const auto part = [&](std::string_view tag, double ms, std::string_view kind, std::string_view about) {
    if (ms > 0)
      parts.item(
          Json('{').words("tag", tag).add("ms", ms).words("kind", kind).words("about", about).end('}'));
  };
  for (const model::TimePart& p : t.throughput) part(p.tag, p.ms, "alone", p.description);
  part("time_latency", t.latency, "more", "waiting that the resident warps do not hide");
  part("time_barriers", t.barriers, "more", "barriers that separate loading from computing");
  part("time_tail", t.tail, "more", "SMs that have no block while others still work");
  part("time_launch", t.launch, "more", "the launch itself");
  Json unmodelled('['), missing('[');
  for (auto u : t.unmodelled) unmodelled.item(json_quote(name(u)));
  for (auto m : t.missing) missing.item(json_quote(m));
  return Json('{')
      .add("total", t.total)
      .words("binding", t.binding)
      .add("waves", t.waves)
      .add("parts", parts.end(']'))
      .add("unmodelled", unmodelled.end(']'))
      .add("missing", missing.end(']'))
      .end('}');
}

std::string steps_of(std::string_view title, double value, const std::vector<model::Step>& steps) {
  Json list('[');
  for (const model::Step& s : steps)
    list.item(fmt::format("[{},{},{}]", s.first, s.last, number(s.active_warps > 0 ? s.percent : 0)));
  return Json('{').words("title", title).add("value", value).add("steps", list.end(']')).end('}');
}

std::string occupancy_of(const gpus::Gpu& gpu, const model::Prediction& p, const LaunchShape& shape) {
  const model::Occupancy& o = p.time.occupancy;
  Json limits('[');
  for (int i = 0; i < model::kResourceCount; ++i) {
    if (!o.limit[i]) continue;
    const auto resource = static_cast<model::Resource>(i);
    const bool binds = std::find(o.binding.begin(), o.binding.end(), resource) != o.binding.end();
    limits.item(Json('{')
                    .words("name", name(resource))
                    .add("blocks", static_cast<double>(*o.limit[i]))
                    .add("binds", std::string(binds ? "true" : "false"))
                    .end('}'));
  }
  model::Demand d;
  d.block_x = shape.block.x, d.block_y = shape.block.y, d.block_z = shape.block.z;
  d.registers = p.registers.per_thread;
  d.dynamic_shared = static_cast<int64_t>(shape.dynamic_shared);
  d.static_shared = p.activity.shared - d.dynamic_shared;
  d.parameters = p.activity.parameters;
  Json charts('[');
  charts.item(
      steps_of("registers per thread", static_cast<double>(d.registers), model::steps_by_registers(gpu, d)));
  charts.item(steps_of("bytes of shared memory per block", static_cast<double>(p.activity.shared),
                       model::steps_by_shared(gpu, d)));
  charts.item(steps_of("threads per block", static_cast<double>(d.threads()), model::steps_by_block(gpu, d)));
  return Json('{')
      .add("percent", o.percent)
      .add("achieved", p.time.achieved_occupancy)
      .add("blocks", static_cast<double>(o.active_blocks))
      .add("warps", static_cast<double>(o.active_warps))
      .add("most_warps", static_cast<double>(gpu.max_warps_per_sm.value))
      .add("registers", static_cast<double>(p.registers.per_thread))
      .words("registers_from", p.registers.source)
      .add("shared", static_cast<double>(p.activity.shared))
      .add("limits", limits.end(']'))
      .add("charts", charts.end(']'))
      .end('}');
}

/// What moves between the levels of memory; bytes.
std::string memory_of(const gpus::Gpu& gpu, const Figures& f) {
  const model::Activity& a = f.prediction.activity;
  Json families('{');
  for (const auto& [family, cost] : f.memory)
    families.add(family->name, Json('{')
                                   .add("requests", static_cast<double>(cost.requests))
                                   .add("bytes", static_cast<double>(cost.bytes))
                                   .add("sectors", static_cast<double>(cost.sectors))
                                   .add("wavefronts", static_cast<double>(cost.wavefronts))
                                   .add("conflicts", static_cast<double>(cost.conflicts))
                                   .end('}'));
  Json out('{');
  out.add("families", families.end('}'));
  out.add("l1_bytes_read", gpus::kSector * a.global_load_sectors);
  out.add("l1_bytes_written", gpus::kSector * a.global_store_sectors);
  out.add("dram_bytes_read", a.dram_bytes_read).add("dram_bytes_written", a.dram_bytes_written);
  out.add("modelled", std::string(f.caches ? "true" : "false"));
  out.add("cached", std::string(f.caches && !f.caches->cached ? "false" : "true"));
  if (f.caches && f.caches->cached) {
    out.add("l2_bytes_read", gpus::kSector * static_cast<double>(f.caches->l2_read_sectors));
    out.add("l2_bytes_written", gpus::kSector * static_cast<double>(f.caches->l2_write_sectors));
    if (gpu.l2_parts) out.add("l2_parts", static_cast<double>(gpu.l2_parts->value));
    out.add("l1_hit_rate", percent_or_null(f.caches->l1_hit_rate()));
    out.add("l2_hit_rate", percent_or_null(f.caches->l2_hit_rate()));
  }
  return out.end('}');
}

/// Williams, Waterman, Patterson: Roofline, CACM 52(4), 2009, with a roof for each level of memory. A kernel
/// without floating-point operations is placed by its warp instructions (Ding, Williams: An Instruction
/// Roofline Model for GPUs, 2019).
std::string roofline_of(const gpus::Gpu& gpu, const Figures& f) {
  const model::Activity& a = f.prediction.activity;
  const model::Time& t = f.prediction.time;
  const double clock = t.clock_ghz, sms = static_cast<double>(gpu.sm_count.value), seconds = t.total * 1e-3;
  const bool flop = a.flop > 0;
  const double work = flop ? a.flop : a.instructions();
  if (work <= 0 || seconds <= 0) return "null";
  Json roofs('['), levels('[');
  const auto roof = [&](std::string_view name, double rate) {
    roofs.item(Json('{').words("name", name).add("rate", rate).end('}'));
  };
  if (flop) {
    if (model::peak_of(gpu, a).name != "fp64") roof("fp32", 2 * gpu.fp32 * sms * clock);
    if (a.fp64 > 0 && gpu.fp64) roof("fp64", 2 * *gpu.fp64 * sms * clock);
    if (a.tensor > 0 && gpu.tensor_fp16) roof("tensor fp16", 2 * *gpu.tensor_fp16 * sms * clock);
  } else if (gpu.warp_schedulers && gpu.issue_per_scheduler) {
    roof("issue slots", *gpu.warp_schedulers * *gpu.issue_per_scheduler * sms * clock);
  }
  const auto level = [&](std::string_view name, double bytes, double gbs) {
    if (bytes > 0 && gbs > 0)
      levels.item(Json('{').words("name", name).add("bytes", bytes).add("bandwidth", gbs).end('}'));
  };
  constexpr double kBankBytes = 4;
  const double pass = kBankBytes * static_cast<double>(gpu.smem_banks.value);
  if (gpu.at_least(2))
    level("L1 and shared memory",
          pass * (a.global_wavefronts + a.shared_load_wavefronts + a.shared_store_wavefronts),
          pass * sms * clock);
  if (gpu.l2_bandwidth)
    level("L2", gpus::kSector * (a.l2_read_sectors + a.l2_write_sectors), *gpu.l2_bandwidth * clock);
  level("DRAM", a.dram_bytes_read + a.dram_bytes_written,
        gpu.dram_bandwidth_measured ? *gpu.dram_bandwidth_measured : gpu.dram_bandwidth.value);
  return Json('{')
      .words("unit", flop ? "GFLOP/s" : "warp Ginst/s")
      .words("per_byte", flop ? "flop/byte" : "warp inst/byte")
      .add("work", work)
      .add("rate", work / seconds * 1e-9)
      .add("roofs", roofs.end(']'))
      .add("levels", levels.end(']'))
      .end('}');
}

std::string values_of(const std::vector<Value>& values) {
  Json out('{');
  for (const Value& v : values)
    if (v.number() != 0) out.add(v.tag, v.number());
  return out.end('}');
}

/// The instructions of each line, by "file:line": their place in the PTX, text and counters.
std::map<std::string, std::string> ptx_of(const std::vector<counters::InstructionLine>& instructions) {
  std::map<std::string, std::string> out;
  for (const counters::InstructionLine& in : instructions | std::views::take(kMostInstructions)) {
    std::string& list = out[fmt::format("{}:{}", in.file, in.line)];
    list += fmt::format("{}[{},{},{}]", list.empty() ? "" : ",", in.ptx_line, json_quote(in.ptx),
                        values_of(in.values));
  }
  return out;
}

/// The lines of each file around those that ran, with the counters of these and of their instructions.
std::string lines_of(const Table& lines, const std::vector<counters::InstructionLine>& instructions,
                     const model::SourceLine& source) {
  const auto ptx = ptx_of(instructions);
  std::map<std::string, std::map<int, const Row*>> files;
  for (const Row& row : lines.rows) {
    const std::string& place = row[Axis::Kernel];
    const size_t colon = place.rfind(':');
    if (colon == place.npos) continue;
    files[place.substr(0, colon)][std::atoi(place.c_str() + colon + 1)] = &row;
  }
  Json out('[');
  size_t shown = 0;
  for (const auto& [file, rows] : files) {
    Json list('[');
    int last = 0;
    const auto put = [&](int line, const Row* row) {
      if (++shown > kMostLines) return;
      Json one('{');
      one.add("line", line).words("text", source ? source(file, line) : std::string());
      if (row) {
        one.add("values", values_of(row->values));
        if (const auto it = ptx.find((*row)[Axis::Kernel]); it != ptx.end())
          one.add("ptx", "[" + it->second + "]");
      }
      list.item(one.end('}'));
    };
    for (auto it = rows.begin(); it != rows.end(); ++it) {
      int from = std::max(it->first - kAround, last + 1);
      if (last > 0 && it->first - last <= kFarApart) from = last + 1;
      for (int line = std::max(1, from); line < it->first; ++line) put(line, nullptr);
      put(it->first, it->second);
      last = it->first;
      if (std::next(it) == rows.end() || std::next(it)->first - last > kFarApart)
        for (int k = 0; k < kAround && source && !source(file, last + 1).empty(); ++k) put(++last, nullptr);
    }
    out.item(Json('{').words("file", file).add("lines", list.end(']')).end('}'));
  }
  return out.end(']');
}

std::string banks_of(const BankUse& use) {
  return fmt::format("{{\"lanes\":[{}],\"words\":[{}],\"passes\":{}}}", fmt::join(use.lanes, ","),
                     fmt::join(use.words, ","), use.passes);
}

std::string value_text(const Value& v) {
  if (const auto* words = std::get_if<std::string>(&v.value)) return json_quote(*words);
  return number(v.number());
}

}  // namespace

std::string write_view(const gpus::Gpu& gpu, const Figures& figures, const LaunchShape& shape,
                       const Table& lines, const std::vector<Value>& values,
                       const std::vector<Said>& sentences, const model::SourceLine& source) {
  Json out('{');
  out.words("gpu", gpu.id).words("name", gpu.name).words("capability", gpu.compute_capability());
  Json list('[');
  for (const Said& s : sentences) list.item(said_json(s));
  out.add("sentences", list.end(']'));
  out.words("refused", figures.prediction.refused);
  if (figures.occupancy()) {
    out.add("time", time_of(figures.prediction.time));
    out.add("occupancy", occupancy_of(gpu, figures.prediction, shape));
    out.add("roofline", roofline_of(gpu, figures));
  }
  out.add("memory", memory_of(gpu, figures));
  if (figures.padding) {
    Json tried('[');
    for (const Padding& p : figures.padding->better)
      tried.item(Json('{')
                     .words("array", p.array)
                     .add("columns", static_cast<double>(p.columns))
                     .add("words", static_cast<double>(p.words))
                     .add("before", static_cast<double>(p.before.all()))
                     .add("after", static_cast<double>(p.after.all()))
                     .add("bytes", static_cast<double>(p.more_bytes))
                     .add("banks_before", banks_of(p.banks_before))
                     .add("banks_after", banks_of(p.banks_after))
                     .add("banks", static_cast<double>(gpu.smem_banks.value))
                     .end('}'));
    out.add("padding", tried.end(']'));
  }
  out.add("files", lines_of(lines, figures.instructions, source));
  Json all('[');
  for (const Value& v : values)
    all.item(Json('{')
                 .words("tag", v.tag)
                 .add("value", value_text(v))
                 .words("unit", v.unit)
                 .words("from", name(v.provenance))
                 .words("about", v.description)
                 .end('}'));
  out.add("values", all.end(']'));
  return json_in_script(out.end('}'));
}

}  // namespace ww::forecast
