// Whole files in and out, with errors a person understands.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ww {

/// No text that this program reads (sources, tables, results) is longer. Bytes.
inline constexpr uint64_t kMostText = uint64_t{1} << 30;

/// A file that is read from its beginning to its end.
class InputFile {
 public:
  enum class Kind {
    Any,      ///< also pipes and devices, which may never end
    Regular,  ///< nothing else; opening never waits
  };
  /// Errors: missing, a directory, not readable, not of this kind.
  static Result<InputFile> open(const std::string& path, Kind kind = Kind::Any);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  ~InputFile();

  /// Bytes of a regular file; nothing for pipes and devices, nor where the system calls a file empty that is
  /// not (/proc).
  std::optional<uint64_t> size() const { return size_; }
  /// Fills `to`, or as much of it as there is; returns how much. Errors: of reading.
  Result<size_t> read(std::span<std::byte> to);

 private:
  InputFile(int fd, std::string path, std::optional<uint64_t> size);
  int fd_;
  std::string path_;
  std::optional<uint64_t> size_;
};

/// The whole content. Errors: as InputFile; longer than `limit` bytes (also pipes and devices).
Result<std::string> read_file(const std::string& path, uint64_t limit = kMostText,
                              InputFile::Kind kind = InputFile::Kind::Any);

/// Replaces the file by `text` in one step: readers see the old content or the new, never a part. After an
/// error the old file is as it was and nothing new lies beside it. A symbolic link keeps pointing where it
/// did; an existing file keeps its mode. Devices and pipes (/dev/stdout) are written to directly.
Status write_file_atomically(const std::string& path, std::string_view text);

/// Whether write_file_atomically() can work there, as far as permissions and folders tell: asked before the
/// work whose result shall be written. Errors: as that function's.
Status check_can_write(const std::string& path);

}  // namespace ww
