#include "kernels_library/driver.h"

namespace warpwright {

int driver_error() { return last_driver_error(); }

const char* text(Status status) {
  switch (status) {
    case Status::ok:
      return "the work is in the stream";
    case Status::null_pointer:
      return "a matrix, vector or result that is not empty has no address";
    case Status::bad_shape:
      return "sizes are negative, above 2^30, or do not fit each other";
    case Status::bad_stride:
      return "a stride is smaller than a row or column, or above 2^30";
    case Status::misaligned:
      return "an address is no multiple of its element's size, or a workspace's no multiple of 256";
    case Status::overlap:
      return "the result or the workspace overlaps an operand or the other";
    case Status::small_workspace:
      return "the workspace is smaller than the call needs";
    case Status::unsupported:
      return "this GPU or this combination of arguments is not supported";
    case Status::no_driver:
      return "there is no CUDA driver (libcuda.so.1)";
    case Status::no_context:
      return "no CUDA context is current in this thread";
    case Status::failed:
      return "the CUDA driver refused: driver_error() has its code";
  }
  return "not a status";
}

}  // namespace warpwright
