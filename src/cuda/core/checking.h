// Checking every launch, and what the host does with device memory, when `warpwright check` asks for it.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "checks/check.h"
#include "cuda/abi/types.h"
#include "cuda/core/device_guard.h"
#include "cuda/core/host_guard.h"
#include "cuda/core/host_trace.h"
#include "cuda/core/memory_map.h"
#include "gpus/gpu.h"

namespace ww::cuda {

struct Copy;

/// What the environment asks for: WARPWRIGHT_CHECK names the file that gets the findings, _NAMES the checks
/// (by commas, or all), _KERNEL a regular expression for the kernels whose findings are wanted, _LEAKS that
/// memory which is not freed is one.
///
/// A finding is appended as soon as it is made, so that it is not lost when the program crashes, and again
/// when it was met more often: "PROCESS\t" and one object (checks/json.h) on a line, in one write, so that
/// processes may share the file.
class Checking {
 public:
  /// Null when nothing is asked for. What is wrong with the request is said once, and nothing is checked.
  static Checking* get();

  /// Lets the checks listen to the memory of the engine.
  void watch(engine::Engine& engine);
  /// Runs the kernel under the checks; `gpu`: what is slow there is hinted at, if that is asked for. `ptx`:
  /// the text that the module was made from. Errors as Engine::run.
  Result<engine::RunResult> run(engine::Engine& engine, engine::LoadedModule& module,
                                const engine::LaunchRequest& request, const gpus::Gpu& gpu,
                                const std::string& ptx, const checks::Start& start);

  // What the host does.
  void allocated(const Block& block);
  void freed(const Block& block);
  /// The block of this address is rows of `width` bytes, `pitch` bytes from one to the next.
  void pitched(u64 address, u64 pitch, u64 width);
  /// An address that is not one to free; `kind` as the call takes it.
  void bad_free(u64 address, BlockKind kind);
  void bad_copy(const Copy& copy, Error error);
  /// A copy whose source and destination share bytes.
  void overlapping_copy(const Copy& copy);
  /// A set of memory that ends behind the allocation, or begins in none.
  void bad_set(u64 to, u64 end);
  /// A set of no bytes, if its value looks like their number.
  void empty_set(u64 to, u32 value, u32 element);
  /// A texture of so many bytes of linear memory, of which only some are there behind `address`.
  void long_texture(u64 address, u64 bytes, u64 left);
  /// An entry point is about to return an error.
  void api_error(Error error);
  /// A kernel has started `kernel`, with a grid or block that cannot be.
  void refused_child(const std::string& kernel, Error error);
  /// This thread asks what the last error was.
  void errors_asked();
  /// The program asks for the time of events that it has not waited for.
  void early_time();
  /// Whether a query may say that a stream or event is over (Streams::asked).
  bool query_says_over(const events::StreamOrder& order) { return !streams_ || streams_->asked(order); }

  /// A library works on the processor now. What it writes is not seen, so all memory that there is counts as
  /// written.
  void library_called();
  /// It will read or write so many bytes from there on.
  void library_touches(u64 address, u64 bytes, bool writes);
  /// And `count` operands of a batch, which begin `step` bytes apart.
  void library_batch(u64 first, int64_t step, int64_t count, bool writes);

  /// The program ends.
  void end();

 private:
  struct Known {
    u64 bytes = 0;
    BlockKind kind = BlockKind::Device;
    size_t allocated = 0, freed = 0;  ///< traces
    bool live = true;
    bool written = false;      ///< as far as anyone can tell: library_called()
    u64 pitch = 0, width = 0;  ///< of rows
  };
  Checking() = default;
  bool read(std::string& why);
  /// Counts the launch besides and adds what is slow on the GPU.
  Result<engine::RunResult> run_counted(engine::Engine& engine, engine::LoadedModule& module,
                                        engine::LaunchRequest& request, const gpus::Gpu& gpu,
                                        const std::string& ptx, const checks::LaunchFacts& facts);
  /// Whether a pointer among the arguments leads to memory that the host may write during the launch.
  bool reaches_host(const engine::LaunchRequest& request);
  /// Whether the GPU has registers for a block of the launch.
  void look_at_registers(const engine::LoadedModule& module, const engine::LaunchRequest& request,
                         const gpus::Gpu& gpu, const std::string& ptx, const checks::LaunchFacts& launch);
  /// The program has not asked for the errors of these launches.
  void tell_refused();
  size_t trace_here();  ///< its number; each is kept once
  enum class Call : u8 { Fails, Succeeds };
  /// Of a call of the host, which is about to fail or not.
  void add(checks::Finding finding, Call call = Call::Fails);
  void complete(checks::Finding& finding);
  void flush();
  void tell_of_library(const char* kind, const std::string& what, bool writes, u64 address, u64 allocation);
  std::string describe(u64 address) const;

  std::string file_, token_;
  int process_ = 0;
  bool leaks_ = false, host_ = false, hints_ = false;
  std::optional<std::regex> kernel_;
  checks::Findings findings_;
  std::vector<std::unique_ptr<checks::Check>> checks_;
  engine::Engine* engine_ = nullptr;
  checks::Streams* streams_ = nullptr;         ///< if races are looked for
  std::unique_ptr<HostGuard> guard_;           ///< likewise
  std::unique_ptr<DeviceGuard> device_guard_;  ///< if what the host does is

  std::mutex mutex_;  ///< guards what follows
  std::map<RawTrace, size_t> trace_numbers_;
  std::deque<RawTrace> traces_;
  std::vector<size_t> launches_;  ///< by number: its trace
  std::map<u64, Known> known_;    ///< allocations by base
  bool any_pitched_ = false;
  /// A launch that was refused.
  struct Refused {
    std::thread::id thread;  ///< of the host
    checks::Finding finding;
    bool returned = false;  ///< the error is the value of the call, which may have been looked at
    u64 launches = 0;       ///< how many there were before
    u64 results = 0;        ///< ResultsRead::count then
  };
  std::vector<Refused> refused_;
  /// Counts how often the host has read memory of the device.
  struct ResultsRead : events::Listener {
    u32 wants() const override { return 0; }
    void host_access(const events::HostAccess& e) override { count += e.direction == isa::Direction::Read; }
    std::atomic<u64> count = 0;
  } results_;
  std::set<std::pair<std::string, u64>> known_registers_;  ///< kernels and threads of a block looked at
  std::deque<u64> gone_;                                   ///< those freed, the oldest first
};

}  // namespace ww::cuda
