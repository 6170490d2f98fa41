// Reads an n × n image through a texture, a little beside each of its texels; the texture object says what happens beyond the
// edges and between the texels.
#include "kernels/spaces/image.h"

extern "C" __global__ void spaces_texture(cudaTextureObject_t image, float* out, int n, int wide, float dx, float dy) {
  const Texel at = my_texel(wide);
  // The middle of texel 0 is at 0.5 / n.
  const float u = (static_cast<float>(at.x) + 0.5f + dx) / static_cast<float>(n);
  const float v = (static_cast<float>(at.y) + 0.5f + dy) / static_cast<float>(n);
  out[at.y * n + at.x] = tex2D<float>(image, u, v);
}
