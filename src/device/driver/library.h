// A shared library opened at run time.
#pragma once

#include <string>

#include "base/result.h"

namespace ww::device::driver {

/// Stays loaded until the process ends: driver libraries keep threads and exit handlers of their own.
class Library {
 public:
  /// Fails with the dynamic linker's reason.
  static Result<Library> open(const std::string& path);

  const std::string& path() const { return path_; }
  /// nullptr when the library has no such symbol.
  void* symbol(const char* name) const;

 private:
  Library(std::string path, void* handle) : path_(std::move(path)), handle_(handle) {}

  std::string path_;
  void* handle_;
};

}  // namespace ww::device::driver
