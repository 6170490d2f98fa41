// The recording as JSON: small enough for a page, plain enough for other programs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <set>

#include "base/json.h"
#include "counters/memory_values.h"
#include "ir/print.h"
#include "kernels/embedded.h"
#include "watch/watch.h"

namespace ww::watch {

namespace {

using rules::AccessKind;
using rules::CostSpace;

template <class Items, class TextOf>
std::string list(const Items& items, TextOf text_of) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ',';
    out += text_of(item);
  }
  return out + "]";
}

std::string_view name_of(AccessKind kind) {
  return kind == AccessKind::Load    ? "load"
         : kind == AccessKind::Store ? "store"
         : kind == AccessKind::Copy  ? "store"
                                     : "atomic";
}

/// What the page calls the memory that an access goes to.
std::string_view space_of(const Form& f) {
  return f.texels == Texels::Linear  ? "texture"
         : f.texels == Texels::Array ? "texels"
                                     : ir::plain_name(f.pattern.space);
}

struct Costly {
  std::string_view space;
  CostSpace cost;
};
constexpr Costly kCostly[] = {{"global", CostSpace::Global},
                              {"shared", CostSpace::Shared},
                              {"local", CostSpace::Local},
                              {"constant", CostSpace::Constant},
                              {"texture", CostSpace::Texture}};

/// The metrics that a space's accesses have on this GPU: the counters' own.
std::vector<const counters::MemoryMetric*> metrics_of(std::string_view space, rules::Capability cc) {
  std::vector<const counters::MemoryMetric*> out;
  for (const Costly& c : kCostly)
    if (c.space == space)
      for (const auto& m : counters::memory_metrics(c.cost))
        if (m.on(cc)) out.push_back(&m);
  return out;
}

/// The one that says what an access costs, of a space's metrics.
std::string_view main_metric(const std::vector<const counters::MemoryMetric*>& metrics) {
  for (std::string_view wanted : {"wavefronts", "sectors", "transactions", "requests"})
    for (const auto* m : metrics)
      if (m->name == wanted) return wanted;
  return "";
}

std::string metrics_text(rules::Capability cc) {
  std::string out = "{";
  for (const Costly& c : kCostly) {
    const auto metrics = metrics_of(c.space, cc);
    out += fmt::format("{}\"{}\":{}", out.size() > 1 ? "," : "", c.space,
                       list(metrics, [&](const counters::MemoryMetric* m) {
                         return fmt::format(R"({{"name":{},"unit":{},"description":{},"main":{}}})",
                                            json_quote(m->name), json_quote(m->unit),
                                            json_quote(m->description), m->name == main_metric(metrics));
                       }));
  }
  return out + "}";
}

std::string array_text(const Array& a) {
  std::string out = fmt::format(
      R"({{"name":{},"space":"{}","address":{},"bytes":{},"elements":{},"columns":{},"type":{},"unit":{})",
      json_quote(a.name), a.texels ? "texels" : ir::plain_name(a.space), a.address, a.bytes, a.elements,
      a.columns, json_quote(a.type), a.unit);
  if (a.channels > 1) out += fmt::format(R"(,"channels":{})", a.channels);
  if (a.rows > 0) out += fmt::format(R"(,"rows":{})", a.rows);
  return out + "}";
}

std::string site_text(const Site& s) {
  return fmt::format(R"({{"file":{},"line":{},"text":{},"kind":"{}","leader":{}}})", json_quote(s.file),
                     s.line, json_quote(s.text), s.barrier ? "barrier" : name_of(s.kind),
                     static_cast<int32_t>(s.leader));
}

std::string form_text(const Form& f, rules::Capability cc) {
  std::vector<int64_t> offsets;
  for (u32 m = f.pattern.mask; m != 0; m &= m - 1)
    offsets.push_back(f.pattern.offset[static_cast<size_t>(std::countr_zero(m))]);
  std::string out =
      fmt::format(R"({{"space":"{}","kind":"{}","array":{},"mask":{},"bytes":{},"offsets":[{}],)",
                  space_of(f), name_of(f.kind), static_cast<int32_t>(f.array), f.pattern.mask,
                  f.pattern.bytes, fmt::join(offsets, ","));
  out += fmt::format(R"("issued":{},"cost":{})", f.issued,
                     list(metrics_of(space_of(f), cc),
                          [&](const counters::MemoryMetric* m) { return std::to_string(m->of(f.cost)); }));
  if (f.fetched.size() > offsets.size())
    out += ",\"texels\":" +
           list(f.fetched, [](const auto& t) { return fmt::format("[{},{}]", t.first, t.second); });
  if (!f.pieces.empty())
    out += ",\"pieces\":" +
           list(f.pieces, [](const rules::Piece& p) { return fmt::format("[{},{}]", p.address, p.bytes); });
  if (!f.banks.empty())
    out += ",\"banks\":" + list(f.banks, [](const rules::BankUse& u) {
             return fmt::format("[{},{},{},{}]", u.pass, u.bank, u.word, u.lanes);
           });
  return out + "}";
}

