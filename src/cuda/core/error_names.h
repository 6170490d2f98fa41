// Names and texts of errors.
#pragma once

#include "cuda/abi/types.h"

namespace ww::cuda {

struct ErrorName {
  int number;
  const char *runtime, *driver, *text;
};
/// Null: there is no such error.
const ErrorName* error_name(int number);
/// The number that the driver gives for an error of the runtime's own.
Error driver_error(Error error);

}  // namespace ww::cuda
