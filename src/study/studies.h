// One function for each study, defined in the file of its name.
#pragma once

#include "study/study.h"

namespace ww::study {

Study matmul_ladder();
Study matmul_tiles();
Study aat();
Study box_sum();
Study sum();

/// All shapes of the case `kernel` that have this block side.
std::vector<kernels::Shape> shapes_with_block(const std::string& kernel, int block);

}  // namespace ww::study
