#include "model/theory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/theory_sheet.h"

namespace ww::model {

namespace {

enum Needs : unsigned { kN = 1, kBlock = 2, kRadius = 4 };

struct Entry {
  std::string_view study, kernel;
  unsigned needs;
  void (*write)(Sheet&);
};

constexpr Entry kEntries[] = {
    {"matmul-ladder", "matmul/grid", kN | kBlock, matmul_grid_theory},
    {"matmul-ladder", "matmul/tiled", kN | kBlock, [](Sheet& s) { matmul_tiles_theory(s, 2); }},
    {"matmul-tiles", "matmul/tiles", kN | kBlock, [](Sheet& s) { matmul_tiles_theory(s, 2); }},
    {"aat", "aat/plain", kN | kBlock, [](Sheet& s) { matmul_tiles_theory(s, 1), column_conflicts(s, 0); }},
    {"aat", "aat/padded", kN | kBlock, [](Sheet& s) { matmul_tiles_theory(s, 1), column_conflicts(s, 1); }},
    {"box-sum", "box_sum/direct", kN | kRadius, box_sum_theory},
    {"sum", "sum/last_block", kN, sum_theory},
};

Diagnostics check(const Entry& entry, const TheoryCase& p) {
  Diagnostics wrong;
  auto range = [&](std::string_view name, int64_t value, int64_t first, int64_t last) {
    if (value < first || value > last)
      wrong.push_back(
          error(fmt::format("{} = {}, {} needs {} to {}", name, value, entry.kernel, first, last)));
  };
  // Every count below stays an exact double.
  range("n", p.n, 1, entry.needs & kBlock ? 200000 : entry.needs & kRadius ? 1000000 : int64_t{1} << 50);
  if (entry.needs & kBlock) {
    range("block", p.block, 1, 32);
    range("rx", p.rx, 1, 1024);
    range("ry", p.ry, 1, 1024);
    if (entry.kernel != "matmul/tiles" && (p.rx != 1 || p.ry != 1))
      wrong.push_back(
          error(fmt::format("{} computes one result per thread", entry.kernel), "matmul-tiles takes --tile"));
  }
  if (entry.needs & kRadius) {
    range("r", p.r, 0, 100000);
    range("k", p.k, 1, 1 << 20);
    if (p.r >= 0 && p.n <= 2 * p.r)
      wrong.push_back(
          error(fmt::format("n = {} leaves no element with all neighbours within r = {}", p.n, p.r)));
  }
  return wrong;
}

}  // namespace

std::vector<std::string> theory_kernels(std::string_view name) {
  std::vector<std::string> out;
  for (const auto& entry : kEntries)
    if (entry.study == name || entry.kernel == name) out.emplace_back(entry.kernel);
  return out;
}

std::vector<std::string> theory_names() {
  std::vector<std::string> out;
  for (const auto& entry : kEntries) {
    for (auto name : {entry.study, entry.kernel})
      if (std::find(out.begin(), out.end(), name) == out.end()) out.emplace_back(name);
  }
  return out;
}

Result<std::vector<TheoryLine>> theory(const gpus::Gpu& gpu, const TheoryCase& problem) {
  for (const auto& entry : kEntries) {
    if (entry.kernel != problem.kernel) continue;
    if (auto wrong = check(entry, problem); !wrong.empty()) return wrong;
    Sheet sheet(gpu, problem);
    entry.write(sheet);
    return std::move(sheet.lines);
  }
  return error(fmt::format("there is no theory of '{}'", problem.kernel));
}

}  // namespace ww::model
