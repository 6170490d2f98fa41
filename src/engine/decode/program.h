// A kernel made ready to run: every reachable function of an entry decoded into handlers and slots.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/inlined.h"
#include "base/result.h"
#include "engine/lanes/lanes.h"
#include "engine/machine.h"
#include "ir/module.h"

namespace ww::engine {

struct WholeState;
/// Code of whole warps (engine/compile/whole.h).
using WholeCode = const Inst* (*)(Warp* warp, u8* frame, const Inst* code, WholeState* state);

/// What a special register's slot is filled with when a frame is made.
enum class Special : u8 {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NwarpId,
  SmId,
  NsmId,
  GridId,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  TotalSharedBytes,
  DynamicSharedBytes,
  ClusterIdX,
  ClusterIdY,
  ClusterIdZ,
  NclusterIdX,
  NclusterIdY,
  NclusterIdZ,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterCtarank,
  ClusterNctarank,
  IsExplicitCluster,
  WorkspaceHigh,  ///< %envreg1, %envreg2: where cooperative groups keep the grid's barrier
  WorkspaceLow,
  ReservedBegin,  ///< %reserved_smem_offset_…
  ReservedEnd,
  Zero,
  Clock,
  Clock64,
  GlobalTimer,
};

/// A parameter or result of a function that is called: where its bytes lie in the function's local frame.
struct CallSlot {
  u32 offset = 0;
  u32 bytes = 0;
};

struct FunctionCode {
  /// Of an entry whose calls are inlined: with all that is (FunctionCode::inlined).
  const ir::Function* function = nullptr;
  std::vector<Inst> code;
  // Compiled code takes the place of handlers of `code`, so what an instruction is must be asked of these:
  std::vector<Handler> plain;   ///< what carries out each instruction alone under a full mask …
  std::vector<Handler> masked;  ///< … and under another
  std::vector<Handler> fused;   ///< as `plain`, or what carries it out with some of those behind it
  std::vector<Inst> once;       ///< what is the same in every block: each warp runs it when its frame is made
  /// By instruction of `code` and of `once`: the instruction of `function` that it was made from, or nullptr.
  std::vector<const ir::Instruction*> made_from, once_from;
  u32 frame_bytes = 0;    ///< of its register frame
  std::vector<u8> image;  ///< the part of the frame from kFrameStart that holds constants
  struct SpecialSlot {
    u32 offset;
    Special what;
    u8 bytes;
  };
  std::vector<SpecialSlot> specials;
  std::vector<u32>
      shapes;  ///< where address shapes are kept: void in every new frame, whose local memory lies elsewhere
  /// Registers that may be read before they are written (offset and bytes; a block finds them zero), and the
  /// shapes of the addresses in them.
  std::vector<std::pair<u32, u32>> unwritten;
  std::vector<u32> unwritten_shapes;
  std::vector<u32> changing_shapes;  ///< of addresses that are not the same in every block
  u32 local_bytes = 0;               ///< of its frame in local memory: parameters, results, variables
  // Where a listener wants to know of undefined values (events::kValues): behind the slots, which begin at
  // kFrameStart, lies a shadow of them, and behind that a u32 for each register, and for the carry flags,
  // that says where such a value came from.
  u32 shadow = 0;  ///< distance from a slot to its shadow, and the bytes of all slots; 0: there is none
  u32 slots_end() const { return shadow ? kFrameStart + shadow : frame_bytes; }
  u32 origin(ir::RegId r) const { return slots_end() + shadow + r * static_cast<u32>(sizeof(u32)); }
  u32 carry_origin() const { return origin(static_cast<ir::RegId>(slots.size())); }
  u32 undefined_flag = 0;        ///< slot of a u32: not 0 while a bit of the shadow may be set
  u32 carry_flags = 0;           ///< slot of a predicate, whose shadow is that of the carry flags
  std::vector<u32> slots;        ///< by register
  std::vector<ir::RegId> unset;  ///< registers of an entry that may be read before they are written
  std::vector<CallSlot> params, results;
  std::vector<std::pair<ir::SymbolId, u32>> locals;  ///< variables, and where they lie in the local frame
  u32 id = 0;                                        ///< index in Program::functions
  WholeCode whole = nullptr;                         ///< of an entry; may appear while it runs
  WholeCode whole_lacking = nullptr;  ///< the same for a block's last warp that lacks lanes; before `whole`
  WholeCode whole_again = nullptr;    ///< of an entry: for warps that come back at the heads of loops
  WholeCode whole_lacking_again = nullptr;  ///< the same for warps that lack lanes
  bool whole_calls =
      false;  ///< that code calls handlers, which look at the warp's splits; set before `whole`
  std::shared_ptr<const analysis::Inlined> inlined;  ///< of an entry; nullptr: no call of it is inlined

