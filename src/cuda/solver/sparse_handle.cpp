// cuSOLVER's sparse part: handles, orders, permutations of a matrix (cuSOLVER manual, "cuSolverSP
// Reference").
#include "cuda/solver/sparse_call.h"
#include "cuda/solver/sparse_order.h"

using namespace ww::solver;

namespace {

using Order = std::vector<int> (*)(const Pattern&);

Status order(Handle* h, int n, int count, const Description* d, const int* offsets, const int* inner, int* p,
             Order find) {
  if (Status s = taken(h, n, n, count, d, offsets, inner); s != Status::Success) return s;
  if (!p) return Status::InvalidValue;
  const auto found = find(pattern(n, n, d->base, offsets, inner));
  std::copy(found.begin(), found.end(), p);
  return Status::Success;
}

}  // namespace

namespace ww::solver {

Status taken(Handle* h, int rows, int columns, int count, const Description* d, const int* offsets,
             const int* inner) {
  if (!is_handle(h)) return Status::NotInitialized;
  if (rows < 0 || columns < 0 || count < 0 || !d || d->base < 0 || d->base > 1) return Status::InvalidValue;
  if (d->type != 0) return Status::MatrixTypeNotSupported;
  if (!holds(rows, columns, count, d->base, offsets, inner)) return Status::InvalidValue;
  return Status::Success;
}

std::vector<int> order_of(int reorder, const Pattern& a) {
  if (reorder == 1) return cuthill_mckee(a);
  return minimum_degree(a);
}

}  // namespace ww::solver

WW_LIBRARY_API Status cusolverSpCreate(Handle** handle) { return cusolverDnCreate(handle); }
WW_LIBRARY_API Status cusolverSpDestroy(Handle* handle) { return cusolverDnDestroy(handle); }
WW_LIBRARY_API Status cusolverSpSetStream(Handle* h, void* stream) { return cusolverDnSetStream(h, stream); }
WW_LIBRARY_API Status cusolverSpGetStream(Handle* h, void** stream) { return cusolverDnGetStream(h, stream); }

WW_LIBRARY_API Status cusolverSpXcsrsymrcmHost(Handle* h, int n, int count, const Description* d,
                                               const int* offsets, const int* inner, int* p) {
  return order(h, n, count, d, offsets, inner, p, cuthill_mckee);
}
WW_LIBRARY_API Status cusolverSpXcsrsymmdqHost(Handle* h, int n, int count, const Description* d,
                                               const int* offsets, const int* inner, int* p) {
  return order(h, n, count, d, offsets, inner, p, minimum_degree);
}
WW_LIBRARY_API Status cusolverSpXcsrsymamdHost(Handle* h, int n, int count, const Description* d,
                                               const int* offsets, const int* inner, int* p) {
  return order(h, n, count, d, offsets, inner, p, minimum_degree);
}
// Nested dissection is another way to the same end: less fill. The options are METIS's.
WW_LIBRARY_API Status cusolverSpXcsrmetisndHost(Handle* h, int n, int count, const Description* d,
                                                const int* offsets, const int* inner, const int64_t*,
                                                int* p) {
  return order(h, n, count, d, offsets, inner, p, minimum_degree);
}

// Rows end where `ends` says, which may be before the next begins.
WW_LIBRARY_API Status cusolverSpXcsrissymHost(Handle* h, int n, int count, const Description* d,
                                              const int* offsets, const int* ends, const int* inner,
                                              int* symmetric) {
  if (!is_handle(h)) return Status::NotInitialized;
  if (n < 0 || count < 0 || !d || !offsets || !ends || !inner || !symmetric) return Status::InvalidValue;
  std::vector<std::pair<int, int>> all;
  for (int i = 0; i < n; ++i)
    for (int k = offsets[i] - d->base; k < ends[i] - d->base; ++k) {
      if (k < 0 || k >= count) return Status::InvalidValue;
      all.emplace_back(i, inner[k] - d->base);
    }
  std::sort(all.begin(), all.end());
  *symmetric = std::all_of(all.begin(), all.end(), [&](const auto& at) {
    return std::binary_search(all.begin(), all.end(), std::pair(at.second, at.first));
  });
  return Status::Success;
}

WW_LIBRARY_API Status cusolverSpXcsrperm_bufferSizeHost(Handle* h, int rows, int columns, int count,
                                                        const Description* d, const int* offsets,
                                                        const int* inner, const int* p, const int* q,
                                                        size_t* bytes) {
  if (Status s = taken(h, rows, columns, count, d, offsets, inner); s != Status::Success) return s;
  if (!bytes || !is_permutation(p, rows) || !is_permutation(q, columns)) return Status::InvalidValue;
  *bytes = 8;
  return Status::Success;
}
WW_LIBRARY_API Status cusolverSpXcsrpermHost(Handle* h, int rows, int columns, int count,
                                             const Description* d, int* offsets, int* inner, const int* p,
                                             const int* q, int* map, void*) {
  if (Status s = taken(h, rows, columns, count, d, offsets, inner); s != Status::Success) return s;
  if (!map || !is_permutation(p, rows) || !is_permutation(q, columns)) return Status::InvalidValue;
  std::vector<int> sorted, from;
  const Pattern a = pattern(rows, columns, d->base, offsets, inner, &sorted);
  const Pattern b = permuted(a, p, q, from);
  const std::vector<int> before(map, map + count);
  for (int k = 0; k < count; ++k) {
    map[k] = before[slot(sorted[slot(from[slot(k)])])];
    inner[k] = b.inner[slot(k)] + d->base;
  }
  for (int i = 0; i <= rows; ++i) offsets[i] = b.offsets[slot(i)] + d->base;
  return Status::Success;
}
