// Tiles of 128 × 64 and 128 × 128 (see tensor_bfloat16_cut.h).
//
// For GPUs from cc 9.0a.
#include "kernels_library/cuda/tensor_bfloat16_cut.h"

CUT(128x64, 64, 8, 2, 2)
CUT(128x64, 64, 8, 2, 3)
CUT(128x64, 64, 8, 2, 4)
CUT(128x64, 64, 8, 2, 8)
CUT(128x128, 128, 6, 2, 2)
CUT(128x128, 128, 6, 2, 3)
CUT(128x128, 128, 6, 2, 4)
