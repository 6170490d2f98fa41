#include "isa/matrix_shape.h"

namespace ww::isa {

MatrixShape matrix_shape(Mod mod) {
  MatrixShape s;
  int* next = nullptr;
  for (char c : name(mod)) {
    if (c == 'm')
      next = &s.m;
    else if (c == 'n')
      next = &s.n;
    else if (c == 'k')
      next = &s.k;
    else if (next)
      *next = *next * 10 + (c - '0');
  }
  return s;
}

}  // namespace ww::isa
