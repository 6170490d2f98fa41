// What the handlers of instructions work on: decoded instructions and the state of a warp.
//
// Plain data without inline functions of the standard library, because it is also seen by the code in lanes/,
// which is compiled several times for different CPUs (see isa/lane.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/form.h"

namespace ww::engine {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

inline constexpr int kLanes = 32;
inline constexpr u32 kAllLanes = ~u32(0);

struct Warp;
struct Inst;
struct Aux;
struct Split;
struct BlockState;
struct GlobalMemory;
class AllocationCache;
struct LaunchState;

/// Carries out one instruction for the active lanes and returns the next one, or nullptr when the warp's loop
/// must look up (w.stop says why).
using Handler = const Inst* (*)(Warp& w, const Inst* i);

/// A decoded instruction. Operands are byte offsets into the warp's current register frame, where a register
/// is an array of 32 lanes (a predicate: one 32-bit mask); constants and special registers have slots in the
/// frame too.
struct Inst {
  Handler full;    ///< used while no live lane of the warp is inactive: may write all lanes
  Handler masked;  ///< used otherwise
  Handler lane;    ///< lane rows: the loop over all 32 lanes that both come down to
  u32 dst = 0, dst2 = 0;
  u32 src[4] = {};
  u32 guard = 0;  ///< predicate slot
  u8 guarded = 0, guard_negated = 0;
  u8 dst_bytes = 0;    ///< bytes of one lane of dst; 0: dst is a predicate or absent
  u8 dst2_used = 0;    ///< dst2 is a predicate that is wanted
  u8 dst_pred = 0;     ///< dst is a predicate
  u8 read_once = 0;    ///< dst is a register with one writing and one reading, later in the same block
  u8 negate_pred = 0;  ///< the predicate source was written with '!'
  u8 clamp = 0, relu = 0, ftz = 0, sat = 0;
  u8 any_nan = 0;            ///< compiled code only: nobody sees which NaN an f32 result is
  u16 mode = 0;              ///< a modifier the lane function asks for (Logic, TestOp, PrmtMode), as isa::Mod
  u16 rounding = 0;          ///< as isa::Mod
  u16 cmp = 0;               ///< as isa::Mod
  u32 index = 0;             ///< number of the IR instruction in the program: counters and places hang on it
  u64 imm = 0;               ///< immediate, address offset, …
  const Aux* aux = nullptr;  ///< what only some instructions need
};

/// Why a warp's loop stopped.
enum class Stop : u8 {
  None,
  Redispatch,  ///< the mask or the split changed: go on with w.pc
  Yield,       ///< the split has run its share: let others have a turn
  Blocked,     ///< the split waits (for a barrier, for other lanes)
  Done,        ///< no lane of the warp is left
  Fault,       ///< w.launch holds the fault
};

/// Which memory access an instruction makes. Generic: the address itself says which space.
struct AccessKey {
  enum class Kind : u8 { Load, Store } kind = Kind::Load;
  enum class Where : u8 { Generic, Global, Shared, Local, Const, Param } where = Where::Generic;
  u8 bytes = 4;           ///< of one element in memory: 1, 2, 4, 8, 16
  u8 register_bytes = 4;  ///< of one lane of the register: at least `bytes`
  bool sign = false;      ///< loads into wider registers repeat the sign
  u8 elements = 1;        ///< 1, 2, 4 or 8 consecutive elements
  u8 address_bytes = 8;   ///< width of the address register: 4 or 8
};

/// Where the addresses in a register lead: learnt at their first use, void when the register is written. What
/// was known then stays (`learnt` and below): new addresses mostly are the old ones moved.
/// Lanes that were not active then point where the first that was does, so that loading for them too does no
/// harm.
struct AddressShape {
  u32 mask = 0;              ///< the lanes it is valid for; 0: void
  u32 bits = 0;              ///< low address bits of all lanes or-ed: what they are aligned to
  u8* host = nullptr;        ///< where the first active lane's address lies on the host
  int64_t first_offset = 0;  ///< constant offsets from here on …
  u64 room = 0;   ///< … and these many bytes further stay inside the same piece of memory, for all lanes
  u32 epoch = 0;  ///< of the memory when this was learnt
  int32_t stride[2] =
      {};               ///< of each half-warp: bytes from lane to lane, kIrregular if there is no such number
  u64 address = 0;      ///< the first active lane's address
  u64 serial = 0;       ///< a number that no other pattern of offsets learnt by this worker has
  u32 learnt = 0;       ///< the lanes that the offsets were learnt for
  u32 offset_bits = 0;  ///< low bits of all offsets or-ed
  int32_t low = 0;      ///< the lowest of the offsets between addresses
  u32 own_places = 0;   ///< each lane has a piece of memory of its own (local memory): its bytes
  u64 piece = 0;        ///< the piece of memory: its first address …
  u64 piece_bytes = 0;  ///< … and size; 0: unknown
  u8* piece_host = nullptr;             ///< where it lies on the host
  alignas(64) int32_t offset[32] = {};  ///< of each lane on the host, from `host`
};
inline constexpr int32_t kIrregular = INT32_MIN;

/// An address as a sum: constant + Σ bases + scale · index. The slots of the bases hold 64 bits, the same in
/// all lanes; that of the index 32.
struct AddressSum {
  u64 constant = 0;
  u32 bases[4] = {};
  u32 count = 0;  ///< of the bases
  int32_t scale = 0;
  bool index_signed = false;
};
/// The index's lanes when the shape of the sum was learnt, as distances from the first active one.
struct IndexPattern {
  u32 mask = 0;  ///< 0: none
  int32_t low = 0, high = 0;
  alignas(64) int32_t distance[32] = {};
};

/// What only some instructions need.
struct Aux {
  AccessKey access;
  u32 vector[8] = {};            ///< slots of the elements of a vector operand; kSink where there is none
  const Inst* target = nullptr;  ///< bra: where to
  const Inst* join = nullptr;    ///< bra, brx, call: where diverged lanes meet again; nullptr: when they end
  const Inst* const* table = nullptr;  ///< brx: targets
  u32 table_size = 0;
  bool lazy_address = false;   ///< the address register's lanes may be known by their shape alone
  bool backward = false;       ///< bra: to an earlier instruction
  bool polls = false;          ///< bra: backward, around a load or an exchange that may wait for others
  const void* more = nullptr;  ///< what one kind of instruction alone knows
  const void* told = nullptr;  ///< the access behind one that listeners are told of
};
inline constexpr u32 kSink = ~u32(0);

/// Offsets common to all register frames.
inline constexpr u32 kScratch = 0;  ///< two destinations that masked lane rows compute into
inline constexpr u32 kScratch2 = 512;
inline constexpr u32 kFrameStart = 1024;  ///< the first slot

/// A piece of memory that addresses may fall into.
struct Window {
  u64 base = 1;        ///< first valid address
  u64 size = 0;        ///< in bytes; 0: there is none
  u8* host = nullptr;  ///< where address `base` lies on the host
  u64 lane_bytes = 0;  ///< how much further each following lane's own piece lies (local memory)
};

/// From one lane's local memory to the next one's. Where it is large, an odd number of cache lines: the same
/// place of all lanes does not lie in a few sets of the cache then, as it would with arrays of 2^n bytes.
constexpr u32 local_stride_of(u32 bytes) { return bytes < 1024 ? bytes : (bytes + 63) / 64 * 64 | 64; }

struct Warp {
  u8* regs = nullptr;  ///< the current frame
  u32 mask = 0;        ///< lanes of the current split
  u32 live = 0;        ///< lanes of the warp that have not exited
  u32 carry = 0;       ///< carry flags
  u32 budget = 0;      ///< taken backward branches until the split must yield
  Stop stop = Stop::None;
  bool polls = false;        ///< the loop that yielded waits for what others write (Aux::polls)
  const Inst* pc = nullptr;  ///< where to go on after a stop
  Split* split = nullptr;    ///< the current split

