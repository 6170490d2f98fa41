// cuSPARSE: systems with three or five diagonals, one or many.
#include <algorithm>
#include <cmath>

#include "cuda/sparse/touches.h"

using namespace ww::sparse;

namespace {

/// A matrix of `n` rows with `Reach` diagonals on each side, and room for what elimination with pivots adds.
template <class T, int Reach>
class Band {
 public:
  explicit Band(int n) : n_(n), rows_(static_cast<size_t>(n)) {}
  T& at(int i, int j) { return rows_[static_cast<size_t>(i)].v[j - i + Reach]; }
  /// Solves for `x`, by elimination; exchanges rows where `pivots` says so. The matrix is lost.
  void solve(T* x, bool pivots) {
    for (int i = 0; i < n_; ++i) {
      int best = i;
      if (pivots)
        for (int r = i + 1; r <= std::min(i + Reach, n_ - 1); ++r)
          if (std::abs(at(r, i)) > std::abs(at(best, i))) best = r;
      if (best != i) {
        for (int j = i; j <= std::min(i + 2 * Reach, n_ - 1); ++j) std::swap(at(i, j), at(best, j));
        std::swap(x[i], x[best]);
      }
      for (int r = i + 1; r <= std::min(i + Reach, n_ - 1); ++r) {
        const T factor = at(r, i) / at(i, i);
        if (factor == T{}) continue;
        for (int j = i; j <= std::min(i + 2 * Reach, n_ - 1); ++j) at(r, j) -= factor * at(i, j);
        x[r] -= factor * x[i];
      }
    }
    for (int i = n_ - 1; i >= 0; --i) {
      for (int j = i + 1; j <= std::min(i + 2 * Reach, n_ - 1); ++j) x[i] -= at(i, j) * x[j];
      x[i] /= at(i, i);
    }
  }

 private:
  struct Row {
    T v[3 * Reach + 1]{};
  };
  int n_;
  std::vector<Row> rows_;
};

/// Elements `first` to `last` of `count` systems, whose element i is at [s * system + i * element].
template <class T>
void touches_systems(T* at, const Span& elements, int count, int64_t system, int64_t element) {
  if (elements.empty() || elements.first > elements.last) return;
  const bool mixed = system < element;  // they lie between each other: one piece
  const Span one{elements.first * element, elements.last * element + (mixed ? (count - 1) * system : 0)};
  for (int s = 0; s < (mixed ? std::min(count, 1) : count); ++s)
    touches(at + s * system, one, sizeof(T), !std::is_const_v<T>);
}
/// `count` systems of n rows: the diagonal d of system s has its element i at d[s * system + i * element].
template <class T, int Reach>
Status solve_all(Handle* h, bool pivots, int n, std::vector<const T*> diagonals, T* x, int count,
                 int64_t system, int64_t element, int right_sides = 1, int64_t side = 0) {
  if (!h) return Status::NotInitialized;
  if (n < 0 || count < 0 || right_sides < 0 || (n && !x)) return Status::InvalidValue;
  for (const T* d : diagonals)
    if (n && !d) return Status::InvalidValue;
  return submit(h, [=] {
    if (count > 0 && right_sides > 0)
      for (int d = 0; d < 2 * Reach + 1; ++d)
        touches_systems(diagonals[static_cast<size_t>(d)],
                        {std::max(0, Reach - d), std::min(n, n + Reach - d) - 1}, count, system, element);
    for (int r = 0; r < right_sides; ++r) touches_systems(x + r * side, all_of(n), count, system, element);
    std::vector<T> one(static_cast<size_t>(n));
    for (int s = 0; s < count; ++s)
      for (int r = 0; r < right_sides; ++r) {
        Band<T, Reach> band(n);
        for (int i = 0; i < n; ++i)
          for (int d = 0; d < 2 * Reach + 1; ++d)
            if (const int j = i + d - Reach; j >= 0 && j < n)
              band.at(i, j) = diagonals[static_cast<size_t>(d)][s * system + i * element];
        T* to = x + s * system + r * side;
        for (int i = 0; i < n; ++i) one[static_cast<size_t>(i)] = to[i * element];
        band.solve(one.data(), pivots);
        for (int i = 0; i < n; ++i) to[i * element] = one[static_cast<size_t>(i)];
      }
  });
}
Status room(const Handle* h, size_t* bytes) {
  if (!h) return Status::NotInitialized;
  if (!bytes) return Status::InvalidValue;
  *bytes = 128;
  return Status::Success;
}

}  // namespace

