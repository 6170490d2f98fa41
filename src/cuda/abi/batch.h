// Descriptions of batched copies, as CUDA 12.8 and later lay them out; the driver's are the same.
#pragma once

#include "cuda/abi/types.h"

namespace ww::cuda {

struct CopyAttributes {
  int source_order;  ///< 1: in stream order, 2: during the call, 3: any
  MemLocation from_hint, to_hint;
  unsigned flags;
};

struct BatchOperand {
  int type;  ///< 1: a pointer, 2: an array
  union {
    struct {
      void* at;
      size_t row_length, layer_height;  ///< elements and rows; 0: without gaps
      MemLocation hint;
    } pointer;
    struct {
      Array* array;
      Pos offset;
    } array;
  };
};
struct BatchCopy {
  BatchOperand from, to;
  Extent extent;  ///< elements
  int source_order;
  unsigned flags;
};
static_assert(sizeof(CopyAttributes) == 24 && sizeof(BatchOperand) == 40 && sizeof(BatchCopy) == 112);

}  // namespace ww::cuda
