// Box sums at about the price of a copy, first along the rows (kernels/box_sum/rows_first.h), for results
// whose rows do not begin at sectors.
//
// For GPUs from cc 9.0.
#include "kernels/box_sum/rows_first.h"

ROWS_FIRST(sectors_10_8_2, kSectors10)
ROWS_FIRST(sectors_20_8_2, kSectors20)
