// Counting every launch of the program, when `warpwright profile` asks for it.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "base/table.h"
#include "caches/replays.h"
#include "cuda/abi/types.h"
#include "cuda/core/host_trace.h"
#include "engine/engine.h"
#include "forecast/known_code.h"
#include "gpus/gpu.h"

namespace ww::cuda {

/// What the environment asks for: WARPWRIGHT_PROFILE names the file that gets the rows, _GPUS the GPUs to
/// count for (by commas), _KERNEL a regular expression for kernels' readable names, _SKIP and _COUNT which of
/// those launches, _DETAILS that lines and views are wanted, too.
class Profile {
 public:
  /// Null when nothing is asked for. What is wrong with the request is said once, and nothing is counted.
  static Profile* get();

  static constexpr char kBetween = '\x1d', kBehind = '\x1e', kLibrary = '\x1f';

  /// Notes the function of another library of ours, computed by the processor, that calls on this thread:
  /// kLibrary, its name and kBehind.
  void library_called();

  /// Whether this launch is to be counted; counts it among those that were asked about.
  bool wants(const std::string& kernel);
  /// Runs the kernel and appends to the file, in one write, so that processes may share it: a JSON table
  /// (report/json.h) with a row for each GPU, then, where details are wanted, for each of them the table of
  /// its source lines and its view (forecast/view.h), with kBetween between them and kBehind at the end;
  /// before a process's first launch kBehind alone, which says that there was one, should none come to its
  /// end. Of a launch that does not run to its end, one row that says so. Errors as Engine::run. `ptx`: the
  /// text that the module was made from.
  Result<engine::RunResult> run(engine::Engine& engine, engine::LoadedModule& module,
                                const engine::LaunchRequest& request, const std::string& ptx);

 private:
  Profile() = default;
  bool read(std::string& why);
  void append(const std::string& text);
  std::string file_;
  std::vector<gpus::Gpu> gpus_;
  // Of the launches so far:
  caches::Replays replays_;
  forecast::KnownCode code_;
  std::optional<std::regex> kernel_;
  bool details_ = false;
  uint64_t skip_ = 0, most_ = UINT64_MAX;
  std::atomic<uint64_t> asked_{0}, launches_{0};
  std::atomic<uint64_t> told_{0};  ///< launches on a GPU that were written
  std::atomic<bool> begun_{false};
  KnownPlaces library_calls_;
};

}  // namespace ww::cuda
