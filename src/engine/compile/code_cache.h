// Compiled code kept on disk, so that another process need not compile the same kernel again. Keyed by what
// the code was made from: the instructions, the processor's lane code, and the compiler's library with its
// bitcode.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/compile/unit.h"

namespace ww::engine {

/// Safe against other processes that use the same folder (files appear whole or not at all) and against
/// damaged files (they count as missing and are written anew). Files that others may have written are not
/// believed. Errors are silent: nothing is kept then.
class CodeCache {
 public:
  /// `version`: of the compiler. `limit`: bytes; beyond it the files go that were not used for longest.
  CodeCache(std::string folder, std::string version, u64 limit)
      : folder_(std::move(folder)), version_(std::move(version)), limit_(limit) {}

  /// Code as laid out in code.h.
  std::optional<std::vector<u8>> find(const CompileUnit& unit) const;
  void keep(const CompileUnit& unit, std::span<const u8> code);
  /// Removes files until the rest takes no more than the limit.
  void prune() const;

  const std::string& folder() const { return folder_; }

 private:
  std::string file_of(const CompileUnit& unit, std::string& key) const;

  std::string folder_, version_;
  u64 limit_;
  std::mutex mutex_;
  u64 written_ = 0;  ///< since the last look at how large the folder is
};

/// This process's cache: WARPWRIGHT_CODE_CACHE names the folder ("off": none), otherwise it is
/// $XDG_CACHE_HOME/warpwright/code or ~/.cache/warpwright/code; WARPWRIGHT_CODE_CACHE_LIMIT its size in MiB
/// (256). Null: none. `compiler`: the path of its library ("": there is none, nor a cache).
CodeCache* code_cache(const std::string& compiler);

}  // namespace ww::engine
