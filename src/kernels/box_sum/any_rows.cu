// The box sum, first along the rows, which begin at any word (see rows_first.h).
//
// For GPUs from cc 9.0.
#include "kernels/box_sum/rows_first.h"

BOX_SUM_ROWS_FIRST(box_sum_any_rows_6_8_1, kAnyRows6)
BOX_SUM_ROWS_FIRST(box_sum_any_rows_12_8_1, kAnyRows12)
BOX_SUM_ROWS_FIRST(box_sum_any_rows_20_8_1, kAnyRows20)
BOX_SUM_ROWS_FIRST(box_sum_any_rows_28_8_1, kAnyRows28)
BOX_SUM_ROWS_FIRST(box_sum_any_rows_36_16_1, kAnyLongRows)
BOX_SUM_ROWS_FIRST(box_sum_any_rows_36_16_1_longer, kAnyLongerRows)
