#include "kernels_library/tensor_maps.h"

namespace warpwright {

namespace {

// CUtensorMapSwizzle and CUtensorMapL2promotion. Fetching 256 bytes instead costs up to a sixth of a product
// whose rows do not begin at lines of 128 bytes, and gains nothing elsewhere (docs/appendix/rungs.md).
enum { kSwizzle128 = 3, kPromote128 = 2 };

template <size_t RANK>
Status encode(TensorMap& map, ElementType type, const void* data, const std::array<uint64_t, RANK>& sizes,
              const std::array<uint64_t, RANK - 1>& strides, const std::array<uint32_t, RANK>& box) {
  std::array<uint32_t, RANK> ones;
  ones.fill(1);
  return check_driver(Driver::get()->cuTensorMapEncodeTiled(
      &map, static_cast<int>(type), RANK, const_cast<void*>(data), sizes.data(), strides.data(), box.data(),
      ones.data(), 0, kSwizzle128, kPromote128, 0));
}

uint64_t u(int64_t v) { return static_cast<uint64_t>(v); }

}  // namespace

Status make_operand_map(TensorMap& map, ElementType type, const void* data, int64_t rows, int64_t columns,
                        int64_t pitch, int64_t parts, uint32_t box_rows) {
  return encode<3>(map, type, data, {u(columns), u(rows), u(parts)}, {u(2 * pitch), u(2 * pitch * rows)},
                   {64, box_rows, 1});
}

Status make_result_map(TensorMap& map, ElementType type, void* data, int64_t rows, int64_t columns,
                       int64_t stride, uint32_t box_rows) {
  const uint32_t bytes = type == ElementType::float32 ? 4 : 2;
  return encode<2>(map, type, data, {u(columns), u(rows)}, {u(bytes * stride)}, {128 / bytes, box_rows});
}

}  // namespace warpwright
