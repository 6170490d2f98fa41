// cublasLt: where the elements of a matrix lie (cublasLt.h: cublasLtOrder_t).
#include "cuda/blas/lt.h"

namespace ww::blas::lt {

namespace {

int part_type(int type) { return type == kC16 ? kF16 : type == kC32 ? kF32 : kF64; }

const void* matrix_of(const Layout& l, const void* data, int64_t batch, int64_t& offset) {
  offset = l.pointers ? 0 : batch * l.stride;
  return l.pointers ? static_cast<const void* const*>(data)[batch] : data;
}

}  // namespace

int64_t Layout::at(int64_t i, int64_t j) const {
  const int64_t block = j / 32 * lead, column = j % 32;  // 32 columns lie together
  switch (order) {
    case kRows:
      return i * lead + j;
    case kColumns32:
      return block + i * 32 + column;
    case kTiles8: {
      // Of eight rows, the even ones first and then the odd ones, four and four; eight columns at a time, of
      // which four lie together.
      const int64_t row = i % 8;
      return block + i / 8 * 256 + row % 2 * 128 + column / 8 * 32 + column % 8 / 4 * 16 + row / 2 * 4 +
             column % 4;
    }
    case kTiles32: {
      const int64_t row = i % 32;
      return block + i / 32 * 1024 + ((row % 8 / 2 * 4 + row / 8) * 2 + row % 2) * 32 + column;
    }
    default:
      return i + j * lead;
  }
}

bool Layout::good() const {
  const auto r = static_cast<int64_t>(rows), c = static_cast<int64_t>(columns);
  const auto up = [](int64_t n, int64_t of) { return (n + of - 1) / of * of; };
  const int64_t least[] = {r, c, 32 * r, 32 * up(r, 8), 32 * up(r, 32)};
  return order >= kColumns && order <= kTiles32 && lead >= least[order] && batch >= 1;
}

std::complex<double> element(const Layout& l, const void* data, int64_t batch, int64_t i, int64_t j) {
  int64_t offset = 0;
  const void* all = matrix_of(l, data, batch, offset);
  const int64_t at = offset + l.at(i, j);
  if (!l.plane) return number_at(l.type, all, at);
  const int type = part_type(l.type);
  return {number_at(type, all, at).real(),
          number_at(type, static_cast<const char*>(all) + l.plane, at).real()};
}

void put_element(const Layout& l, void* data, int64_t batch, int64_t i, int64_t j, std::complex<double> v) {
  int64_t offset = 0;
  void* all = const_cast<void*>(matrix_of(l, data, batch, offset));
  const int64_t at = offset + l.at(i, j);
  if (!l.plane) return put_number(l.type, all, at, v);
  const int type = part_type(l.type);
  put_number(type, all, at, v.real());
  put_number(type, static_cast<char*>(all) + l.plane, at, v.imag());
}

}  // namespace ww::blas::lt
