// Matrix fragments: which elements of a matrix the registers of a lane hold, and moving them to and fro.
#pragma once

#include <string>

#include "engine/decode/decode.h"
#include "engine/schedule/launch_state.h"
#include "isa/matrix_shape.h"

namespace ww::engine {

using Shape = isa::MatrixShape;

/// The fragment of one matrix: A (m × k), B (k × n) or the accumulators C and D (m × n).
struct Fragment {
  enum class Role : u8 { A, B, C };
  Role role = Role::C;
  isa::Type type{};
  Shape shape;
  bool quads = false;   ///< mma.m8n8k4.f16: four matrices of their own, each of 8 lanes (two quads)
  bool column = false;  ///< quads only: A or B is in column-major order
  static constexpr int kMostRegisters = 128;  // accumulators of wgmma with N = 256
  int registers = 0;                          ///< in the operand
  u32 slots[kMostRegisters] = {};             ///< kSink: not wanted

  int element_bits() const { return isa::bits(type); }
  int register_bytes() const { return element_bits() == 64 ? 8 : 4; }
  int per_register() const { return register_bytes() * 8 / element_bits(); }
  /// Registers needed to hold the matrix once. wmma fragments of f16 may have twice or four times as many.
  int needed() const;

  /// Position of element `e` of register `r` of a lane: row and column of the matrix.
  struct Place {
    int row, column;
  };
  Place place(int lane, int r, int e) const;

  /// By register, lane and element: row * columns + column; quads: of four matrices, one behind the other.
  std::vector<u16> index;
  void make_index();
};

/// The fragments that mma, mma.sp, wmma.mma or wgmma work on, without their registers. Of wgmma they are
/// those of one warp, and B lies in shared memory.
struct Fragments {
  Fragment a, b, c, d;
};
Fragments fragments_of(const ir::Instruction& in);
constexpr int kWarpRows = 16;  ///< of wgmma's 64
/// The fragment that wmma.load fills or wmma.store stores.
Fragment fragment_of(const ir::Instruction& in);

/// Reads the operand of an instruction into fragment.slots. Returns what is wrong with it, "" if nothing.
std::string read_fragment(FunctionDecoder& d, const ir::Operand& operand, bool destination,
                          Fragment& fragment);

/// Values of all elements as double (exact for every type), each at its index.
void gather(Warp& w, const Fragment& fragment, double* matrix);
/// The inverse, rounding once to the fragment's type; `saturate`: integers are clamped instead of wrapped.
void scatter(Warp& w, const Fragment& fragment, const double* matrix, bool saturate);

void incomplete_warp(Warp& w, const Inst* i, u32 lanes);
/// A handler that runs `operation` once all 32 lanes of the warp have come; a warp of fewer is a fault.
template <void (*operation)(Warp&, const Inst*)>
const Inst* run_aligned(Warp& w, const Inst* i) {
  u32 lanes = active(w, i);
  if (lanes == 0) return i + 1;
  const Inst* next = collective(w, i, lanes, kAllLanes, [](Warp& warp, const Inst* inst, u32 here) {
    if (here == kAllLanes)
      operation(warp, inst);
    else
      incomplete_warp(warp, inst, here);
  });
  return w.stop == Stop::Fault ? nullptr : next;
}

// matrix_decoder asks these.
SpecialDecoder mma_decoder(isa::Op op);
SpecialDecoder wmma_decoder(isa::Op op);
SpecialDecoder ldmatrix_decoder(isa::Op op);
SpecialDecoder wgmma_decoder(isa::Op op);

}  // namespace ww::engine
