// What nvcc has made of .cu files, kept on disk: most of the time of a short launch is the compiler's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/kept_files.h"
#include "cli/compile/cuda_source.h"

namespace ww::cli {

/// A compilation by nvcc, as far as what comes of it depends on it besides the contents of files.
struct Compilation {
  std::vector<std::string> command;  ///< the compiler, its flags and the source: no temporary files
  std::vector<std::string> folders;  ///< where #include looks first: the source's own, then those of -I
  std::string more;                  ///< what else the text depends on
};

/// Believed only while all files that the compiler read have the contents that they had, and none has
/// appeared that it would read in their place.
class KeptPtx {
 public:
  explicit KeptPtx(KeptWhere where) : files_(std::move(where.folder), ".wwp", where.limit) {}

  std::optional<CompiledCuda> find(const Compilation& what) const;
  /// `read`: the files that the compiler read, by its own list (dependencies()). Not kept: what depends on
  /// the time (__DATE__), or asks whether there are files (__has_include).
  void keep(const Compilation& what, const std::vector<std::string>& read, const CompiledCuda& compiled);

 private:
  KeptFiles files_;
};

/// The files of a rule for make ("out: a b\ c \⏎ d"), without its target.
std::vector<std::string> dependencies(const std::string& rule);

/// This process's: WARPWRIGHT_PTX_CACHE names the folder ("off": none), otherwise it is
/// $XDG_CACHE_HOME/warpwright/ptx or ~/.cache/warpwright/ptx; WARPWRIGHT_PTX_CACHE_LIMIT its size in MiB
/// (64). Null: none.
KeptPtx* kept_ptx();

}  // namespace ww::cli
