// cuBLAS with 64-bit sizes: the same functions, where the sizes fit 32 bits. No processor gets through more.
#include <cstdint>
#include <limits>
#include <vector>

#include "cuda/stubs/library.h"
#include "cuda/stubs/refused.h"

namespace {

using P = void*;
using N = int64_t;
using L = long long;
using E = int;

template <class T>
struct Narrow {
  using type = T;
};
template <>
struct Narrow<N> {
  using type = int;
};

template <class T>
bool fits(T) {
  return true;
}
bool fits(N v) { return v >= std::numeric_limits<int>::min() && v <= std::numeric_limits<int>::max(); }

/// Error: CUBLAS_STATUS_NOT_SUPPORTED (a size of more than 32 bits).
template <class... A>
int narrowed(int (*function)(), const char* name, A... a) {
  if (!(fits(a) && ...)) return ww::stubs::refuse(name, "CUBLAS_STATUS_NOT_SUPPORTED", 15);
  return reinterpret_cast<int (*)(typename Narrow<A>::type...)>(reinterpret_cast<void*>(function))(
      static_cast<typename Narrow<A>::type>(a)...);
}

/// Sizes of groups.
class Sizes {
 public:
  explicit Sizes(N groups) : groups_(groups) {}
  const int* operator()(const N* wide) {
    std::vector<int>& all = kept_.emplace_back();
    for (N g = 0; g < groups_; ++g) {
      good_ = good_ && fits(wide[g]);
      all.push_back(static_cast<int>(wide[g]));
    }
    return all.data();
  }
  bool good() const { return good_ && fits(groups_); }

 private:
  N groups_;
  bool good_ = true;
  std::vector<std::vector<int>> kept_;
};

}  // namespace

#define WW_WIDE(name)    \
  extern "C" int name(); \
  WW_LIBRARY_API int name##_64 WW_TAKES { return narrowed(name, #name "_64", WW_GIVES); }
#define WW_WIDE_SD(rest) WW_WIDE(cublasS##rest) WW_WIDE(cublasD##rest)
#define WW_WIDE_CZ(rest) WW_WIDE(cublasC##rest) WW_WIDE(cublasZ##rest)
#define WW_WIDE_SDCZ(rest) WW_WIDE_SD(rest) WW_WIDE_CZ(rest)
#include "cuda/blas/wide.inc"

// Groups, whose sizes are arrays.
#define WW_WIDE_GROUPS(L)                                                                                    \
  extern "C" int cublas##L##gemmGroupedBatched(P, P, P, const int*, const int*, const int*, P, P,            \
                                               const int*, P, const int*, P, P, const int*, int,             \
                                               const int*);                                                  \
  WW_LIBRARY_API int cublas##L##gemmGroupedBatched_64(P h, P oa, P ob, const N* m, const N* n, const N* k,   \
                                                      P alpha, P a, const N* lda, P b, const N* ldb, P beta, \
                                                      P c, const N* ldc, N groups, const N* counts) {        \
    Sizes narrow(groups);                                                                                    \
    const int *ms = narrow(m), *ns = narrow(n), *ks = narrow(k), *as = narrow(lda), *bs = narrow(ldb),       \
              *cs = narrow(ldc), *all = narrow(counts);                                                      \
    if (!narrow.good())                                                                                      \
      return ww::stubs::refuse("cublas" #L "gemmGroupedBatched_64", "CUBLAS_STATUS_NOT_SUPPORTED", 15);      \
    return cublas##L##gemmGroupedBatched(h, oa, ob, ms, ns, ks, alpha, a, as, b, bs, beta, c, cs,            \
                                         static_cast<int>(groups), all);                                     \
  }
WW_WIDE_GROUPS(S)
WW_WIDE_GROUPS(D)

extern "C" int cublasGemmGroupedBatchedEx(P, P, P, const int*, const int*, const int*, P, P, E, const int*, P,
                                          E, const int*, P, P, E, const int*, int, const int*, E);
WW_LIBRARY_API int cublasGemmGroupedBatchedEx_64(P h, P oa, P ob, const N* m, const N* n, const N* k, P alpha,
                                                 P a, E ta, const N* lda, P b, E tb, const N* ldb, P beta,
                                                 P c, E tc, const N* ldc, N groups, const N* counts,
                                                 E compute) {
  Sizes narrow(groups);
  const int *ms = narrow(m), *ns = narrow(n), *ks = narrow(k), *as = narrow(lda), *bs = narrow(ldb),
            *cs = narrow(ldc), *all = narrow(counts);
  if (!narrow.good())
    return ww::stubs::refuse("cublasGemmGroupedBatchedEx_64", "CUBLAS_STATUS_NOT_SUPPORTED", 15);
  return cublasGemmGroupedBatchedEx(h, oa, ob, ms, ns, ks, alpha, a, ta, as, b, tb, bs, beta, c, tc, cs,
                                    static_cast<int>(groups), all, compute);
}
