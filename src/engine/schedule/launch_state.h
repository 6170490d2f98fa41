// A running launch: what all its blocks share, and the state of one block and its warps.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/fault.h"
#include "base/recycled.h"
#include "engine/async/copies.h"
#include "engine/compile/background.h"
#include "engine/decode/program.h"
#include "engine/library/device_launch.h"
#include "engine/library/printed.h"
#include "engine/memory/memory.h"
#include "engine/schedule/block_queue.h"
#include "engine/schedule/order.h"
#include "engine/schedule/standing.h"
#include "engine/texture/texture.h"
#include "events/bus.h"

namespace ww::engine {

constexpr u32 kTurnBudget = 4096;     ///< taken backward branches until a split lets others have a turn
constexpr int kBarrierRounds = 1024;  ///< of warps at barriers, until other blocks have a turn

struct Extent3 {
  u32 x = 1, y = 1, z = 1;
  u64 count() const { return u64{x} * y * z; }
  bool operator==(const Extent3&) const = default;
};

struct LaunchState {
  const Program* program = nullptr;
  const LaneCode* lanes = nullptr;
  GlobalMemory* memory = nullptr;
  Extent3 grid, block;
  Extent3 cluster;    ///< blocks of a cluster; 1 x 1 x 1: none
  u64 workspace = 0;  ///< of a cooperative launch: device address of what %envreg1 and 2 name
  u32 dynamic_shared = 0;
  u32 multiprocessors = 1;
  std::vector<u8> params;
  u8* constants = nullptr;
  u32 constants_bytes = 0;
  u64 heap_limit = 0;  ///< for malloc in kernels
  TextureTable* textures = nullptr;
  u64 branch_limit = 0;  ///< taken backward branches of one warp until the launch is given up
  u32 turn_budget = kTurnBudget;
  const events::Bus* bus = nullptr;  ///< null where there are no listeners
  const std::atomic<bool>* cancel = nullptr;
  Order order;
  bool wait_for_absent = true;  ///< as Settings has it
  Warming* warming = nullptr;
  const BlockQueue* queue = nullptr;

  // What all workers read all the time stands apart from what they write.
  alignas(64) std::atomic<bool> stop{false};  ///< a fault or a cancellation: other blocks stop
  std::atomic<bool> overdue{false};           ///< no block has ended for too long: all stop
  std::atomic<bool> still{false};             ///< nothing changes any more: all stop (standstill.h)
  alignas(64) std::atomic<u64> moves{0};      ///< how often something was seen to change, as far as told
  std::atomic<u32> quiet{0};                  ///< workers that have seen no change for some while
  std::atomic<u32> awaiting{0};               ///< workers whose blocks all wait (engine/async/awaited.h)
  std::atomic<bool> clock_read{false};        ///< a kernel has looked at a clock
  std::atomic<u64> clock_stands{0};           ///< ns that all clocks show; 0: they run (standstill.h)
  std::atomic<u64> clock_ahead{0};            ///< ns by which they are ahead of the host's
  std::atomic<u32> clock_jumps{0};            ///< how often they were put forward
  std::atomic<bool> unwatched{false};         ///< `watch` is to be called once it has taken a moment
  std::atomic<u32> asked{0};                  ///< how often the workers were asked where their warps stand
  std::chrono::steady_clock::time_point began;
  std::function<void()> watch;  ///< begins to watch how long it takes (patience.h)
  std::mutex mutex;             ///< guards the rest
  Standing standing;            ///< of a launch that was given up
  Standing heard;               ///< of those who were asked
  u32 answered = 0;             ///< how many these are
  std::vector<Fault> faults;
  std::string absent;  ///< the first place where lanes were not waited for
  PrintedText printed;
  DeviceLaunches children;  ///< that kernels started

