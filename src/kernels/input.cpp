#include "kernels/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/file.h"
#include "base/npy.h"
#include "kernels/random.h"

namespace ww::kernels {

namespace {

template <class T>
std::vector<float> converted(const void* bytes, size_t count) {
  std::vector<T> elements(count);
  std::memcpy(elements.data(), bytes, count * sizeof(T));
  return {elements.begin(), elements.end()};
}

Diagnostic wrong_count(const std::string& path, uint64_t has, uint64_t needs) {
  return error(fmt::format("{} holds {} elements, this configuration needs {}", path, has, needs),
               "give the n that belongs to the file, or another file");
}

Result<std::vector<float>> read_npy(const std::string& path, uint64_t count) {
  auto array = npy::read(path, count * sizeof(double));
  if (!array) {
    const auto header = npy::read_header(path);
    if (!header) return header.error();
    if (const uint64_t has = header->bytes / npy::size_of(header->dtype); has != count)
      return wrong_count(path, has, count);
    return array.error();
  }
  const uint64_t has = array->bytes.size() / npy::size_of(array->dtype);
  if (has != count) return wrong_count(path, has, count);
  if (array->dtype == npy::Dtype::F4) return converted<float>(array->bytes.data(), count);
  if (array->dtype == npy::Dtype::F8) return converted<double>(array->bytes.data(), count);
  return error(fmt::format("{} holds elements of type {}", path, npy::name(array->dtype)),
               "inputs are float32 (f4) or float64 (f8, rounded)");
}

Result<std::vector<float>> read_raw(const std::string& path, uint64_t count) {
  auto content = read_file(path, std::max(kMostText, count * sizeof(float)));
  if (!content) return content.error();
  if (content->size() != count * sizeof(float)) {
    return error(fmt::format("{} holds {} bytes, this configuration needs {} ({} float32 elements)", path,
                             content->size(), count * sizeof(float), count),
                 "a file whose name does not end in .npy is read as raw float32");
  }
  return converted<float>(content->data(), count);
}

}  // namespace

Result<Input> Input::from_file(const std::string& path, uint64_t count) {
  auto elements = path.ends_with(".npy") ? read_npy(path, count) : read_raw(path, count);
  if (!elements) return elements.error();
  return given("file " + path, std::move(*elements));
}

Input Input::given(std::string name, std::vector<float> elements) {
  Input input(0, 0);
  input.name_ = std::move(name);
  input.elements_ = std::make_shared<const std::vector<float>>(std::move(elements));
  return input;
}

Input Input::in_bf16() const {
  Input rounded = *this;
  rounded.bf16_ = true;
  return rounded;
}

void Input::read(uint64_t first, std::span<float> out) const {
  if (elements_) {
    std::copy_n(elements_->begin() + static_cast<ptrdiff_t>(first), out.size(), out.begin());
  } else {
    fill_random(seed_, stream_, first, out);
  }
  if (!bf16_) return;
  for (float& v : out) {  // finite ones: to nearest even, as adding half of the last place kept does
    const auto bits = std::bit_cast<uint32_t>(v);
    if (std::isfinite(v)) v = std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
  }
}

std::string Input::identity() const {
  return (elements_ ? name_ : fmt::format("random {} {}", seed_, stream_)) + (bf16_ ? " in bf16" : "");
}

}  // namespace ww::kernels
