// Box sums at about the price of a copy, first along the rows (kernels/box_sum/rows_first.h).
//
// For GPUs from cc 9.0.
#include "kernels/box_sum/rows_first.h"

ROWS_FIRST(rows_first_12_8_2, kRowsFirst12)
ROWS_FIRST(rows_first_20_8_2, kRowsFirst20)
ROWS_FIRST(any_rows_6_8_1, kAnyRows6)
ROWS_FIRST(any_rows_12_8_1, kAnyRows12)
ROWS_FIRST(any_rows_20_8_1, kAnyRows20)
ROWS_FIRST(any_rows_28_8_1, kAnyRows28)
