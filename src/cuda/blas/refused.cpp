// Functions of cuBLAS that are not there: each says so once and returns CUBLAS_STATUS_NOT_SUPPORTED.
#include <unistd.h>

#include <mutex>
#include <set>
#include <string>

#include "cuda/blas/call.h"

namespace ww::blas {
namespace {
Status refuse(const char* name) {
  static std::mutex mutex;
  static auto* said = new std::set<std::string>;
  std::lock_guard lock(mutex);
  if (said->insert(name).second) {
    std::string line =
        std::string("warpwright: ") + name + " is not there; it returns CUBLAS_STATUS_NOT_SUPPORTED\n";
    if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return Status::NotSupported;
  }
  return Status::NotSupported;
}
}  // namespace
}  // namespace ww::blas

#define WW_REFUSED(name) \
  WW_BLAS_API ww::blas::Status name() { return ww::blas::refuse(#name); }
#include "cuda/blas/refused.inc"