  /// Blocks, told of some at a time.
  u64 ended() const { return queue->ended(); }
  bool stopping() const {
    return stop.load(std::memory_order_relaxed) || (cancel && cancel->load(std::memory_order_relaxed));
  }
  /// Stopped from outside, not by a fault.
  bool given_up() const { return overdue || still || (cancel && cancel->load()); }
};

/// Where diverged lanes of a warp meet again: at a block (the branch's immediate post-dominator) or, for a
/// call, behind it.
struct Join {
  const Inst* pc = nullptr;
  u32 expected = 0;  ///< lanes that will come, as far as they live
  u32 arrived = 0;
  Join* parent = nullptr;
  u32 born = 0;        ///< WarpState::turns_in_parts when lanes parted
  u8* regs = nullptr;  ///< register frame and local frame to go on with
  u32 stack = 0;
  const FunctionCode* function = nullptr;
  const CallPlan* call = nullptr;  ///< set for calls
  const FunctionCode* callee = nullptr;
  u8* callee_regs = nullptr;
};

/// Lanes of a warp that run together.
struct Split {
  enum class State : u8 { Ready, Barrier, Collective, Cluster } state = State::Ready;
  const Inst* pc = nullptr;
  u32 mask = 0;
  u8* regs = nullptr;
  u32 stack = 0;
  Join* join = nullptr;
  const FunctionCode* function = nullptr;
  u32 barrier = 0;  ///< Barrier: which one
  u32 waiting = 0;  ///< Collective: the lanes that take part
};

/// Lanes that found the phase of an mbarrier not over, and will mostly ask again.
struct AwaitedPhase {
  const Inst* at = nullptr;
  const u8* mbarrier = nullptr;  ///< on the host
  u32 lanes = 0;
  u64 turn = 0;  ///< of the block: when they asked last
};

struct WarpState : Warp, Recycled {
  std::vector<Split*> splits;  ///< all that live; a split that waits at a join has dissolved into it
  size_t turn = 0;             ///< whose turn is next
  u64 branches = 0;            ///< taken backward branches so far, turns given up early counted as several
  u32 atomics = 0;             ///< carried out, where some of them end a turn (Order::ends_turn)
  u32 polled = 0;              ///< taken backward branches of turns used up by loops that wait for others
  bool polling = false;        ///< the last turn was one of those, and nothing else of the warp could go on
  bool waits_often = false;    ///< there were such turns
  bool looked = false;         ///< the last turn ended behind a load that waits (interpret/poll_step.h)
  u32 turns_in_parts = 0;      ///< used up by loops that may wait, whose lanes part in each round
  /// Taken backward branches until a split lets others have a turn. Who only looks for what others do has had
  /// enough after a few, and one that waited before will probably wait again.
  u32 turn_budget() const;
  void begin_turns() {
    branches = polled = atomics = turns_in_parts = 0;
    polling = waits_often = looked = false;
  }
  std::array<u32, 3> first_thread{};  ///< of lane 0

  std::list<Split> split_storage;  // lists: empty ones take no memory, and most warps need one split
  std::list<Join> join_storage;
  std::vector<Split*> free_splits;
  std::vector<Join*> free_joins;
  struct FreeFrame {
    u32 function;
    u8* regs;
    bool of_earlier_block;  ///< its special registers are
  };
  std::vector<FreeFrame> free_frames;
  std::vector<std::pair<u32, RecycledBytes>> frames;
  u64 frames_bytes = 0;          ///< of those that the block has needed
  u32 excused = 0;               ///< lanes that the next shuffle or vote is not to wait for
  const Inst* paused = nullptr;  ///< where whole-warp code may go on once the warp comes there
  struct Free {
    void operator()(u8* at) const { std::free(at); }
  };
  std::unique_ptr<u8[], Free> local_storage;
  u32 local_reached = 0;  ///< of each lane's local memory: so many bytes have been frames of this block …
  u32 local_used = 0;     ///< … and of any block
  AsyncCopies copies;
  std::vector<AwaitedPhase> awaited;  ///< engine/async/awaited.h
  u32 bulk_groups[kLanes] = {};       ///< bulk groups each lane has committed
  u64 cluster_arrival[kLanes] = {};   ///< barrier.cluster: the phase each lane has arrived in, from 1
  // The last event's offsets and where they came from (interpret/tell.cpp).
  struct Told {
    int64_t offsets[kLanes] = {};
    u64 serial = 0;
    const AddressShape* shape = nullptr;
  };
  std::array<Told, 4> told;  ///< of instructions that take turns in a loop
  /// What alloca gave: by lane, from the end of its local memory downwards, each with the frame of the
  /// function that took it.
  struct Taken {
    u32 frame, at;
  };
  std::vector<Taken> taken[kLanes];
  bool any_taken = false;
  /// End of the local memory that frames of the lane may use.
  u32 stack_end(int lane) const { return taken[lane].empty() ? local_bytes : taken[lane].back().at; }

