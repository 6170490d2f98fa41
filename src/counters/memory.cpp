// What a run asked of memory, by space and direction: from the effects of its instructions and how often they
// ran.
#include <map>
#include <string>

#include "counters/counters.h"
#include "ir/accesses.h"

namespace ww::counters {

namespace {

struct Traffic {
  uint64_t requests = 0, bytes = 0;
  void add(uint64_t more_requests, uint64_t more_bytes) { requests += more_requests, bytes += more_bytes; }
};
using Traffics = std::map<std::string, Traffic>;

/// "" for spaces that cost nothing: a kernel's arguments are constant memory on every GPU since 2010, those
/// of functions are registers.
std::string name_of(ir::Space space) {
  switch (space) {
    case ir::Space::Global:
      return "global";
    case ir::Space::Shared:
      return "shared";
    case ir::Space::Const:
      return "constant";
    case ir::Space::Local:
      return "local";
    default:
      return "";
  }
}

std::string name_of(isa::Direction direction) {
  return direction == isa::Direction::Read    ? "_load"
         : direction == isa::Direction::Write ? "_store"
                                              : "_atomic";
}

void add(const engine::RunResult& run, uint32_t instruction, const ir::Access& access, Traffics& traffic) {
  const engine::Executions& executions = run.executions[instruction];
  if (access.path == isa::Path::Surface) {
    traffic["surface" + name_of(access.direction)].add(executions.warps, executions.threads * access.bytes);
    return;
  }
  const auto landings = run.landings.find(instruction);
  if ((access.space == ir::Space::None || access.bytes_vary) && landings != run.landings.end()) {
    for (size_t s = 0; s < landings->second.size(); ++s)
      if (const engine::Landed& l = landings->second[s]; l.requests > 0)
        traffic[name_of(engine::kLandings[s]) + name_of(access.direction)].add(l.requests, l.bytes);
    return;
  }
  if (access.asynchronous && access.direction == isa::Direction::Write) {
    traffic["async_copy"].add(executions.warps, executions.threads * access.bytes);
    return;
  }
  if (const std::string space = name_of(access.space); !space.empty())
    traffic[space + name_of(access.direction)].add(executions.warps, executions.threads * access.bytes);
}

}  // namespace

void count_memory(const engine::RunResult& run, std::vector<Value>& out) {
  Traffics traffic;
  for (const char* always : {"global_load", "global_store", "shared_load", "shared_store"}) traffic[always];
  uint64_t fetches = 0;
  for (uint32_t k = 0; k < run.executions.size(); ++k) {
    if (run.executions[k].warps == 0) continue;
    const ir::Instruction& in = *run.program->infos[k].instruction;
    for (const ir::Access& access : ir::accesses_of(in)) {
      if (access.path == isa::Path::Texture)
        fetches += run.executions[k].warps;
      else
        add(run, k, access, traffic);
    }
  }
  for (const auto& [name, t] : traffic) {
    out.push_back({name + "_requests", static_cast<int64_t>(t.requests), "requests", Provenance::Counted,
                   "warp instructions of this kind"});
    out.push_back({name + "_bytes", static_cast<int64_t>(t.bytes), "byte", Provenance::Counted,
                   "bytes the active threads asked for"});
  }
  if (fetches > 0)
    out.push_back({"texture_instructions", static_cast<int64_t>(fetches), "instructions", Provenance::Counted,
                   "warp instructions that read a texture"});
}

}  // namespace ww::counters
