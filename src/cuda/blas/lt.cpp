// cublasLt: descriptions, the choice of an algorithm (there is one), products and changes of layout.
#include "cuda/blas/lt.h"

#include <cstdio>
#include <cstring>
#include <new>

#include "cuda/stubs/submit.h"

using namespace ww::blas;
using namespace ww::blas::lt;

namespace {

/// An attribute: its number, where it lies in the description, its bytes.
struct Field {
  int number;
  size_t offset, bytes;
};
#define WW_AT(Of, number, field) \
  { number, offsetof(Of, field), sizeof(Of::field) }
constexpr Field kLayout[] = {WW_AT(Layout, 0, type),    WW_AT(Layout, 1, order), WW_AT(Layout, 2, rows),
                             WW_AT(Layout, 3, columns), WW_AT(Layout, 4, lead),  WW_AT(Layout, 5, batch),
                             WW_AT(Layout, 6, stride),  WW_AT(Layout, 7, plane), WW_AT(Layout, 8, pointers)};
constexpr Field kProduct[] = {
    WW_AT(Product, 0, compute),      WW_AT(Product, 1, scale),         WW_AT(Product, 2, pointer_mode),
    WW_AT(Product, 3, op_a),         WW_AT(Product, 4, op_b),          WW_AT(Product, 5, op_c),
    WW_AT(Product, 6, fill),         WW_AT(Product, 7, epilogue),      WW_AT(Product, 8, bias),
    WW_AT(Product, 10, bias_stride), WW_AT(Product, 11, aux),          WW_AT(Product, 12, aux_lead),
    WW_AT(Product, 13, aux_stride),  WW_AT(Product, 14, alpha_stride), WW_AT(Product, 15, sm_count),
    WW_AT(Product, 17, scale_a),     WW_AT(Product, 18, scale_b),      WW_AT(Product, 19, scale_c),
    WW_AT(Product, 20, scale_d),     WW_AT(Product, 21, largest_d),    WW_AT(Product, 22, aux_type),
    WW_AT(Product, 23, aux_scale),   WW_AT(Product, 24, aux_largest),  WW_AT(Product, 25, fast),
    WW_AT(Product, 26, bias_type),   WW_AT(Product, 31, modes[0]),     WW_AT(Product, 32, modes[1]),
    WW_AT(Product, 33, modes[2]),    WW_AT(Product, 34, modes[3]),     WW_AT(Product, 35, modes[4]),
    WW_AT(Product, 36, scales_of_d), WW_AT(Product, 37, modes[5]),     WW_AT(Product, 38, emulation)};
constexpr Field kTransform[] = {WW_AT(Transform, 0, scale), WW_AT(Transform, 1, pointer_mode),
                                WW_AT(Transform, 2, op_a), WW_AT(Transform, 3, op_b)};

/// cublasLtEmulationDescOpaque_t.
struct Emulation {
  int strategy, special_values, control, most_bits, offset;
  int* bits;
};
constexpr Field kEmulation[] = {WW_AT(Emulation, 0, strategy), WW_AT(Emulation, 1, special_values),
                                WW_AT(Emulation, 2, control),  WW_AT(Emulation, 3, most_bits),
                                WW_AT(Emulation, 4, offset),   WW_AT(Emulation, 5, bits)};

template <class T, size_t kCount>
Status set(const Field (&fields)[kCount], const char* name, T* description, int number, const void* value,
           size_t bytes) {
  if (!description || !value) return Status::InvalidValue;
  for (const Field& f : fields)
    if (f.number == number) {
      if (bytes < f.bytes) return Status::InvalidValue;
      std::memcpy(reinterpret_cast<char*>(description) + f.offset, value, f.bytes);
      return Status::Success;
    }
  return unsupported(std::string(name) + " of attribute " + std::to_string(number));
}
template <class T, size_t kCount>
Status get(const Field (&fields)[kCount], const T* description, int number, void* value, size_t bytes,
           size_t* written) {
  if (!description) return Status::InvalidValue;
  for (const Field& f : fields)
    if (f.number == number) {
      if (written) *written = f.bytes;
      if (!bytes) return written ? Status::Success : Status::InvalidValue;
      if (bytes < f.bytes || !value) return Status::InvalidValue;
      std::memcpy(value, reinterpret_cast<const char*>(description) + f.offset, f.bytes);
      return Status::Success;
    }
  return Status::NotSupported;
}
template <class T>
Status destroy(T* description) {
  delete description;
  return Status::Success;
}

/// What all descriptions have.
#define WW_DESCRIPTION(Name, Of, fields)                                                                   \
  WW_LIBRARY_API Status cublasLt##Name##Destroy(Of* d) { return destroy(d); }                              \
  WW_LIBRARY_API Status cublasLt##Name##SetAttribute(Of* d, int number, const void* value, size_t bytes) { \
    return set(fields, "cublasLt" #Name "SetAttribute", d, number, value, bytes);                          \
  }                                                                                                        \
  WW_LIBRARY_API Status cublasLt##Name##GetAttribute(const Of* d, int number, void* value, size_t bytes,   \
                                                     size_t* written) {                                    \
    return get(fields, d, number, value, bytes, written);                                                  \
  }

