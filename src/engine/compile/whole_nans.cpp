// Which f32 values may be any NaN. A GPU's arithmetic makes 0x7fffffff of every NaN; a processor keeps what
// an operand brought, and to look after each operation takes twice as long as the operation. Arithmetic does
// not tell one NaN from another, so where nothing else reads a value it is enough to look once it is stored.
#include <cmath>
#include <cstring>

#include "engine/compile/whole_live.h"
#include "engine/compile/whole_plan.h"

namespace ww::engine {

namespace {

using isa::Op;
using StepKind = CompileStep::Kind;

/// Whether each f32 result that is a NaN becomes canonical, whichever NaN an operand was.
bool is_arithmetic(const ir::Instruction& in) {
  switch (in.op) {
    case Op::copysign_fp:
    case Op::min_xorsign_f32:
    case Op::min_nan_xorsign_f32:
    case Op::max_xorsign_f32:
    case Op::max_nan_xorsign_f32:
    case Op::testp:
      return false;
    default:
      return in.form().chapter == "Floating-Point Instructions" && in.type() == isa::Type::f32;
  }
}

bool compares(const ir::Instruction& in) { return in.op == Op::setp_fp || in.op == Op::setp_fp_bool; }

class Nans {
 public:
  Nans(const WholePlan& plan, std::vector<WholeSlot>& slots) : plan_(plan), slots_(slots) {}

  void find() {
    const auto count = static_cast<u32>(slots_.size());
    std::vector<bool> seen(count), computed(count);  // seen: by something that tells NaNs apart
    for (size_t k = 0; k < plan_.steps.size(); ++k) {
      const Inst& i = plan_.function.code[k];
      const CompileStep& s = plan_.steps[k];
      const SlotEffects e = effects_of(i, s, plan_.operands.data(), slots_.data(), count);
      const bool arithmetic = is_row_of(i, s, is_arithmetic);
      const bool stores = s.kind == StepKind::Access && i.aux->access.kind == AccessKey::Kind::Store;
      const bool leaves =
          s.kind == StepKind::Other || s.kind == StepKind::Pause || s.kind == StepKind::Native;
      for (u32 n : e.changed) {
        if (arithmetic && slots_[n].offset == i.dst)
          computed[n] = true;
        else if (!is_number(i, s))
          seen[n] = true;
      }
      if (arithmetic || leaves || is_row_of(i, s, compares)) continue;
      for (u32 n : e.read)
        if (!stores || slots_[n].offset == i.src[0] || i.aux->access.bytes != 4) seen[n] = true;
    }
    for (u32 n = 0; n < count; ++n) {
      WholeSlot& s = slots_[n];
      s.any_nan = computed[n] && !seen[n] && s.from == WholeSlot::From::Code && s.lane_bytes == 4 &&
                  s.lanes == WholeSlot::Lanes::Any;
    }
  }

 private:
  bool is_row_of(const Inst& i, const CompileStep& s, bool (*what)(const ir::Instruction&)) const {
    const ir::Instruction* in = s.kind == StepKind::Row ? plan_.instruction(i) : nullptr;
    return in && what(*in);
  }

  /// Whether the instruction moves a constant that is no NaN.
  bool is_number(const Inst& i, const CompileStep& s) const {
    int64_t bits = 0;
    if (!is_row_of(i, s, [](const ir::Instruction& in) { return in.op == Op::mov; }) ||
        !plan_.constant(i.src[0], 4, false, bits))
      return false;
    const auto word = static_cast<u32>(bits);
    float v;
    std::memcpy(&v, &word, sizeof v);
    return !std::isnan(v);
  }

  const WholePlan& plan_;
  std::vector<WholeSlot>& slots_;
};

}  // namespace

void find_nans(const WholePlan& plan, std::vector<WholeSlot>& slots) { Nans(plan, slots).find(); }

}  // namespace ww::engine
