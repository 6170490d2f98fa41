#include "model/theory_sheet.h"

namespace ww::model {

void box_sum_theory(Sheet& s) {
  const auto& p = s.problem;
  const double n = static_cast<double>(p.n), side = n - 2 * static_cast<double>(p.r),
               width = 2 * static_cast<double>(p.r) + 1;
  const double flop = side * side * width * width;
  s.add("flop", flop, "flop", "additions", "(N-2*R)^2*(2*R+1)^2");
  s.add("accesses", flop + side * side, "", "of global memory by the threads", "(N-2*R)^2*((2*R+1)^2+1)");
  s.add("cgma", 1.0, "flop/access", "compute to global memory access ratio, stores left out", "1");
  s.add("threads", side * static_cast<double>((p.n - 2 * p.r + p.k - 1) / p.k), "",
        "that have results to compute", "(N-2*R)*ceil((N-2*R)/K)");
  s.roofline(flop, 4 * (flop + side * side), "4*accesses", 4 * n * n + 4 * side * side, "4*N^2+4*(N-2*R)^2");
}

void sum_theory(Sheet& s) {
  const double n = static_cast<double>(s.problem.n);
  s.add("flop", n - 1, "flop", "additions", "N-1");
  s.add("accesses", n, "", "of global memory by the threads, partial sums left out", "N");
  s.add("cgma", (n - 1) / n, "flop/access", "compute to global memory access ratio", "flop/accesses");
  s.roofline(n - 1, 4 * n, "4*accesses", 4 * n + 4, "4*N+4");
}

}  // namespace ww::model
