// The step-by-step ladder of the GT 240 report, from one block to 2 × 2 results per thread.
#include "study/studies.h"

namespace ww::study {

Study matmul_ladder() {
  // The sizes of the report: multiples of all block sides for the kernels that have the side 22, else powers
  // of 2.
  const std::vector<int64_t> common = {176, 528}, even = {128, 256, 384, 640},
                             all = {128, 176, 256, 384, 528, 640};
  return {"matmul-ladder",
          "C = A·B step by step: from one block to several results per thread",
          {
              {"matmul/sequential", {}, all, {}, {}},
              {"matmul/one_block", {{8}, {16}, {22}}, common, {}, {}},
              {"matmul/row_per_thread", {{64}}, common, {}, {}},
              {"matmul/inner_atomic", {{16}}, common, {}, {2, 4, 8, 16, 32}},
              {"matmul/grid", {{8}, {16}, {22}}, common, {}, {}},
              {"matmul/tiled", {{8}, {16}}, all, {}, {}},
              {"matmul/tiled", {{22}}, common, {}, {}},
              {"matmul/prefetch_register", {{8}, {16}}, even, {}, {}},
              {"matmul/prefetch_shared", {{8}, {16}}, even, {}, {}},
              {"matmul/per_thread_2x2", {{8}, {16}}, {128, 256, 384}, {}, {}},
          },
          {
              {"matmul/sequential", {}, {176, 352}, {}, {}},
              {"matmul/one_block", {{8}, {16}}, {176, 352}, {}, {}},
              {"matmul/grid", {{8}, {16}}, {176, 352}, {}, {}},
              {"matmul/tiled", {{8}, {16}}, {176, 352}, {}, {}},
              {"matmul/prefetch_register", {{8}, {16}}, {176, 352}, {}, {}},
              {"matmul/prefetch_shared", {{8}, {16}}, {176, 352}, {}, {}},
              {"matmul/per_thread_2x2", {{8}}, {176, 352}, {}, {}},
              {"matmul/per_thread_2x2", {{16}}, {352}, {}, {}},  // 176 is no multiple of 2 · 16
          }};
}

}  // namespace ww::study
