#include "forecast/sentences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/words.h"
#include "model/count_text.h"
#include "model/explain.h"

namespace ww::forecast {

namespace {

constexpr double kGain = 0.02;  // of the time: less is no gain

double scaled(double value, uint64_t before, uint64_t after) {
  return before == 0 ? value : value * static_cast<double>(after) / static_cast<double>(before);
}

/// The activity with the shared accesses of the trial's paddings.
model::Activity padded(model::Activity a, const PaddingTrial& t) {
  a.shared_load_wavefronts = scaled(a.shared_load_wavefronts, t.before.loads, t.after.loads);
  a.shared_store_wavefronts = scaled(a.shared_store_wavefronts, t.before.stores, t.after.stores);
  a.shared_conflicts = scaled(a.shared_conflicts, t.before.conflicts, t.after.conflicts);
  a.shared += static_cast<int64_t>(t.more_bytes);
  return a;
}

Said rows_of(const Padding& p) {
  if (p.inferred)
    return {fmt::format("{} behind every {} words of {}", counted(static_cast<int64_t>(p.words), "more word"),
                        p.columns, p.array),
            "said.behind",
            {{"array", p.array},
             {"words", Said::Count{static_cast<double>(p.words)}},
             {"before", Said::Count{static_cast<double>(p.columns)}}}};
  return {fmt::format("rows of {} with {} instead of {} words", p.array, p.columns + p.words, p.columns),
          "said.rows",
          {{"array", p.array},
           {"after", Said::Count{static_cast<double>(p.columns + p.words)}},
           {"before", Said::Count{static_cast<double>(p.columns)}}}};
}

}  // namespace

bool conflicts_matter(const model::Activity& a) {
  const double all = a.shared_load_wavefronts + a.shared_store_wavefronts;
  return all > 0 && a.shared_conflicts >= model::kWorthTelling * all;
}

Said padding_sentence(const gpus::Gpu& gpu, const model::Prediction& p, const PaddingTrial& t) {
  if (t.better.empty() && t.in_vain.empty()) return {};
  if (t.better.empty())
    return {fmt::format("Tried: longer rows (by 1 to {} words) of {}. None has fewer bank conflicts.",
                        kMostPadding, fmt::join(t.in_vain, " and ")),
            "said.tried.in_vain",
            {{"most", Said::Count{static_cast<double>(kMostPadding)}}, {"arrays", listed(t.in_vain)}}};
  std::vector<Said> rows;
  std::vector<std::string> texts;
  for (const Padding& one : t.better) {
    rows.push_back(rows_of(one));
    texts.push_back(rows.back().text);
  }
  const double passes = scaled(p.activity.shared_load_wavefronts, t.before.loads, t.after.loads) +
                        scaled(p.activity.shared_store_wavefronts, t.before.stores, t.after.stores),
               all = p.activity.shared_load_wavefronts + p.activity.shared_store_wavefronts;
  Said said{fmt::format("Tried: {}. All shared accesses then take {} of {} wavefronts",
                        fmt::join(texts, ", "), model::count_text(passes), model::count_text(all)),
            "said.tried.no_memory",
            {{"rows", std::move(rows)}, {"passes", Said::Count{passes}}, {"all", Said::Count{all}}}};
  const auto time = model::predict_time(gpu, padded(p.activity, t));
  if (!time) {
    said.text += ", but the GPU does not have enough shared memory for them.";
    return said;
  }
  said.gaps.push_back({"time", Said::Time{time->total}});
  said.gaps.push_back({"before", Said::Time{p.time.total}});
  const bool gains = time->total <= (1 - kGain) * p.time.total;
  said.message = gains ? "said.tried.faster" : "said.tried.no_gain";
  said.text += gains ? fmt::format(": {} instead of {}.", time_text_beside(time->total, p.time.total),
                                   time_text(p.time.total))
                     : fmt::format(", which hardly changes the time ({}).", time_text(time->total));
  return said;
}

std::vector<Said> sentences(const gpus::Gpu& gpu, const Figures& figures, const Table& lines,
                            const model::SourceLine& source) {
  const model::Prediction& p = figures.prediction;
  if (!p.refused.empty()) return {{p.refused + "."}};
  std::vector<Said> out = model::explain(gpu, p.activity, p.time);
  for (auto& s : model::explain_lines(gpu, lines, source)) out.push_back(std::move(s));
  const model::Occupancy& o = p.time.occupancy;
  out.push_back(
      {fmt::format("An SM holds {}, {} of {} warps ({:.4g} %), limited by {}; {} per thread ({}).",
                   counted(o.active_blocks, "block"), o.active_warps, gpu.max_warps_per_sm.value, o.percent,
                   model::limiter(o), counted(p.registers.per_thread, "register"), p.registers.source),
       "said.holds",
       {{"blocks", Said::Count{static_cast<double>(o.active_blocks)}},
        {"warps", Said::Count{static_cast<double>(o.active_warps)}},
        {"most", Said::Count{static_cast<double>(gpu.max_warps_per_sm.value)}},
        {"percent", o.percent},
        {"limiter", model::limiter_words(o)},
        {"registers", Said::Count{static_cast<double>(p.registers.per_thread)}},
        {"from", Said::Words{{"about." + std::string(p.registers.source)}}}}});
  if (const model::Registers& r = p.registers; r.spill_stores + r.spill_loads > 0)
    out.push_back(
        {fmt::format("Its registers do not suffice: the code of each thread has {} of stores to local "
                     "memory and {} of loads in their place.",
                     counted(r.spill_stores, "byte"), counted(r.spill_loads, "byte")),
         "said.spills",
         {{"stores", Said::Count{static_cast<double>(r.spill_stores)}},
          {"loads", Said::Count{static_cast<double>(r.spill_loads)}}}});
  if (figures.padding && conflicts_matter(p.activity))
    if (Said tried = padding_sentence(gpu, p, *figures.padding); !tried.text.empty())
      out.push_back(std::move(tried));
  return out;
}

}  // namespace ww::forecast