#define WW_SYSTEMS(L, T)                                                                                     \
  WW_LIBRARY_API Status cusparse##L##gtsv2_bufferSizeExt(Handle* h, int, int, const T*, const T*, const T*,  \
                                                         const T*, int, size_t* bytes) {                     \
    return room(h, bytes);                                                                                   \
  }                                                                                                          \
  WW_LIBRARY_API Status cusparse##L##gtsv2(Handle* h, int n, int sides, const T* low, const T* middle,       \
                                           const T* high, T* x, int lead, void*) {                           \
    return solve_all<T, 1>(h, true, n, {low, middle, high}, x, 1, 0, 1, sides, lead);                        \
  }                                                                                                          \
  WW_LIBRARY_API Status cusparse##L##gtsv2_nopivot_bufferSizeExt(Handle* h, int, int, const T*, const T*,    \
                                                                 const T*, const T*, int, size_t* bytes) {   \
    return room(h, bytes);                                                                                   \
  }                                                                                                          \
  WW_LIBRARY_API Status cusparse##L##gtsv2_nopivot(Handle* h, int n, int sides, const T* low,                \
                                                   const T* middle, const T* high, T* x, int lead, void*) {  \
    return solve_all<T, 1>(h, false, n, {low, middle, high}, x, 1, 0, 1, sides, lead);                       \
  }                                                                                                          \
  WW_LIBRARY_API Status cusparse##L##gtsv2StridedBatch_bufferSizeExt(                                        \
      Handle* h, int, const T*, const T*, const T*, const T*, int, int, size_t* bytes) {                     \
    return room(h, bytes);                                                                                   \
  }                                                                                                          \
  WW_LIBRARY_API Status cusparse##L##gtsv2StridedBatch(Handle* h, int n, const T* low, const T* middle,      \
                                                       const T* high, T* x, int count, int step, void*) {    \
    return solve_all<T, 1>(h, false, n, {low, middle, high}, x, count, step, 1);                             \
  }                                                                                                          \
  WW_LIBRARY_API Status cusparse##L##gtsvInterleavedBatch_bufferSizeExt(                                     \
      Handle* h, int, int, const T*, const T*, const T*, const T*, int, size_t* bytes) {                     \
    return room(h, bytes);                                                                                   \
  }                                                                                                          \
  WW_LIBRARY_API Status cusparse##L##gtsvInterleavedBatch(Handle* h, int algorithm, int n, const T* low,     \
                                                          const T* middle, const T* high, T* x, int count,   \
                                                          void*) {                                           \
    return solve_all<T, 1>(h, algorithm != 0, n, {low, middle, high}, x, count, 1, count);                   \
  }                                                                                                          \
  WW_LIBRARY_API Status cusparse##L##gpsvInterleavedBatch_bufferSizeExt(                                     \
      Handle* h, int, int, const T*, const T*, const T*, const T*, const T*, const T*, int, size_t* bytes) { \
    return room(h, bytes);                                                                                   \
  }                                                                                                          \
  WW_LIBRARY_API Status cusparse##L##gpsvInterleavedBatch(Handle* h, int, int n, const T* lowest,            \
                                                          const T* low, const T* middle, const T* high,      \
                                                          const T* highest, T* x, int count, void*) {        \
    return solve_all<T, 2>(h, true, n, {lowest, low, middle, high, highest}, x, count, 1, count);            \
  }
WW_SYSTEMS(S, float)
WW_SYSTEMS(D, double)
WW_SYSTEMS(C, std::complex<float>)
WW_SYSTEMS(Z, std::complex<double>)
