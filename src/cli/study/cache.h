// The cache of `study`: where it is, and what is said about it.
#pragma once

#include <memory>
#include <string>

#include "cli/shared/app.h"
#include "study/cache.h"

namespace ww::cli {

struct CacheOptions {
  std::string folder;  ///< "": $XDG_CACHE_HOME/warpwright or ~/.cache/warpwright
  bool none = false, force = false;
  uint64_t limit = 1024;  ///< MiB
};

/// --cache, --cache-limit, --no-cache, --force.
void add_cache(CLI::App& command, CacheOptions& options);

/// Null: not wanted, or the environment names no place for one.
std::unique_ptr<study::Cache> open_cache(const CacheOptions& options);

/// Makes room in the cache; on stderr: how many runs the cache had, and what was wrong with it.
void finish(study::Cache& cache, const CacheOptions& options, size_t known, size_t total);

}  // namespace ww::cli
