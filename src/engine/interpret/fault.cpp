// Messages about what a kernel did wrong: who, where, which address, what is allocated there.
#include <fmt/format.h>

#include "engine/schedule/launch_state.h"

namespace ww::engine {

std::string place_text(const Program& program, u32 index) {
  const InstInfo& info = program.infos[index];
  Location where = ir::location(*program.module, info.instruction->place);
  std::string text = fmt::format("{}:{}", where.file, where.line);
  if (where.file != program.module->name)
    text += fmt::format(" (PTX line {})", info.instruction->place.ptx_line);
  return text;
}

std::string thread_text(const WarpState& w, int lane) {
  const Extent3& b = w.block->index;
  std::string text = fmt::format("block ({},{},{})", b.x, b.y, b.z);
  if (lane < 0) return text + fmt::format(", warp {}", w.id);
  const Extent3& size = w.launch->block;
  u64 t = u64{w.id} * kLanes + static_cast<u64>(lane);
  return text + fmt::format(", thread ({},{},{})", t % size.x, t / size.x % size.y, t / size.x / size.y);
}

std::string neighbourhood(const GlobalMemory& memory, u64 address) {
  auto near = memory.nearest(address);
  if (!near) return "nothing is allocated";
  std::string what =
      near->name.empty()
          ? fmt::format("the allocation of {} bytes at 0x{:x}", near->size, near->base)
          : fmt::format("variable {} ({} bytes at 0x{:x})", near->name, near->size, near->base);
  u64 end = near->base + near->size;
  if (near->freed) what += ", which has been freed";
  if (address >= near->base && address < end)
    return fmt::format("{} bytes into {}", address - near->base, what);
  if (address >= end) return fmt::format("{} bytes past the end of {}", address - end, what);
  return fmt::format("{} bytes before {}", near->base - address, what);
}

const Inst* fault(Warp& warp, const Inst* i, int lane, std::string kind, std::string detail) {
  WarpState& w = state(warp);
  LaunchState& launch = *w.launch;
  const Program& program = *launch.program;
  w.stop = Stop::Fault;
  std::lock_guard lock(launch.mutex);
  if (!launch.faults.empty()) {  // the first one counts; others follow from it or merely came second
    launch.stop = true;
    return nullptr;
  }
  u32 index = std::min<u32>(i->index, static_cast<u32>(program.infos.size() - 1));
  const ir::Instruction& in = *program.infos[index].instruction;
  Fault f;
  f.kind = kind;
  f.where = ir::location(*program.module, in.place);
  f.message = fmt::format("{} in kernel {}\n  at {}: {}\n  by {}\n  {}\n", kind,
                          program.module->symbols[program.entry->symbol].name, place_text(program, index),
                          in.form().mnemonic, thread_text(w, lane), detail);
  launch.faults.push_back(std::move(f));
  launch.stop = true;
  return nullptr;
}

}  // namespace ww::engine