struct Algorithm {
  uint32_t settings[16];  ///< by cublasLtMatmulAlgoConfigAttributes_t
};
/// cublasLtMatmulHeuristicResult_t.
struct Choice {
  Algorithm algorithm;
  size_t workspace;
  Status state;
  float waves;
  int reserved[4];
};
/// cublasLtMatmulPreference_t: nothing in it changes what we choose.
struct Preference {
  uint64_t data[8];
};

}  // namespace

WW_LIBRARY_API Status cublasLtCreate(Handle** handle) {
  if (!handle) return Status::InvalidValue;
  *handle = new Handle;
  return Status::Success;
}
WW_LIBRARY_API Status cublasLtDestroy(Handle* handle) { return destroy(handle); }
WW_LIBRARY_API size_t cublasLtGetVersion() { return 130000; }
WW_LIBRARY_API size_t cublasLtGetCudartVersion() { return 13000; }
WW_LIBRARY_API Status cublasLtGetProperty(int which, int* value) {
  if (!value || which < 0 || which > 2) return Status::InvalidValue;
  *value = which == 0 ? 13 : 0;
  return Status::Success;
}
WW_LIBRARY_API const char* cublasGetStatusName(Status s);
WW_LIBRARY_API const char* cublasLtGetStatusName(Status s) { return cublasGetStatusName(s); }
WW_LIBRARY_API const char* cublasLtGetStatusString(Status s) { return cublasGetStatusName(s); }
WW_LIBRARY_API Status cublasLtHeuristicsCacheGetCapacity(size_t* capacity) {
  if (!capacity) return Status::InvalidValue;
  *capacity = 0;
  return Status::Success;
}
WW_LIBRARY_API Status cublasLtHeuristicsCacheSetCapacity(size_t) { return Status::Success; }
WW_LIBRARY_API unsigned cublasLtDisableCpuInstructionsSetMask(unsigned) { return 0; }
WW_LIBRARY_API Status cublasLtLoggerSetCallback(void*) { return Status::Success; }
WW_LIBRARY_API Status cublasLtLoggerSetFile(FILE*) { return Status::Success; }
WW_LIBRARY_API Status cublasLtLoggerOpenFile(const char*) { return Status::Success; }
WW_LIBRARY_API Status cublasLtLoggerSetLevel(int) { return Status::Success; }
WW_LIBRARY_API Status cublasLtLoggerSetMask(int) { return Status::Success; }
WW_LIBRARY_API Status cublasLtLoggerForceDisable() { return Status::Success; }

