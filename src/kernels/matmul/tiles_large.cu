// matmul/tiles (see tiles.h) for tiles whose results no longer fit in the registers of a thread.
#include "kernels/matmul/tiles.h"

TILES(16, 16, 16)
TILES(16, 23, 24)
TILES(16, 24, 24)
