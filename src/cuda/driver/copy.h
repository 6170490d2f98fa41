// Copies as the driver describes them.
#pragma once

#include "cuda/abi/driver.h"
#include "cuda/core/copy.h"

namespace ww::cuda {

/// Errors: InvalidValue, InvalidPitchValue, InvalidResourceHandle.
Error copy_of(const DriverCopy3D* description, Copy& copy);
Error copy_of(const DriverCopy2D* description, Copy& copy);
/// And back.
DriverCopy3D description_of(const Copy& copy);

}  // namespace ww::cuda
