// What whole-warp code makes of a function: of each step, and what is known of the lanes of each slot while a
// full warp's lanes go together.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "engine/compile/unit.h"
#include "engine/decode/program.h"

namespace ww::engine {

/// What plan_whole() finds out, and what it is found from.
struct WholePlan {
  const Program& program;
  const FunctionCode& function;
  const LaneCode& lanes;
  std::vector<CompileStep>& steps;
  std::vector<u8>& image;          ///< CompileUnit::image
  std::vector<u32> operands;       ///< CompileUnit::operands
  std::map<u32, WholeSlot> slots;  ///< by offset
  std::set<u32> known;             ///< slots of which something is known (perhaps that there is no pattern)

  /// What the step was made from; null: nothing.
  const ir::Instruction* instruction(const Inst& i) const { return function.instruction(i); }
  bool is_sum(const Inst& i) const { return i.lane == lanes.sum.masked && i.aux; }
  static const AddressSum& sum_of(const Inst& i) { return *static_cast<const AddressSum*>(i.aux->more); }
  bool is_access(const Inst& i, AccessKey::Kind kind) const;
  /// Slots that hold a constant in all lanes: what it is. False: this one does not.
  bool constant(u32 offset, int bytes, bool is_signed, int64_t& v) const;
  void no_pattern(u32 offset) {
    known.insert(offset);
    slots[offset].lanes = WholeSlot::Lanes::Any;
  }
};

/// Fills in CompileStep::kind and what belongs to it (whole_kinds.cpp).
void find_kinds(WholePlan& plan);
/// Where slots begin, how they come to be written, and how wide their lanes are (whole_slots.cpp). False:
/// such code cannot be.
bool find_slots(WholePlan& plan);
/// Finds WholeSlot::lanes and stride for slots that are not known yet (whole_patterns.cpp).
void find_patterns(WholePlan& plan);
/// Once the patterns are found: CompileStep::extends.
void find_extensions(WholePlan& plan);
/// Then, too: takes those out of CompileStep::collective that have to be called (whole_collective.cpp).
void find_collectives(WholePlan& plan);
/// Once the slots are complete: CompileStep::walks (whole_walks.cpp).
void find_walks(WholePlan& plan, const std::vector<WholeSlot>& slots);
/// WholeSlot::any_nan of slots without a pattern (whole_nans.cpp).
void find_nans(const WholePlan& plan, std::vector<WholeSlot>& slots);
/// Integer arithmetic that is worth computing once for all lanes, or is even where its operands are.
bool is_index_arithmetic(isa::Op op);
/// Whether the instruction passes a carry on.
bool carries_flag(const ir::Instruction& in);

/// Fills in what whole-warp code makes of each step, lists the slots, by offset, and the steps' operands, and
/// makes the image of the frame, in which constants are. False: there is nothing that such code could run.
bool plan_whole(const Program& program, const FunctionCode& function, const LaneCode& lanes,
                std::vector<CompileStep>& steps, std::vector<WholeSlot>& slots, std::vector<u32>& operands,
                std::vector<u8>& image);

}  // namespace ww::engine
