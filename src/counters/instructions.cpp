#include <array>

#include "counters/counters.h"

namespace ww::counters {

void count_instructions(const engine::RunResult& run, std::vector<Value>& out) {
  engine::Executions all;
  std::array<engine::Executions, isa::kPipeCount> by_pipe{};
  for (size_t k = 0; k < run.executions.size(); ++k) {
    const engine::Executions& e = run.executions[k];
    engine::Executions& pipe = by_pipe[static_cast<size_t>(run.program->infos[k].instruction->form().pipe)];
    for (engine::Executions* sum : {&all, &pipe}) {
      sum->warps += e.warps;
      sum->threads += e.threads;
    }
  }
  auto put = [&](std::string tag, uint64_t value, std::string unit, std::string description) {
    out.push_back({std::move(tag), static_cast<int64_t>(value), std::move(unit), Provenance::Counted,
                   std::move(description)});
  };
  put("warp_instructions", all.warps, "instructions", "PTX instructions executed, once for each warp");
  put("thread_instructions", all.threads, "instructions",
      "PTX instructions executed, once for each active thread");
  for (int p = 0; p < isa::kPipeCount; ++p) {
    if (by_pipe[p].warps == 0) continue;
    std::string name(isa::name(static_cast<isa::Pipe>(p)));
    put("warp_instructions_" + name, by_pipe[p].warps, "instructions", "instructions of pipe " + name);
    put("thread_instructions_" + name, by_pipe[p].threads, "instructions", "instructions of pipe " + name);
  }
}

}  // namespace ww::counters
