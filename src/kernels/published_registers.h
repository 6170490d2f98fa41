// Registers per thread that documents print for the laboratory's kernels (data/published/registers.csv).
#pragma once

#include <string_view>
#include <vector>

#include "device/device.h"
#include "kernels/case.h"

namespace ww::kernels {

/// Those of this kernel and shape, by GPU. A line of the file without block, rx or ry holds for every one.
std::vector<device::KnownRegisters> published_registers(std::string_view kernel, const Shape& shape);

/// The file, as it is built in.
std::string_view registers_csv();

}  // namespace ww::kernels
