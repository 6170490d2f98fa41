#include "redirect/file_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ww::redirect {

image::Bytes map_file(const char* path) {
  int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  struct stat about {};
  void* bytes = MAP_FAILED;
  if (::fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0)
    bytes = ::mmap(nullptr, size_t(about.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  ::close(file);
  if (bytes == MAP_FAILED) return {};
  return {static_cast<const std::byte*>(bytes), size_t(about.st_size)};
}

void unmap_file(image::Bytes bytes) {
  if (!bytes.empty()) ::munmap(const_cast<std::byte*>(bytes.data()), bytes.size());
}

}  // namespace ww::redirect
