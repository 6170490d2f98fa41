// The box sum, first along the rows (see rows_first.h).
//
// For GPUs from cc 9.0.
#include "kernels/box_sum/rows_first.h"

BOX_SUM_ROWS_FIRST(box_sum_rows_first_12_8_2, kRowsFirst12)
BOX_SUM_ROWS_FIRST(box_sum_rows_first_20_8_2, kRowsFirst20)
BOX_SUM_ROWS_FIRST(box_sum_rows_first_36_16_1, kLongRows36)
BOX_SUM_ROWS_FIRST(box_sum_rows_first_20_16_1, kLongRows20)
BOX_SUM_ROWS_FIRST(box_sum_rows_first_20_16_1_longer, kLongerRows)
BOX_SUM_ROWS_FIRST(box_sum_sectors_10_8_2, kSectors10)
BOX_SUM_ROWS_FIRST(box_sum_sectors_20_8_2, kSectors20)
