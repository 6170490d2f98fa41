// What can be said of a laboratory kernel before it runs: work, accesses, bounds, each with its formula.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/table.h"
#include "gpus/gpu.h"

namespace ww::model {

/// A configuration of a kernel. What a kernel does not have is ignored.
struct TheoryCase {
  std::string kernel;  ///< one of theory_kernels(): "matmul/tiles"
  int64_t n = 0;       ///< side of the matrices, or length of the vector
  int64_t block = 0;   ///< side of the block; sum: its threads
  int64_t rx = 1, ry = 1;
  int64_t r = 0;  ///< box sum: radius
  int64_t k = 1;  ///< box sum: outputs per thread
};

/// A value (provenance theory; its description says what it is) and how it was computed.
struct TheoryLine {
  Value value;
  std::string formula;
};

/// The kernels of a study that have a theory ("matmul-ladder": naive and tiled), or the kernel itself; empty:
/// unknown.
std::vector<std::string> theory_kernels(std::string_view study_or_kernel);
/// What theory_kernels() takes, for messages.
std::vector<std::string> theory_names();

/// Sources of the formulas: gpu-rules as far as the published tables print them (data/published:
/// gtx1080_theory.csv, gtx280_matmul_bounds.csv), and the definitions of flop and of the roofline (Williams
/// et al., CACM 52, 2009). N, BS, Rx, Ry, R, K are those of the case; B and F are the GPU's bandwidth and
/// single-precision rate as advertised. Errors: unknown kernel, a number that the kernel needs and that is
/// missing or impossible.
Result<std::vector<TheoryLine>> theory(const gpus::Gpu& gpu, const TheoryCase& problem);

}  // namespace ww::model
