// Textures as the code in lanes/ reads them: plain data.
#pragma once

#include "engine/machine.h"

namespace ww::engine {

enum class ChannelFormat : u8 { U8, S8, U16, S16, U32, S32, F16, F32 };
enum class AddressMode : u8 { Wrap, Clamp, Mirror, Border };

/// What reading a texture takes, worked out once.
struct TextureView {
  const u8* texels = nullptr;  ///< on the host
  u64 pitch = 0;               ///< bytes from row to row
  u32 size[3] = {1, 1, 1};     ///< texels by axis
  int axes = 1;                ///< that coordinates have, without layers
  /// In force for texel indices ([0]) and for coordinates ([1]), by axis.
  AddressMode mode[2][3] = {};
  bool normalized = false;  ///< coordinates count widths, not texels
  bool linear = false;      ///< linear filtering
  bool unit = false;        ///< integers are read as floats in [0,1] or [-1,1]
  /// sRGB: what the 256 values of the first three channels mean.
  const float* decoded = nullptr;
  ChannelFormat format = ChannelFormat::F32;
  u8 channels = 1;
  u32 texel_bytes = 4;
  u32 border[4] =
      {};  ///< what lies outside, and what channels hold that the texture does not have, as registers have it
};

/// Where the lanes of a warp read: coordinates, or (integer) texel indices.
struct TexturePoints {
  bool integer = false;
  alignas(64) float at[3][kLanes] = {};
  alignas(64) int32_t index[3][kLanes] = {};
  alignas(64) u32 slice[kLanes] = {};  ///< layer, cube faces counted one by one
};

inline constexpr int64_t kOutside = -1;

/// The texels that have a part in the results: one, or the corners of a line, square or cube around a point,
/// the first axis changing fastest.
struct TexelCorners {
  int count = 1;
  alignas(64) int64_t offset[8][kLanes];  ///< bytes behind the first texel, or kOutside
  alignas(64) double weight[8][kLanes];
};

}  // namespace ww::engine
