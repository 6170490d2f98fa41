#include "engine/texture/texture_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/interpret/handlers.h"
#include "engine/memory/resolve.h"

namespace ww::engine {

using isa::Mod;

int coordinates_of(Mod geometry) {
  switch (geometry) {
    case Mod::tex_1d:
      return 1;
    case Mod::tex_2d:
    case Mod::tex_a1d:
      return 2;
    case Mod::tex_acube:
      return 4;
    default:
      return 3;
  }
}

namespace {

bool fits(const Texture& t, Mod geometry) {
  switch (t.shape) {
    case TextureShape::Linear:
    case TextureShape::Array1D:
      return geometry == Mod::tex_1d;
    case TextureShape::Pitch2D:
    case TextureShape::Array2D:
      // An array of one row may be read as a line, as cards allow.
      return geometry == Mod::tex_2d || (geometry == Mod::tex_1d && t.height == 1 && !t.surface);
    case TextureShape::Array3D:
      return geometry == Mod::tex_3d;
    case TextureShape::Array1DLayered:
      return geometry == Mod::tex_a1d;
    case TextureShape::Array2DLayered:
      return geometry == Mod::tex_a2d;
    // As a surface, a cubemap is a layered array of its faces.
    case TextureShape::Cubemap:
      return geometry == (t.surface ? Mod::tex_a2d : Mod::tex_cube);
    default:
      return geometry == (t.surface ? Mod::tex_a2d : Mod::tex_acube);
  }
}

/// The object that a texture or surface reference holds: the same for all lanes.
const Inst* run_reference(Warp& w, const Inst* i) {
  u64 handle = 0;
  std::memcpy(&handle, w.memory->host(i->imm), sizeof handle);
  std::fill_n(slot<u64>(w, i->dst), kLanes, handle);
  return i + 1;
}

/// Whether the operand names a .texref or .surfref variable.
bool is_reference(const FunctionDecoder& d, const ir::Operand& operand) {
  if (operand.reg != ir::kNone || operand.symbol == ir::kNone || operand.offset != 0 ||
      d.module().symbols[operand.symbol].variable < 0)
    return false;
  const isa::Type type = d.module().variable(operand.symbol).type;
  return (type == isa::Type::texref || type == isa::Type::surfref) && d.symbol_address(operand.symbol) != 0;
}

}  // namespace

bool read_handle(FunctionDecoder& d, const ir::Instruction& in, const ir::Operand& operand, u32& slot) {
  if (is_reference(d, operand)) {
    Inst step = special(run_reference);
    step.dst = slot = d.temporary(8);
    step.imm = d.symbol_address(operand.symbol);
    d.emit_step(step);
    return true;
  }
  bool good =
      operand.reg != ir::kNone && isa::bytes(d.register_type(operand.reg)) == 8 && operand.offset == 0;
  if (!good) {
    d.refuse(in, fmt::format("{} takes a texture or surface by object, a 64-bit handle in a register, or a "
                             ".texref or .surfref",
                             in.form().mnemonic));
    return false;
  }
  slot = d.register_slot(operand.reg);
  return true;
}

bool read_texture_operand(FunctionDecoder& d, const ir::Instruction& in, const ir::Operand& operand,
                          Mod geometry, isa::Type type, TextureOperand& out) {
  out.geometry = geometry;
  if (operand.elements.size() != 2) {
    d.refuse(in, fmt::format("{} takes an object and its coordinates: [object, {{…}}]", in.form().mnemonic));
    return false;
  }
  if (!read_handle(d, in, operand.elements[0], out.handle)) return false;
  const ir::Operand& at = operand.elements[1];
  std::vector<ir::Operand> list =
      at.kind == ir::Operand::Kind::Vector ? at.elements : std::vector<ir::Operand>{at};
  out.count = coordinates_of(geometry);
  if (list.size() < static_cast<size_t>(out.count) || list.size() > 4) {
    d.refuse(in, fmt::format("{}.{} takes {} coordinates, {} are given", in.form().mnemonic,
                             isa::name(geometry), out.count, list.size()));
    return false;
  }
  for (size_t k = 0; k < static_cast<size_t>(out.count); ++k) {
    const ir::Operand& o = list[k];
    bool good = o.kind == ir::Operand::Kind::Immediate ||
                (o.kind == ir::Operand::Kind::Register && isa::bits(d.register_type(o.reg)) == 32);
    if (!good) {
      d.refuse(in, fmt::format("coordinate {} of {} is not a 32-bit register or a constant", k + 1,
                               in.form().mnemonic));
      return false;
    }
    out.coordinates[k] = d.source(o, type);
  }
  return true;
}

const Texture* texture_of(Warp& w, const Inst* i, u32 handle_slot, Mod geometry, bool surface, int lane) {
  u64 handle = slot<u64>(w, handle_slot)[lane];
  const Texture* t = w.launch->textures->find(handle);
  std::string_view kind = surface ? "surface" : "texture";
  std::string_view wrong = surface ? "invalid surface handle" : "invalid texture handle";
  auto no = [&](std::string_view what, std::string detail) {
    (void)goes_on_without(w, i, lane, what, std::move(detail));
    return nullptr;
  };
  if (!t) return no(wrong, fmt::format("0x{:x} is not the handle of a {}", handle, kind));
  if (t->destroyed) return no(wrong, fmt::format("the {} 0x{:x} has been destroyed", kind, handle));
  if (t->surface != surface)
    return no(wrong, fmt::format("0x{:x} is the handle of a {}, not of a {}", handle,
                                 surface ? "texture" : "surface", kind));
  if (geometry != Mod::none && !fits(*t, geometry))
    return no(wrong, fmt::format("the {} 0x{:x} is {}, the instruction reads .{}", kind, handle,
                                 name(t->shape), isa::name(geometry)));
  if (w.allocations->find(t->address).size == 0)
    return no("use after free (read)", fmt::format("the texels of the {} 0x{:x} lie {}", kind, handle,
                                                   neighbourhood(*w.memory, t->address)));
  return t;
}

}  // namespace ww::engine
