#include "kernels/blas.h"

#include <cstdlib>

#include "device/driver/library.h"

namespace ww::kernels {

namespace {

Result<Dgemm> open_blas() {
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  // The one that it was built with, and what distributions call it.
  for (const char* name : {WW_BLAS, "libopenblas.so.0", "libblas.so.3"})
    if (auto library = device::driver::Library::open(name))
      if (void* found = library->symbol("cblas_dgemm")) return reinterpret_cast<Dgemm>(found);
  return error("there is no BLAS library to compute the reference with", "install libopenblas0");
}

}  // namespace

Result<Dgemm> find_dgemm() {
  static const Result<Dgemm> dgemm = open_blas();
  return dgemm;
}

}  // namespace ww::kernels
