// What of a run is exact, what is approximated, stood in for, without effect or refused: for
// `warpwright run --fidelity`.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "cuda/core/host_trace.h"
#include "ir/module.h"

namespace ww::cuda {

/// What the environment asks for: WARPWRIGHT_FIDELITY names a file. Each fact is appended to it once, as soon
/// as it is known: "KIND\tNAME\tMORE" on a line. Kinds: entry (MORE: what is different here, or ""), library
/// (a function of a library, computed by the processor), kernel (MORE: its kinds of instructions), engine (a
/// kernel; MORE: which back end ran a launch of it, engine::Ran),
/// approximated (an instruction; MORE: in what way, and after a tab the kernel), refused (MORE: the kernel's
/// reason, or "").
class Fidelity {
 public:
  /// Null when nothing is asked for.
  static Fidelity* get();

  /// An entry point of ours is being called on this thread.
  void called();
  /// A function of another library of ours is.
  void library_called();
  void launched(const std::string& kernel, const ir::Module& module);
  void ran(const std::string& kernel, std::string_view back);
  void refused(std::string_view name, std::string_view why);

 private:
  explicit Fidelity(std::string file) : file_(std::move(file)) {}
  void write(const std::string& line);
  std::string file_;
  std::mutex mutex_;
  std::set<std::string> known_;
  KnownPlaces places_;
};

}  // namespace ww::cuda
