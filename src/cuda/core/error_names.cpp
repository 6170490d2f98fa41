#include "cuda/core/error_names.h"

namespace ww::cuda {

const ErrorName* error_name(int number) {
  static constexpr ErrorName kNames[] = {
#define WW_ERROR(number, runtime, driver, text) {number, runtime, driver, text},
#include "cuda/core/error_names.inc"
#undef WW_ERROR
  };
  for (const ErrorName& n : kNames)
    if (n.number == number) return &n;
  return nullptr;
}

Error driver_error(Error error) {
  switch (error) {
    case Error::InvalidConfiguration:
    case Error::InvalidPitchValue:
    case Error::InvalidDevicePointer:
    case Error::InvalidTexture:
    case Error::InvalidChannelDescriptor:
    case Error::InvalidMemcpyDirection:
    case Error::InvalidFilterSetting:
    case Error::InvalidNormSetting:
    case Error::InvalidSurface:
      return Error::InvalidValue;
    case Error::InvalidSymbol:
      return Error::SymbolNotFound;
    case Error::InvalidDeviceFunction:
    case Error::MissingConfiguration:
      return Error::InvalidResourceHandle;
    default:
      return error;
  }
}

}  // namespace ww::cuda
