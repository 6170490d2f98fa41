#include "engine/texture/levels.h"

#include <algorithm>
#include <cmath>

namespace ww::engine {

namespace {

/// The level of detail that counts: with bias, between the clamps, and one that there is. The clamps count
/// from the first level.
double clamped_level(const Texture& t, float wanted) {
  if (std::isnan(wanted)) wanted = 0;
  const double lod = std::min<double>(std::max(wanted + t.level_bias, t.least_level), t.most_level);
  return std::clamp<double>(lod, 0, static_cast<double>(t.levels.size()));
}

}  // namespace

float level_of(const Texture& t, const float dx[3], const float dy[3]) {
  const u32 size[3] = {t.width, t.height, t.depth};
  double x = 0, y = 0;
  for (int k = 0; k < axes(t.shape); ++k) {
    const double scale = t.normalized_coordinates ? size[k] : 1;
    x += dx[k] * scale * dx[k] * scale, y += dy[k] * scale * dy[k] * scale;
  }
  return static_cast<float>(0.5 * std::log2(std::max(x, y)));
}

LevelWeight weighed_level(const Texture& t, float wanted, bool one) {
  const double lod = clamped_level(t, wanted);
  if (one || !t.between_levels) return {static_cast<size_t>(lod + 0.5), 0};
  // Weights in 256ths, as within a level.
  const double fixed = std::floor(lod * 256 + 0.5);
  const auto first = static_cast<size_t>(fixed / 256);
  return {first, fixed / 256 - static_cast<double>(first)};
}

}  // namespace ww::engine
