#include "cuda/core/append.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file_limit.h"

namespace ww::cuda {

bool append_to(const std::string& path, const std::string& text, bool make) {
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | (make ? O_CREAT : 0), 0600);
  if (file < 0) return false;
  FileLimit limit;
  size_t at = 0;
  while (at < text.size()) {
    const ssize_t wrote = ::write(file, text.data() + at, text.size() - at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) break;
    at += static_cast<size_t>(wrote);
  }
  if (at < text.size()) ::fchmod(file, kLacking);
  ::close(file);
  return at == text.size();
}

}  // namespace ww::cuda