  /// Frames of the lanes' local memory now end here. What a kernel did not write it must not read: all ones
  /// are NaN as floats and -1 as integers. (Recursive kernels have 64 KB a lane, and mostly need little of
  /// it.)
  void reach_local(u32 end) {
    if (end > local_reached) grow_local(end);
  }
  Split* new_split();
  Join* new_join();
  u8* new_frame(const FunctionCode& function);
  void free_frame(const FunctionCode& function, u8* regs);

 private:
  void grow_local(u32 end);
};

/// Lanes that end take part in the cluster's barrier no more (cluster.cpp).
void leave_cluster(WarpState& warp, u32 lanes);

struct BlockState;
/// Lets the lanes go on that wait at the nearest join for a split that spins: it may be waiting for them.
void give_way(WarpState& warp, const Split& spinning);
/// The same where the lanes that spin part in each round (waits_in_parts): after each of their turns.
void give_way_in_parts(WarpState& warp);

/// Ends lanes of the block that wait for the others of their warp only to return with them, as after
/// `if (i >= n) return;`: a GPU ends them at once. Whether there were any.
bool let_ended_go(const BlockState& block);

struct Barrier {
  u32 arrived = 0;   ///< threads
  u32 expected = 0;  ///< threads, when the instruction gives a number; 0: all threads of the block
  u32 count = 0;     ///< red.popc: threads whose predicate was true
  bool all = true, any = false;
  struct Waiter {
    WarpState* warp;
    Split* split;
    const Inst* inst;
  };
  std::vector<Waiter> waiting;

  void reset() {  // keeps the memory of `waiting`
    arrived = expected = count = 0;
    all = true, any = false;
    waiting.clear();
  }
};

/// How a block's turn ended. Polling: it could go on, but all it did was to look whether others had done
/// something.
enum class Turn { Done, Yielded, Polling, Waiting, Stopped };

/// A bulk copy that was not waited for yet.
struct BulkCopy {
  const WarpState* warp = nullptr;
  int lane = 0;
  bool grouped = false;  ///< waited for by its group, else by an mbarrier
  u32 group = 0;         ///< 0: not committed yet
  std::function<void()> carry_out;
};

/// What an mbarrier has done before its present phase.
struct EndedPhases {
  u64 all = 0;       ///< phases that have ended since it was initialised …
  u64 unseen = 0;    ///< … of which nobody was told before the next one ended, too
  bool told = true;  ///< somebody was told of the latest
};

struct BlockState;
/// The blocks of one cluster: one thread of the host runs them in turns.
struct ClusterState {
  Extent3 index;                                            ///< clusterid
  std::vector<BlockState*> blocks;                          ///< by rank
  u64 phase = 0;                                            ///< of barrier.cluster
  u32 arrived = 0;                                          ///< threads, in this phase
  u32 ended = 0;                                            ///< blocks
  std::unordered_map<const u8*, EndedPhases> ended_phases;  ///< by where the mbarrier lies on the host

  /// Opens the barrier if all threads that live have arrived.
  void check();
  /// Carries out the bulk copies that mbarriers track.
  void finish_bulk();
  /// Whether every block waits for something that no other will do.
  bool stuck() const;
};

/// The states that a block was in at the ends of its latest turns. Who waits in a loop comes back to one of
/// them: not always to the last, since its turns may end at several places of the loop.
struct RecentStates {
  std::array<u64, 64> states{};
  u32 next = 0;
  /// Whether the state is none of them. It becomes one.
  bool is_new(u64 state);
  void forget() {
    if (states[0]) *this = {};
  }
};

struct WholeRun;
class Notes;
struct BlockState : Recycled {
  LaunchState& launch;
  Extent3 index;   ///< ctaid
  u64 number = 0;  ///< linear
  std::vector<std::unique_ptr<WarpState>> warps;
  RecycledBytes shared;
  u32 shared_bytes = 0;
  std::array<Barrier, 16> barriers;
  bool barriers_used = false;  ///< lanes have come to one of them
  u32 live_threads = 0;
  ClusterState* cluster = nullptr;
  u32 rank = 0;        ///< in its cluster
  bool ended = false;  ///< others of the cluster must not touch its shared memory any more
  std::vector<BulkCopy> bulk;
  u64 turns = 0;               ///< that it has had
  bool awaits = false;         ///< it was found to wait for nothing but mbarriers and barriers
  RecentStates recent;         ///< standstill.h
  int barrier_rounds = 0;      ///< of warps that meet at barriers, until other blocks have a turn
  u64 releases = 0;            ///< of barriers
  RecentStates at_barriers;    ///< at the ends of turns that ended so
  int worker = 0;              ///< which thread of the host runs it
  std::vector<u64>& executed;  ///< of the worker
  Notes& notes;                ///< of the worker

