// The machine's BLAS library, for the references of matrix products.
#pragma once

#include <cblas.h>

#include "base/result.h"

namespace ww::kernels {

using Dgemm = decltype(&cblas_dgemm);

/// cblas_dgemm of one thread; may be called from several at once. The library is opened at first use, not
/// linked: OpenBLAS starts threads of its own as soon as it is loaded, which spin for tens of milliseconds
/// then and after each product, and only the environment before that can keep them out of the engine's way.
/// Fails where there is no BLAS library, with what to install.
Result<Dgemm> find_dgemm();

}  // namespace ww::kernels
