// Products with few columns (kernels/matmul/thin.h), for every number of columns and way that A lies.
#pragma once

#include "kernels/matmul/thin.h"

#define MULTIPLY_THIN_ALL(NAME, IN) \
  MULTIPLY_THIN_EACH(NAME, IN, 1)   \
  MULTIPLY_THIN_EACH(NAME, IN, 4)   \
  MULTIPLY_THIN_EACH(NAME, IN, 8)   \
  MULTIPLY_THIN_EACH(NAME, IN, 16)
