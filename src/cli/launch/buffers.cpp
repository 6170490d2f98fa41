#include "cli/launch/buffers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/text.h"
#include "cli/launch/array_fill.h"
#include "cli/launch/texture.h"
#include "device/engine_device.h"
#include "userkernel/numpy.h"

namespace ww::cli {

namespace {

/// As C++ lays members out on a GPU.
size_t alignment_of(const LaunchArgument& value) {
  if (std::holds_alternative<ArrayArgument>(value) || std::holds_alternative<TextureArgument>(value))
    return sizeof(device::Address);
  if (const auto* scalar = std::get_if<ScalarArgument>(&value))
    return scalar->type == "hex" ? 1 : std::max<size_t>(1, scalar->bytes.size());
  if (std::get<StructArgument>(value).pointers) return sizeof(device::Address);
  size_t most = 1;
  for (const LaunchArgument& member : std::get<StructArgument>(value).members)
    most = std::max(most, alignment_of(member));
  return most;
}

}  // namespace

LaunchBuffers::~LaunchBuffers() {
  for (const uint64_t texture : textures_) (void)device_.destroy_texture(texture);
  for (const Buffer& b : buffers_)
    if (b.own) (void)device_.free(b.address);
}

Status LaunchBuffers::prepare(const std::vector<LaunchArgument>& arguments, uint64_t seed) {
  Diagnostics wrong;
  for (uint64_t i = 0; i < arguments.size(); ++i) {
    argument_ = i;
    if (auto bytes = bytes_of(arguments[i], seed, i); bytes)
      arguments_.push_back({std::move(*bytes)});
    else
      wrong.insert(wrong.end(), bytes.error().begin(), bytes.error().end());
  }
  if (!wrong.empty()) return wrong;
  return {};
}

Status LaunchBuffers::prepare_variable(const std::string& name, device::Address address, uint64_t bytes,
                                       const LaunchArgument& value, uint64_t seed, uint64_t stream) {
  const auto fits = [&](uint64_t given) -> Status {
    if (given <= bytes) return {};
    return error(
        fmt::format("--symbol {}: it has {} bytes, but {} are given", printable(name), bytes, given));
  };
  if (const auto* array = std::get_if<ArrayArgument>(&value)) {
    if (array->skipped > 0)
      return error(
          fmt::format("--symbol {}: +{} is for the arrays of arguments", printable(name), array->skipped));
    auto buffer = filled(*array, seed, stream);
    if (!buffer) return buffer.error();
    if (auto ok = fits(*npy::bytes_of(buffer->array.dtype, buffer->array.shape)); !ok) return ok;
    buffer->address = address, buffer->own = false;
    return bring(std::move(*buffer));
  }
  auto content = bytes_of(value, seed, stream);
  if (!content) return content.error();
  if (auto ok = fits(content->size()); !ok) return ok;
  if (std::holds_alternative<ScalarArgument>(value) && content->size() < bytes)
    return error(fmt::format("--symbol {}: it has {} bytes, and one number of {} is given", printable(name),
                             bytes, content->size()),
                 fmt::format("an array: --symbol {}=in:FILE.npy or random:f32[8]", printable(name)));
  return device_.write(address, *content);
}

Result<std::vector<std::byte>> LaunchBuffers::bytes_of(const LaunchArgument& value, uint64_t seed,
                                                       uint64_t stream) {
  if (const auto* scalar = std::get_if<ScalarArgument>(&value)) return scalar->bytes;
  if (const auto* array = std::get_if<ArrayArgument>(&value)) {
    if (array->kind == ArrayArgument::Kind::Shared) {
      if (!shared_ || !shared_->contains(array->path)) return error("no array is called @" + array->path);
      const Placed& at = shared_->at(array->path);
      auto begin = behind(at.begin, *array, at.dtype, at.address + at.bytes);
      if (!begin) return begin.error();
      return device::Argument::of(*begin).bytes;
    }
    if (auto ok = add(*array, seed, stream); !ok) return ok.error();
    return device::Argument::of(buffers_.back().begin).bytes;
  }
  if (const auto* texture = std::get_if<TextureArgument>(&value)) {
    auto handle = add(*texture, seed, stream);
    if (!handle) return handle.error();
    return device::Argument::of(*handle).bytes;
  }
  std::vector<std::byte> out;
  const auto& structure = std::get<StructArgument>(value);
  if (structure.pointers) return table_of(structure, seed, stream);
  if (structure.bytes > 0) {  // its members have places
    out.resize(structure.bytes);
    for (size_t i = 0; i < structure.members.size(); ++i) {
      auto bytes = bytes_of(structure.members[i], seed, stream++);
      if (!bytes) return bytes;
      std::copy(bytes->begin(), bytes->end(),
                out.begin() + static_cast<std::ptrdiff_t>(structure.offsets[i]));
    }
    return out;
  }
  size_t alignment = 1;
  const auto pad = [&](size_t to) { out.resize((out.size() + to - 1) / to * to); };
  for (const LaunchArgument& member : structure.members) {
    auto bytes = bytes_of(member, seed, stream++);
    if (!bytes) return bytes;
    const size_t own = alignment_of(member);
    alignment = std::max(alignment, own);
    pad(own);
    out.insert(out.end(), bytes->begin(), bytes->end());
  }
  pad(alignment);
  return out;
}

Result<device::Address> LaunchBuffers::behind(device::Address begin, const ArrayArgument& what,
                                              npy::Dtype dtype, device::Address end) {
  const uint64_t bytes = *npy::bytes_of(dtype, {1});
  if (what.skipped < (end - begin + bytes - 1) / bytes) return begin + what.skipped * bytes;
  return error(fmt::format("+{} is behind the end of the array", what.skipped));
}

Result<std::vector<std::byte>> LaunchBuffers::table_of(const StructArgument& table, uint64_t seed,
                                                       uint64_t stream) {
  Buffer buffer{{}, {npy::Dtype::U8, {table.members.size()}, {}}};
  buffer.table = true;
  for (size_t i = 0; i < table.members.size(); ++i) {
    // Far from the streams of other arguments, which count up.
    auto bytes = bytes_of(table.members[i], seed, stream + (i + 1) * 256);
    if (!bytes) return bytes;
    buffer.array.bytes.insert(buffer.array.bytes.end(), bytes->begin(), bytes->end());
  }
  auto address = device_.allocate(buffer.array.bytes.size());
  if (!address) return address.error();
  buffer.address = buffer.begin = *address;
  if (auto ok = bring(std::move(buffer)); !ok) return ok.error();
  return device::Argument::of(*address).bytes;
}

Result<LaunchBuffers::Buffer> LaunchBuffers::filled(const ArrayArgument& what, uint64_t seed,
                                                    uint64_t stream) {
  Buffer buffer{what, {what.dtype, what.shape, {}}};
  using Kind = ArrayArgument::Kind;
  if (what.kind == Kind::In || what.kind == Kind::InOut) {
    auto read = npy::read(what.path, device_.info().memory > 0 ? device_.info().memory : UINT64_MAX);
    if (!read) return read.error();
    buffer.array = std::move(*read);
  }
  if (what.kind == Kind::Numpy) {
    auto value = userkernel::numpy_value(what.path, words_, {}, what.wanted);
    if (!value) return value.error();
    buffer.array = std::move(*value);
  }
  const uint64_t bytes = *npy::bytes_of(buffer.array.dtype, buffer.array.shape);
  if (bytes == 0) return error(fmt::format("{} holds an array without elements", what.path));
  if (device_.info().memory > 0 && bytes > device_.info().memory)
    return error(fmt::format("an array of {} bytes does not fit into the {} of the device", bytes,
                             device_.info().memory));
  if (what.kind == Kind::Random) {
    buffer.array.bytes.resize(bytes);
    fill_random(buffer.array, seed, stream, what.bfloat);
  }
  if (what.kind == Kind::Range) {
    buffer.array.bytes.resize(bytes);
    fill_range(buffer.array, what.bfloat);
  }
  return buffer;
}

Result<uint64_t> LaunchBuffers::add(const TextureArgument& what, uint64_t seed, uint64_t stream) {
  engine::Engine* engine = device::engine_of(device_);
  if (!engine) return error(device_.info().name + " takes no textures as arguments");
  if (auto ok = add(what.texels, seed, stream); !ok) return ok.error();
  Buffer& b = buffers_.back();
  b.channels = what.channels;
  auto description = texture_description(what, b.array.dtype, b.array.shape);
  if (!description) return description.error();
  description->address = b.address;
  auto handle = what.surface ? engine->create_surface(*description) : engine->create_texture(*description);
  if (handle) textures_.push_back(*handle);
  return handle;
}

Status LaunchBuffers::add(const ArrayArgument& what, uint64_t seed, uint64_t stream) {
  auto buffer = filled(what, seed, stream);
  if (!buffer) return buffer.error();
  auto address = device_.allocate(*npy::bytes_of(buffer->array.dtype, buffer->array.shape));
  if (!address) return address.error();
  buffer->address = *address;
  const uint64_t bytes = *npy::bytes_of(buffer->array.dtype, buffer->array.shape);
  auto begin = behind(*address, what, buffer->array.dtype, *address + bytes);
  if (!begin) {
    (void)device_.free(*address);
    return begin.error();
  }
  buffer->begin = *begin;
  return bring(std::move(*buffer));
}

Status LaunchBuffers::bring(Buffer buffer) {
  Status written;
  if (buffer.what.kind != ArrayArgument::Kind::Out)
    written = device_.write(buffer.address, buffer.array.bytes);  // out: zeros already
  if (!keep_) buffer.array.bytes = {};
  buffer.argument = argument_;
  buffers_.push_back(std::move(buffer));
  return written;
}

Status LaunchBuffers::restore() {
  assert(keep_);
  for (Buffer& b : buffers_) {
    if (!b.own) continue;  // variables are kept by whoever has the module
    std::vector<std::byte> zeros;
    if (b.what.kind == ArrayArgument::Kind::Out) zeros.resize(*npy::bytes_of(b.array.dtype, b.array.shape));
    if (auto ok = device_.write(b.address, zeros.empty() ? b.array.bytes : zeros); !ok) return ok;
  }
  return {};
}

Status find_shared(LaunchArgument& value, const SharedArrays& arrays) {
  if (auto* structure = std::get_if<StructArgument>(&value))
    for (LaunchArgument& member : structure->members)
      if (auto ok = find_shared(member, arrays); !ok) return ok;
  auto* array = std::get_if<ArrayArgument>(&value);
  if (!array || array->kind != ArrayArgument::Kind::Shared) return {};
  const auto it = arrays.find(array->path);
  if (it != arrays.end()) {
    array->dtype = it->second.dtype, array->shape = it->second.shape;
    array->bfloat = it->second.bfloat;
    return {};
  }
  std::vector<std::string> names;
  for (const auto& [name, at] : arrays) names.push_back(name);
  const std::string near = nearest(array->path, names);
  return error(fmt::format("no array is called @{}", printable(array->path)),
               names.empty()  ? "@NAME is an array of a kernel before, behind --then"
               : near.empty() ? fmt::format("there are @{}", fmt::join(names, ", @"))
                              : fmt::format("did you mean @{}?", near));
}

std::vector<LaunchBuffers::Placed> LaunchBuffers::placed() const {
  std::vector<Placed> out;
  for (const Buffer& b : buffers_) {
    if (!b.own) continue;
    Placed& p = out.emplace_back();
    p.address = b.address, p.begin = b.begin;
    p.argument = b.argument;
    p.input = b.what.kind == ArrayArgument::Kind::In;
    p.bytes = *npy::bytes_of(b.array.dtype, b.array.shape);
    p.dtype = b.array.dtype, p.shape = b.array.shape;
    p.bfloat = b.what.bfloat, p.table = b.table;
    p.texels = b.channels > 0, p.channels = std::max(1, b.channels);
    if (b.array.shape.size() > 1) p.row_bytes = *npy::bytes_of(b.array.dtype, {b.array.shape.back()});
  }
  return out;
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
