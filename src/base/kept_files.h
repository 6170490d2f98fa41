// Files that the program keeps for itself from one process to the next, and can do without.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ww {

/// A folder of such files, bounded. Safe against other processes that use the same folder (files appear whole
/// or not at all). Files that others may have written are not believed. Errors are silent: nothing is kept
/// then.
class KeptFiles {
 public:
  /// `suffix`: of the files' names; others in the folder are left alone. `limit`: bytes; beyond it the files
  /// go that were not used for longest.
  KeptFiles(std::string folder, std::string suffix, uint64_t limit)
      : folder_(std::move(folder)), suffix_(std::move(suffix)), limit_(limit) {}

  /// The content of a file, which counts as used now.
  std::optional<std::string> find(const std::string& name) const;
  void keep(const std::string& name, std::string_view content);
  /// Removes files until the rest takes no more than the limit.
  void prune() const;

  const std::string& folder() const { return folder_; }

 private:
  std::string path_of(const std::string& name) const { return folder_ + '/' + name + suffix_; }

  std::string folder_, suffix_;
  uint64_t limit_;
  std::atomic<uint64_t> written_ = 0;  ///< since the last look at how large the folder is
};

/// $XDG_CACHE_HOME/warpwright/NAME or ~/.cache/warpwright/NAME; "" if neither is known.
std::string cache_folder(const std::string& name);

/// What an environment variable VARIABLE (a folder, or "off") and VARIABLE_LIMIT (MiB) make of such a folder:
/// its path ("": nothing is kept) and its size in bytes.
struct KeptWhere {
  std::string folder;
  uint64_t limit = 0;
};
KeptWhere kept_where(const std::string& variable, const std::string& name, uint64_t usual_mib);

}  // namespace ww