// Matrices.
WW_LIBRARY_API Status cublasLtMatrixLayoutInit_internal(Layout* layout, size_t bytes, int type, uint64_t rows,
                                                        uint64_t columns, int64_t lead) {
  if (!layout || bytes < sizeof *layout) return Status::InvalidValue;
  new (layout) Layout{type, kColumns, rows, columns, lead, 1, 0, 0, 0};
  return Status::Success;
}
WW_LIBRARY_API Status cublasLtMatrixLayoutCreate(Layout** layout, int type, uint64_t rows, uint64_t columns,
                                                 int64_t lead) {
  if (!layout) return Status::InvalidValue;
  *layout = new Layout{type, kColumns, rows, columns, lead, 1, 0, 0, 0};
  return Status::Success;
}
WW_DESCRIPTION(MatrixLayout, Layout, kLayout)

// Products.
WW_LIBRARY_API Status cublasLtMatmulDescInit_internal(Product* product, size_t bytes, int compute,
                                                      int scale) {
  if (!product || bytes < sizeof *product) return Status::InvalidValue;
  new (product) Product;
  product->compute = compute, product->scale = scale;
  return Status::Success;
}
WW_LIBRARY_API Status cublasLtMatmulDescCreate(Product** product, int compute, int scale) {
  if (!product) return Status::InvalidValue;
  *product = new Product;
  (*product)->compute = compute, (*product)->scale = scale;
  return Status::Success;
}
WW_DESCRIPTION(MatmulDesc, Product, kProduct)

