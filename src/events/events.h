// What happens during a launch, as the engine tells it: one event for each warp instruction that concerns
// others.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "ir/module.h"
#include "isa/effects.h"

namespace ww::engine {
struct FunctionCode;
struct Warp;
}  // namespace ww::engine

namespace ww::events {

using u32 = uint32_t;
using u64 = uint64_t;

/// Which warp executes which instruction, and for which of its lanes.
struct Site {
  u32 instruction = 0;  ///< index into Program::infos
  u64 block = 0;        ///< linear block number
  u32 warp = 0;         ///< index in the block
  u32 mask = 0;         ///< lanes
};

/// One texel that a lane fetches.
struct TexelRead {
  u64 address = 0;
  u32 lane = 0;
};

/// Lanes of one warp access memory. Their addresses are `first` + `offsets[lane]`.
///
/// A fetch from a texture comes four lanes at a time: the "lanes" of the mask are the 32-byte sectors that
/// their texels lie in. Lanes of one instruction that reach different spaces (generic addresses) come as an
/// event for each.
struct Memory : Site {
  ir::Space space = ir::Space::None;  ///< where the lanes' addresses lie (generic ones resolved)
  isa::Direction direction = isa::Direction::Read;
  isa::Range range = isa::Range::Lane;
  isa::Path path = isa::Path::LoadStore;
  bool asynchronous = false;         ///< its bytes may move at any time until the copy is waited for
  isa::Mod order = isa::Mod::none;   ///< .relaxed, .acquire, …; none: weak
  isa::Mod scope = isa::Mod::none;   ///< .cta, .cluster, .gpu, .sys of an ordered access
  bool linear = true;                ///< false: texels of an array; where those lie on a GPU is not published
  u32 bytes = 0;                     ///< accessed by each lane (all elements of a vector)
  u64 first = 0;                     ///< address of the first lane of the mask, within its space
  const int64_t* offsets = nullptr;  ///< of all 32 lanes, in bytes; those of other lanes mean nothing
  /// Events of one worker with the same serial have the same offsets (not 0). 0: nothing is known.
  u64 serial = 0;
  engine::Warp* state = nullptr;  ///< whose registers are filled or stored
  /// Stores of registers (.shared, .global, generic): what the lanes write, for each element of a vector an
  /// array over the 32 lanes of `value_bytes` each, of which the first bytes / elements count. Null: the
  /// element is a constant that no listener asked for, or is not known.
  const uint8_t* const* values = nullptr;
  uint8_t value_bytes = 0, elements = 1;
  /// Fetches from a texture: who reads what of the sectors.
  std::span<const TexelRead> texels;
  u32 texel_bytes = 0;
  bool goes_on = false;  ///< of the fetch that the event before was of: its next four lanes

