// ldmatrix, stmatrix, movmatrix: 8×8 matrices of 16-bit elements.
#include <fmt/format.h>

#include <cstring>

#include "engine/interpret/handlers.h"
#include "engine/matrix/fragment.h"
#include "engine/memory/resolve.h"

namespace ww::engine {

namespace {

using isa::Mod;

struct MatrixPlan {
  int matrices = 1;
  bool transposed = false;
  AccessKey access;
  u32 slots[4] = {};
};

/// The row of the 8×8 matrix and the first of two columns that a lane's register holds (PTX ISA, ldmatrix).
int row_of(int lane) { return lane >> 2; }
int column_of(int lane) { return (lane & 3) * 2; }

using Matrix = u16[8][8];

void to_registers(const Matrix& m, bool transposed, u32* lanes) {
  for (int l = 0; l < kLanes; ++l) {
    int r = row_of(l), c = column_of(l);
    u32 first = transposed ? m[c][r] : m[r][c], second = transposed ? m[c + 1][r] : m[r][c + 1];
    lanes[l] = first | second << 16;
  }
}
void from_registers(const u32* lanes, bool transposed, Matrix& m) {
  for (int l = 0; l < kLanes; ++l) {
    int r = row_of(l), c = column_of(l);
    (transposed ? m[c][r] : m[r][c]) = static_cast<u16>(lanes[l]);
    (transposed ? m[c + 1][r] : m[r][c + 1]) = static_cast<u16>(lanes[l] >> 16);
  }
}

/// Lane 8 q + r gives the address of row r of matrix q, 16 bytes. False after a fault.
bool find_rows(Warp& w, const Inst* i, const MatrixPlan& p, u8** rows) {
  constexpr u32 kRowBytes = 16;
  PlaceFinder places(w, p.access.where, p.access.kind == AccessKey::Kind::Store);
  for (int l = 0; l < 8 * p.matrices; ++l) {
    u64 address = p.access.address_bytes == 4 ? static_cast<u32>(slot<u32>(w, i->src[0])[l] + i->imm)
                                              : slot<u64>(w, i->src[0])[l] + i->imm;
    u64 in_space = address;
    if (space_of(p.access.where, in_space) == ir::Space::Shared) {
      rows[l] = places.find(address, l, kRowBytes, kRowBytes);
      if (rows[l]) continue;
    }
    const bool store = p.access.kind == AccessKey::Kind::Store;
    Resolved r = resolve(w, p.access.where, address, l, kRowBytes, kRowBytes, store);
    if (r.host && r.space != ir::Space::Shared) {
      r.host = nullptr;
      r.kind = "not shared memory";
      r.problem = [address] {
        return fmt::format("address 0x{:x}: the rows of these matrices lie in shared memory", address);
      };
    }
    rows[l] = allowed_or_fault(w, i, l, r, kRowBytes, store);
    if (!rows[l]) return false;
  }
  return true;
}

void load(Warp& w, const Inst* i) {
  const MatrixPlan& p = *static_cast<const MatrixPlan*>(i->aux->more);
  u8* rows[kLanes] = {};
  if (!find_rows(w, i, p, rows)) return;
  for (int q = 0; q < p.matrices; ++q) {
    if (p.slots[q] == kSink) continue;
    Matrix m;
    for (int r = 0; r < 8; ++r) std::memcpy(m[r], rows[8 * q + r], sizeof m[r]);
    to_registers(m, p.transposed, slot<u32>(w, p.slots[q]));
  }
}

void store(Warp& w, const Inst* i) {
  const MatrixPlan& p = *static_cast<const MatrixPlan*>(i->aux->more);
  u8* rows[kLanes] = {};
  if (!find_rows(w, i, p, rows)) return;
  for (int q = 0; q < p.matrices; ++q) {
    Matrix m;
    from_registers(slot<u32>(w, p.slots[q]), p.transposed, m);
    for (int r = 0; r < 8; ++r) std::memcpy(rows[8 * q + r], m[r], sizeof m[r]);
  }
}

void move(Warp& w, const Inst* i) {
  Matrix m;
  from_registers(slot<u32>(w, i->src[0]), false, m);
  to_registers(m, true, slot<u32>(w, i->dst));
}

void decode_matrix(FunctionDecoder& d, const ir::Instruction& in) {
  bool is_load = in.op == isa::Op::ldmatrix;
  auto plan = std::make_shared<MatrixPlan>();
  MatrixPlan& p = *plan;
  Mod count = in.mod(isa::Slot::num);
  p.matrices = count == Mod::x1 ? 1 : count == Mod::x2 ? 2 : 4;
  p.transposed = in.has(Mod::trans);
  p.access.kind = is_load ? AccessKey::Kind::Load : AccessKey::Kind::Store;
  p.access.where =
      ir::space_of(in) == ir::Space::Shared ? AccessKey::Where::Shared : AccessKey::Where::Generic;
  Fragment f;
  f.type = isa::Type::f16;  // 32-bit registers
  std::string wrong = read_fragment(d, in.operands[is_load ? 0 : 1], is_load, f);
  if (wrong.empty() && f.registers != p.matrices)
    wrong = fmt::format("{} registers are wanted, there are {}", p.matrices, f.registers);
  if (!wrong.empty()) return d.refuse(in, fmt::format("the registers of {}: {}", in.form().mnemonic, wrong));
  for (int q = 0; q < p.matrices; ++q) p.slots[q] = f.slots[q];
  Inst i = special(is_load ? run_aligned<load> : run_aligned<store>);
  i.src[0] = d.address(in.operands[is_load ? 1 : 0], i.imm, p.access.address_bytes);
  Aux& aux = d.aux_for(plan);
  aux.access = p.access;
  i.aux = &aux;
  d.emit(i);
}

void decode_move(FunctionDecoder& d, const ir::Instruction& in) {
  Inst i = special(run_aligned<move>);
  u32 dst = d.destination(in.operands[0]);
  i.dst = dst == kSink ? d.temporary(4) : dst;
  i.src[0] = d.source(in.operands[1], isa::Type::b32);
  d.emit(i);
}

}  // namespace

SpecialDecoder ldmatrix_decoder(isa::Op op) {
  switch (op) {
    case isa::Op::ldmatrix:
    case isa::Op::stmatrix:
      return decode_matrix;
    case isa::Op::movmatrix:
      return decode_move;
    default:
      return nullptr;
  }
}

SpecialDecoder matrix_decoder(isa::Op op) {
  for (auto find : {ldmatrix_decoder, mma_decoder, wmma_decoder, wgmma_decoder})
    if (SpecialDecoder d = find(op)) return d;
  return nullptr;
}

}  // namespace ww::engine