// The choice.
WW_LIBRARY_API Status cublasLtMatmulPreferenceInit_internal(Preference* preference, size_t bytes) {
  if (!preference || bytes < sizeof *preference) return Status::InvalidValue;
  *preference = {};
  return Status::Success;
}
WW_LIBRARY_API Status cublasLtMatmulPreferenceCreate(Preference** preference) {
  if (!preference) return Status::InvalidValue;
  *preference = new Preference{};
  return Status::Success;
}
WW_LIBRARY_API Status cublasLtMatmulPreferenceDestroy(Preference* preference) { return destroy(preference); }
WW_LIBRARY_API Status cublasLtMatmulPreferenceSetAttribute(Preference* preference, int number,
                                                           const void* value, size_t bytes) {
  if (!preference || !value || number < 0 || number > 12 || bytes > sizeof preference->data[0])
    return Status::InvalidValue;
  if (number == 1) std::memcpy(preference->data, value, bytes);  // bytes of workspace
  return Status::Success;
}
WW_LIBRARY_API Status cublasLtMatmulPreferenceGetAttribute(const Preference* preference, int number,
                                                           void* value, size_t bytes, size_t* written) {
  if (!preference || !value || number != 1 || bytes < sizeof preference->data[0]) return Status::InvalidValue;
  if (written) *written = sizeof preference->data[0];
  std::memcpy(value, preference->data, sizeof preference->data[0]);
  return Status::Success;
}
WW_LIBRARY_API Status cublasLtMatmulAlgoGetHeuristic(Handle*, const Product* p, const Layout* a,
                                                     const Layout* b, const Layout* c, const Layout* d,
                                                     const Preference*, int wanted, Choice* choices,
                                                     int* count) {
  if (!p || !a || !b || !c || !d || !choices || !count || wanted < 1) return Status::InvalidValue;
  *count = 0;
  Product any = *p;  // pointers may be given later
  static uint64_t somewhere;
  if (!any.bias) any.bias = &somewhere;
  if (!any.aux) any.aux = &somewhere, any.aux_lead = static_cast<int64_t>(d->rows);
  if (Status s = check(any, *a, *b, *c, *d); s != Status::Success) return s;
  choices[0] = {};
  choices[0].waves = 1;
  *count = 1;
  return Status::Success;
}
WW_LIBRARY_API Status cublasLtMatmulAlgoGetIds(Handle*, int, int, int, int, int, int, int wanted, int* ids,
                                               int* count) {
  if (!ids || !count || wanted < 1) return Status::InvalidValue;
  ids[0] = 0, *count = 1;
  return Status::Success;
}
WW_LIBRARY_API Status cublasLtMatmulAlgoInit(Handle*, int, int, int, int, int, int, int id,
                                             Algorithm* algorithm) {
  if (!algorithm || id < 0) return Status::InvalidValue;
  *algorithm = {};  // whatever the number: there is one
  algorithm->settings[0] = static_cast<uint32_t>(id);
  return Status::Success;
}
WW_LIBRARY_API Status cublasLtMatmulAlgoCheck(Handle*, const Product* p, const Layout* a, const Layout* b,
                                              const Layout* c, const Layout* d, const Algorithm*,
                                              Choice* choice) {
  if (!p || !a || !b || !c || !d || !choice) return Status::InvalidValue;
  choice->workspace = 0, choice->waves = 1;
  return choice->state = check(*p, *a, *b, *c, *d);
}
// What is configured (tiles, stages) would change the time on a card, not the result.
WW_LIBRARY_API Status cublasLtMatmulAlgoConfigSetAttribute(Algorithm* algorithm, int number,
                                                           const void* value, size_t bytes) {
  if (!algorithm || !value || number < 0 || number > 8 || bytes > 4) return Status::InvalidValue;
  algorithm->settings[number] = 0;
  std::memcpy(algorithm->settings + number, value, bytes);
  return Status::Success;
}
WW_LIBRARY_API Status cublasLtMatmulAlgoConfigGetAttribute(const Algorithm* algorithm, int number,
                                                           void* value, size_t bytes, size_t* written) {
  if (!algorithm || number < 0 || number > 8) return Status::InvalidValue;
  const size_t size = number >= 7 ? 2 : 4;  // shapes of instructions and clusters are 16 bits
  if (written) *written = size;
  if (!bytes) return written ? Status::Success : Status::InvalidValue;
  if (!value || bytes < size) return Status::InvalidValue;
  std::memcpy(value, algorithm->settings + number, size);
  return Status::Success;
}
/// What an algorithm may be set to: one tile and one number of stages, which are "undefined"; batches with a
/// stride and results elsewhere.
WW_LIBRARY_API Status cublasLtMatmulAlgoCapGetAttribute(const Algorithm* algorithm, int number, void* value,
                                                        size_t bytes, size_t* written) {
  if (!algorithm || number < 0 || number > 22) return Status::InvalidValue;
  const uint32_t all = 0xffffffff;
  const uint32_t answer = number == 3 || number == 4 || number == 21 ? 1
                          : number == 11 || number == 12             ? all
                                                                     : 0;
  const size_t size = number == 15 ? 8 : 4;
  if (written) *written = size;
  if (!bytes) return written ? Status::Success : Status::InvalidValue;
  if (!value || bytes < size) return Status::InvalidValue;
  std::memset(value, 0, size);
  std::memcpy(value, &answer, 4);
  return Status::Success;
}

// How doubles may be computed by other units: kept for who asks, as products are computed in double.
WW_LIBRARY_API Status cublasLtEmulationDescInit_internal(Emulation* emulation, size_t bytes) {
  if (!emulation || bytes < sizeof *emulation) return Status::InvalidValue;
  new (emulation) Emulation{};
  return Status::Success;
}
WW_LIBRARY_API Status cublasLtEmulationDescCreate(Emulation** emulation) {
  if (!emulation) return Status::InvalidValue;
  *emulation = new Emulation{};
  return Status::Success;
}
WW_DESCRIPTION(EmulationDesc, Emulation, kEmulation)

