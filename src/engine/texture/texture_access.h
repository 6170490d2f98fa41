// What instructions on textures and surfaces have in common: the handle, the geometry and the coordinates of
// one lane.
#pragma once

#include "engine/decode/decode.h"
#include "engine/schedule/launch_state.h"

namespace ww::engine {

/// The operand [object, {coordinates}] of an instruction.
struct TextureOperand {
  isa::Mod geometry{};
  u32 handle = 0;           ///< slot, 64 bits
  u32 coordinates[4] = {};  ///< slots, 32 bits; the first is the layer for the geometries with layers
  int count = 0;
  bool layered() const {
    return geometry == isa::Mod::tex_a1d || geometry == isa::Mod::tex_a2d || geometry == isa::Mod::tex_acube;
  }
};

/// Reads the operand; refuses it and returns false if the object is no handle in a register or coordinates
/// are missing.
bool read_texture_operand(FunctionDecoder& d, const ir::Instruction& in, const ir::Operand& operand,
                          isa::Mod geometry, isa::Type type, TextureOperand& out);
/// How many coordinates a geometry has, the layer included. More may be written: vectors of three are padded
/// to four.
int coordinates_of(isa::Mod geometry);
/// Slot of a handle in [a].
bool read_handle(FunctionDecoder& d, const ir::Instruction& in, const ir::Operand& operand, u32& slot);

/// The object of one lane, looked up; nullptr where there is none, which was told: no such handle, destroyed,
/// of another kind or geometry, or freed memory. Then the launch ends (stopped()), or the lane reads zeros
/// and writes nothing. `geometry` none: any.
const Texture* texture_of(Warp& w, const Inst* i, u32 handle_slot, isa::Mod geometry, bool surface, int lane);

inline bool stopped(const Warp& w) { return w.stop == Stop::Fault; }

/// Looks up the object of each lane, once for lanes with the same.
class TextureLookup {
 public:
  TextureLookup(Warp& w, const Inst* i, const TextureOperand& operand, bool surface)
      : w_(w), i_(i), operand_(operand), surface_(surface) {}
  /// nullptr: as texture_of().
  const Texture* operator()(int lane) {
    u64 handle = slot<u64>(w_, operand_.handle)[lane];
    if (!found_ || handle != last_)
      found_ = texture_of(w_, i_, operand_.handle, operand_.geometry, surface_, lane);
    last_ = handle;
    return found_;
  }

 private:
  Warp& w_;
  const Inst* i_;
  const TextureOperand& operand_;
  bool surface_;
  const Texture* found_ = nullptr;
  u64 last_ = 0;
};

}  // namespace ww::engine
