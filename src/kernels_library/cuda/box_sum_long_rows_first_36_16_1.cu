// Box sums at about the price of a copy, first along the rows, of long windows
// (kernels/box_sum/rows_first.h). One file a kernel, since the driver compiles whole files and takes seconds
// for each of these.
//
// For GPUs from cc 9.0.
#include "kernels/box_sum/rows_first.h"

ROWS_FIRST(rows_first_36_16_1, kLongRows36)
