#include <map>
#include <string>

#include "counters/counters.h"

namespace ww::counters {

namespace {

struct Traffic {
  uint64_t requests = 0, bytes = 0;
};

std::string space_name(const ir::Instruction& in) {
  switch (ir::space_of(in)) {
    case ir::Space::Global:
      return "global";
    case ir::Space::Shared:
      return "shared";
    case ir::Space::Const:
      return "constant";
    case ir::Space::Local:
      return "local";
    case ir::Space::Param:
      return "param";
    default:
      return in.op == isa::Op::ld_nc || in.op == isa::Op::ldu ? "global" : "generic";
  }
}

/// "load", "store", "atomic" or (from a texture) "fetch"; "" for what moves no data.
std::string kind_of(const ir::Instruction& in) {
  if (in.form().pipe == isa::Pipe::Atomic) return "atomic";
  switch (in.op) {
    case isa::Op::ld:
    case isa::Op::ld_nc:
    case isa::Op::ldu:
      return "load";
    case isa::Op::st:
      return "store";
    case isa::Op::tex:
    case isa::Op::tex_half:
    case isa::Op::tex_base:
    case isa::Op::tex_level:
    case isa::Op::tex_grad:
    case isa::Op::tld4:
      return "fetch";
    default:
      return "";
  }
}

uint64_t bytes_of(const ir::Instruction& in) {
  uint64_t elements = 1;
  for (const auto& o : in.operands)
    if (o.kind == ir::Operand::Kind::Vector) elements = o.elements.size();
  return elements * static_cast<uint64_t>(isa::bytes(in.type()));
}

}  // namespace

void count_memory(const engine::RunResult& run, std::vector<Value>& out) {
  std::map<std::string, Traffic> traffic;
  for (const char* always : {"global_load", "global_store", "shared_load", "shared_store"}) traffic[always];
  uint64_t fetches = 0;
  for (size_t k = 0; k < run.executions.size(); ++k) {
    const ir::Instruction& in = *run.program->infos[k].instruction;
    std::string kind = kind_of(in);
    if (kind.empty() || run.executions[k].warps == 0) continue;
    if (kind == "fetch") {
      fetches += run.executions[k].warps;
      continue;
    }
    std::string space = space_name(in);
    if (space == "param") continue;  // the kernel's arguments: constant memory on every GPU since 2010
    Traffic& t = traffic[space + "_" + kind];
    t.requests += run.executions[k].warps;
    t.bytes += run.executions[k].threads * bytes_of(in);
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
