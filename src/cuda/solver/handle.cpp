// cuSOLVER: handles, parameters, versions.
#include <algorithm>

#include "base/live_handles.h"
#include "cuda/solver/call.h"
#include "cuda/solver/rotations.h"
#include "cuda/stubs/submit.h"

using namespace ww::solver;

namespace ww::solver {

namespace {
LiveHandles& handles() {
  static auto* all = new LiveHandles;
  return *all;
}
}  // namespace

bool is_handle(const Handle* handle) { return handles().has(handle); }

Status checked(Handle* handle, bool good, std::function<void()> work) {
  if (!is_handle(handle)) return Status::NotInitialized;
  if (!good) return Status::InvalidValue;
  return stubs::submit(handle->stream, std::move(work)) ? Status::Success : Status::ExecutionFailed;
}

}  // namespace ww::solver

WW_LIBRARY_API Status cusolverDnCreate(Handle** handle) {
  if (!handle) return Status::InvalidValue;
  *handle = new Handle;
  handles().add(*handle);
  return Status::Success;
}
WW_LIBRARY_API Status cusolverDnDestroy(Handle* handle) {
  if (!handles().remove(handle)) return Status::NotInitialized;
  delete handle;
  return Status::Success;
}
WW_LIBRARY_API Status cusolverDnSetStream(Handle* handle, void* stream) {
  if (!is_handle(handle)) return Status::NotInitialized;
  handle->stream = stream;
  return Status::Success;
}
WW_LIBRARY_API Status cusolverDnGetStream(Handle* handle, void** stream) {
  if (!is_handle(handle)) return Status::NotInitialized;
  if (!stream) return Status::InvalidValue;
  *stream = handle->stream;
  return Status::Success;
}
WW_LIBRARY_API Status cusolverGetProperty(int which, int* value) {
  if (!value || which < 0 || which > 2) return Status::InvalidValue;
  *value = which == 0 ? 12 : 0;
  return Status::Success;
}
WW_LIBRARY_API Status cusolverGetVersion(int* version) {
  if (!version) return Status::InvalidValue;
  *version = 12000;
  return Status::Success;
}

// What the calls for any type take besides: which algorithm, and there is one of each.
WW_LIBRARY_API Status cusolverDnCreateParams(void** params) {
  if (!params) return Status::InvalidValue;
  *params = new char;
  return Status::Success;
}
WW_LIBRARY_API Status cusolverDnDestroyParams(void* params) {
  delete static_cast<char*>(params);
  return Status::Success;
}
WW_LIBRARY_API Status cusolverDnSetAdvOptions(void* params, int, int) {
  return params ? Status::Success : Status::InvalidValue;
}

// Of the functions that are named after rotations: they end where the matrix is diagonal to its last digit.
#define WW_ROTATIONS(Kind, kind)                                                                      \
  WW_LIBRARY_API Status cusolverDnCreate##Kind##Info(Rotations** info) {                              \
    if (!info) return Status::InvalidValue;                                                           \
    *info = new Rotations;                                                                            \
    return Status::Success;                                                                           \
  }                                                                                                   \
  WW_LIBRARY_API Status cusolverDnDestroy##Kind##Info(Rotations* info) {                              \
    delete info;                                                                                      \
    return Status::Success;                                                                           \
  }                                                                                                   \
  WW_LIBRARY_API Status cusolverDnX##kind##SetTolerance(Rotations* info, double tolerance) {          \
    return info && tolerance >= 0 ? Status::Success : Status::InvalidValue;                           \
  }                                                                                                   \
  WW_LIBRARY_API Status cusolverDnX##kind##SetMaxSweeps(Rotations* info, int sweeps) {                \
    return info && sweeps >= 0 ? Status::Success : Status::InvalidValue;                              \
  }                                                                                                   \
  WW_LIBRARY_API Status cusolverDnX##kind##GetResidual(Handle* handle, Rotations* info, double* to) { \
    if (!is_handle(handle)) return Status::NotInitialized;                                            \
    if (!info || !to) return Status::InvalidValue;                                                    \
    *to = info->residual;                                                                             \
    return Status::Success;                                                                           \
  }                                                                                                   \
  WW_LIBRARY_API Status cusolverDnX##kind##GetSweeps(Handle* handle, Rotations* info, int* to) {      \
    if (!is_handle(handle)) return Status::NotInitialized;                                            \
    if (!info || !to) return Status::InvalidValue;                                                    \
    *to = info->sweeps;                                                                               \
    return Status::Success;                                                                           \
  }
WW_ROTATIONS(Syevj, syevj)
WW_ROTATIONS(Gesvdj, gesvdj)
WW_LIBRARY_API Status cusolverDnXsyevjSetSortEig(Rotations* info, int sort) {
  if (!info) return Status::InvalidValue;
  info->sorted = sort != 0;  // ours are always
  return Status::Success;
}
WW_LIBRARY_API Status cusolverDnXgesvdjSetSortEig(Rotations* info, int sort) {
  return cusolverDnXsyevjSetSortEig(info, sort);
}
