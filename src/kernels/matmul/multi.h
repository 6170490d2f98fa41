// C = A·B on all GPUs of the host.
#pragma once

#include <vector>

#include "base/table.h"
#include "kernels/plan.h"

namespace ww::kernels {

/// What matmul/multi needs to know of the kernel of matmul/tiles that it launches.
struct MultiKernel {
  std::string module, entry;
  uint32_t block;   ///< side
  uint32_t rx, ry;  ///< results per thread
};

/// A row for 1, 2, … all GPUs (axis k): GPU 0 holds A, B and C; rows of A and all of B go to the others
/// through NCCL, every GPU computes its rows of C, which come back the same way. `task` is n × n matmul with
/// the error bound's `rounding`. What cannot run is a row that says why: one GPU only, no NCCL.
std::vector<Row> probe_multi(const ProbeRun& run, const Task& task, int64_t rounding,
                             const MultiKernel& kernel);

}  // namespace ww::kernels
