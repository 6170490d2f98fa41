#include "base/kept_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/file.h"

namespace ww {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostBytes = uint64_t{64} << 20;  // of one file

/// Nobody else can have written it.
bool own(const struct stat& s) { return s.st_uid == geteuid() && (s.st_mode & (S_IWGRP | S_IWOTH)) == 0; }

}  // namespace

std::optional<std::string> KeptFiles::find(const std::string& name) const {
  const int fd = open(path_of(name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return {};
  std::optional<std::string> file;
  struct stat s {};
  if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && own(s) && s.st_size > 0 &&
      static_cast<uint64_t>(s.st_size) <= kMostBytes) {
    file.emplace(static_cast<size_t>(s.st_size), '\0');
    size_t have = 0;
    for (ssize_t n = 0; have < file->size() && (n = ::read(fd, &(*file)[have], file->size() - have)) > 0;)
      have += static_cast<size_t>(n);
    file->resize(have);
    (void)futimens(fd, nullptr);  // used just now
  }
  close(fd);
  return file;
}

void KeptFiles::keep(const std::string& name, std::string_view content) {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  const std::string path = path_of(name);
  if (failed || content.size() > kMostBytes || !write_file_atomically(path, content)) return;
  (void)chmod(path.c_str(), S_IRUSR | S_IWUSR);
  // A process that has just begun does not know yet how much there is.
  const uint64_t before = written_.fetch_add(content.size());
  if (before == 0 || before > limit_ / 16) prune(), written_ = content.size();
}

void KeptFiles::prune() const {
  struct File {
    fs::file_time_type used;
    uint64_t bytes;
    fs::path path;
  };
  std::vector<File> files;
  uint64_t all = 0;
  std::error_code failed;
  for (fs::directory_iterator it(folder_, failed), end; !failed && it != end; it.increment(failed)) {
    std::error_code gone;  // another process may have removed it
    if (it->path().extension() != suffix_) continue;
    const uint64_t bytes = it->file_size(gone);
    if (gone) continue;
    const auto used = it->last_write_time(gone);
    if (gone) continue;
    files.push_back({used, bytes, it->path()});
    all += bytes;
  }
  if (all <= limit_) return;
  std::sort(files.begin(), files.end(), [](const File& x, const File& y) { return x.used < y.used; });
  for (const File& f : files) {
    if (all <= limit_) break;
    fs::remove(f.path, failed);
    all -= f.bytes;
  }
}

std::string cache_folder(const std::string& name) {
  const auto absolute = [](const char* path) { return path && path[0] == '/'; };
  // As the XDG Base Directory Specification has it: a relative path there does not count.
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); absolute(cache))
    return std::string(cache) + "/warpwright/" + name;
  const char* home = std::getenv("HOME");
  return absolute(home) ? std::string(home) + "/.cache/warpwright/" + name : "";
}

KeptWhere kept_where(const std::string& variable, const std::string& name, uint64_t usual_mib) {
  const char* named = std::getenv(variable.c_str());
  const char* limit = std::getenv((variable + "_LIMIT").c_str());
  KeptWhere where{named && *named ? named : cache_folder(name),
                  (limit && *limit ? std::strtoull(limit, nullptr, 10) : usual_mib) << 20};
  if (where.folder == "off") where.folder.clear();
  return where;
}

}  // namespace ww
