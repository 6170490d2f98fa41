// Makes whole-warp code (engine/compile/whole.h). Handlers are inlined as for pieces, but what they take for
// the frame is memory of the code's own, one piece for each slot, which LLVM turns into values. Slots whose
// lanes are the same or even have two more such pieces that hold only the first lane of each half-warp:
// arithmetic on them is done there, with the same handlers, and becomes arithmetic on single numbers.
#pragma once

#include <map>

#include "engine/compile/llvm/pieces.h"

namespace ww::engine {

/// To be called in this order, behind link_handlers().
class Whole : public Pieces {
 public:
  Whole(const CompileUnit& unit, llvm::Module& module) : Pieces(unit, module) {}

  void make();
  /// Once the handlers are inlined: all lanes are active.
  void know_mask();
  /// Once the handlers are inlined and their offsets known: gives each slot its own memory.
  void place_slots();

 private:
  static constexpr int kViews = 3;  ///< all lanes, lane 0, lane 16

  const WholeSlot* slot_of(u32 offset) const;
  const WholeSlot* even(u32 offset) const;
  llvm::Value* in_view(int view, u32 offset);
  llvm::Value* first_of(const WholeSlot& s, int half);
  llvm::Value* vector_of(const WholeSlot& s, llvm::Value* first, u32 lanes, u32 from);
  void store_view(const WholeSlot& s, int half, llvm::Value* first);
  void rebuild(const WholeSlot& s);
  void set_even(const WholeSlot& s, llvm::Value* low, llvm::Value* high);
  void enter(u32 k);
  void enter_slot(const WholeSlot& s);
  void find_live();
  llvm::BasicBlock* leave_at(u32 k);
  llvm::BasicBlock* fresh() { return llvm::BasicBlock::Create(context_, "", piece_); }
  llvm::Value* state_field(llvm::Type* type, u64 offset);
  llvm::Value* guard_of(const Inst& i);
  void go_if(llvm::Value* good, u32 k);
  void step(u32 k);
  void row(u32 k);
  void verified(u32 k, const WholeSlot& to);
  void check_extends(u32 k, u32 offset);
  void sum(u32 k);
  void branch(u32 k);
  void access(u32 k);
  llvm::Value* located(u32 k, llvm::Value* low, llvm::Value* high, llvm::Value* wrong);
  void load(u32 k, llvm::Value* host, const std::vector<llvm::Value*>& at);
  void store(u32 k, llvm::Value* host, const std::vector<llvm::Value*>& at);
  llvm::Value* lanes_value(u32 offset, unsigned lane_bytes, unsigned from, unsigned count);
  void put_lanes(u32 offset, unsigned lane_bytes, unsigned from, llvm::Value* v);
  llvm::Value* widened(llvm::Value* v, unsigned lane_bytes, bool sign);

  llvm::Value* state_ = nullptr;
  llvm::Value* view_[kViews] = {};
  std::vector<std::vector<bool>> live_;  ///< slots, by instruction
  std::vector<bool> written_;            ///< slots that the code writes
  std::map<u32, llvm::BasicBlock*> leaving_;
  std::vector<u32> resumed_;  ///< instructions behind pauses
};

}  // namespace ww::engine
