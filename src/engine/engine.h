// The engine: loads modules, keeps device memory, runs kernels on all cores.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/compile/compile.h"
#include "engine/schedule/launch_state.h"
#include "engine/schedule/order.h"
#include "engine/schedule/team.h"
#include "engine/schedule/worker_pool.h"

namespace ww::engine {

/// A launch that has run for a while, and nobody knows whether it will end.
struct LongLaunch {
  std::string kernel;    ///< its symbol
  double seconds = 0;    ///< in which no block has ended
  std::string standing;  ///< where its warps stand
};

struct Settings {
  int threads = 0;           ///< host threads; 0: all cores
  u64 memory_limit = 0;      ///< device memory in bytes; 0: three quarters of the host's
  u64 gap = 0;               ///< unused addresses behind allocations (GlobalMemory)
  u32 multiprocessors = 16;  ///< with the limits below: how many blocks hold state at once
  u32 threads_per_multiprocessor = 2048, blocks_per_multiprocessor = 32;
  u64 shared_per_multiprocessor = 228 * 1024;
  u64 heap_limit = u64{8} << 20;    ///< bytes that malloc in kernels may give at one time (CUDA's default)
  u64 branch_limit = u64{1} << 33;  ///< taken backward branches of one warp; 0: no limit
  double patience = 0;  ///< seconds in which no block ends until a launch is given up; 0: no limit
  /// Where `tell_after` is not 0: told of a launch in which no block ends for so many seconds, and again each
  /// time that this has lasted twice as long. From another thread, while the launch goes on.
  double tell_after = 0;
  std::function<void(const LongLaunch&)> tell_long;
  double standstill = 0;  ///< seconds in which nothing changes until a launch is given up; 0: not looked at.
  /// The host may write meanwhile what kernels wait for: only those stand still whose threads all wait for
  /// mbarriers or barriers.
  bool host_may_help = false;
  Order order;  ///< of blocks and warps
  /// Taken backward branches after which a warp lets others have a turn; 0: as usual. With --engine compiled
  /// all code is compiled then, also what only long loops come to.
  u32 turn_budget = 0;
  /// A shuffle or vote whose mask names lanes that cannot come ends the launch; false: it happens without
  /// them (cards do that where the compiler made a branch a predicate:
  /// data/measured/h200-ptx/absent_lanes.csv)
  bool wait_for_absent = true;
  std::string lanes;  ///< "plain", "avx2", "avx512", "neon"; "": the best there is
  /// "interpreter", "auto": native code for kernels that run for a while, "compiled": for all; "": as the
  /// environment variable WARPWRIGHT_ENGINE says, or auto
  std::string back;
  const std::atomic<bool>* cancel = nullptr;  ///< stops a launch when it becomes true
};

/// Which form of a kernel's code a launch takes.
struct ProgramKey {
  std::string kernel;
  std::array<u32, 3> form{};  ///< Engine::program_of
};
/// The same without a copy of the name: every launch looks for its program.
struct ProgramKeyView {
  std::string_view kernel;
  std::array<u32, 3> form{};
};
struct ProgramKeyLess {
  using is_transparent = void;
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    if (a.form != b.form) return a.form < b.form;
    return std::string_view(a.kernel) < std::string_view(b.kernel);
  }
};

/// A module with its variables in device memory.
struct LoadedModule {
  std::shared_ptr<const ir::Module> module;
  Layout layout;      ///< of module-scope variables (global, const)
  u64 constants = 0;  ///< device address of the constant bank; 0: none
  u32 constants_bytes = 0;
  std::vector<u64> allocations;
  bool complete = false;                                                    ///< load() has come to its end
  std::map<ProgramKey, std::shared_ptr<Program>, ProgramKeyLess> programs;  ///< decoded kernels
};

/// How often an instruction was executed.
struct Executions {
  u64 warps = 0;    ///< by warps
  u64 threads = 0;  ///< by threads (active lanes)
  u64 parted = 0;   ///< branches: how often the lanes of a warp went different ways
};

/// What an access whose space or size only its run can tell did in one space.
struct Landed {
  u64 requests = 0;  ///< warp instructions
  u64 bytes = 0;     ///< that their threads asked for
  bool operator==(const Landed&) const = default;
};
using Landings = std::array<Landed, kLandingCount>;  ///< by kLandings

/// Which back end ran a launch. Both: the code was ready only while it ran, or only some of several runs had
/// it. (Instructions without code of their own are the interpreter's in any case.)
enum class Ran { Interpreter, Compiled, Both };
std::string_view name(Ran ran);  ///< "interpreter", "compiled", "both"
inline Ran both(Ran a, Ran b) { return a == b ? a : Ran::Both; }

struct RunResult {
  std::vector<Fault> faults;
  std::string printed;
  std::vector<DeviceLaunch> children;  ///< what the kernel started, for the caller to run, in this order
  std::string absent;  ///< the first place where lanes were not waited for (Settings::wait_for_absent); ""
  bool cancelled = false;
  Ran ran = Ran::Interpreter;
  std::string standing;  ///< where the warps stood when it was cancelled; "" if nothing had begun
  std::shared_ptr<const Program> program;
  std::vector<Executions> executions;  ///< by instruction (index into program->infos), when counted
  std::map<u32, Landings> landings;    ///< by instruction, of those with InstInfo::landed
};

struct LaunchRequest {
  std::string kernel;
  Extent3 grid, block;
  Extent3 cluster;  ///< blocks of a cluster; 1 x 1 x 1: as the kernel says (.reqnctapercluster)
  u32 dynamic_shared = 0;
  std::vector<std::vector<u8>> arguments;
  bool cooperative = false;
  std::optional<u64> heap_limit;  ///< for malloc in kernels; without: the settings'
  bool counted = false;
  std::vector<events::Listener*> listeners;  ///< told what happens, in this order
  std::vector<u64> blocks;                   ///< run only these (linear numbers); empty: the whole grid
};

class Engine {
 public:
  explicit Engine(Settings settings);

  GlobalMemory& memory() { return memory_; }
  const Settings& settings() const { return settings_; }
  const LaneCode& lanes() const { return *lanes_; }

  /// Places the module's variables. Errors: out of memory, external variables that nothing defines.
  Result<std::shared_ptr<LoadedModule>> load(std::shared_ptr<const ir::Module> module);
  void unload(LoadedModule& module);

  /// Errors are the caller's (unknown kernel, wrong number of arguments, too much shared memory, what is not
  /// implemented); what the kernel does wrong is in the result.
  Result<RunResult> run(LoadedModule& module, const LaunchRequest& request);

  /// Handles for textures and surfaces, as kernels take them (64-bit objects). Errors: a description that
  /// makes no sense, memory that is not allocated or too small.
  Result<u64> create_texture(const TextureDescription& description) {
    return textures_.create(description, false, memory_);
  }
  Result<u64> create_surface(const TextureDescription& description) {
    return textures_.create(description, true, memory_);
  }
  Status destroy_texture(u64 handle) { return textures_.destroy(handle); }

  /// Blocks that hold state at once for such a launch.
  u64 resident_blocks(const Program& program, const LaunchRequest& request) const;

 private:
  /// As long as the module.
  Result<const std::shared_ptr<Program>*> program_of(LoadedModule& module, const LaunchRequest& request,
                                                     const events::Bus& bus);

  Settings settings_;
  const LaneCode* lanes_;
  Back back_ = Back::Interpreter;
  GlobalMemory memory_;
  TextureTable textures_;
  Teams teams_;
  WorkerPool pool_;
};

}  // namespace ww::engine
