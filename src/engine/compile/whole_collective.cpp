// Instructions in which the lanes of a warp look at each other, while all of them are active: which of them
// whole-warp code carries out by itself.
#include <string_view>

#include "engine/compile/whole_plan.h"

namespace ww::engine {

namespace {

bool is_same(const WholePlan& plan, u32 offset) {
  const auto slot = plan.slots.find(offset);
  return slot != plan.slots.end() && plan.known.contains(offset) &&
         slot->second.lanes == WholeSlot::Lanes::Same;
}

bool in_place(const WholePlan& plan, const Inst& i, const CompileStep& step) {
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
