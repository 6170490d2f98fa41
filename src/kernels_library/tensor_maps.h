// Maps for the copy engine as the driver makes them.
#pragma once

#include <array>

#include "kernels_library/driver.h"

namespace warpwright {

/// CUtensorMap.
struct alignas(64) TensorMap {
  std::array<unsigned long long, 16> words;
};
/// Of A, B and C: the first argument of the kernels.
struct Maps {
  TensorMap of[3];
};

/// CUtensorMapDataType.
enum class ElementType : int { float16 = 6, float32 = 7, bfloat16 = 9 };

/// `parts` matrices of 16-bit elements, one behind the other, in boxes of 64 columns × box_rows.
Status make_operand_map(TensorMap& map, ElementType type, const void* data, int64_t rows, int64_t columns,
                        int64_t pitch, int64_t parts, uint32_t box_rows);
/// Results, in boxes of 128 bytes × 64 rows.
Status make_result_map(TensorMap& map, ElementType type, void* data, int64_t rows, int64_t columns,
                       int64_t stride, uint32_t box_rows = 64);

}  // namespace warpwright
