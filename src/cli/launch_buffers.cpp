#include "cli/launch_buffers.h"

#include <fmt/format.h>

#include <cstring>
#include <random>

#include "base/half.h"
#include "kernels/random.h"

namespace ww::cli {

namespace {

template <class T, class Convert>
void fill_floats(std::vector<std::byte>& bytes, uint64_t seed, uint64_t stream, Convert convert) {
  for (uint64_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    T value = convert(kernels::random_value(seed, stream, i));
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
}

/// Floating-point types get the laboratory's numbers (2^-6 … 4, either sign), integers all their values.
void fill_random(npy::Array& array, uint64_t seed, uint64_t stream) {
  switch (array.dtype) {
    case npy::Dtype::F2:
      return fill_floats<uint16_t>(array.bytes, seed, stream, [](float f) { return to_f16(f).bits; });
    case npy::Dtype::F4:
      return fill_floats<float>(array.bytes, seed, stream, [](float f) { return f; });
    case npy::Dtype::F8:
      return fill_floats<double>(array.bytes, seed, stream, [](float f) { return double{f}; });
    default:
      break;
  }
  std::seed_seq seeds{seed & 0xffffffff, seed >> 32, stream};
  std::mt19937_64 generator(seeds);
  for (size_t at = 0; at < array.bytes.size(); at += 8) {
    uint64_t word = generator();
    std::memcpy(array.bytes.data() + at, &word, std::min<size_t>(8, array.bytes.size() - at));
  }
}

}  // namespace

LaunchBuffers::~LaunchBuffers() {
  for (const Buffer& b : buffers_) (void)device_.free(b.address);
}

Status LaunchBuffers::prepare(const std::vector<LaunchArgument>& arguments, uint64_t seed) {
  Diagnostics wrong;
  for (uint64_t i = 0; i < arguments.size(); ++i) {
    if (const auto* scalar = std::get_if<ScalarArgument>(&arguments[i])) {
      arguments_.push_back({scalar->bytes});
    } else if (auto ok = add(std::get<ArrayArgument>(arguments[i]), seed, i); ok) {
      arguments_.push_back(device::Argument::of(buffers_.back().address));
    } else {
      wrong.insert(wrong.end(), ok.error().begin(), ok.error().end());
    }
  }
  if (!wrong.empty()) return wrong;
  return {};
}

Status LaunchBuffers::add(const ArrayArgument& what, uint64_t seed, uint64_t stream) {
  Buffer buffer{what, {what.dtype, what.shape, {}}};
  using Kind = ArrayArgument::Kind;
  if (what.kind == Kind::In || what.kind == Kind::InOut) {
    auto read = npy::read(what.path);
    if (!read) return read.error();
    buffer.array = std::move(*read);
  }
  uint64_t bytes = *npy::bytes_of(buffer.array.dtype, buffer.array.shape);
  if (bytes == 0) return error(fmt::format("{} holds an array without elements", what.path));
  auto address = device_.allocate(bytes);
  if (!address) return address.error();
  buffer.address = *address;
  if (what.kind == Kind::Random) {
    buffer.array.bytes.resize(bytes);
    fill_random(buffer.array, seed, stream);
  }
  Status written;
  if (what.kind != Kind::Out)
    written = device_.write(buffer.address, buffer.array.bytes);  // out: zeros already
  buffer.array.bytes = {};
  buffers_.push_back(std::move(buffer));
  return written;
}

Status LaunchBuffers::save() const {
  for (const Buffer& b : buffers_) {
    if (!b.what.writes()) continue;
    npy::Array array = b.array;
    array.bytes.resize(*npy::bytes_of(array.dtype, array.shape));
    if (auto ok = device_.read(b.address, array.bytes); !ok) return ok;
    if (auto ok = npy::write(b.what.path, array); !ok) return ok;
  }
  return {};
}

}  // namespace ww::cli
