// Arguments that are texture or surface objects.
#pragma once

#include <vector>

#include "cli/launch/argument.h"
#include "engine/texture/texture.h"

namespace ww::cli {

/// What the engine makes of an array of this shape; its address is not set. Errors: element types of 8 bytes,
/// shapes that no texture has.
Result<engine::TextureDescription> texture_description(const TextureArgument& what, npy::Dtype dtype,
                                                       const std::vector<uint64_t>& shape);

}  // namespace ww::cli
