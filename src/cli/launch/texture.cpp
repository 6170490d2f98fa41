#include "cli/launch/texture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

namespace ww::cli {

using engine::AddressMode;
using engine::ChannelFormat;
using engine::TextureShape;

Result<engine::TextureDescription> texture_description(const TextureArgument& what, npy::Dtype dtype,
                                                       const std::vector<uint64_t>& array) {
  static const std::map<npy::Dtype, ChannelFormat> kFormats = {
      {npy::Dtype::F2, ChannelFormat::F16}, {npy::Dtype::F4, ChannelFormat::F32},
      {npy::Dtype::I1, ChannelFormat::S8},  {npy::Dtype::I2, ChannelFormat::S16},
      {npy::Dtype::I4, ChannelFormat::S32}, {npy::Dtype::U1, ChannelFormat::U8},
      {npy::Dtype::U2, ChannelFormat::U16}, {npy::Dtype::U4, ChannelFormat::U32}};
  static const std::map<std::string, AddressMode> kModes = {{"clamp", AddressMode::Clamp},
                                                            {"wrap", AddressMode::Wrap},
                                                            {"mirror", AddressMode::Mirror},
                                                            {"border", AddressMode::Border}};
  engine::TextureDescription out;
  const auto format = kFormats.find(dtype);
  if (format == kFormats.end())
    return error(fmt::format("textures have no texels of {}", element_of(dtype)),
                 "f16, f32 and integers of 8 to 32 bits");
  out.format = format->second;
  // The unit gives the bits of what is not converted: a float read as a whole number means nothing.
  const bool real = element_of(dtype)[0] == 'f' || what.as_float;
  if (!what.read_as.empty() && real != (what.read_as[0] == 'f'))
    return error(fmt::format("the kernel reads texels of {}, but {}{} are given", what.read_as,
                             element_of(dtype), what.as_float ? " read as floats" : ""),
                 real ? fmt::format("tex:{}[…], for example", what.read_as)
                      : "tex:f32[…], or tex,float:… for integers of 8 and 16 bits");
  out.channels = static_cast<engine::u8>(what.channels);
  for (AddressMode& mode : out.address_mode) mode = kModes.at(what.address);
  out.linear = what.linear;
  out.normalized_coordinates = what.normalized;
  out.normalized_float = what.as_float;
  std::vector<uint64_t> sizes = array;
  const auto refuse = [&](const std::string& why) {
    return error(fmt::format("an array of {} is not a texture{}: {}", fmt::join(array, " x "),
                             what.shape.empty() ? "" : " (" + what.shape + ")", why));
  };
  for (const uint64_t size : sizes)
    if (size > 1u << 30) return refuse("too large");
  if (what.channels > 1) {
    if (sizes.size() < 2 || sizes.back() != static_cast<uint64_t>(what.channels))
      return refuse(fmt::format("its last dimension must be the {} channels", what.channels));
    sizes.pop_back();
  }
  const bool layered = what.shape.find("layered") != what.shape.npos,
             cube = what.shape.find("cube") != what.shape.npos;
  if (what.shape.find("buffer") != what.shape.npos) {
    if (sizes.size() != 1 || layered || cube) return refuse("a buffer has one dimension");
    out.shape = TextureShape::Linear;
    out.width = static_cast<engine::u32>(sizes[0]);
    return out;
  }
  if (cube) {
    if (sizes.size() != 3 || sizes[0] % 6 != 0 || sizes[1] != sizes[2] || (!layered && sizes[0] != 6))
      return refuse("a cube has 6 faces as wide as high, [6,n,n]; more of them are cube,layered");
    out.shape = layered ? TextureShape::CubemapLayered : TextureShape::Cubemap;
    out.layers = static_cast<engine::u32>(sizes[0] / 6);
    sizes.erase(sizes.begin());
  } else if (layered) {
    if (sizes.size() < 2 || sizes.size() > 3)
      return refuse("layered ones have [layers,width] or [layers,height,width]");
    out.shape = sizes.size() == 2 ? TextureShape::Array1DLayered : TextureShape::Array2DLayered;
    out.layers = static_cast<engine::u32>(sizes[0]);
    sizes.erase(sizes.begin());
  } else {
    if (sizes.empty() || sizes.size() > 3) return refuse("it has one to three dimensions");
    out.shape = sizes.size() == 1   ? TextureShape::Array1D
                : sizes.size() == 2 ? TextureShape::Array2D
                                    : TextureShape::Array3D;
  }
  out.width = static_cast<engine::u32>(sizes.back());
  if (sizes.size() > 1) out.height = static_cast<engine::u32>(sizes[sizes.size() - 2]);
  if (sizes.size() > 2) out.depth = static_cast<engine::u32>(sizes[0]);
  return out;
}

}  // namespace ww::cli
