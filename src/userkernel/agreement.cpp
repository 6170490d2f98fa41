#include "userkernel/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/half.h"

namespace ww::userkernel {

namespace {

bool whole_dtype(npy::Dtype dtype) {
  return dtype != npy::Dtype::F2 && dtype != npy::Dtype::F4 && dtype != npy::Dtype::F8;
}

template <class T>
T load_element(const npy::Array& array, uint64_t i) {
  T out;
  std::memcpy(&out, array.bytes.data() + i * sizeof(T), sizeof(T));
  return out;
}

/// Exact but for integers beyond 2^64.
long double element_of(const npy::Array& array, uint64_t i) {
  switch (array.dtype) {
    case npy::Dtype::F2:
      return to_float(f16{load_element<uint16_t>(array, i)});
    case npy::Dtype::F4:
      return load_element<float>(array, i);
    case npy::Dtype::F8:
      return load_element<double>(array, i);
    case npy::Dtype::I1:
      return load_element<int8_t>(array, i);
    case npy::Dtype::I2:
      return load_element<int16_t>(array, i);
    case npy::Dtype::I4:
      return load_element<int32_t>(array, i);
    case npy::Dtype::I8:
      return load_element<int64_t>(array, i);
    case npy::Dtype::U1:
    case npy::Dtype::B1:
      return load_element<uint8_t>(array, i);
    case npy::Dtype::U2:
      return load_element<uint16_t>(array, i);
    case npy::Dtype::U4:
      return load_element<uint32_t>(array, i);
    case npy::Dtype::U8:
      return load_element<uint64_t>(array, i);
  }
  return 0;
}

double tolerance_of(npy::Dtype dtype) {
  switch (dtype) {
    case npy::Dtype::F2:
      return 4e-3;
    case npy::Dtype::F4:
      return 1e-5;
    case npy::Dtype::F8:
      return 1e-12;
    default:
      return 0;
  }
}

/// "(3, 17)" of the 1041st element.
std::string place_in(const std::vector<uint64_t>& shape, uint64_t i) {
  std::string out;
  for (size_t d = shape.size(); d-- > 0;) {
    out = fmt::format("{}{}{}", i % shape[d], out.empty() ? "" : ", ", out);
    i /= shape[d];
  }
  return "(" + out + ")";
}

std::string number_text(long double v, bool whole) {
  return whole ? fmt::format("{:.0f}", v) : fmt::format("{:.9g}", static_cast<double>(v));
}

}  // namespace

Result<ArrayAgreement> compare_arrays(const npy::Array& found, const npy::Array& reference, double relative,
                                      double absolute) {
  const uint64_t count = found.bytes.size() / npy::size_of(found.dtype);
  const uint64_t wanted = reference.bytes.size() / npy::size_of(reference.dtype);
  if (count != wanted) return error(fmt::format("it has {} elements, and its reference {}", count, wanted));
  if (relative < 0) relative = absolute < 0 ? tolerance_of(found.dtype) : 0;
  if (absolute < 0) {
    long double largest = 0;
    for (uint64_t i = 0; i < count; ++i)
      if (const long double r = std::abs(element_of(reference, i)); std::isfinite(r))
        largest = std::max(largest, r);
    absolute = static_cast<double>(relative * largest);
  }
  ArrayAgreement out;
  out.elements = count;
  for (uint64_t i = 0; i < count; ++i) {
    const long double is = element_of(found, i), must = element_of(reference, i);
    if ((std::isnan(is) && std::isnan(must)) || is == must) continue;
    const long double error = std::abs(is - must), bound = absolute + relative * std::abs(must);
    if (std::isnan(out.max_error) || std::isnan(error))
      out.max_error = NAN;
    else
      out.max_error = std::max(out.max_error, static_cast<double>(error));
    if (bound > 0) out.of_bound = std::max(out.of_bound, static_cast<double>(error / bound));
    if (error <= bound && std::isfinite(must)) continue;
    if (out.wrong++ == 0)
      out.first = fmt::format("element {} is {}, must be {}", place_in(found.shape, i),
                              number_text(is, whole_dtype(found.dtype)),
                              number_text(must, whole_dtype(reference.dtype)));
  }
  return out;
}

}  // namespace ww::userkernel
