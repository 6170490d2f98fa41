// The tile kernel of the GTX 1080 report, over its tiles and sizes.
#include "study/studies.h"

namespace ww::study {

Study matmul_tiles() {
  const char* const kernel = "matmul/tiles";
  return {"matmul-tiles",
          "C = A·B with Rx × Ry results per thread: what larger tiles save, and where they stop to",
          {
              {"matmul/sequential", {}, {1600}, {}, {}},
              {kernel, shapes_with_block(kernel, 16), {1600, 4096}, {}, {}},
              {kernel, shapes_with_block(kernel, 32), {3200}, {}, {}},
          },
          {
              {"matmul/sequential", {}, {320}, {}, {}},
              {kernel,
               {{16, 1, 1}, {16, 2, 1}, {16, 2, 2}, {16, 2, 3}, {16, 4, 4}, {16, 5, 6}, {16, 8, 8}},
               {320},
               {},
               {}},
              {kernel, {{32, 1, 1}, {32, 2, 2}, {32, 4, 4}, {32, 5, 6}, {32, 6, 6}}, {320}, {}, {}},
          }};
}

}  // namespace ww::study
