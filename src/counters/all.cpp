#include "counters/counters.h"

namespace ww::counters {

std::vector<Value> count_all(const engine::RunResult& run) {
  std::vector<Value> out;
  for (auto family : {count_instructions, count_divergence, count_flop, count_memory}) family(run, out);
  return out;
}

}  // namespace ww::counters
