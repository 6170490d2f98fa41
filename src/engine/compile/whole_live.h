// Which slots may still be read from an instruction on, and where lanes part and meet, for whole-warp code
// and its plan.
#pragma once

#include <vector>

#include "engine/compile/unit.h"

namespace ww::engine {

/// The register of an access's nth element; kSink: none.
inline u32 element_of(const Inst& i, u32 n) {
  if (i.aux->access.elements > 1) return i.aux->vector[n];
  return i.aux->access.kind == AccessKey::Kind::Store ? i.src[1] : i.dst;
}

/// Numbers of slots.
struct SlotEffects {
  std::vector<u32> read, written;  ///< in all lanes
  std::vector<u32> changed;        ///< in some lanes or all
};

SlotEffects effects_of(const Inst& i, const CompileStep& step, const u32* operands, const WholeSlot* slots,
                       u32 count);

/// Which slots may still be read, before each instruction and behind the last: live[instruction][slot].
class LiveSlots {
 public:
  class Row {
   public:
    explicit Row(const u64* words) : words_(words) {}
    bool operator[](u32 slot) const { return (words_[slot / 64] >> (slot % 64)) & 1; }

   private:
    const u64* words_;
  };

  LiveSlots() = default;
  LiveSlots(const Inst* code, const CompileStep* steps, u32 count, const u32* operands,
            const WholeSlot* slots, u32 slot_count);
  Row operator[](size_t instruction) const { return Row(&bits_[instruction * words_]); }

 private:
  size_t words_ = 0;  ///< of an instruction
  std::vector<u64> bits_;
};

/// Which slots may hold something else than the frame does, before each instruction:
/// newer[instruction][slot]. (Behind a pause all are as the frame has them, since they were read from there.)
class NewerSlots {
 public:
  NewerSlots() = default;
  /// `begins`: the code is entered at the first instruction, too, where the frame has nothing yet.
  NewerSlots(const Inst* code, const CompileStep* steps, u32 count, const u32* operands,
             const WholeSlot* slots, u32 slot_count, bool begins);
  LiveSlots::Row operator[](size_t instruction) const { return LiveSlots::Row(&bits_[instruction * words_]); }

 private:
  size_t words_ = 0;
  std::vector<u64> bits_;
};

/// A branch whose lanes may part.
struct Parting {
  u32 branch = 0;
  u32 join = 0;              ///< where they meet again
  u32 other = 0;             ///< where those begin that go on later; the join: they only wait there
  std::vector<u32> between;  ///< what lanes carry out while others wait for them
};

std::vector<Parting> find_partings(const Inst* code, const CompileStep* steps, u32 count);

/// Values that code for parted lanes has to bring together: the slots that may still be read where lanes meet
/// again, and where those begin that go on later, of all partings.
size_t values_met(const Inst* code, const CompileStep* steps, u32 count, const u32* operands,
                  const WholeSlot* slots, u32 slot_count);

}  // namespace ww::engine
