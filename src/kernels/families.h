// The families of the laboratory: each is a folder, whose cases.cpp lists its cases.
#pragma once

#include <vector>

#include "kernels/case.h"

namespace ww::kernels {

std::vector<Case> matmul_cases();
std::vector<Case> aat_cases();
std::vector<Case> box_sum_cases();
std::vector<Case> sum_cases();
std::vector<Case> spaces_cases();
std::vector<Case> simt_cases();
std::vector<Case> host_memory_cases();

}  // namespace ww::kernels
