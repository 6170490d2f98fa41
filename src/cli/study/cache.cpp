#include "cli/study/cache.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdlib>

#include "base/text.h"

namespace ww::cli {

namespace {

/// As the XDG Base Directory Specification has it: a relative path there does not count.
std::string default_folder() {
  const auto absolute = [](const char* path) { return path && path[0] == '/'; };
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); absolute(cache))
    return fmt::format("{}/warpwright", cache);
  const char* home = std::getenv("HOME");
  return absolute(home) ? fmt::format("{}/.cache/warpwright", home) : "";
}

}  // namespace

void add_cache(CLI::App& command, CacheOptions& options) {
  auto* folder =
      command.add_option("--cache", options.folder, "Keep counted rows here (default: ~/.cache/warpwright)")
          ->type_name("DIR");
  auto* none = command.add_flag("--no-cache", options.none, "Do not use the cache")->excludes(folder);
  command
      .add_option("--cache-limit", options.limit,
                  "Keep the cache below this size; the rows unused for longest go first (default: 1024)")
      ->type_name("MIB")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 40));
  command.add_flag("--force", options.force, "Run configurations again that are in the cache")
      ->excludes(none);
}

std::unique_ptr<study::Cache> open_cache(const CacheOptions& options) {
  const std::string folder = options.folder.empty() ? default_folder() : options.folder;
  if (options.none || folder.empty()) return nullptr;
  return std::make_unique<study::Cache>(folder, options.force);
}

void finish(study::Cache& cache, const CacheOptions& options, size_t known, size_t total) {
  if (cache.damaged() > 0)
    fmt::print(stderr, "warning: {} damaged {} in the cache {}: run again and replaced\n", cache.damaged(),
               cache.damaged() == 1 ? "row" : "rows", printable(cache.folder()));
  if (!cache.trouble().empty()) fmt::print(stderr, "warning: results are not cached: {}\n", cache.trouble());
  if (const size_t removed = cache.prune(options.limit << 20); removed > 0)
    fmt::print(stderr, "{} {} removed from the cache {}: it is limited to {} MiB\n", removed,
               removed == 1 ? "row was" : "rows were", printable(cache.folder()), options.limit);
  if (known > 0)
    fmt::print(stderr, "{} of {} runs were in the cache (--force runs them again)\n", known, total);
}

}  // namespace ww::cli