/// Columns of the events: where each step's begin, the warp in the grid, the form (-1: a barrier), and the
/// byte in the form's array (or the address) where the first active lane begins (a barrier: its lanes).
std::string events_text(const Launch& launch, u32 warps) {
  std::vector<size_t> begins(launch.steps.size() + 1);
  for (const Event& e : launch.events) ++begins[e.step + 1];
  for (size_t k = 1; k < begins.size(); ++k) begins[k] += begins[k - 1];
  const auto at = [&](const Event& e) {
    if (e.form == kNone) return u64{e.mask};
    const u32 array = launch.forms[e.form].array;
    return array == kNone ? e.first : e.first - launch.arrays[array].address;
  };
  return fmt::format(
      R"({{"begins":[{}],"warp":{},"form":{},"at":{}}})", fmt::join(begins, ","),
      list(launch.events, [&](const Event& e) { return std::to_string(u64{e.block} * warps + e.warp); }),
      list(launch.events, [](const Event& e) { return std::to_string(static_cast<int32_t>(e.form)); }),
      list(launch.events, [&](const Event& e) { return std::to_string(at(e)); }));
}

/// Columns of the changes, sorted by event: its index, the array, the word, and its new bits.
std::string changes_text(const Launch& launch) {
  std::vector<size_t> place(launch.events.size());
  for (size_t k = 0; k < launch.events.size(); ++k) place[launch.events[k].ran] = k;
  std::vector<Change> sorted = launch.changes;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Change& a, const Change& b) { return place[a.ran] < place[b.ran]; });
  return fmt::format(R"({{"event":{},"array":{},"element":{},"bits":{}}})",
                     list(sorted, [&](const Change& c) { return std::to_string(place[c.ran]); }),
                     list(sorted, [](const Change& c) { return std::to_string(c.array); }),
                     list(sorted, [](const Change& c) { return std::to_string(c.element); }),
                     list(sorted, [](const Change& c) { return std::to_string(c.bits); }));
}

/// What checks found; `event` is the index of the access, -1 where it is not in the recording.
std::string found_text(const Launch& launch) {
  std::vector<int64_t> place(launch.events.size());
  for (size_t k = 0; k < launch.events.size(); ++k) place[launch.events[k].ran] = static_cast<int64_t>(k);
  return list(launch.found, [&](const Found& f) {
    return fmt::format(R"({{"kind":{},"severity":{},"message":{},"more":{},"parties":{}}})",
                       json_quote(f.kind), json_quote(f.severity), json_quote(f.message),
                       list(f.more, [](const std::string& line) { return json_quote(line); }),
                       list(f.parties, [&](const FoundParty& p) {
                         return fmt::format(R"({{"what":{},"event":{},"array":{},"from":{},"bytes":{}}})",
                                            json_quote(p.what), p.ran == kNone ? -1 : place[p.ran],
                                            static_cast<int32_t>(p.array), p.from, p.bytes);
                       }));
  });
}

std::string launch_text(const Launch& l, rules::Capability cc) {
  const u32 warps = (l.block[0] * l.block[1] * l.block[2] + 31) / 32;
  std::string out = fmt::format(R"({{"entry":{},"grid":[{}],"block":[{}],"warps":{},"sharedBytes":{},)",
                                json_quote(l.entry), fmt::join(l.grid, ","), fmt::join(l.block, ","), warps,
                                l.shared_bytes);
  out += "\"arrays\":" + list(l.arrays, array_text);
  out += ",\"sites\":" + list(l.sites, site_text);
  out += ",\"steps\":" +
         list(l.steps, [](const Step& s) { return fmt::format("[{},{},{}]", s.site, s.phase, s.nth); });
  out += ",\"forms\":" + list(l.forms, [&](const Form& f) { return form_text(f, cc); });
  return out + ",\"events\":" + events_text(l, warps) + ",\"changes\":" + changes_text(l) +
         ",\"findings\":" + found_text(l) + "}";
}

std::string sources_text(const Recording& r) {
  std::set<std::string> files;
  for (const Launch& l : r.launches)
    for (const Site& s : l.sites)
      if (r.sources.contains(s.file) || !kernels::source_text(s.file).empty()) files.insert(s.file);
  return list(files, [&](const std::string& file) {
    const auto own = r.sources.find(file);
    return fmt::format(R"({{"file":{},"text":{}}})", json_quote(file),
                       json_quote(own == r.sources.end() ? kernels::source_text(file) : own->second));
  });
}

std::string_view name_of(kernels::Problem problem) {
  switch (problem) {
    case kernels::Problem::Matmul:
      return "matmul";
    case kernels::Problem::MatmulTransposed:
      return "aat";
    case kernels::Problem::BoxSum:
      return "box_sum";
    default:
      return "other";
  }
}

}  // namespace

std::string write_json(const Recording& r) {
  const kernels::Config& c = r.config;
  std::string out = fmt::format(R"({{"format":"warpwright watch 1","kernel":{},"title":{},"problem":"{}",)",
                                json_quote(r.kernel), json_quote(title_of(r)), name_of(r.problem));
  out += fmt::format(R"("config":{{"n":{},"block":{},"rx":{},"ry":{},"r":{},"k":{}}},)", c.n, c.shape.block,
                     c.shape.rx, c.shape.ry, c.r, c.k);
  out += fmt::format(R"("gpu":{{"id":{},"name":{},"capability":"{}.{}","banks":{}}},)", json_quote(r.gpu),
                     json_quote(r.gpu_name), r.capability / 10, r.capability % 10,
                     rules::bank_count(r.capability));
  out += "\"metrics\":" + metrics_text(r.capability);
  out += ",\"launches\":" + list(r.launches, [&](const Launch& l) { return launch_text(l, r.capability); });
  out += ",\"sources\":" + sources_text(r) + "}\n";
  return json_in_script(std::move(out));
}

}  // namespace ww::watch
