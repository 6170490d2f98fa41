#include "kernels_library/matrix.h"

namespace warpwright {

namespace {

constexpr int64_t kMost = int64_t{1} << 30;
constexpr uintptr_t kWorkspaceAlignment = 256;

}  // namespace

bool overlap(const Range& a, const Range& b) {
  const auto from_a = reinterpret_cast<uintptr_t>(a.data), from_b = reinterpret_cast<uintptr_t>(b.data);
  return a.bytes > 0 && b.bytes > 0 && from_a < from_b + b.bytes && from_b < from_a + a.bytes;
}

Status check_matrix(const void* data, int64_t rows, int64_t columns, int64_t stride, Layout layout,
                    size_t element) {
  if (rows < 0 || columns < 0 || rows > kMost || columns > kMost) return Status::bad_shape;
  if (layout != Layout::by_rows && layout != Layout::by_columns) return Status::unsupported;
  if (rows == 0 || columns == 0) return Status::ok;
  if (stride < (layout == Layout::by_rows ? columns : rows) || stride > kMost) return Status::bad_stride;
  if (!data) return Status::null_pointer;
  if (reinterpret_cast<uintptr_t>(data) % element != 0) return Status::misaligned;
  return Status::ok;
}

Status check_memory(std::initializer_list<Range> operands, const Range& result, const Workspace& workspace,
                    size_t needed) {
  for (const Range& operand : operands)
    if (overlap(operand, result)) return Status::overlap;
  if (needed == 0) return Status::ok;
  if (workspace.bytes < needed) return Status::small_workspace;
  if (!workspace.data) return Status::null_pointer;
  if (reinterpret_cast<uintptr_t>(workspace.data) % kWorkspaceAlignment != 0) return Status::misaligned;
  const Range work{workspace.data, needed};
  if (overlap(work, result)) return Status::overlap;
  for (const Range& operand : operands)
    if (overlap(operand, work)) return Status::overlap;
  return Status::ok;
}

}  // namespace warpwright
