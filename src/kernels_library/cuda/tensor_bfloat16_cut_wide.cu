// Tiles of 128 × 192, 128 × 256 and 192 × 192 (see tensor_bfloat16_cut.h).
//
// For GPUs from cc 9.0a.
#include "kernels_library/cuda/tensor_bfloat16_cut.h"

CUT(128x192, 192, 4, 2, 2)
CUT(128x192, 192, 4, 2, 3)
CUT(128x192, 192, 4, 2, 4)
CUT(128x256, 256, 4, 2, 2)
CUT(128x256, 256, 4, 2, 3)
CUT(128x256, 256, 4, 2, 4)
CUT(192x192, 192, 3, 3, 2)
CUT(192x192, 192, 3, 3, 3)
CUT(192x192, 192, 3, 3, 4)
