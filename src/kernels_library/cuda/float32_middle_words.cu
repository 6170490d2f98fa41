// Float32 products in tiles of 128 × 128, 16 × 8 results a thread, with A laid and B as it comes (see
// float32.h).
//
// For GPUs from cc 8.0.
#include "kernels_library/cuda/float32.h"

PRODUCT(chunks_words, kChunks, kWords, 2, true, 1, true, true, 16, 16, 8, 2, 4, 1, 4)
ADD_PIECES(16, 16, 8, 2, 4, 1, 4)
