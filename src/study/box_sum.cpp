// The box sum of the RTX 4070 SUPER report, over its sizes and radii.
#include "study/studies.h"

namespace ww::study {

Study box_sum() {
  const std::vector<kernels::Shape> blocks = {{8}, {16}, {32}};
  const std::vector<int> k = {1, 4, 16};
  return {"box-sum",
          "Sums over (2R+1)² neighbours: how work per thread and block shape meet the caches",
          {
              {"box_sum/sequential", {}, {2000}, {4, 8, 16}, {}},
              {"box_sum/sequential", {}, {4000}, {4, 16}, {}},
              {"box_sum/sequential", {}, {8000}, {4, 8}, {}},
              {"box_sum/direct", blocks, {2000}, {4, 8, 16}, k},
              {"box_sum/direct", blocks, {4000}, {4, 16}, k},
              {"box_sum/direct", blocks, {8000}, {4, 8}, k},
          },
          {
              {"box_sum/sequential", {}, {500}, {4, 8}, {}},
              {"box_sum/direct", blocks, {500}, {4, 8}, {1, 4}},
          }};
}

}  // namespace ww::study
