#include "counters/counters.h"

namespace ww::counters {

void count_divergence(const engine::RunResult& run, std::vector<Value>& out) {
  engine::Executions all;
  for (const engine::Executions& e : run.executions) {
    all.warps += e.warps;
    all.threads += e.threads;
    all.parted += e.parted;
  }
  out.push_back({"divergent_branches", static_cast<int64_t>(all.parted), "branches", Provenance::Counted,
                 "executions of branches by warps at which their lanes went different ways"});
  if (all.warps > 0)
    out.push_back({"lanes_per_instruction", static_cast<double>(all.threads) / static_cast<double>(all.warps),
                   "lanes", Provenance::Counted, "active lanes of a warp instruction, on average"});
}

}  // namespace ww::counters
