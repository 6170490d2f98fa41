#include <algorithm>
#include <cmath>

#include "cuda/blas/lt.h"
#include "cuda/blas/product.h"
#include "cuda/stubs/refused.h"

namespace ww::blas::lt {

namespace {

using Number = std::complex<double>;

int64_t rows_of(const Layout& l, int op) { return static_cast<int64_t>(op ? l.columns : l.rows); }
int64_t columns_of(const Layout& l, int op) { return static_cast<int64_t>(op ? l.rows : l.columns); }

/// By the tanh form, as cuBLAS does.
double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(M_SQRT2 * M_2_SQRTPI / 2 * (x + 0.044715 * x * x * x)));
}
double gelu_slope(double x) {
  const double inner = M_SQRT2 * M_2_SQRTPI / 2 * (x + 0.044715 * x * x * x), t = std::tanh(inner);
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * M_SQRT2 * M_2_SQRTPI / 2 * (1 + 3 * 0.044715 * x * x);
}

Number factor(const void* scale) { return scale ? Number(*static_cast<const float*>(scale)) : Number(1); }

/// alpha or beta of a row: one number, or one for each row of D.
struct Factor {
  int type;
  const void* at;
  bool each;
  Number of(int64_t row) const { return at ? number_at(type, at, each ? row : 0) : Number(0); }
};

int bias_type_of(const Product& p, const Layout& d) {
  return p.bias_type >= 0                     ? p.bias_type
         : d.type == kE4M3 || d.type == kE5M2 ? kBF16
         : d.type == kS8                      ? p.scale
                                              : d.type;
}
int aux_type_of(const Product& p, const Layout& d) { return p.aux_type >= 0 ? p.aux_type : d.type; }

/// op(X) by columns, as numbers that are multiplied.
template <class T>
std::vector<T> packed(const void* x, const Layout& l, int op, int64_t batch) {
  const int64_t rows = rows_of(l, op), columns = columns_of(l, op);
  std::vector<T> out(static_cast<size_t>(rows * columns));
  const auto fill = [&](auto&& value) {
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t i = 0; i < rows; ++i) {
        const Number v = op ? value(j, i) : value(i, j);
        T& to = out[static_cast<size_t>(i + j * rows)];
        if constexpr (kComplex<T>)
          to = T(op == 2 ? std::conj(v) : v);
        else
          to = static_cast<T>(v.real());
      }
  };
  if (l.plane)
    fill([&](int64_t i, int64_t j) { return element(l, x, batch, i, j); });
  else
    with_type(l.type, [&](auto stored) {
      const auto* from = begin_of(l, static_cast<const decltype(stored)*>(x), batch);
      fill([&](int64_t i, int64_t j) { return read(from[l.at(i, j)]); });
    });
  return out;
}

