// What a check found wrong with a program: where, by whom, to which bytes, and how often.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace ww::checks {

using u32 = uint32_t;
using u64 = uint64_t;

enum class Severity {
  Error,    ///< the program is wrong: on some GPU, in some run, the result is not what the source says
  Warning,  ///< wrong by the manual, without effect in this run (a race that writes the same value)
  Hint,     ///< right, but slow or fragile
};

/// A thread of a launch.
struct Thread {
  std::array<u32, 3> block{}, thread{};
  u64 launch = 0;  ///< number of the launch in its process, from 0
};

/// One side of a finding: who did what where.
struct Party {
  std::string what;               ///< "writes 4 bytes", "waits at barrier 0"
  Location where;                 ///< line of the user's CUDA source when known, else the PTX line
  std::vector<Location> inlined;  ///< where code was inlined: all places, innermost first (ir/places.h)
  int ptx_line = 0;
  Thread by;
  bool everyone = false;  ///< no thread alone: of `by` only the launch counts
};

/// A place in the program's host code, as a back-trace prints it: "main.cu:42 in main", or a module and
/// offset.
using HostTrace = std::vector<std::string>;

struct Finding {
  std::string kind;  ///< "race", "out-of-bounds", "uninitialised", …: the name of the check, or finer
  Severity severity = Severity::Error;
  std::string kernel;          ///< readable name; "" where no kernel is concerned (a bad copy)
  std::string message;         ///< one sentence without a full stop
  std::vector<Party> parties;  ///< first the one that is reported, then whom it conflicts with
  std::vector<std::string>
      more;            ///< lines for a person: the allocation, the missing synchronisation, the cure
  u64 allocation = 0;  ///< base address of the allocation that it concerns; 0: none is known
  HostTrace launched, allocated;  ///< where the host launched the kernel, made the allocation …
  HostTrace freed;                ///< … and gave it back; whoever collects the findings fills these in
  /// Where it called for the operation that this one conflicts with, or read an uninitialised value.
  HostTrace other;
  u64 count = 1;  ///< how often it was met
  u64 id = 0;     ///< of its Findings: another with the same id is a later state of this one
};

}  // namespace ww::checks
