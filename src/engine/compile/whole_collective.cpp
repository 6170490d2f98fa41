// Instructions in which the lanes of a warp look at each other, while all of them are active: which of them
// whole-warp code carries out by itself.
#include <string_view>

#include "engine/compile/whole_plan.h"
#include "engine/lanes/shuffle.h"

namespace ww::engine {

namespace {

bool is_same(const WholePlan& plan, u32 offset) {
  const auto slot = plan.slots.find(offset);
  return slot != plan.slots.end() && plan.known.contains(offset) &&
         slot->second.lanes == WholeSlot::Lanes::Same;
}

/// Whether listeners hear nothing of it while all lanes are active (events::WarpSync).
bool is_quiet(const WholePlan& plan, const Inst& i, const CompileStep& step) {
  using enum CompileStep::Collective;
  int64_t members = 0, bounds = 0;
  switch (step.collective) {
    case None:
    case Meet:  // orders memory
      return false;
    case Active:
    case Pack:
      return true;
    case Shuffle:
      // What a shuffle of another width returns is undefined.
      if (!plan.constant(i.src[2], 4, false, bounds) || !is_width(shuffle_width(static_cast<u32>(bounds))))
        return false;
      [[fallthrough]];
    default:
      return i.src[3] < kFrameStart ||
             (plan.constant(i.src[3], 4, false, members) && static_cast<u32>(members) == kAllLanes);
  }
}

bool in_place(const WholePlan& plan, const Inst& i, const CompileStep& step) {
  if (plan.program.asks && !is_quiet(plan, i, step)) return false;
  switch (step.collective) {
    using enum CompileStep::Collective;
    case Vote:
    case Ballot:  // all lanes are active, so all that a lane can name as members are there
      return i.src[3] < kFrameStart || is_same(plan, i.src[3]);
    case Shuffle: {
      // One processor's instruction puts words of two registers in any order.
      int64_t v = 0;
      return plan.constant(i.src[2], 4, false, v) &&
             (plan.constant(i.src[1], 4, false, v) ||
              (std::string_view(plan.lanes.name) == "avx512" && is_same(plan, i.src[1])));
    }
    default:
      return true;
  }
}

}  // namespace

void find_collectives(WholePlan& plan) {
  for (size_t k = 0; k < plan.steps.size(); ++k)
    if (!in_place(plan, plan.function.code[k], plan.steps[k]))
      plan.steps[k].collective = CompileStep::Collective::None;
}

}  // namespace ww::engine