  /// Whether a call is inlined, so that all it does is to copy.
  bool is_inlined(const ir::Instruction& call) const {
    return inlined && inlined->passes[static_cast<size_t>(call.call)].callee != ir::kNone;
  }
  /// The instruction of `function` that a decoded one was made from; nullptr: none, it is a step between.
  const ir::Instruction* instruction(const Inst& i) const {
    const bool is_once = !once.empty() && &i >= once.data() && &i <= &once.back();
    return is_once ? once_from[static_cast<size_t>(&i - once.data())]
                   : made_from[static_cast<size_t>(&i - code.data())];
  }
  /// That of the first behind the steps that begin a block; nullptr: the code ends there.
  const ir::Instruction* first_of_block(const Inst& start) const {
    auto k = static_cast<size_t>(&start - code.data());
    while (k < code.size() && !made_from[k]) ++k;
    return k < code.size() ? made_from[k] : nullptr;
  }
};

/// What an instruction of the program was made from. Counters and messages hang on it. Where a function is
/// inlined, its instructions are those of the function.
struct InstInfo {
  const ir::Function* function = nullptr;
  const ir::Instruction* instruction = nullptr;
  ir::BlockId block = 0;
  u32 counter = 0;  ///< index of its execution counter: its block's, or its own if it is guarded
  /// First of kLandings counters of where a generic access landed, or of how much a copy of varying size
  /// moved; each of requests and bytes. kNone: the instruction itself says both.
  u32 landed = ir::kNone;
  u32 parted = ir::kNone;  ///< a branch that lanes can take alone: counter of how often a warp's lanes parted
};

/// The spaces that accesses land in, in the order of their counters.
inline constexpr ir::Space kLandings[] = {ir::Space::Global, ir::Space::Shared, ir::Space::Local,
                                          ir::Space::Const};
inline constexpr u32 kLandingCount = 4;

/// A shared variable of a program: where it lies in the block's shared memory.
struct SharedVariable {
  ir::SymbolId symbol = ir::kNone;
  u32 offset = 0;
  u32 bytes = 0;  ///< 0: dynamic, up to the end
};

/// A __constant__ variable of a module: where it lies in the bank of constants.
struct ConstantVariable {
  ir::SymbolId symbol = ir::kNone;
  u32 offset = 0, bytes = 0;
};

/// How much of a program has been compiled (engine/compile). Each is worth its time only where the one before
/// leaves enough to the interpreter.
enum class Compiled : u8 {
  Nothing,
  Together,  ///< whole-warp code for lanes that go together
  Parted,    ///< and for those that part
  All,       ///< and pieces that can be entered anywhere
  Again,     ///< and whole-warp code that warps come back to at the heads of loops
};

struct Program : std::enable_shared_from_this<Program> {
  std::shared_ptr<const ir::Module> module;
  const ir::Function* entry = nullptr;
  std::vector<std::unique_ptr<FunctionCode>> functions;  ///< [0] is the entry
  std::vector<const FunctionCode*>
      by_number;                ///< by index in Module::functions; nullptr: not in this program
  std::vector<InstInfo> infos;  ///< by Inst::index
  std::deque<Aux> aux;
  std::deque<std::vector<const Inst*>> tables;
  std::deque<struct CallPlan> calls;
  std::vector<std::shared_ptr<const void>> kept;  ///< what Aux::more points to
  u32 counters = 0;                               ///< number of execution counters
  u32 shared_bytes = 0;                           ///< static
  u32 shared_alignment = 16;
  bool dynamic_shared = false;
  bool reserved_shared = false;  ///< uses %reserved_smem_offset_…: kReservedShared bytes behind the others
  std::vector<SharedVariable> shared;       ///< static ones first
  std::vector<ConstantVariable> constants;  ///< of the module, ascending
  std::vector<CallSlot> params;             ///< of the entry, in the parameter buffer
  u32 params_bytes = 0;
  u32 local_bytes = 0;     ///< per lane, for the deepest chain of calls
  bool recursive = false;  ///< or its stack grows in other ways that are not known beforehand
  bool counted = false;
  u32 row =
      kLanes;  ///< threads of a warp that stand one behind another in a row of the block: 32, 16 or fewer
  bool rows_of_16 = false;  ///< the block's rows are 16 threads: both halves of a warp begin with thread 0
  bool full_warps = true, lacking_warp = false;  ///< which its blocks have: a last one may lack lanes
  bool keeps_groups =
      false;  ///< warps have asynchronous copies or arrivals at the cluster's barrier to remember
  /// Seconds a block took in the last launch, on one thread; 0: not known. A launch that is over before
  /// another thread would be awake runs on the calling one.
  mutable std::atomic<float> block_seconds{0};
  std::atomic<double> run_seconds{0};  ///< that launches took so far
  std::atomic<bool> compiling{false};  ///< it has been given to the compiler, or there is nothing left for it
  std::atomic<Compiled> compiled{Compiled::Nothing};
  std::atomic<bool> native{false};  ///< there is code that its instructions enter
  /// Warps that went on interpreted since then; before, rounds in which lanes of a warp parted, four for one.
  mutable std::atomic<u64> left{0};
  std::atomic<bool> begun_before{false};  ///< an earlier process ended before the code that is next was made
  std::atomic<bool> wish_kept{false};     ///< later processes will read that this one did (keep_wish)
  /// What warps took in pieces for turns that `whole_again` would have begun with.
  mutable std::atomic<u64> lost_nanoseconds{0};
  /// Listeners need more than whole-warp code can tell: there are pieces alone, which call the interpreter's
  /// handlers wherever something is told.
  bool only_pieces = false;
  bool noted = false;  ///< whole-warp code notes its accesses for listeners …
  bool polls = false;  ///< loops may wait for what other threads write (Aux::polls)
  bool waits = false;  ///< loops wait for what other threads write (known where a listener hears of fences)
  bool asks = false;   ///< … and tells them of each before it makes it, if they can do without registers
};

/// The address of a function, the same in all programs of a module: pointers to functions may lie in memory.
inline u64 code_address(const ir::Module& module, ir::SymbolId function) {
  return kCodeWindow + 16 * (static_cast<u64>(module.symbols[function].function) + 1);
}

struct CallPlan {
  const FunctionCode* target = nullptr;  ///< nullptr: indirect
  u32 target_slot = 0;
  struct Move {
    bool is_register = false;
    bool sink = false;     ///< a result that is not used
    u32 from_slot = 0;     ///< register operand
    u32 local_offset = 0;  ///< .param variable of the caller, in its local frame
    u32 bytes = 0;
  };
  std::vector<Move> arguments, results;
  const Program* program = nullptr;
};

/// Where the module's variables live, by symbol: addresses within their spaces (global ones: device
/// addresses).
using Layout = std::map<ir::SymbolId, u64>;

struct DecodeOptions {
  bool counted = false;  ///< keep execution counts
  u32 heard = 0;         ///< kinds of events (events::Kind) that listeners want
  const LaneCode* lanes = nullptr;
  u32 stack_bytes = 64 * 1024;  ///< local memory per lane where functions are recursive
  bool inlines = false;         ///< functions may stand in the places of calls: nobody is told of calls
};

/// Errors: an instruction (with these types) that the engine does not implement; too much static memory.
Result<std::unique_ptr<Program>> decode(std::shared_ptr<const ir::Module> module, const ir::Function& entry,
                                        const Layout& globals, const DecodeOptions& options);

}  // namespace ww::engine
