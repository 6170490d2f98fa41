// CUDA Driver API: Error Handling.
#include "cuda/core/error_names.h"
#include "cuda/driver/call.h"

using namespace ww::cuda;

WW_CUDA_API Error cuGetErrorName(Error error, const char** text) {
  const ErrorName* name = error_name(static_cast<int>(error));
  if (!text) return Error::InvalidValue;
  *text = name && *name->driver ? name->driver : nullptr;
  return *text ? Error::Success : Error::InvalidValue;
}
WW_CUDA_API Error cuGetErrorString(Error error, const char** text) {
  const ErrorName* name = error_name(static_cast<int>(error));
  if (!text) return Error::InvalidValue;
  *text = name && *name->driver ? name->text : nullptr;
  return *text ? Error::Success : Error::InvalidValue;
}
