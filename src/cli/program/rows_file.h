// A temporary file that the processes of a program append to.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace ww::cli {

/// Made empty for us alone; gone when this is.
class RowsFile {
 public:
  explicit RowsFile(const std::string& command) {
    std::error_code none;
    path_ = (std::filesystem::temp_directory_path(none) / ("warpwright-" + command + "-XXXXXX")).string();
    int file = none ? -1 : ::mkstemp(path_.data());
    if (file >= 0) ::close(file);
    good_ = file >= 0;
  }
  ~RowsFile() {
    if (good_) ::unlink(path_.c_str());
  }
  RowsFile(const RowsFile&) = delete;
  RowsFile& operator=(const RowsFile&) = delete;

  bool good() const { return good_; }
  /// Whether all could be written to it; cuda/core/append.h says what tells us.
  bool complete() const {
    struct stat s {};
    return ::stat(path_.c_str(), &s) == 0 && !(s.st_mode & S_IXUSR);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool good_ = false;
};

}  // namespace ww::cli
