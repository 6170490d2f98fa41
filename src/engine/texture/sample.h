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
  u32 slice = 0;    ///< layer, cube faces counted one by one
  float level = 0;  ///< of a mipmap: the level of detail, before bias and clamps; a whole number for indices
};

/// Filtered as the texture says; integer coordinates read one texel. `touched` gets the device addresses of
/// the texels that have a part in the result.
Texel sample(const Texture& texture, const Coordinates& at, std::vector<u64>* touched = nullptr);

/// The level of detail of steps dx and dy (in coordinates): the logarithm of the longer one, in texels of the
/// first level (OpenGL 4.6, 8.14.1, which the Programming Guide does not repeat).
float level_of(const Texture& texture, const float dx[3], const float dy[3]);

/// The four texels that linear filtering in 2D would weigh, one channel of each, in the order of tld4 (PTX
/// ISA, tld4): (0,1), (1,1), (1,0), (0,0) as (x,y) offsets from the first.
Texel gather(const Texture& texture, const Coordinates& at, int channel, std::vector<u64>* touched = nullptr);

/// The face of a cube that a direction meets (0 to 5), with coordinates in it (normalized): Programming
/// Guide, "Cubemap Textures".
int cube_face(const float direction[3], float& s, float& t);

/// Number of axes that the texture's coordinates have, without layers.
int axes(TextureShape shape);

}  // namespace ww::engine
