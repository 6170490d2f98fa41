// What cudaGetDeviceProperties and cudaDeviceGetAttribute say of a device.
#pragma once

#include <string>

#include "cuda/abi/types.h"

namespace ww::cuda {

/// An attribute by its number (the same in runtime and driver). Error: InvalidValue.
Error device_attribute(DeviceContext& device, int attribute, int& value);

/// The struct as CUDA 11, 12 (cudaGetDeviceProperties_v2) and 13 lay it out.
void properties_11(DeviceContext& device, void* properties);
void properties_12(DeviceContext& device, void* properties);
void properties_13(DeviceContext& device, void* properties);

/// "NVIDIA H200": as the card says its name.
std::string device_name(DeviceContext& device);

}  // namespace ww::cuda
