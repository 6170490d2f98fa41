#include "model/explain_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "model/count_text.h"

namespace ww::model {

namespace {

constexpr size_t kMost = 3;      // lines of a kind
constexpr double kSlack = 1.25;  // how much above the least is no trouble
constexpr double kFewLanes = 24;

double value_of(const Row& row, const std::string& tag) {
  const Value* v = row.find(tag);
  return v ? v->number() : 0;
}

/// "src/kernels/sum/atomic.cu:12 (`x += y;`)".
std::string name_of(const Row& row, const SourceLine& source) {
  const std::string& place = row[Axis::Kernel];
  const size_t colon = place.rfind(':');
  if (colon == place.npos) return place;
  std::string text = source ? source(place.substr(0, colon), std::atoi(place.c_str() + colon + 1)) : "";
  const size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return place;
  return fmt::format("{} (`{}`)", place, text.substr(first));
}

/// The worst of them, each at least a part of `all`.
void tell(std::vector<Finding> found, double all, std::vector<Finding>& out) {
  std::stable_sort(found.begin(), found.end(),
                   [](const Finding& a, const Finding& b) { return a.weight > b.weight; });
  for (size_t i = 0; i < std::min(kMost, found.size()); ++i)
    if (found[i].weight >= kWorthTelling * all) {
      found[i].part = found[i].weight / all;
      out.push_back(std::move(found[i]));
    }
}

/// 1.x counts transactions of several sizes instead of sectors.
double moved(const Row& row, const std::string& family, bool sectors) {
  if (sectors) return gpus::kSector * value_of(row, family + "_sectors");
  return 32 * value_of(row, family + "_transactions_32") + 64 * value_of(row, family + "_transactions_64") +
         128 * value_of(row, family + "_transactions_128");
}

void uncoalesced(const gpus::Gpu& gpu, const Table& lines, const SourceLine& source,
                 std::vector<Finding>& out) {
  const bool sectors = gpu.at_least(2);
  for (const char* what : {"load", "store"}) {
    const std::string family = std::string("global_") + what;
    std::vector<Finding> found;
    double all = 0;
    for (const Row& row : lines.rows) {
      const double bytes = moved(row, family, sectors), requests = value_of(row, family + "_requests");
      all += bytes;
      const double wanted = value_of(row, family + "_bytes");
      if (requests == 0 || bytes <= kSlack * std::max(wanted, gpus::kSector * requests)) continue;
      found.push_back({bytes - wanted,
                       {fmt::format("{} {}s {:.4g} bytes per request but moves {:.4g} ({}).",
                                    name_of(row, source), what, wanted / requests, bytes / requests,
                                    sectors ? fmt::format("{:.3g} sectors", bytes / gpus::kSector / requests)
                                            : "whole transactions"),
                        fmt::format("said.{}{}", what, sectors ? "" : ".whole"),
                        {{"place", name_of(row, source)},
                         {"wanted", wanted / requests},
                         {"moved", bytes / requests},
                         {"sectors", bytes / gpus::kSector / requests}}},
                       "uncoalesced access",
                       row[Axis::Kernel]});
    }
    tell(std::move(found), all, out);
  }
}

void conflicts(const Table& lines, const SourceLine& source, std::vector<Finding>& out) {
  for (const char* what : {"load", "store"}) {
    const std::string family = std::string("shared_") + what;
    std::vector<Finding> found;
    double all = 0;
    for (const Row& row : lines.rows) {
      const double passes = value_of(row, family + "_wavefronts"),
                   beyond = value_of(row, family + "_bank_conflicts"),
                   requests = std::max(1.0, value_of(row, family + "_requests"));
      all += passes;
      if (beyond <= 0) continue;
      // A mean that is the most a warp can take is what each takes; else the line may have several accesses.
      const bool each = requests == 1 || passes / requests == gpus::kWarp;
      found.push_back(
          {beyond,
           {fmt::format("{} has {} bank {} in {} shared {}: {} {:.3g} passes instead of {:.3g}.",
                        name_of(row, source), count_text(beyond), beyond == 1 ? "conflict" : "conflicts",
                        count_text(requests), requests == 1 ? what : what + std::string("s"),
                        each ? "each takes" : "they take on average", passes / requests,
                        (passes - beyond) / requests),
            fmt::format("said.{}_conflicts{}", what, each ? "" : ".mean"),
            {{"place", name_of(row, source)},
             {"conflicts", Said::Count{beyond}},
             {"requests", Said::Count{requests}},
             {"passes", passes / requests},
             {"least", (passes - beyond) / requests}}},
           "bank conflicts",
           row[Axis::Kernel]});
    }
    tell(std::move(found), all, out);
  }
}

void divergence(const Table& lines, const SourceLine& source, std::vector<Finding>& out) {
  std::vector<Finding> found;
  double all = 0;
  for (const Row& row : lines.rows) {
    const double warps = value_of(row, "warp_instructions"), threads = value_of(row, "thread_instructions");
    all += warps;
    if (warps == 0 || threads / warps >= kFewLanes) continue;
    found.push_back({warps * (1 - threads / warps / gpus::kWarp),
                     {fmt::format("{} runs with {:.3g} of {} lanes.", name_of(row, source), threads / warps,
                                  static_cast<int>(gpus::kWarp)),
                      "said.divergence",
                      {{"place", name_of(row, source)},
                       {"lanes", threads / warps},
                       {"all", static_cast<double>(gpus::kWarp)}}},
                     "divergence",
                     row[Axis::Kernel]});
  }
  tell(std::move(found), all, out);
}

}  // namespace

std::vector<Finding> line_findings(const gpus::Gpu& gpu, const Table& lines, const SourceLine& source) {
  std::vector<Finding> out;
  uncoalesced(gpu, lines, source, out);
  conflicts(lines, source, out);
  divergence(lines, source, out);
  return out;
}

std::vector<Said> explain_lines(const gpus::Gpu& gpu, const Table& lines, const SourceLine& source) {
  std::vector<Said> out;
  for (Finding& f : line_findings(gpu, lines, source)) out.push_back(std::move(f.said));
  return out;
}

}  // namespace ww::model
