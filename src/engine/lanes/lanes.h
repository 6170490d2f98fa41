// The code that is compiled once for each kind of CPU, behind one table of functions for each.
#pragma once

#include <span>

#include "engine/machine.h"
#include "engine/texture/texels.h"
#include "isa/form.h"

namespace ww::engine {

/// Which lane function, for which types and modifiers.
struct LaneKey {
  isa::Op op{};
  isa::Type type = isa::Type::none;   ///< first type slot
  isa::Type type2 = isa::Type::none;  ///< second type slot
  isa::Mod cmp = isa::Mod::none;
  bool ftz = false, sat = false;
  bool rounding_rn = false;  ///< the rounding is .rn: lane code specialised for it may be used
  bool directed =
      false;  ///< it is .rz, .rm or .rp, of an instruction on floating numbers that knows .rn, too
};

/// How a handler of the bitcode says how to go on. Natively: as the native handler does.
enum class Onward : u64 { Natively = 0, Next = 1, Target = 2 };

#ifdef WW_BITCODE
// Lane code as the compiler takes it apart (engine/compile): a handler is given a copy of its instruction.
inline const Inst* onward(Onward how) { return reinterpret_cast<const Inst*>(how); }
/// The instruction behind.
inline const Inst* next_of(const Inst*) { return onward(Onward::Next); }
/// Where a branch leads.
inline const Inst* target_of(const Inst*) { return onward(Onward::Target); }
/// What is not plain is left to the native handler: nothing may have been changed before.
#define WW_CAREFUL(what) ::ww::engine::onward(::ww::engine::Onward::Natively)
#define WW_LANE_LOOP _Pragma("clang loop vectorize(assume_safety) interleave(disable)")
#else
inline const Inst* next_of(const Inst* i) { return i + 1; }
inline const Inst* target_of(const Inst* i) { return i->aux->target; }
#define WW_CAREFUL(what) what
#define WW_LANE_LOOP _Pragma("GCC ivdep")
#endif

/// Handlers in an order that bitcode of the same source has too.
struct HandlerTable {
  const Handler* handlers = nullptr;
  size_t count = 0;
};

/// Steps that are no rows of their own.
struct Steps {
  Handler count;     ///< adds one warp execution and the number of active lanes to the counter imm
  Handler forget;    ///< the shape dst is void
  Handler shift;     ///< the shape dst moves by imm
  Handler shift_by;  ///< the shape dst moves by the register src[0], if that is the same in all lanes
  Handler jump;      ///< an unguarded branch
  Handler branch;    ///< a guarded one; imm: counter of partings
};

/// Copies lanes of `bytes` each from scratch to dst where the mask has a bit.
using Blend = void (*)(u8* dst, const u8* from, u32 mask, int bytes);

/// sums (rows × columns) += a (rows × depth) · b (depth × columns), see products.cpp.
using Products = void (*)(double* sums, const double* a, const double* b, int rows, int columns, int depth,
                          bool exact);

/// The handlers of a memory access; nullptr where only the careful way will do.
struct Access {
  Handler full = nullptr;       ///< unguarded, while no live lane is inactive
  Handler masked = nullptr;     ///< any
  Handler irregular = nullptr;  ///< as `full`, for addresses without a pattern that would come back
};

struct LaneCode {
  const char* name;                     ///< "plain", "avx2", "avx512", "neon"
  bool (*supported)();                  ///< by the CPU we run on
  Handler (*lane)(const LaneKey& key);  ///< nullptr if there is no such row or type
  Access (*access)(const AccessKey& key);
  /// A handler for `i` that also runs some of the `count` instructions from there on, see fused.cpp; or
  /// nullptr.
  Handler (*fuse)(const Inst* i, int count);
  /// The shape of an address that is a sum (AddressSum in aux->more). dst: the shape; dst2: the IndexPattern;
  /// src[0]: the address register, whose lanes are written only where the shape cannot tell; src[1]: the
  /// index.
  Access sum;
  bool (*learn)(Warp& w, const Inst* i, AddressShape& s,
                u32 mask);  ///< where the addresses lead; false: in several pieces of memory
  Blend blend;
  Products products;
  // Elements of a register's 32 lanes as doubles and back, see elements.cpp.
  void (*elements)(double* to, const void* lanes, isa::Type type);
  void (*accumulators)(void* lanes, const double* from, isa::Type type, bool saturate);
  // What lanes have in common and hand on, see meetings.cpp.
  u32 (*equal32)(const u32* lanes, u32 value);
  u32 (*equal64)(const u64* lanes, u64 value);
  u32 (*shuffle)(u32* to, const u32* from, const u32* by, const u32* bounds, isa::Mod way);
  // Reading textures, see texels.cpp.
  void (*texel_corners)(const TextureView& texture, const TexturePoints& points, bool weigh,
                        TexelCorners& corners);
  void (*fetch_texels)(const TextureView& texture, const int64_t* offsets, u32 (*channels)[kLanes]);
  void (*sample_texels)(const TextureView& texture, const TexelCorners& corners, u32 (*channels)[kLanes]);
  bool (*uniform)(const u64* lanes);  ///< whether all 32 lanes hold the same
  Steps steps;
  std::span<const HandlerTable> tables;  ///< by chapter, in the order of the bitcode's (engine/compile)
  void (*leave)();                       ///< after lane code, before code that uses old vector instructions
};

/// All that were built, best first; the first supported one is used unless a name is asked for.
std::span<const LaneCode* const> all_lane_code();
/// The best the CPU supports, or the one of that name ("" for best); nullptr if unknown or unsupported.
const LaneCode* lane_code(const char* name = "");

}  // namespace ww::engine
