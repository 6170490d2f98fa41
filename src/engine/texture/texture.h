// Textures and surfaces as objects: what a description says of them, and the table of handles.
#pragma once

#include <memory>
#include <shared_mutex>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/texture/texels.h"

namespace ww::engine {

/// What lies behind a texture object. Arrays are rows of texels, slice by slice, layer by layer (cubes: face
/// by face, in the order +x -x +y -y +z -z, cube by cube) in plain device memory.
enum class TextureShape : u8 {
  Linear,   ///< linear memory, read by index only (tex1Dfetch)
  Pitch2D,  ///< 2D in linear memory with a pitch
  Array1D,
  Array2D,
  Array3D,
  Array1DLayered,
  Array2DLayered,
  Cubemap,
  CubemapLayered,
};

/// A level of a mipmap: its first texel, and its size in texels.
struct TextureLevel {
  u64 address = 0;
  u32 width = 1, height = 1, depth = 1;
};

struct TextureDescription {
  TextureShape shape = TextureShape::Array2D;
  u64 address = 0;                       ///< device address of the first texel
  u32 width = 0, height = 1, depth = 1;  ///< texels
  u32 layers = 1;                        ///< layered shapes; CubemapLayered: cubes
  u64 row_bytes = 0;                     ///< from row to row; 0: width texels
  ChannelFormat format = ChannelFormat::F32;
  u8 channels = 1;  ///< 1, 2 or 4
  /// By axis. Wrap and Mirror need normalized coordinates and are Clamp without them, as in CUDA.
  AddressMode address_mode[3] = {AddressMode::Clamp, AddressMode::Clamp, AddressMode::Clamp};
  bool linear = false;  ///< linear filtering; else the nearest texel
  bool normalized_coordinates = false;
  bool normalized_float = false;  ///< 8- and 16-bit integers are read as floats in [0,1] or [-1,1]
  float border[4] = {};           ///< for AddressMode::Border
  bool srgb = false;  ///< the first three channels, of 8 bits, are decoded from sRGB before they are filtered
  /// Of a mipmap, behind the first; arrays only, each as the first in all but size.
  std::vector<TextureLevel> smaller;
  bool between_levels = false;  ///< linear filtering between two levels; else the nearest
  float level_bias = 0, least_level = 0, most_level = 0;

  u32 texel_bytes() const;
  bool gives_float() const;  ///< its channels arrive in registers as floats
  /// Bytes from row to row, and of one layer (or cube face).
  u64 pitch() const { return row_bytes ? row_bytes : u64{width} * texel_bytes(); }
  u64 layer_bytes() const { return pitch() * height * depth; }
  /// Layers, with cube faces counted one by one.
  u32 slices() const;
  /// All bytes from `address` on that texels lie in.
  u64 bytes() const;
};

int channel_bytes(ChannelFormat format);
std::string_view name(TextureShape shape);
/// Number of axes that the texture's coordinates have, without layers.
int axes(TextureShape shape);

struct Texture : TextureDescription {
  bool surface = false;
  bool destroyed = false;
  TextureView view;
  std::vector<Texture> levels;  ///< those of `smaller`, each as a texture of one level
};

/// Handles are never used twice, so that one that was destroyed is recognised.
class TextureTable {
 public:
  Result<u64> create(const TextureDescription& description, bool surface, const struct GlobalMemory& memory);
  Status destroy(u64 handle);
  /// nullptr if there was never such a handle. Stays valid as long as the table.
  const Texture* find(u64 handle) const;

 private:
  const u64 number_ = next_number();  ///< no other table of the process has it
  static u64 next_number();
  mutable std::shared_mutex mutex_;
  std::vector<std::unique_ptr<Texture>> textures_;
};

}  // namespace ww::engine
