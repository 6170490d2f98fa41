#include "forecast/hints.h"

#include <fmt/format.h>

#include <string_view>

#include "forecast/sentences.h"

namespace ww::forecast {

namespace {

constexpr double kMuchDivergence =
    0.25;  // lanes left idle, of all issued: a leader's few lines are no matter

}  // namespace

std::vector<Hint> hints(const gpus::Gpu& gpu, const Figures& figures, const Table& lines,
                        const model::SourceLine& source) {
  std::vector<Hint> out;
  const model::Prediction& p = figures.prediction;
  if (!p.refused.empty()) return out;
  std::string tried;
  if (figures.padding && conflicts_matter(p.activity))
    tried = padding_sentence(gpu, p, *figures.padding).text;
  for (model::Finding& f : model::line_findings(gpu, lines, source)) {
    if (std::string_view(f.kind) == "divergence" && f.part < kMuchDivergence) continue;
    Hint& hint = out.emplace_back(Hint{f.kind, std::move(f.place), std::move(f.said.text), {}});
    if (!tried.empty() && std::string_view(f.kind) == "bank conflicts")
      hint.more.push_back(std::move(tried)), tried.clear();
  }
  if (const model::Registers& r = p.registers; r.spill_loads + r.spill_stores > 0)
    out.push_back({"spilled registers",
                   "",
                   fmt::format("{} registers per thread are not enough: the code spills {} bytes to local "
                               "memory and loads {} (by {})",
                               r.per_thread, r.spill_stores, r.spill_loads, r.source),
                   {"keep fewer values alive at once, or raise the limit (__launch_bounds__, -maxrregcount); "
                    "the gain was not tried"}});
  return out;
}

}  // namespace ww::forecast
