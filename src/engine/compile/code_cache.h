// Compiled code kept on disk, so that another process need not compile the same kernel again. Keyed by what
// the code was made from: the instructions, the processor's lane code, and the compiler's library with its
// bitcode.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/kept_files.h"
#include "engine/compile/unit.h"

namespace ww::engine {

/// Damaged files count as missing and are written anew.
class CodeCache {
 public:
  /// `version`: of the compiler. `limit`: bytes; beyond it the files go that were not used for longest.
  CodeCache(std::string folder, std::string version, u64 limit)
      : files_(std::move(folder), ".wwc", limit), version_(std::move(version)) {}

  /// Code as laid out in code.h.
  std::optional<std::vector<u8>> find(const CompileUnit& unit) const;
  void keep(const CompileUnit& unit, std::span<const u8> code);
  /// The code is about to be made. A process may end before it is there; the next one then knows that the
  /// kernel ran long enough to be worth it.
  void begin(const CompileUnit& unit);
  bool begun(const CompileUnit& unit) const;
  /// Removes files until the rest takes no more than the limit.
  void prune() const { files_.prune(); }

  const std::string& folder() const { return files_.folder(); }

 private:
  std::string name_of(const CompileUnit& unit, std::string& key) const;

  KeptFiles files_;
  std::string version_;
};

/// The build ID that the linker gave a library or program: a digest of what it holds. Reading the whole of
/// the compiler's library instead would take a quarter of the time of a program with one launch. "": it has
/// none.
std::string linkers_digest(const std::string& library);

/// This process's cache: WARPWRIGHT_CODE_CACHE names the folder ("off": none), otherwise it is
/// $XDG_CACHE_HOME/warpwright/code or ~/.cache/warpwright/code; WARPWRIGHT_CODE_CACHE_LIMIT its size in MiB
/// (256). Null: none. `compiler`: the path of its library ("": there is none, nor a cache).
CodeCache* code_cache(const std::string& compiler);

}  // namespace ww::engine
