// What a program sets and asks of the functions that cuSOLVER does by rotations (syevj, gesvdj).
#pragma once

namespace ww::solver {

struct Rotations {
  int sweeps = 1;
  double residual = 0;
  bool sorted = true;
};

}  // namespace ww::solver