  u8* shared = nullptr;
  u32 shared_bytes = 0;
  u8* local = nullptr;   ///< lane l's local memory starts at local + l * local_stride
  u32 local_bytes = 0;   ///< per lane
  u32 local_stride = 0;  ///< local_stride_of(local_bytes)
  u32 stack = 0;         ///< start of the current function's frame in local memory
  const u8* params = nullptr;
  u32 params_bytes = 0;
  u8* constants = nullptr;
  u32 constants_bytes = 0;
  GlobalMemory* memory = nullptr;
  AllocationCache* allocations = nullptr;  ///< the worker's view of it
  const u32* epoch = nullptr;              ///< the memory's current epoch: shapes of older ones are void
  u64* serial = nullptr;                   ///< the worker's count of patterns learnt
  u64* executed = nullptr;  ///< counted runs: warp and thread executions of each counter slot, interleaved
  BlockState* block = nullptr;
  LaunchState* launch = nullptr;
  u32 id = 0;  ///< index in the block
};

// The address windows of generic addresses. Global memory starts at kGlobalBase; shared and local addresses
// are offsets and become generic by adding the window's base.
inline constexpr u64 kSharedWindow = u64(1) << 40;
inline constexpr u64 kLocalWindow = u64(2) << 40;
inline constexpr u64 kConstWindow = u64(3) << 40;
inline constexpr u64 kParamWindow = u64(4) << 40;
inline constexpr u64 kCodeWindow = u64(5) << 40;
inline constexpr u64 kWindowBytes = u64(1) << 32;
inline constexpr u64 kGlobalBase = u64(0x7f0000000000);

// Within the shared window: an address of the block itself is below kClusterStep, the memory of the block of
// rank r of the cluster begins at (r + 1) * kClusterStep.
inline constexpr u64 kClusterStep = u64(1) << 24;
inline constexpr u32 kReservedShared = 1024;  ///< what compute capability 8.0 and later keep for the system

/// Lanes in a mask. By hand, because code for any x86-64 would call a library function for it.
inline u32 lane_count(u32 mask) {
  if (mask == kAllLanes) return kLanes;
  mask -= mask >> 1 & 0x55555555u;
  mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
  return ((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

#ifdef WW_BITCODE
// The compiler puts what it knows in the place of these calls.
extern "C" [[gnu::const]] u8* ww_frame(const Warp& w);
extern "C" [[gnu::const]] u32 ww_mask(const Warp& w);
inline u8* frame_of(const Warp& w) { return ww_frame(w); }
inline u32 mask_of(const Warp& w) { return ww_mask(w); }
#else
inline u8* frame_of(const Warp& w) { return w.regs; }
inline u32 mask_of(const Warp& w) { return w.mask; }
#endif

/// The lanes an instruction acts on.
inline u32 active(const Warp& w, const Inst* i) {
  if (!i->guarded) return mask_of(w);
  u32 p = *reinterpret_cast<const u32*>(frame_of(w) + i->guard);
  return mask_of(w) & (i->guard_negated ? ~p : p);
}

template <class T>
inline T* slot(Warp& w, u32 offset) {
  return reinterpret_cast<T*>(frame_of(w) + offset);
}

}  // namespace ww::engine