template <class T>
void one(const Product& p, const Factor& alpha, const void* a, const Layout& la, const void* b,
         const Layout& lb, const Factor& beta, const void* c, const Layout& lc, void* d, const Layout& ld,
         int64_t batch) {
  const int64_t m = static_cast<int64_t>(ld.rows), n = static_cast<int64_t>(ld.columns),
                k = columns_of(la, p.op_a);
  const std::vector<T> left = packed<T>(a, la, p.op_a, batch), right = packed<T>(b, lb, p.op_b, batch);
  std::vector<T> sums(static_cast<size_t>(m * n));
  product<T, T, T, T>(Op::None, Op::None, m, n, k, T(1), left.data(), std::max<int64_t>(m, 1), right.data(),
                      std::max<int64_t>(k, 1), T{}, sums.data(), std::max<int64_t>(m, 1));
  const uint32_t e = p.epilogue;
  const bool wide = ld.type == kF64 || ld.type == kC64;
  const int bias_type = bias_type_of(p, ld), aux_type = aux_type_of(p, ld);
  const int64_t bias_at = batch * p.bias_stride, aux_at = batch * p.aux_stride;
  const auto mask = [&](int64_t i, int64_t j) {  // a bit of the ReLU's matrix
    return std::pair(static_cast<uint8_t*>(p.aux) + (aux_at + i + j * p.aux_lead) / 8,
                     uint8_t(1 << (aux_at + i + j * p.aux_lead) % 8));
  };
  std::vector<Number> row_sums(static_cast<size_t>(e & kBiasGradient ? m : 0));
  double largest = 0;
  const Number both = factor(p.scale_a) * factor(p.scale_b), of_c = factor(p.scale_c),
               of_d = factor(p.scale_d);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < m; ++i) {
      Number v = alpha.of(i) * both * read(sums[static_cast<size_t>(i + j * m)]);
      if (const Number scale = beta.of(i); scale != Number(0))
        v += scale * of_c * element(lc, c, batch, i, j);
      if (e & kBias) v += number_at(bias_type, p.bias, bias_at + i);
      if (!wide && !ld.complex()) v = static_cast<float>(v.real());
      if (e & kRelu) {
        if (e & kAux) {
          const auto [byte, bit] = mask(i, j);
          *byte = static_cast<uint8_t>(v.real() > 0 ? *byte | bit : *byte & ~bit);
        }
        v = std::max(v.real(), 0.0);
      }
      if (e & kGelu) {
        if (e & kAux) put_number(aux_type, p.aux, aux_at + i + j * p.aux_lead, v);
        v = gelu(v.real());
      }
      if (e & kReluGradient) {
        const auto [byte, bit] = mask(i, j);
        if (!(*byte & bit)) v = 0;
      }
      if (e & kGeluGradient) v *= gelu_slope(number_at(aux_type, p.aux, aux_at + i + j * p.aux_lead).real());
      if (e & kBiasGradient) row_sums[static_cast<size_t>(i)] += v;
      largest = std::max(largest, std::abs(v));
      put_element(ld, d, batch, i, j, v * of_d);
    }
  if (p.largest_d) {
    float& to = *static_cast<float*>(p.largest_d);
    to = batch ? std::max(to, static_cast<float>(largest)) : static_cast<float>(largest);
  }
  for (size_t i = 0; i < row_sums.size(); ++i)
    put_number(bias_type, p.bias, bias_at + static_cast<int64_t>(i), row_sums[i]);
  // Gradients of a bias of A or B: their sums along k.
  for (const bool of_b : {false, true}) {
    if (!(e & (of_b ? kBiasGradientB : kBiasGradientA))) continue;
    for (int64_t i = 0; i < (of_b ? n : m); ++i) {
      Number sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += read(of_b ? right[static_cast<size_t>(l + i * k)] : left[static_cast<size_t>(i + l * m)]);
      put_number(bias_type, p.bias, bias_at + i, sum);
    }
  }
}

/// The matrices of a batch: each from its first element to its last.
void touch(const Layout& l, const void* data, bool writes) {
  if (l.plane || !l.rows || !l.columns) return;
  int64_t last = 0;
  for (int64_t j = 0; j < static_cast<int64_t>(l.columns); ++j)
    for (int64_t i = 0; i < static_cast<int64_t>(l.rows); ++i) last = std::max(last, l.at(i, j));
  const auto element = static_cast<int64_t>(type_bytes(l.type));
  if (l.pointers)
    touches_pointers(l.batch, static_cast<const void* const*>(data));
  else
    stubs::touches_batch_bytes(data, l.stride * element, l.batch, writes);
  for (int64_t k = 0; k < l.batch; ++k)
    stubs::touches_bytes(l.pointers ? static_cast<const void* const*>(data)[k]
                                    : static_cast<const char*>(data) + k * l.stride * element,
                         (last + 1) * element, writes);
}

/// What the epilogue reads and writes besides D, of each matrix of the batch.
void touch_epilogue(const Product& p, const Layout& d) {
  const auto m = static_cast<int64_t>(d.rows), n = static_cast<int64_t>(d.columns);
  if (!m || !n) return;
  constexpr uint32_t kOfMask = kRelu | kReluGradient, kOfGelu = kGelu | kGeluGradient;
  const uint32_t e = p.epilogue, sums = e & (kBiasGradient | kBiasGradientA | kBiasGradientB);
  const auto of_bias = static_cast<int64_t>(type_bytes(bias_type_of(p, d)));
  const auto of_aux = static_cast<int64_t>(type_bytes(aux_type_of(p, d)));
  const auto at = [](const void* from, int64_t bytes) { return static_cast<const char*>(from) + bytes; };
  for (int64_t k = 0; k < d.batch; ++k) {
    if (e & kBias || sums)
      stubs::touches_bytes(at(p.bias, k * p.bias_stride * of_bias), (e & kBiasGradientB ? n : m) * of_bias,
                           sums != 0);
    if (!(e & kAux)) continue;
    const int64_t first = k * p.aux_stride, last = first + (n - 1) * p.aux_lead + m - 1;
    if (e & kOfMask)  // a bit for each element
      stubs::touches_bytes(at(p.aux, first / 8), last / 8 - first / 8 + 1, e & kRelu);
    else if (e & kOfGelu)
      stubs::touches_bytes(at(p.aux, first * of_aux), (last - first + 1) * of_aux, e & kGelu);
  }
}
void touch_scales(const Product& p) {
  for (const void* scale : {p.scale_a, p.scale_b, p.scale_c, p.scale_d})
    if (scale) stubs::touches_bytes(scale, sizeof(float), false);
  if (p.largest_d) stubs::touches_bytes(p.largest_d, sizeof(float), true);
}

