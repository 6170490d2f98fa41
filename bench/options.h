// The command line of the benchmarks that run the kernels of compare_peers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace ww::bench {

/// FOLDER [NAME…] --format table|csv --rounds N --seconds S, and what the program itself adds.
struct Options {
  std::string folder;  ///< of the kernels' .ptx
  std::vector<std::string> names;
  bool csv = false;
  int rounds = 0;
  double seconds = 0;  ///< for each kernel
};

/// What a flag of the program's own is asked: whether it is one; `value` is the argument behind it.
using OwnFlag = std::function<bool(const std::string& flag, const std::function<std::string()>& value)>;
/// `options` holds the defaults. False: they are wrong, and standard error says why.
bool read_options(int argc, char** argv, Options& options, const OwnFlag& own);

/// Tells what went wrong; the exit code.
int fail(const Diagnostics& why);

}  // namespace ww::bench
