// Where in the program's host code a call came from.
#pragma once

#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

namespace ww::cuda {

/// Return addresses, the innermost first; those inside of this library are among them.
using RawTrace = std::vector<void*>;

RawTrace raw_trace();
/// In a signal's handler: that of the code which the signal interrupted.
RawTrace interrupted_trace();
/// Whether a return address lies in this library; whether one of a trace does.
bool lies_here(void* address);
bool passes_here(const RawTrace& trace);

/// The frames of the program and its libraries as "FILE+0xADDRESS", ADDRESS as the file's own symbols count;
/// without this library's, and without what the C library does before main.
std::vector<std::string> frames_of(const RawTrace& trace);

/// The entry point of ours that the program called: "cudaMalloc"; "" if there is none in the trace.
std::string entry_point(const RawTrace& trace);

/// The function of another library of ours that the program called, where such a library called this one:
/// "cublasSgemm_v2"; "" if there is none.
std::string library_function(const RawTrace& trace);
/// The trace without what lies in that library, or in this one before it.
RawTrace behind_library(const RawTrace& trace);

/// Places that calls came from. The loader looks through all of a library's symbols for a name, which costs
/// more than most calls do: so names are asked for once for each place.
class KnownPlaces {
 public:
  /// Whether a call from there was met before. Any thread may ask.
  bool met(const RawTrace& trace);

 private:
  static constexpr size_t kMost = 1 << 16;
  std::mutex mutex_;
  std::unordered_set<size_t> hashes_;
};

}  // namespace ww::cuda