/// Says why such a product is not there.
Status refused(const char* what) { return unsupported(std::string("cublasLtMatmul ") + what); }

}  // namespace

Status check(const Product& p, const Layout& a, const Layout& b, const Layout& c, const Layout& d) {
  for (const Layout* l : {&a, &b, &c, &d})
    if (!l->good()) return Status::InvalidValue;
  if (rows_of(a, p.op_a) != static_cast<int64_t>(d.rows) ||
      columns_of(b, p.op_b) != static_cast<int64_t>(d.columns) ||
      columns_of(a, p.op_a) != rows_of(b, p.op_b) || c.rows != d.rows || c.columns != d.columns ||
      a.batch != d.batch || b.batch != d.batch)
    return Status::InvalidValue;
  for (const Layout* l : {&a, &b, &c, &d}) {
    if (!is_type(l->type) && !(l->type == kC16 && l->plane)) return refused("with such a type");
    if (l->plane && l->type != kC16 && !is_complex(l->type)) return Status::InvalidValue;
    if (l->pointers < 0 || l->pointers > 1) return refused("with such a batch");
  }
  if (a.complex() != d.complex() || b.complex() != d.complex()) return refused("of real and complex");
  if (!is_type(p.scale) || p.pointer_mode < 0 || p.pointer_mode > 4 || p.op_c || p.fill != 2)
    return refused("with such factors");
  if (p.aux_scale || p.aux_largest || p.epilogue >= 1024) return refused("with such an epilogue");
  for (int mode : p.modes)
    if (mode || p.scales_of_d) return refused("with scales of blocks");
  constexpr uint32_t kOfBias = kBias | kBiasGradient | kBiasGradientA | kBiasGradientB;
  if ((p.epilogue & kAux && (!p.aux || p.aux_lead < static_cast<int64_t>(d.rows))) ||
      (p.epilogue & kOfBias && !p.bias))
    return Status::InvalidValue;
  return Status::Success;
}

void run(const Product& p, const void* alpha, const void* a, const Layout& la, const void* b,
         const Layout& lb, const void* beta, const void* c, const Layout& lc, void* d, const Layout& ld) {
  // Pointer modes: 2 numbers for each row; 3 those of alpha, no beta; 4 those of alpha, one beta.
  const Factor one_alpha{p.scale, alpha, p.pointer_mode >= 2};
  const Factor one_beta{p.scale, p.pointer_mode == 3 ? nullptr : beta, p.pointer_mode == 2};
  const bool complex = ld.complex(), wide = la.type == kF64 || la.type == kC64;
  const bool whole = la.type == kS8 || la.type == kU8;
  const auto counts = [&](const Factor& f) {  // whether the factor of any row is not 0
    for (int64_t i = 0; i < (f.each ? static_cast<int64_t>(ld.rows) : 1); ++i)
      if (f.of(i) != Number(0)) return true;
    return false;
  };
  for (const Factor& f : {one_alpha, one_beta})
    if (f.each) stubs::touches_bytes(f.at, static_cast<int64_t>(ld.rows * type_bytes(f.type)), false);
  if (counts(one_alpha)) touch(la, a, false), touch(lb, b, false);
  if (c != d && counts(one_beta)) touch(lc, c, false);
  touch(ld, d, true);
  touch_epilogue(p, ld), touch_scales(p);
  for (int64_t k = 0; k < ld.batch; ++k) {
    const auto with = [&](auto number) {
      one<decltype(number)>(p, one_alpha, a, la, b, lb, one_beta, c, lc, d, ld, k);
    };
    if (complex)
      wide ? with(std::complex<double>{}) : with(std::complex<float>{});
    else if (whole)
      with(int32_t{});
    else
      wide ? with(double{}) : with(float{});
  }
}

}  // namespace ww::blas::lt
