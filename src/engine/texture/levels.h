// Which levels of a mipmap a read takes.
#pragma once

#include "engine/texture/texture.h"

namespace ww::engine {

/// The level of detail of steps dx and dy (in coordinates): the logarithm of the longer one, in texels of the
/// first level (OpenGL 4.6, 8.14.1, which the Programming Guide does not repeat).
float level_of(const Texture& texture, const float dx[3], const float dy[3]);

/// A level, and the part (0 to 1, in 256ths) that the one behind it has in the result.
struct LevelWeight {
  size_t level = 0;
  double next = 0;
};

/// `wanted`: the level of detail, before bias and clamps. `one`: a texel is read by its index, of one level.
LevelWeight weighed_level(const Texture& texture, float wanted, bool one);

/// Level `k` of a mipmap as a texture.
inline const Texture& level(const Texture& t, size_t k) { return k == 0 ? t : t.levels[k - 1]; }

}  // namespace ww::engine
