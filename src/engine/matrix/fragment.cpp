#include "engine/matrix/fragment.h"

#include <fmt/format.h>

#include <algorithm>

namespace ww::engine {

using isa::Type;

int Fragment::needed() const {
  if (quads) return role != Role::C ? 2 : type == Type::f16 ? 4 : 8;
  int elements = role == Role::A   ? shape.m * shape.k
                 : role == Role::B ? shape.k * shape.n
                                   : shape.m * shape.n;
  return elements / (kLanes * per_register());
}

namespace {

// PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type". Lanes 16 and up hold the second
// half of the matrices.
Fragment::Place place_in_quads(const Fragment& f, int lane, int i) {
  int upper = lane < 16 ? 0 : 4;
  switch (f.role) {
    case Fragment::Role::A:
      return f.column ? Fragment::Place{i + upper, lane % 4} : Fragment::Place{lane % 4 + upper, i};
    case Fragment::Role::B:
      return f.column ? Fragment::Place{i, lane % 4 + upper} : Fragment::Place{lane % 4, i + upper};
    default:
      break;
  }
  if (f.type == Type::f16) return {lane % 4 + upper, i};
  return {(lane & 1) + (i & 2) + upper, (i & 4) + (lane & 2) + (i & 1)};
}

}  // namespace

// All other layouts of mma (PTX ISA, "Matrix Fragments for mma.…") are one: a register holds 32 bits (64 for
// f64) of a row of A or a column of B, four neighbouring lanes hold 128 bits of it, eight such groups of
// lanes hold eight rows; further registers hold the next eight rows, then the next 128 bits. Accumulators:
// pairs of columns, then the next eight rows, then the next eight columns. The layout of wmma fragments is
// open; the same rule serves (GPUs from sm_75 on use it too where accumulators are concerned).
Fragment::Place Fragment::place(int lane, int r, int e) const {
  if (quads) return place_in_quads(*this, lane, r * per_register() + e);
  r %= needed();
  int group = lane >> 2, in_group = lane & 3;
  if (role == Role::C) {
    int i = r * per_register() + e, pair = i >> 1, blocks = shape.m / 8;
    return {pair % blocks * 8 + group, pair / blocks * 8 + in_group * 2 + (i & 1)};
  }
  int chunk = 4 * per_register();  // elements along k that four lanes hold
  int along = in_group * per_register() + e;
  if (role == Role::A) {
    int blocks = shape.m / 8;
    return {r % blocks * 8 + group, r / blocks * chunk + along};
  }
  int chunks = shape.k / chunk;
  return {r % chunks * chunk + along, r / chunks * 8 + group};
}

Fragments fragments_of(const ir::Instruction& in) {
  using isa::Mod, isa::Op, isa::Slot;
  using Role = Fragment::Role;
  const bool halves = in.op == Op::wmma_f16, wmma = in.form().mnemonic == "wmma";
  const bool sparse = in.mod(Slot::spshape) != Mod::none, group = in.mod(Slot::wgshape) != Mod::none;
  const Type a = halves ? Type::f16 : in.type(Slot::atype), b = halves ? Type::f16 : in.type(Slot::btype);
  const Type result = in.type(Slot::dtype), added = group ? result : in.type(Slot::ctype);
  const Mod named = in.mod(group    ? Slot::wgshape
                           : wmma   ? Slot::wshape
                           : sparse ? Slot::spshape
                                    : Slot::mshape);
  Shape shape = isa::matrix_shape(named);
  if (group) shape.m = kWarpRows;
  const Shape stored = {shape.m, shape.n, sparse ? shape.k / 2 : shape.k};
  const bool quads = !wmma && a == Type::f16 && named == Mod::m8n8k4;
  return {{Role::A, a, stored, quads, quads && in.mod(Slot::alayout) == Mod::col},
          {Role::B, b, shape, quads, quads && in.mod(Slot::blayout) == Mod::col},
          {Role::C, added, shape, quads},
          {Role::C, result, shape, quads}};
}

Fragment fragment_of(const ir::Instruction& in) {
  using isa::Mod;
  using Role = Fragment::Role;
  const Mod named = in.op == isa::Op::wmma_load ? in.mod(isa::Slot::fragment) : Mod::none;
  const Role role = named == Mod::a ? Role::A : named == Mod::b ? Role::B : Role::C;
  return {role, in.type(), isa::matrix_shape(in.mod(isa::Slot::wshape))};
}

std::string read_fragment(FunctionDecoder& d, const ir::Operand& operand, bool destination, Fragment& f) {
  if (operand.kind != ir::Operand::Kind::Vector) return "a list of registers in { } is wanted";
  f.registers = static_cast<int>(operand.elements.size());
  if (f.registers > Fragment::kMostRegisters)
    return fmt::format("{} registers are too many for a fragment", f.registers);
  for (int r = 0; r < f.registers; ++r) {
    const ir::Operand& element = operand.elements[static_cast<size_t>(r)];
    if (element.kind == ir::Operand::Kind::Register) {
      Type type = d.register_type(element.reg);
      if (type == Type::pred || isa::bytes(type) != f.register_bytes())
        return fmt::format("{} has type .{}, but a register of {} bits is wanted",
                           d.function().registers[element.reg].name, isa::name(type), f.register_bytes() * 8);
    } else if (destination ? element.kind != ir::Operand::Kind::None
                           : element.kind != ir::Operand::Kind::Immediate) {
      return "a fragment consists of registers";
    }
    f.slots[r] = destination ? d.destination(element)
                             : d.source(element, f.register_bytes() == 8 ? Type::b64 : Type::b32);
  }
  return "";
}

void Fragment::make_index() {
  int rows = role == Role::B ? shape.k : shape.m, columns = role == Role::A ? shape.k : shape.n;
  for (int r = 0; r < registers; ++r)
    for (int lane = 0; lane < kLanes; ++lane)
      for (int e = 0; e < per_register(); ++e) {
        auto [row, column] = place(lane, r, e);
        int matrix = quads ? lane >> 2 & 3 : 0;  // two quads 16 lanes apart share one
        index.push_back(static_cast<u16>((matrix * rows + row) * columns + column));
      }
}

namespace {
constexpr int kMostElements = 1024;  // of the 32 lanes of a register: single bits
}

void gather(Warp& w, const Fragment& f, double* matrix) {
  const int distinct = std::min(f.registers, f.needed()), count = kLanes * f.per_register();
  const u16* at = f.index.data();
  alignas(64) double elements[kMostElements];
  for (int r = 0; r < distinct; ++r) {
    w.launch->lanes->elements(elements, slot<u8>(w, f.slots[r]), f.type);
    for (int n = 0; n < count; ++n) matrix[*at++] = elements[n];
  }
  w.launch->lanes->leave();
}

void scatter(Warp& w, const Fragment& f, const double* matrix, bool saturate) {
  const int count = kLanes * f.per_register();
  const u16* at = f.index.data();
  alignas(64) double elements[2 * kLanes];  // accumulators are of 16 bits and more
  for (int r = 0; r < f.registers; ++r, at += count) {
    if (f.slots[r] == kSink) continue;
    for (int n = 0; n < count; ++n) elements[n] = matrix[at[n]];
    w.launch->lanes->accumulators(slot<u8>(w, f.slots[r]), elements, f.type, saturate);
  }
  w.launch->lanes->leave();
}

void incomplete_warp(Warp& w, const Inst* i, u32 lanes) {
  fault(w, i, __builtin_ctz(lanes), "incomplete warp",
        fmt::format("all 32 lanes of the warp must take part; {} of them are here, the others have ended or "
                    "do not exist",
                    lane_count(lanes)));
}

}  // namespace ww::engine
