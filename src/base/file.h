// Whole files in and out, with errors a person understands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ww {

inline constexpr uint64_t kNoLimit = UINT64_MAX;

/// The whole content. Errors: missing, a directory, not readable, longer than `limit` bytes (also for pipes).
Result<std::string> read_file(const std::string& path, uint64_t limit = kNoLimit);

/// Replaces the file by `text` in one step: readers see the old content or the new, never a part. After an
/// error the old file is as it was and nothing new lies beside it. A symbolic link keeps pointing where it
/// did; an existing file keeps its mode. Devices and pipes (/dev/stdout) are written to directly.
Status write_file_atomically(const std::string& path, std::string_view text);

}  // namespace ww
