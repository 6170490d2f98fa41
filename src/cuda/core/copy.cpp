#include "cuda/core/copy.h"

#include <cstring>

#include "cuda/core/array.h"
#include "cuda/core/checking.h"
#include "cuda/core/platform.h"

namespace ww::cuda {

namespace {

constexpr size_t kLargestPitch = 0x7fffffff;

/// Where an end of a copy lies, as the manual sorts memory.
enum class Side { Pageable, Host, Device, Managed };

Error side_of(const Place& place, const Copy& copy, Side& side) {
  side = Side::Pageable;
  if (place.array) {
    side = Side::Device;
    const Array& a = *place.array;
    bool inside = place.x + copy.width <= a.row() && place.y + copy.height <= a.height() &&
                  place.z + copy.depth <= a.depth();
    return inside ? Error::Success : Error::InvalidValue;
  }
  const u64 first = place.at(0, 0);
  const u64 end = place.at(copy.height - 1, copy.depth - 1) + copy.width;
  auto block = Platform::get().memory().find(first);
  if (!block) {
    // Nothing that we gave away: host memory, unless it is where only device memory lies.
    engine::GlobalMemory& memory = Platform::get().engine().memory();
    return memory.unified() && first >= engine::kMemoryBase && first - engine::kMemoryBase < u64{1} << 44
               ? Error::InvalidValue
               : Error::Success;
  }
  switch (block->kind) {
    case BlockKind::Host:
      side = Side::Host;
      break;
    case BlockKind::Registered:
      side = Side::Host;
      return Error::Success;  // may run on into memory that is not registered
    case BlockKind::Managed:
      side = Side::Managed;
      break;
    default:
      side = Side::Device;
  }
  if (block->kind == BlockKind::Mapped)
    return end <= Platform::get().memory().end_of(first) ? Error::Success : Error::InvalidValue;
  return end <= block->base + block->bytes ? Error::Success : Error::InvalidValue;
}

u8* host(u64 address, Side side) {
  // Host memory that the program got from us lies in the engine's memory too.
  return side == Side::Pageable ? reinterpret_cast<u8*>(address)
                                : Platform::get().engine().memory().host(address);
}

/// Tells who listens what the host does to memory that kernels can see.
void tell_of(u64 to, Side to_side, u64 from, Side from_side, size_t bytes) {
  const events::HostBus& bus = Platform::get().engine().memory().host_events();
  if (bus.nobody()) return;
  const bool visible = from_side != Side::Pageable;
  if (to_side != Side::Pageable)
    bus.tell(events::HostAccess{to, bytes, isa::Direction::Write, visible ? from : 0});
  else if (visible)
    bus.tell(events::HostAccess{from, bytes, isa::Direction::Read});
}

Error find_sides(const Copy& copy, Side& from, Side& to) {
  const bool known = static_cast<int>(copy.kind) >= 0 && static_cast<int>(copy.kind) <= 4;
  if (copy.width == 0 || copy.height == 0 || copy.depth == 0) {
    from = to = Side::Pageable;
    return Error::Success;
  }
  if (!known) return Error::InvalidMemcpyDirection;
  for (const Place* p : {&copy.from, &copy.to})
    if (!p->array && p->base == 0) return Error::InvalidValue;
  if (Error e = side_of(copy.from, copy, from); e != Error::Success) return e;
  if (Error e = side_of(copy.to, copy, to); e != Error::Success) return e;
  bool from_host = copy.kind == CopyKind::HostToHost || copy.kind == CopyKind::HostToDevice;
  bool to_host = copy.kind == CopyKind::HostToHost || copy.kind == CopyKind::DeviceToHost;
  if (copy.kind == CopyKind::Default) return Error::Success;
  // Where the kind says "device" there must be memory that CUDA knows. Where it says "host" a GPU takes the
  // device's, too: an address says where it is (data/measured/h200-api). Arrays were not tried.
  const auto stands = [](bool as_host, Side side, const Place& place) {
    return as_host ? side != Side::Device || !place.array : side != Side::Pageable;
  };
  return stands(from_host, from, copy.from) && stands(to_host, to, copy.to) ? Error::Success
                                                                            : Error::InvalidValue;
}

Error sides(const Copy& copy, Side& from, Side& to) {
  const Error e = find_sides(copy, from, to);
  if (Checking* checking = Checking::get(); checking && e != Error::Success) checking->bad_copy(copy, e);
  return e;
}

Error place_of(Array* array, const Pos& pos, const PitchedPtr& pointer, Place& place, size_t& texel) {
  if ((array != nullptr) == (pointer.ptr != nullptr)) return Error::InvalidValue;
  place.y = pos.y, place.z = pos.z;
  if (array) {
    if (!is_array(array)) return Error::InvalidResourceHandle;
    place.array = array;
    place.base = array->address;
    place.pitch = array->row(), place.slice = array->slice();
    texel = array->texel();
    place.x = pos.x * texel;
    return Error::Success;
  }
  place.base = reinterpret_cast<u64>(pointer.ptr);
  place.pitch = pointer.pitch;
  place.slice = pointer.pitch * pointer.ysize;
  place.x = pos.x;
  return Error::Success;
}

}  // namespace

Copy linear_copy(void* to, const void* from, size_t bytes, CopyKind kind) {
  Copy copy;
  copy.from.base = reinterpret_cast<u64>(from), copy.to.base = reinterpret_cast<u64>(to);
  copy.from.pitch = copy.to.pitch = copy.from.slice = copy.to.slice = bytes;
  copy.width = bytes;
  copy.kind = kind;
  copy.params.src_ptr = {const_cast<void*>(from), bytes, bytes, 1};
  copy.params.dst_ptr = {to, bytes, bytes, 1};
  copy.params.extent = {bytes, 1, 1};
  copy.params.kind = kind;
  return copy;
}

Error copy_of(const Memcpy3D& params, Copy& copy) {
  size_t from_texel = 1, to_texel = 1;
  if (Error e = place_of(params.src_array, params.src_pos, params.src_ptr, copy.from, from_texel);
      e != Error::Success)
    return e;
  if (Error e = place_of(params.dst_array, params.dst_pos, params.dst_ptr, copy.to, to_texel);
      e != Error::Success)
    return e;
  if (params.src_array && params.dst_array && from_texel != to_texel) return Error::InvalidValue;
  // With an array in it the extent counts its elements, else bytes.
  copy.width = params.extent.width * (params.src_array ? from_texel : to_texel);
  copy.height = params.extent.height, copy.depth = params.extent.depth;
  copy.kind = params.kind;
  copy.params = params;
  for (const Place* p : {&copy.from, &copy.to}) {
    if (p->array) continue;
    if (p->pitch > kLargestPitch) return Error::InvalidValue;
    if (copy.height > 1 && p->pitch < copy.width) return Error::InvalidPitchValue;
  }
  return Error::Success;
}

Error check(const Copy& copy) {
  Side from, to;
  return sides(copy, from, to);
}

bool to_pageable(const Copy& copy) {
  Side from, to;
  return find_sides(copy, from, to) == Error::Success && to == Side::Pageable;
}

bool of_pageable(const Copy& copy) {
  Side from, to;
  return find_sides(copy, from, to) == Error::Success && (from == Side::Pageable || to == Side::Pageable);
}

namespace {

/// A single row whose source and destination share bytes; the same ones all are left alone.
void look_for_overlap(const Copy& copy) {
  Checking* checking = Checking::get();
  if (!checking || copy.from.array || copy.to.array || copy.height > 1 || copy.depth > 1) return;
  const u64 from = copy.from.at(0, 0), to = copy.to.at(0, 0);
  if (from != to && from < to + copy.width && to < from + copy.width) checking->overlapping_copy(copy);
}

}  // namespace

Error perform(const Copy& copy) {
  Side from, to;
  if (Error e = sides(copy, from, to); e != Error::Success) return e;
  if (copy.width == 0) return Error::Success;
  if (from != Side::Pageable && to != Side::Pageable) look_for_overlap(copy);
  for (size_t plane = 0; plane < copy.depth; ++plane)
    for (size_t row = 0; row < copy.height; ++row) {
      const u64 here = copy.from.at(row, plane), there = copy.to.at(row, plane);
      std::memmove(host(there, to), host(here, from), copy.width);
      tell_of(there, to, here, from, copy.width);
    }
  return Error::Success;
}

}  // namespace ww::cuda