  bool load() const { return direction == isa::Direction::Read; }
  bool store() const { return direction == isa::Direction::Write; }
  bool atomic() const { return direction == isa::Direction::Update; }
};

/// A lane is about to free memory that malloc gave in a kernel.
struct HeapFree : Site {
  u64 address = 0, bytes = 0;
};

/// Lanes arrive at a barrier of their block.
struct BarrierArrival : Site {
  u32 barrier = 0;    ///< its number, 0 to 15
  u32 expected = 0;   ///< threads that it waits for; 0: all of the block
  bool waits = true;  ///< else they go on at once (bar.arrive)
  u32 apart = 0;      ///< lanes that name another barrier, or other threads, than the first of them
};

/// All that a barrier waits for have arrived: those who wait go on.
struct BarrierRelease {
  u64 block = 0;
  u32 barrier = 0;
};

/// Lanes order their memory accesses.
struct Fence : Site {
  isa::Mod order = isa::Mod::none;  ///< .sc, .acq_rel, .acquire, .release; none: membar
  isa::Mod scope = isa::Mod::none;  ///< .cta, .cluster, .gpu, .sys
};

/// Lanes of a warp meet: the mask came, `members` were named (by the first of them). Before they exchange
/// anything. Where listeners can do without registers, they may not hear (nor of a WarpArrival) of shuffles
/// and votes for which all 32 lanes come and name all 32: nobody is missing, and they order no memory.
struct WarpSync : Site {
  u32 members = 0;
  engine::Warp* state = nullptr;
  /// bar.warp.sync: the mask that each of the 32 lanes names (tiles of a warp name different ones); null for
  /// others. Those of lanes that do not take part mean nothing.
  const u32* named = nullptr;
};

/// Lanes come to an instruction that waits for the lanes of a mask, each with its own.
struct WarpArrival : Site {
  const u32* masks = nullptr;  ///< of all 32 lanes; those of lanes that did not come mean nothing
  u32 live = 0;                ///< lanes of the warp that have not exited
};

/// Integers are about to be divided by zero, by these lanes.
struct ZeroDivisor : Site {};

/// Results in these lanes are not finite although all operands were.
struct NotFinite : Site {
  u32 nan = 0;  ///< of the lanes: those with a NaN, the others have infinities
};

/// Sums of these lanes are so much smaller than what was added that hardly any of its bits is left.
struct LostBits : Site {
  u32 left = 0;  ///< significant bits, in the first lane; 0: the sum is smaller than their last
  u32 of = 0;    ///< those of the type
};

/// A 32-bit product (mul.lo, mad.lo) that an address is made of does not fit into 32 bits in these lanes.
struct Overflow : Site {};

/// An instruction that may meet undefined values is about to be executed, in a frame where there
/// are some (FunctionCode::shadow). The mask does not heed its guard.
struct Step : Site {
  engine::Warp* state = nullptr;
};

/// kValues: lanes call a function or come back from it. Addresses are those of the lanes' local memory.
struct Passed : Site {
  enum class What : uint8_t {
    Enters,    ///< the function of `callee`, whose frame begins at `to`; before its arguments come
    Argument,  ///< `bytes` go from a register of the caller, or from `from`, to `to`
    Result,    ///< the same back: to a register of the caller, or to `to`
    Answer,    ///< a function of the library has filled a register of the caller, or `to`
    Used,      ///< the function of the library `name` uses an argument: a register of the caller, or `from`
  } what = What::Enters;
  const engine::FunctionCode* caller = nullptr;
  const engine::FunctionCode* callee = nullptr;
  uint8_t* registers = nullptr;  ///< frame of the caller
  u32 slot = ~u32{0};            ///< of the register; all ones: none
  u32 from = 0, to = 0, bytes = 0;
  engine::Warp* state = nullptr;
  const char* name = "";
};

/// What goes on by itself until its group is waited for: cp.async, bulk copies (cp.async.bulk), wgmma.
enum class Grouped : uint8_t { Copies, Bulk, Matrix };

/// Asynchronous copies of these lanes become one group (`committed`), or groups are waited for: all but the
/// latest `pending` of each lane are done; with `everything`, copies that no group holds, too.
struct CopyGroups : Site {
  Grouped what = Grouped::Copies;
  bool reading_only = false;  ///< waits only until the sources have been read (.read)
  bool committed = false;
  bool everything = false;
  u32 pending = 0;
};

struct Piece {
  u64 address = 0;
  u32 bytes = 0;
};

/// One end of a bulk copy that one lane starts, or a matrix in shared memory that wgmma reads: bytes that are
/// accessed at any time until the completion is waited for. A copy tells its source, then its destination.
struct BulkAccess : Site {
  ir::Space space = ir::Space::Shared;
  isa::Direction direction = isa::Direction::Read;
  std::span<const Piece> pieces;  ///< addresses within the space; those of other blocks of the cluster as the
                                  ///< instruction has them
  bool tracked = false;           ///< by `mbarrier`, else by a group
  u64 mbarrier = 0;               ///< shared address of the mbarrier that completes it
  Grouped group = Grouped::Bulk;
  bool phase = false;             ///< the mbarrier's parity now
  engine::Warp* state = nullptr;  ///< st.async, red.async: in whose registers the values are; else null
};

/// One lane does something to an mbarrier, or asks it.
struct Mbarrier : Site {
  enum class What : uint8_t {
    Init,
    Invalidate,
    Arrive,       ///< also when its copies (cp.async) so far are done
    ExpectBytes,  ///< without an arrival
    Passed,       ///< asked, and the phase is over
    NotYet,
    Late,  ///< bytes of a bulk copy arrive in a later phase than it was started in
  } what = What::Arrive;
  u64 address = 0;                  ///< shared
  isa::Mod order = isa::Mod::none;  ///< .relaxed; none: .release of an arrival, .acquire of a test
  isa::Mod scope = isa::Mod::none;  ///< none: .cta
  bool phase = false;  ///< parity of the phase that an arrival, or bytes, belong to, or that is asked about
};

/// Lanes arrive at the barrier of their cluster, or have waited for it.
struct ClusterBarrier : Site {
  bool waits = false;
  u64 phase = 0;                    ///< which one, from 1
  isa::Mod order = isa::Mod::none;  ///< .relaxed; none: .release of an arrival, .acquire of a wait
};

/// A lane, or a whole warp (`lane` < 0), does what it may not. Its mask names the lanes that come to the
/// instruction. The texts are only there during the call.
struct Wrong : Site {
  int lane = -1;
  std::string_view kind;  ///< "out-of-bounds write", "barrier deadlock", … as Fault::kind
  /// Writes which address, what is near; may have several lines. Most listeners read it once for many events.
  std::function<std::string()> detail;
  bool access = false;  ///< of memory: what follows is known
  u64 address = 0;      ///< as the lane gave it
  u32 bytes = 0;
  bool goes_on = false;  ///< it has been given zeros, or what it wrote is dropped; else the launch stops
};

/// Lanes concern themselves with other grids.
struct Grids : Site {
  enum class What : uint8_t {
    Launches,  ///< one lane launches a grid (dynamic parallelism), numbered `launch`
    Triggers,  ///< the next launch of the stream may begin (griddepcontrol.launch_dependents)
    Waits,     ///< the launch before has ended (griddepcontrol.wait)
  } what = What::Launches;
  u64 launch = 0;
};

// ---- what happens between launches, too ----

/// Memory that kernels may use has come into being: by the host, by a module that was loaded, by malloc in a
/// kernel.
struct Allocated {
  u64 address = 0, bytes = 0;
  bool heap = false;      ///< by malloc in a kernel
  bool set = false;       ///< its bytes have values: variables of a module, memory of the host that was lent
  bool constant = false;  ///< the __constant__ variables of a module
  bool of_host = false;   ///< with `set`: the host writes there without telling (managed memory)
};

/// The host has read or written memory that kernels may use: a copy, or a set.
struct HostAccess {
  u64 address = 0, bytes = 0;
  isa::Direction direction = isa::Direction::Read;
  u64 from = 0;  ///< Write: where the bytes were copied from, if kernels may use that, too; else 0
};

/// What the host asks of streams: the only order between launches, copies and sets of different streams.
struct StreamOrder {
  enum class What : uint8_t {
    Work,  ///< what this thread of the host does next to memory that kernels may use, is done in `stream`
    WorkEnds,
    Record,      ///< `event` stands for all that was put into `stream` so far
    Wait,        ///< `stream` goes on behind what `event` stands for
    WaitWord,    ///< … behind the kernels that have stored to the address `event`
    HostStream,  ///< the host has waited for `stream`,
    HostEvent,   ///< … for what `event` stands for,
    HostAll,     ///< … for all streams of all devices
  } what = What::Work;
  u64 stream = 0, event = 0;  ///< numbers that tell them apart
  int device = 0;             ///< of the stream
  bool legacy = false;        ///< the default stream, which waits for blocking ones, and they for it
  bool blocking = true;       ///< not made by cudaStreamNonBlocking
  const char* doing = "";     ///< Work: "a copy", "a set", "a launch"
};

}  // namespace ww::events
