// cublasLt: what describes a product, in the memory that programs give for it (cublasLt.h: *Opaque_t).
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/blas/call.h"
#include "cuda/blas/stored.h"

namespace ww::blas::lt {

/// cublasLtOrder_t; the last three are of whole numbers on tensor cores.
enum Order : int { kColumns = 0, kRows = 1, kColumns32 = 2, kTiles8 = 3, kTiles32 = 4 };
constexpr int kC16 = 6;  ///< CUDA_C_16F: pairs of halves, here in planes only

/// A matrix: 64 bytes.
struct Layout {
  int type = kF32, order = kColumns;
  uint64_t rows = 0, columns = 0;
  int64_t lead = 0;
  int batch = 1;
  int64_t stride = 0, plane = 0;  ///< plane: bytes from the real parts to the imaginary ones
  int pointers = 0;               ///< 1: the data are pointers to each matrix of the batch
  int64_t at(int64_t i, int64_t j) const;
  bool complex() const { return plane || is_complex(type); }
  bool good() const;
};
std::complex<double> element(const Layout& l, const void* data, int64_t batch, int64_t i, int64_t j);
void put_element(const Layout& l, void* data, int64_t batch, int64_t i, int64_t j, std::complex<double> v);
/// Where a batch's matrix begins, in elements of the type.
template <class T>
T* begin_of(const Layout& l, T* data, int64_t batch) {
  using Bytes = std::conditional_t<std::is_const_v<T>, const void, void>;
  if (l.pointers) return static_cast<T*>(reinterpret_cast<Bytes* const*>(data)[batch]);
  return data + batch * l.stride;
}

/// CUBLASLT_EPILOGUE_*: bits.
enum Epilogue : uint32_t {
  kDefault = 1,
  kRelu = 2,
  kBias = 4,
  kReluGradient = 8,
  kBiasGradient = 16,
  kGelu = 32,
  kGeluGradient = 64,
  kAux = 128,
  kBiasGradientA = 256,
  kBiasGradientB = 512
};

/// A product: 256 bytes.
struct Product {
  int compute = 68, scale = kF32, pointer_mode = 0;
  int op_a = 0, op_b = 0, op_c = 0, fill = 2;
  uint32_t epilogue = kDefault;
  void* bias = nullptr;
  int64_t bias_stride = 0;
  void* aux = nullptr;
  int64_t aux_lead = 0, aux_stride = 0, alpha_stride = 0;
  int sm_count = 0;
  const void *scale_a = nullptr, *scale_b = nullptr, *scale_c = nullptr, *scale_d = nullptr;
  void* largest_d = nullptr;
  int aux_type = -1, bias_type = -1;
  const void* aux_scale = nullptr;
  void* aux_largest = nullptr;
  int8_t fast = 0;
  const void *emulation = nullptr, *scales_of_d = nullptr;
  int modes[6] = {};  ///< of the scales: 0 is one number for the whole matrix
};

/// A matrix written in another layout: 64 bytes.
struct Transform {
  int scale = kF32, pointer_mode = 0, op_a = 0, op_b = 0;
};

static_assert(sizeof(Layout) <= 64 && sizeof(Product) <= 256 && sizeof(Transform) <= 64);

/// Whether such a product is there. Errors: InvalidValue (sizes that do not fit), NotSupported.
Status check(const Product& p, const Layout& a, const Layout& b, const Layout& c, const Layout& d);
/// D = epilogue(alpha op(A) op(B) + beta C), checked before.
void run(const Product& p, const void* alpha, const void* a, const Layout& la, const void* b,
         const Layout& lb, const void* beta, const void* c, const Layout& lc, void* d, const Layout& ld);

}  // namespace ww::blas::lt
