// Float32 products in tiles of 128 × 256 (see float32.h) of an A that lies along k, as it is. In a file of
// its own: the driver compiles whole files.
//
// For GPUs from cc 8.0.
#include "kernels_library/cuda/float32.h"

PRODUCT(turned_chunks, kTransposed, kChunks, 1, true, 1, true, false, 16, 8, 16, 8, 2, 4, 4)
ADD_PIECES(16, 8, 16, 8, 2, 4, 4)