WW_LIBRARY_API Status cublasLtMatmul(Handle* h, const Product* p, const void* alpha, const void* a,
                                     const Layout* la, const void* b, const Layout* lb, const void* beta,
                                     const void* c, const Layout* lc, void* d, const Layout* ld,
                                     const Algorithm*, void*, size_t, void* stream) {
  if (!h) return Status::NotInitialized;
  if (!p || !la || !lb || !lc || !ld || !alpha || (!beta && p->pointer_mode != 3) || !a || !b || !d)
    return Status::InvalidValue;
  if (Status s = check(*p, *la, *lb, *lc, *ld); s != Status::Success) return s;
  // CUBLASLT_POINTER_MODE_HOST, and ALPHA_DEVICE_VECTOR_BETA_HOST for beta.
  const size_t bytes = type_bytes(p->scale);
  auto work = [p = *p, la = *la, lb = *lb, lc = *lc, ld = *ld, a, b, c, d,
               first = KeptFactor(p->pointer_mode != 0, alpha, bytes),
               second = KeptFactor(p->pointer_mode != 0 && p->pointer_mode != 4, beta, bytes)] {
    lt::run(p, first.at(), a, la, b, lb, second.at(), c, lc, d, ld);
  };
  return ww::stubs::submit(stream, work) ? Status::Success : Status::ExecutionFailed;
}

// C = alpha op(A) + beta op(B), each in its own layout.
WW_LIBRARY_API Status cublasLtMatrixTransformDescInit_internal(Transform* transform, size_t bytes,
                                                               int scale) {
  if (!transform || bytes < sizeof *transform) return Status::InvalidValue;
  new (transform) Transform{scale, 0, 0, 0};
  return Status::Success;
}
WW_LIBRARY_API Status cublasLtMatrixTransformDescCreate(Transform** transform, int scale) {
  if (!transform) return Status::InvalidValue;
  *transform = new Transform{scale, 0, 0, 0};
  return Status::Success;
}
WW_DESCRIPTION(MatrixTransformDesc, Transform, kTransform)
WW_LIBRARY_API Status cublasLtMatrixTransform(Handle* h, const Transform* t, const void* alpha, const void* a,
                                              const Layout* la, const void* beta, const void* b,
                                              const Layout* lb, void* c, const Layout* lc, void* stream) {
  if (!h) return Status::NotInitialized;
  if (!t || !alpha || !a || !la || !c || !lc || (b && (!lb || !beta))) return Status::InvalidValue;
  for (const Layout* l : {la, b ? lb : la, lc})
    if (!is_type(l->type) || !l->good() || l->plane || l->pointers)
      return unsupported("cublasLtMatrixTransform of such a layout");
  if (!is_type(t->scale)) return unsupported("cublasLtMatrixTransform in " + type_name(t->scale));
  const auto fits = [&](const Layout& l, int op) {
    return (op ? l.columns : l.rows) == lc->rows && (op ? l.rows : l.columns) == lc->columns;
  };
  if (!fits(*la, t->op_a) || (b && !fits(*lb, t->op_b))) return Status::InvalidValue;
  const size_t bytes = type_bytes(t->scale);
  auto work = [=, t = *t, la = *la, lb = b ? *lb : *la, lc = *lc,
               kept_alpha = KeptFactor(t->pointer_mode != 0, alpha, bytes),
               kept_beta = KeptFactor(t->pointer_mode != 0, beta, bytes)] {
    const auto element = [](const void* x, const Layout& l, int op, int64_t i, int64_t j, int64_t batch) {
      const auto v = number_at(l.type, x, batch * l.stride + (op ? l.at(j, i) : l.at(i, j)));
      return op == 2 ? std::conj(v) : v;
    };
    const auto first = number_at(t.scale, kept_alpha.at(), 0);
    const auto second = b ? number_at(t.scale, kept_beta.at(), 0) : 0;
    for (int64_t batch = 0; batch < lc.batch; ++batch)
      for (int64_t j = 0; j < static_cast<int64_t>(lc.columns); ++j)
        for (int64_t i = 0; i < static_cast<int64_t>(lc.rows); ++i) {
          auto v = first * element(a, la, t.op_a, i, j, batch);
          if (b) v += second * element(b, lb, t.op_b, i, j, batch);
          put_number(lc.type, c, batch * lc.stride + lc.at(i, j), v);
        }
  };
  return ww::stubs::submit(stream, work) ? Status::Success : Status::ExecutionFailed;
}