  BlockState(LaunchState& launch, std::vector<u64>& executed, Notes& notes, AllocationCache& allocations);
  ~BlockState();
  /// It serves a further launch, like the one before but for its arguments (the parameters' buffer is the
  /// same). `again`: what of FunctionCode::once depends on those that differ; null: none does.
  void begin_launch(const std::vector<u32>* again);
  /// Memory that it holds.
  size_t bytes() const;
  /// Makes the block the one with this number, at its first instruction.
  void start(u64 number);
  /// Makes the block the next one with this number and runs it, where the one before was nothing but warps
  /// that ended one after another by whole-warp code alone, and this one most likely is: as start() and
  /// run(), but that hardly anything is looked at. False: it did nothing, or run() has to go on.
  enum class Plainly : u8 { No, Begun, Ended };
  Plainly run_plainly(u64 number);
  /// Whether it waits in a loop with barriers for what other blocks do decides how long its next turn is.
  void choose_barrier_rounds();
  /// Runs until the block ends, waits in circles for others, or the launch stops.
  Turn run();
  /// The warp ends as a whole: its one split, all of its lanes at once.
  void end_warp(WarpState& w);
  /// The interpreter parts the lanes of a warp.
  void count_parted() {
    if (++parted_ >= 64) tell_parted();
  }
  /// Releases a barrier if all it waits for have come.
  void check_barrier(u32 id);
  /// The same for all, when lanes have ended.
  void check_barriers() {
    if (!barriers_used) return;
    for (u32 id = 0; id < barriers.size(); ++id)
      if (barriers[id].arrived) check_barrier(id);
  }
  /// Carries out all bulk copies of the block.
  void finish_bulk();
  /// Lets a shuffle or vote happen without lanes that cannot come. False: there is none, or it has to wait.
  bool go_without_absent();
  /// Says who waits for what.
  void report_deadlock();

 private:
  /// What the splits of a warp did in a turn.
  struct WarpTurn {
    bool yielded = false;  ///< one gave up its turn though it could go on
    bool worked = false;   ///< one did something else than poll
    bool circled = false;  ///< one passed as many barriers, alone, as a turn may have rounds
    bool looked = false;   ///< one looked for what others do, who must get a turn before it goes on
    void operator+=(const WarpTurn& other) {
      yielded |= other.yielded;
      worked |= other.worked;
      circled |= other.circled;
      looked |= other.looked;
    }
  };
  /// The place of the block behind this one: divisions would take as long as a short warp.
  void next_index() {
    const bool row = ++index.x == launch.grid.x, plane = row && ++index.y == launch.grid.y;
    if (row) index.x = 0;
    if (plane) index.y = 0, ++index.z;
  }
  WarpTurn run_warp(WarpState& w);
  /// `goes_on`: whole-warp code has begun it in this block, and what that left in its registers stays.
  void start_warp(WarpState& w, bool goes_on = false);
  void run_once(WarpState& w, const std::vector<u32>* again);
  void start_again(WarpState& w, bool goes_on = false);
  bool may_run_whole() const;
  void find_whole_code();
  u32 lanes_of(const WarpState& w) const;
  void count_left(u32 quarters = 4);
  void tell_parted();
  bool run_whole(WarpState& w, const Inst* from);
  const Inst* enter_whole(WarpState& w, const Inst* from, u32 others = 0, u32 expected = 0,
                          WholeCode again = nullptr);
  bool ready_together();
  bool left_whole(WarpState& w, const Inst* at);
  void end_whole(WarpState& w);
  Split* split_of(WarpState& w);
  bool comes_to_barrier(const WarpState& w, const Inst* at) const;
  u32 barrier_at(const WarpState& w, const Inst* at) const;
  void tell_of_barrier(const Inst* at, u32 id) const;
  size_t run_together(bool& ready);
  void prepare_whole();
  bool begin_whole(WarpState& w);
  bool resume_whole(WarpState& w);
  bool come_back(WarpState& w);
  WarpTurn run_lost_turn(WarpState& w);
  void find_late_code();
  void forget_shapes(WarpState& w) const;
  bool has_undefined(const WarpState& w) const;
  void part_whole(WarpState& w, Split& s) const;
  void fill_specials_of_block();

