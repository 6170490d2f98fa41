// wmma.load and wmma.store: whole matrices between memory and fragments.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/interpret/handlers.h"
#include "engine/interpret/tell.h"
#include "engine/matrix/fragment.h"
#include "engine/memory/resolve.h"

namespace ww::engine {

namespace {

using isa::Mod;
using isa::Slot;
using isa::Type;
using Role = Fragment::Role;

constexpr int kMostLines = 128;  // of the widest shape, m8n8k128, along k

struct WmmaPlan {
  Fragment fragment;
  AccessKey access;
  bool column = false;   ///< column-major
  bool strided = false;  ///< src[1] holds the stride, otherwise lines follow each other
  int lines = 0;         ///< rows (of column-major: columns)
  int line_elements = 0;
  struct Position {
    u16 line, at;
  };
  std::vector<Position> positions;  ///< by register, lane and element
  /// By register: whether what a lane holds of the matrix lies side by side in it, in whole bytes.
  std::vector<bool> together;
  bool heard = false;  ///< a listener wants memory accesses
  events::Memory event;
};

/// Address and stride must be the same in all lanes (PTX ISA, wmma.load).
template <class T>
bool uniform(const T* lanes) {
  return std::all_of(lanes, lanes + kLanes, [&](T v) { return v == lanes[0]; });
}

/// Tells of a 16 x 16 matrix as an H200 accesses it (data/measured/h200-async): 16-bit operands in shared
/// memory as rows of 16 bytes of four 8 x 8 matrices at once, in global memory those one after another, 4
/// bytes of each lane; 32-bit accumulators by quarters, 8 bytes of each lane. False: another matrix, of which
/// this is not known.
bool tell_as_measured(Warp& w, const Inst* i, const WmmaPlan& p, const u64* lines) {
  if (p.lines != 16 || p.line_elements != 16) return false;
  const int bytes = p.fragment.element_bits() / 8;
  const bool operand = bytes == 2 && p.fragment.role != Role::C;
  if (!operand && (bytes != 4 || p.fragment.role != Role::C)) return false;
  u64 first_line = lines[0];
  const bool shared = space_of(p.access.where, first_line) == ir::Space::Shared;
  const auto send = [&](u32 lane_bytes, const auto& address) {
    int64_t offsets[kLanes];
    for (int lane = 0; lane < kLanes; ++lane)
      offsets[lane] = static_cast<int64_t>(address(lane) - address(0));
    events::Memory e = p.event;
    e.bytes = lane_bytes;
    tell(w, i, e, p.access.where, kAllLanes, address(0), offsets);
  };
  if (operand && shared) {
    send(16, [&](int lane) { return lines[lane % 16] + static_cast<u64>(lane / 16 * 16); });
    return true;
  }
  for (int quarter = 0; quarter < 4; ++quarter)
    send(static_cast<u32>(2 * bytes), [&](int lane) {
      return lines[quarter % 2 * 8 + lane / 4] + static_cast<u64>((quarter / 2 * 8 + lane % 4 * 2) * bytes);
    });
  return true;
}

/// Tells of the matrix register by register, as if each lane moved what it holds; elements that do not lie
/// side by side one by one. `lines`: the addresses of the lines.
void tell_of_registers(Warp& w, const Inst* i, const WmmaPlan& p, const u64* lines) {
  const Fragment& f = p.fragment;
  const auto bits = static_cast<u64>(f.element_bits());
  for (int r = 0; r < f.registers; ++r) {
    const auto position = [&](int lane, int e) {
      return p.positions[static_cast<size_t>((r * kLanes + lane) * f.per_register() + e)];
    };
    const auto [line, at] = position(0, 0);
    const auto [last_line, last] = position(0, f.per_register() - 1);
    const bool together = bits < 8 || (line == last_line && last == at + f.per_register() - 1);
    const int pieces = together ? 1 : f.per_register();
    events::Memory e = p.event;
    e.bytes = static_cast<u32>(together ? f.register_bytes() : f.element_bits() / 8);
    for (int piece = 0; piece < pieces; ++piece) {
      const auto address = [&](int lane) {
        const auto [l, a] = position(lane, piece);
        return lines[l] + a * bits / 8;
      };
      int64_t offsets[kLanes];
      for (int lane = 0; lane < kLanes; ++lane)
        offsets[lane] = static_cast<int64_t>(address(lane) - address(0));
      tell(w, i, e, p.access.where, kAllLanes, address(0), offsets);
    }
  }
}

/// Resolves the lines of the matrix; false after a fault.
bool find_lines(Warp& w, const Inst* i, const WmmaPlan& p, u8** lines) {
  bool narrow = p.access.address_bytes == 4, store = p.access.kind == AccessKey::Kind::Store;
  bool same = (narrow ? uniform(slot<u32>(w, i->src[0])) : uniform(slot<u64>(w, i->src[0]))) &&
              (!p.strided || uniform(slot<u32>(w, i->src[1])));
  if (!same) {
    fault(w, i, -1, "wmma operand differs",
          "all lanes of the warp must give the same address and the same stride");
    return false;
  }
  u64 base =
      narrow ? static_cast<u32>(slot<u32>(w, i->src[0])[0] + i->imm) : slot<u64>(w, i->src[0])[0] + i->imm;
  u64 bits = static_cast<u64>(p.fragment.element_bits());
  u64 stride = p.strided ? slot<u32>(w, i->src[1])[0] : static_cast<u64>(p.line_elements);
  u32 bytes = static_cast<u32>(static_cast<u64>(p.line_elements) * bits / 8);
  u32 alignment = std::min<u32>(bytes, 16);
  u64 addresses[kMostLines];
  PlaceFinder places(w, p.access.where, store);
  for (int n = 0; n < p.lines; ++n) {
    u64 address = base + static_cast<u64>(n) * stride * bits / 8;
    if (narrow) address = static_cast<u32>(address);
    lines[n] = places.find(address, 0, bytes, alignment);
    if (!lines[n])
      lines[n] =
          allowed_or_fault(w, i, -1, resolve(w, p.access.where, address, 0, bytes, alignment, store), bytes,
                           store, fmt::format("{} {} of the matrix", p.column ? "column" : "row", n));
    if (!lines[n]) return false;
    addresses[n] = address;
  }
  if (p.heard && !tell_as_measured(w, i, p, addresses)) tell_of_registers(w, i, p, addresses);
  return true;
}

/// What the lanes' registers hold of a matrix whose lines begin there: `Register` is one lane of a register,
/// `Element` what moves at once, all of the register or an element of whole bytes.
template <class Register, class Element>
void load_register(const WmmaPlan& p, const WmmaPlan::Position* from, u8* const* lines, Register* to) {
  constexpr int kPieces = sizeof(Register) / sizeof(Element);
  const int per = p.fragment.per_register() / kPieces;  // elements that move at once
  const u32 bits = static_cast<u32>(p.fragment.element_bits());
  for (int lane = 0; lane < kLanes; ++lane) {
    Register value = 0;
    for (int e = 0; e < kPieces; ++e, from += per) {
      Element element;
      std::memcpy(&element, lines[from->line] + from->at * bits / 8, sizeof element);
      value |= static_cast<Register>(element) << (8 * sizeof(Element) * static_cast<u32>(e));
    }
    to[lane] = value;
  }
}
template <class Register, class Element>
void store_register(const WmmaPlan& p, const WmmaPlan::Position* to, u8* const* lines, const Register* from) {
  constexpr int kPieces = sizeof(Register) / sizeof(Element);
  const int per = p.fragment.per_register() / kPieces;
  const u32 bits = static_cast<u32>(p.fragment.element_bits());
  for (int lane = 0; lane < kLanes; ++lane)
    for (int e = 0; e < kPieces; ++e, to += per) {
      const auto element = static_cast<Element>(from[lane] >> (8 * sizeof(Element) * static_cast<u32>(e)));
      std::memcpy(lines[to->line] + to->at * bits / 8, &element, sizeof element);
    }
}

/// Calls move(register, positions, its lanes, one element that moves at once) for each that is wanted.
template <class Move>
void each_register(Warp& w, const WmmaPlan& p, Move&& move) {
  const Fragment& f = p.fragment;
  const WmmaPlan::Position* at = p.positions.data();
  for (int r = 0; r < f.registers; ++r, at += kLanes * f.per_register()) {
    if (f.slots[r] == kSink) continue;
    if (f.register_bytes() == 8)
      move(at, slot<u64>(w, f.slots[r]), u64{});
    else if (p.together[static_cast<size_t>(r)])
      move(at, slot<u32>(w, f.slots[r]), u32{});
    else if (f.element_bits() == 16)
      move(at, slot<u32>(w, f.slots[r]), u16{});
    else
      move(at, slot<u32>(w, f.slots[r]), u8{});
  }
}

void load_matrix(Warp& w, const Inst* i) {
  const WmmaPlan& p = *static_cast<const WmmaPlan*>(i->aux->more);
  u8* lines[kMostLines];
  if (!find_lines(w, i, p, lines)) return;
  each_register(w, p, [&](const WmmaPlan::Position* from, auto* to, auto element) {
    load_register<std::remove_reference_t<decltype(*to)>, decltype(element)>(p, from, lines, to);
  });
}

void store_matrix(Warp& w, const Inst* i) {
  const WmmaPlan& p = *static_cast<const WmmaPlan*>(i->aux->more);
  u8* lines[kMostLines];
  if (!find_lines(w, i, p, lines)) return;
  each_register(w, p, [&](const WmmaPlan::Position* to, auto* from, auto element) {
    store_register<std::remove_reference_t<decltype(*from)>, decltype(element)>(p, to, lines, from);
  });
}

/// Which types go with a shape, for which matrix.
bool exists(Mod shape, Role role, Type type) {
  bool c = role == Role::C;
  switch (shape) {
    case Mod::m16n16k16:
    case Mod::m8n32k16:
    case Mod::m32n8k16:
      return c ? type == Type::f16 || type == Type::f32 || type == Type::s32
               : type == Type::f16 || type == Type::bf16 || type == Type::s8 || type == Type::u8;
    case Mod::m16n16k8:
      return type == (c ? Type::f32 : Type::tf32);
    case Mod::m8n8k4:
      return type == Type::f64;
    case Mod::m8n8k32:
      return c ? type == Type::s32 : type == Type::s4 || type == Type::u4;
    default:
      return type == (c ? Type::s32 : Type::b1);
  }
}

void decode_wmma(FunctionDecoder& d, const ir::Instruction& in) {
  bool is_load = in.op == isa::Op::wmma_load;
  auto plan = std::make_shared<WmmaPlan>();
  WmmaPlan& p = *plan;
  Fragment& f = p.fragment;
  f = fragment_of(in);
  p.column = in.mod(Slot::layout) == Mod::col;
  p.heard = d.hears(events::kMemory);
  p.event = event_of(in, ir::accesses_of(in).at(0));
  if (!exists(in.mod(Slot::wshape), f.role, f.type))
    return d.refuse(in, fmt::format("there is no such wmma fragment of .{} for shape .{}", isa::name(f.type),
                                    isa::name(in.mod(Slot::wshape))));
  if (f.element_bits() < 8 && p.column != (f.role == Role::B))
    return d.refuse(in, fmt::format("matrices of .{} are .row (a) and .col (b)", isa::name(f.type)));
  int rows = f.role == Role::B ? f.shape.k : f.shape.m, columns = f.role == Role::A ? f.shape.k : f.shape.n;
  p.lines = p.column ? columns : rows;
  p.line_elements = p.column ? rows : columns;
  std::string wrong = read_fragment(d, in.operands[is_load ? 0 : 1], is_load, f);
  int wanted = f.type == Type::f16 && f.role != Role::C ? 8 : f.needed();
  if (wrong.empty() && f.registers != wanted)
    wrong = fmt::format("{} registers are wanted, there are {}", wanted, f.registers);
  if (!wrong.empty()) return d.refuse(in, fmt::format("the fragment of wmma: {}", wrong));

  for (int r = 0; r < f.registers; ++r)
    for (int lane = 0; lane < kLanes; ++lane)
      for (int e = 0; e < f.per_register(); ++e) {
        auto [row, column] = f.place(lane, r, e);
        p.positions.push_back(
            {static_cast<u16>(p.column ? column : row), static_cast<u16>(p.column ? row : column)});
      }
  const auto per = static_cast<size_t>(f.per_register());
  for (size_t r = 0; r < static_cast<size_t>(f.registers); ++r) {
    bool together = true;
    for (size_t first = r * kLanes * per; first < (r + 1) * kLanes * per; first += per)
      for (size_t e = 0; e < per; ++e)
        together &= p.positions[first + e].line == p.positions[first].line &&
                    size_t{p.positions[first + e].at} == p.positions[first].at + e;
    p.together.push_back(together);
  }

  p.access.kind = is_load ? AccessKey::Kind::Load : AccessKey::Kind::Store;
  switch (ir::space_of(in)) {
    case ir::Space::Global:
      p.access.where = AccessKey::Where::Global;
      break;
    case ir::Space::Shared:
      p.access.where = AccessKey::Where::Shared;
      break;
    case ir::Space::None:
      p.access.where = AccessKey::Where::Generic;
      break;
    default:
      return d.refuse(in, "wmma works on global and shared memory");
  }
  Inst i = special(is_load ? run_aligned<load_matrix> : run_aligned<store_matrix>);
  i.src[0] = d.address(in.operands[is_load ? 1 : 0], i.imm, p.access.address_bytes);
  p.strided = in.operands[2].kind != ir::Operand::Kind::None;
  if (p.strided) i.src[1] = d.source(in.operands[2], Type::b32);
  Aux& aux = d.aux_for(plan);
  aux.access = p.access;
  i.aux = &aux;
  d.emit(i);
}

}  // namespace

SpecialDecoder wmma_decoder(isa::Op op) {
  return op == isa::Op::wmma_load || op == isa::Op::wmma_store ? decode_wmma : nullptr;
}

}  // namespace ww::engine
