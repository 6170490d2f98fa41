// What the array of a texture or surface is likely to be, for launches and studies that are guessed.
#pragma once

#include <string>
#include <string_view>

#include "ir/module.h"

namespace ww::cli {

/// How a kernel reads or writes a texture or surface object.
struct TextureUse {
  std::string object;    ///< "texture", "surface"; "" where it is the object of none
  std::string geometry;  ///< as the PTX has it: "1d", "2d", "3d", "a1d", "a2d", "cube", "acube"
  bool whole = false;    ///< coordinates are whole numbers: tex1Dfetch
  std::string element = "f32";
  int channels = 1;
  bool told = false;  ///< whether the source says the element: tex2D<unsigned char>
};

/// What the first instruction says that takes the parameter `symbol` as its object. PTX does not tell
/// integers of 8 bits from wider ones, nor how many channels a texel has.
TextureUse texture_use(const ir::Function& f, ir::SymbolId symbol);

/// Adds what the first call like tex2D<uchar4>(NAME, …) from this line of the source on says of the texels.
void add_texels_of_source(TextureUse& use, std::string_view source, const std::string& name, int line);

/// The value for --arg. `wide` and `high` are numbers or expressions: the extent of the grid in threads;
/// `high` is empty for a row of them.
std::string texture_text(const TextureUse& use, const std::string& wide, const std::string& high);

}  // namespace ww::cli
