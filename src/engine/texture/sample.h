// What a texture holds at given coordinates (CUDA C++ Programming Guide, appendix "Texture Fetching").
#pragma once

#include <array>
#include <vector>

#include "engine/texture/texture.h"

namespace ww::engine {

/// The four channels as they arrive in registers: floats as IEEE bits, integers extended to 32 bits.
using Texel = std::array<u32, 4>;

/// Where to read: coordinates as floats, or (integer) texel indices.
struct Coordinates {
  bool integer = false;
  float f[3] = {};
  int32_t i[3] = {};
  u32 slice = 0;  ///< layer, cube faces counted one by one
};

/// Filtered as the texture says; integer coordinates read one texel. Mipmaps: a texture has one level, which
/// is what any level of detail or gradient selects. `touched` gets the device addresses of the texels that
/// have a part in the result.
Texel sample(const Texture& texture, const Coordinates& at, std::vector<u64>* touched = nullptr);

/// The four texels that linear filtering in 2D would weigh, one channel of each, in the order of tld4 (PTX
/// ISA, tld4): (0,1), (1,1), (1,0), (0,0) as (x,y) offsets from the first.
Texel gather(const Texture& texture, const Coordinates& at, int channel, std::vector<u64>* touched = nullptr);

/// The face of a cube that a direction meets (0 to 5), with coordinates in it (normalized): Programming
/// Guide, "Cubemap Textures".
int cube_face(const float direction[3], float& s, float& t);

/// Number of axes that the texture's coordinates have, without layers.
int axes(TextureShape shape);

}  // namespace ww::engine
