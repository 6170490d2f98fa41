#include "device/driver/library.h"

#include <dlfcn.h>

namespace ww::device::driver {

Result<Library> Library::open(const std::string& path) {
  if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE))
    return Library(path, handle);
  const char* why = dlerror();
  return error(why ? why : path + ": cannot be opened");
}

void* Library::symbol(const char* name) const { return dlsym(handle_, name); }

}  // namespace ww::device::driver