  std::vector<FunctionCode::SpecialSlot> changing_;  ///< the entry's special registers that differ by block
  // What full warps of this block begin with, and a last one that lacks lanes; and how many warps do.
  WholeCode whole_ = nullptr, whole_lacking_ = nullptr;
  size_t whole_warps_ = 0;
  bool begun_ = false;      ///< they have
  bool plainly_ = false;    ///< all of them have ended, one after another, without a barrier on the way
  u32 parted_ = 0;          ///< as told by count_parted()
  bool lost_turn_ = false;  ///< the warp could have come back to code that there is not
  // run_plainly() has entered the code, and where it was left.
  bool entered_ = false;
  const Inst* entered_at_ = nullptr;
  std::unique_ptr<WholeRun> whole_run_;
};

inline WarpState& state(Warp& w) { return static_cast<WarpState&>(w); }

// ---- divergence (splits.cpp) ----

struct Path {
  const Inst* pc;
  u32 mask;
};
/// The current split goes on with the first path, the others become splits of their own; they meet at `join`
/// (may be nullptr).
const Inst* part(Warp& w, const Path* paths, int count, const Inst* join);
/// The lanes end. Returns what a handler returns.
const Inst* exit_lanes(Warp& w, const Inst* i, u32 lanes);
/// The lanes return from a called function (from the entry: end).
const Inst* return_lanes(Warp& w, const Inst* i, u32 lanes);
/// Between a register of a frame (32 lanes of `bytes`, 16 bits at least) and the lanes' local memory.
void registers_to_local(Warp& w, u32 to, const u8* reg, u32 bytes, u32 lanes);
void local_to_registers(Warp& w, u8* reg, u32 from, u32 bytes, u32 lanes);
/// Copies `bytes` from one place to another of the local memory of some lanes.
void copy_local(Warp& w, u32 to, u32 from, u32 bytes, u32 lanes);
/// All lanes of the current split (`lanes`) go into the callee and on behind `i` when they are back.
const Inst* call_function(Warp& w, const Inst* i, const FunctionCode& callee, const CallPlan& plan,
                          u32 lanes);
/// The current split waits and is not ready until someone makes it so; it goes on at `pc`.
const Inst* block_split(Warp& w, const Inst* pc, Split::State why);
/// Where lanes that are divided may meet for a collective instruction: shfl, vote and their kin exchange
/// values only between lanes that execute the same one; bar.warp.sync counts arrivals, whichever
/// bar.warp.sync a lane comes to.
enum class Meeting { SamePlace, AnyPlace };
/// Runs `operation` once all lanes named by `members` (that live) have come to the instruction; the current
/// split waits till then.
const Inst* collective(Warp& w, const Inst* i, u32 lanes, u32 members,
                       void (*operation)(Warp& w, const Inst* i, u32 lanes),
                       Meeting meeting = Meeting::SamePlace);

// ---- faults (fault.cpp) ----

/// Records a fault at instruction i for a lane (negative: for the whole warp) and stops the launch. Returns
/// nullptr.
const Inst* fault(Warp& w, const Inst* i, int lane, std::string kind, std::string detail);
/// The line that a user of the program can change (ir/places.h).
Location users_line(const Program& program, u32 index);
/// "kernel.cu:12" or "kernel.ptx:34" of an instruction.
std::string place_text(const Program& program, u32 index);
/// "block (0,0,0), thread (3,0,0)".
std::string thread_text(const WarpState& w, int lane);
/// What is allocated at or near a global address.
std::string neighbourhood(const GlobalMemory& memory, u64 address);

}  // namespace ww::engine
