// A directory for files that other programs write or read for us.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace ww {

/// A directory that only we can enter, and that goes away with us.
class PrivateDirectory {
 public:
  PrivateDirectory() {
    std::error_code none;
    path_ = (std::filesystem::temp_directory_path(none) / "warpwright-XXXXXX").string();
    if (none || !::mkdtemp(path_.data())) path_.clear();
  }
  ~PrivateDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;
  explicit operator bool() const { return !path_.empty(); }
  /// The path of a file in it.
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace ww
