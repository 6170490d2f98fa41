// Bulk copies: what the instructions that start them share.
#pragma once

#include "engine/async/mbarrier.h"
#include "engine/memory/resolve.h"

namespace ww::engine {

inline constexpr u32 kMbarrierBytes = 8;

class FunctionDecoder;

/// An address operand of an instruction that has several.
struct AddressOperand {
  u32 at = 0;  ///< slot of the base
  u64 offset = 0;
  u8 bytes = 8;  ///< of the base

  u64 of(Warp& w, int lane) const;
};
AddressOperand address_operand(FunctionDecoder& d, const ir::Operand& operand);

/// The mbarrier at an address of one lane; r.host is nullptr when the address is wrong.
Resolved resolve_mbarrier(Warp& w, AccessKey::Where where, u64 address, int lane);

/// The mbarrier that a bulk copy of one lane completes; host is nullptr where a bulk group waits for it.
struct BulkMbarrier {
  u8* host = nullptr;
  u64 address = 0;     ///< in shared memory
  bool phase = false;  ///< its parity when the copy was started
};
BulkMbarrier bulk_mbarrier(u8* host, u64 address);
/// Takes bytes off its tx-count when the copy has arrived.
void complete_bytes(Warp& w, const Inst* i, int lane, const BulkMbarrier& m, u32 bytes);

/// Starts a bulk copy of one lane that an mbarrier (`grouped` false) or a bulk group waits for.
void start_bulk(Warp& w, int lane, bool grouped, std::function<void()> carry_out);

/// Tells the listeners of one end of a bulk copy.
void tell_bulk(Warp& w, const Inst* i, int lane, ir::Space space, isa::Direction direction,
               std::span<const events::Piece> pieces, const BulkMbarrier& m, bool of_registers = false);
/// That bulk groups (or groups of wgmma) are made or waited for.
void tell_bulk_groups(Warp& w, const Inst* i, u32 lanes, const events::CopyGroups& groups);
/// Whether anybody listens to such events.
bool hears(const Warp& w, events::Kind kind);

/// Tells the listeners what one lane did to the mbarrier at that address.
void tell_mbarrier(Warp& w, const Inst* i, int lane, events::Mbarrier::What what, AccessKey::Where where,
                   u64 address, isa::Mod order = isa::Mod::none, isa::Mod scope = isa::Mod::none,
                   bool phase = false);

}  // namespace ww::engine
