#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

namespace ww {
namespace fs = std::filesystem;
namespace {

Diagnostic failure(std::string_view doing, const std::string& path, int code) {
  if (path.empty()) return error(fmt::format("cannot {} a file without a name", doing));
  return error(fmt::format("cannot {} '{}': {}", doing, path, std::generic_category().message(code)));
}

Diagnostic too_large(const std::string& path, uint64_t limit) {
  return error(fmt::format("cannot read '{}': larger than the limit of {} bytes", path, limit));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  operator int() const { return fd_; }  // NOLINT: it stands for the number
  int release() { return std::exchange(fd_, -1); }
  /// False when closing failed: some file systems tell only then that the disk is full.
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// The file a chain of symbolic links ends at, whether it exists or not.
std::string resolve(std::string path) {
  std::error_code ignored;
  for (int i = 0; i < 40 && fs::is_symlink(path, ignored); ++i) {
    fs::path target = fs::read_symlink(path, ignored);
    if (ignored) break;
    path = (fs::path(path).parent_path() / target).string();
  }
  return path;
}

Status write_directly(const std::string& path, std::string_view text) {
  Descriptor fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (fd < 0 || !write_all(fd, text)) return failure("write", path, errno);
  return {};
}

// The name does not grow with the file's, which may be as long as a name can be.
std::string temporary_beside(const std::string& path) {
  static std::atomic<unsigned> counter = 0;
  return (fs::path(path).parent_path() / fmt::format(".ww-{}-{}.tmp", ::getpid(), counter++)).string();
}

}  // namespace

InputFile::InputFile(int fd, std::string path, std::optional<uint64_t> size)
    : fd_(fd), path_(std::move(path)), size_(size) {}
InputFile::InputFile(InputFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)), size_(other.size_) {}
InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  path_ = std::move(other.path_);
  size_ = other.size_;
  return *this;
}
InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<InputFile> InputFile::open(const std::string& path, Kind kind) {
  // Who wants a regular file does not wait for the other end of a pipe.
  const int wait = kind == Kind::Regular ? O_NONBLOCK : 0;
  Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | wait));
  struct stat info {};
  if (fd < 0 || ::fstat(fd, &info) != 0) return failure("read", path, errno);
  if (S_ISDIR(info.st_mode)) return failure("read", path, EISDIR);
  if (kind == Kind::Regular && !S_ISREG(info.st_mode))
    return error(fmt::format("cannot read '{}': it is no regular file", path));
  std::optional<uint64_t> size;
  if (S_ISREG(info.st_mode) && info.st_size > 0) size = static_cast<uint64_t>(info.st_size);
  return InputFile(fd.release(), path, size);
}

Result<size_t> InputFile::read(std::span<std::byte> to) {
  size_t used = 0;
  while (used < to.size()) {
    const ssize_t n = ::read(fd_, to.data() + used, to.size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failure("read", path_, errno);
    if (n == 0) break;
    used += static_cast<size_t>(n);
  }
  return used;
}

Result<std::string> read_file(const std::string& path, uint64_t limit, InputFile::Kind kind) {
  auto file = InputFile::open(path, kind);
  if (!file) return file.error();
  const uint64_t expected = file->size().value_or(0);
  if (expected > limit) return too_large(path, limit);

  // The size is a hint only: files grow. One byte more tells the end without growing.
  std::string text(expected + 1, '\0');
  size_t used = 0;
  while (true) {
    if (used == text.size()) {
      const size_t more = std::max<size_t>(used, 1 << 16);
      text.resize(limit - used < more ? limit + 1 : used + more);
    }
    auto n = file->read(std::as_writable_bytes(std::span(text).subspan(used)));
    if (!n) return n.error();
    used += *n;
    if (used > limit) return too_large(path, limit);
    if (used < text.size()) break;
  }
  text.resize(used);
  return text;
}

Status check_can_write(const std::string& wanted) {
  const std::string path = resolve(wanted);
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) return failure("write", wanted, errno);
  if (exists && S_ISDIR(old.st_mode)) return failure("write", wanted, EISDIR);
  if (exists && ::access(path.c_str(), W_OK) != 0) return failure("write", wanted, errno);
  if (exists && !S_ISREG(old.st_mode)) return {};
  const fs::path folder = fs::path(path).parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
    return failure("write", wanted, errno);
  return {};
}

Status write_file_atomically(const std::string& wanted, std::string_view text) {
  std::string path = resolve(wanted);
  struct stat old {};
  bool exists = ::stat(path.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) return failure("write", wanted, errno);
  if (exists && S_ISDIR(old.st_mode)) return failure("write", wanted, EISDIR);
  if (exists && !S_ISREG(old.st_mode)) return write_directly(path, text);
  // A file that its owner protected is not to be replaced merely because its folder may be written.
  if (exists && ::access(path.c_str(), W_OK) != 0) return failure("write", wanted, errno);

  std::string temporary = temporary_beside(path);
  Descriptor fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (fd < 0) return failure("write", wanted, errno);
  bool good = write_all(fd, text) && (!exists || ::fchmod(fd, old.st_mode & 07777) == 0) &&
              ::fsync(fd) == 0 && fd.close() && ::rename(temporary.c_str(), path.c_str()) == 0;
  if (!good) {
    int code = errno;
    ::unlink(temporary.c_str());
    return failure("write", wanted, code);
  }
  // Makes the new name durable too; where folders cannot be synced there is nothing more to do.
  fs::path folder = fs::path(path).parent_path();
  Descriptor opened(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened >= 0) ::fsync(opened);
  return {};
}

}  // namespace ww
