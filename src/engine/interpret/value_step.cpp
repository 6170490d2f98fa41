#include "engine/interpret/value_step.h"

#include <cstring>

#include "engine/decode/decode.h"
#include "engine/interpret/handlers.h"
#include "engine/schedule/launch_state.h"

namespace ww::engine {

static const Inst* run_value_step(Warp& w, const Inst* i) {
  if (*slot<u32>(w, i->dst) == 0) return i + 1;
  w.launch->bus->tell(w.block->worker, events::Step{{i->index, w.block->number, w.id, w.mask}, &w});
  return i + 1;
}

Inst value_step_at(u32 flag) {
  Inst i = special(run_value_step);
  i.dst = flag;
  return i;
}

void begin_shadow(const FunctionCode& f, u8* regs) {
  u32& flag = *reinterpret_cast<u32*>(regs + f.undefined_flag);
  if (flag) std::memset(regs + f.slots_end(), 0, f.shadow);
  flag = f.unset.empty() ? 0 : 1;
  for (ir::RegId r : f.unset) {
    const int bytes = lane_bytes(f.function->registers[r].type);
    std::memset(regs + f.shadow + f.slots[r], 0xff,
                bytes == 0 ? sizeof(u32) : static_cast<size_t>(bytes) * kLanes);
    *reinterpret_cast<u32*>(regs + f.origin(r)) = 0;  // from nowhere
  }
}

}  // namespace ww::engine
