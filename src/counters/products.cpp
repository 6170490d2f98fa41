#include "counters/products.h"

#include "isa/matrix_shape.h"

namespace ww::counters {

uint64_t multiply_adds(const ir::Instruction& in) {
  if (in.form().pipe != isa::Pipe::Tensor) return 0;
  uint64_t parts = 1, of = 1;  // the warp does `parts` by `of` of what the shape says
  isa::Mod shape = isa::Mod::none;
  for (const isa::Slot slot : {isa::Slot::mshape, isa::Slot::wshape, isa::Slot::wgshape, isa::Slot::spshape})
    if (shape = in.mod(slot); shape != isa::Mod::none) {
      if (slot == isa::Slot::wgshape) of = 4;  // four warps share it
      if (slot == isa::Slot::spshape) of = 2;
      // m8n8k4 with float16: four products, each by eight lanes.
      if (slot == isa::Slot::mshape && isa::name(shape) == "m8n8k4" &&
          in.type(isa::Slot::atype) == isa::Type::f16)
        parts = 4;
      break;
    }
  const isa::MatrixShape s = isa::matrix_shape(shape);
  return static_cast<uint64_t>(s.m) * s.n * s.k * parts / of;
}

}  // namespace ww::counters
