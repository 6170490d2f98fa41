// CUDA Runtime API: Memory Management, copies and fills.
#include "cuda/core/array.h"
#include "cuda/core/default_stream.h"
#include "cuda/core/platform.h"
#include "cuda/core/registry.h"
#include "cuda/core/transfer.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;

namespace {

Copy copy_2d(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
             CopyKind kind) {
  Copy copy = linear_copy(to, from, width, kind);
  copy.from.pitch = from_pitch, copy.to.pitch = to_pitch;
  copy.from.slice = from_pitch * height, copy.to.slice = to_pitch * height;
  copy.height = height;
  copy.params.src_ptr = {const_cast<void*>(from), from_pitch, width, height};
  copy.params.dst_ptr = {to, to_pitch, width, height};
  copy.params.extent = {width, height, 1};
  return copy;
}

template <class Do>
Error pitched(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
              CopyKind kind, Do&& run) {
  return api([&](DeviceContext&) -> Error {
    if (width > to_pitch || width > from_pitch) return Error::InvalidPitchValue;
    if (to_pitch > 0x7fffffff || from_pitch > 0x7fffffff) return Error::InvalidValue;
    return run(copy_2d(to, to_pitch, from, from_pitch, width, height, kind));
  });
}

Error to_array(Array* array, size_t x, size_t y, const void* from, size_t pitch, size_t width, size_t height,
               CopyKind kind, Copy& copy) {
  if (height > 1 && width > pitch) return Error::InvalidPitchValue;  // of one row any will do
  copy = copy_2d(nullptr, pitch, from, pitch, width, height, kind);
  return array_place(array, x, y, copy.to);
}
Error from_array(void* to, size_t pitch, const Array* array, size_t x, size_t y, size_t width, size_t height,
                 CopyKind kind, Copy& copy) {
  if (height > 1 && width > pitch) return Error::InvalidPitchValue;  // of one row any will do
  copy = copy_2d(to, pitch, nullptr, pitch, width, height, kind);
  return array_place(const_cast<Array*>(array), x, y, copy.from);
}

/// Rows of a 1D copy into or out of an array: it may run over row ends, so it is one long row.
void as_one_row(Place& place) {
  place.x += place.y * place.pitch;
  place.y = 0;
}
/// Error: InvalidValue (behind the array).
Error flatten(Place& array_end, size_t bytes) {
  as_one_row(array_end);
  Array& a = *array_end.array;
  if (array_end.x + bytes > a.bytes()) return Error::InvalidValue;
  array_end.array = nullptr;  // as plain device memory
  array_end.base = a.address;
  return Error::Success;
}
Error flat_to_array(Array* array, size_t x, size_t y, const void* from, size_t bytes, CopyKind kind,
                    Copy& copy) {
  copy = linear_copy(nullptr, from, bytes, kind);
  if (Error e = array_place(array, x, y, copy.to); e != Error::Success) return e;
  return flatten(copy.to, bytes);
}
Error flat_from_array(void* to, const Array* array, size_t x, size_t y, size_t bytes, CopyKind kind,
                      Copy& copy) {
  copy = linear_copy(to, nullptr, bytes, kind);
  if (Error e = array_place(const_cast<Array*>(array), x, y, copy.from); e != Error::Success) return e;
  return flatten(copy.from, bytes);
}

template <class Make>
Error made(Make&& make, Stream* stream, bool wait) {
  return api([&](DeviceContext&) -> Error {
    Copy copy;
    if (Error e = make(copy); e != Error::Success) return e;
    return wait ? copy_now(std::move(copy)) : copy_later(std::move(copy), stream);
  });
}

Memcpy3D without_devices(const Memcpy3DPeer& p) {
  return {p.src_array, p.src_pos, p.src_ptr, p.dst_array, p.dst_pos, p.dst_ptr, p.extent, CopyKind::Default};
}

Error fill_bytes(void* to, size_t pitch, int value, size_t width, size_t height, Stream* stream,
                 DeviceContext& d) {
  return fill(reinterpret_cast<ww::cuda::u64>(to), pitch, static_cast<u32>(value), 1, width, height, stream,
              d);
}
Error fill_bytes_now(void* to, size_t pitch, int value, size_t width, size_t height, DeviceContext& d) {
  return fill_now(reinterpret_cast<ww::cuda::u64>(to), pitch, static_cast<u32>(value), 1, width, height, d);
}
/// Slice by slice; `fill` as fill_bytes, of one slice.
template <class Fill>
Error fill_slices(const PitchedPtr& p, const Extent& extent, Fill fill) {
  for (size_t z = 0; z < extent.depth; ++z)
    if (Error e = fill(static_cast<char*>(p.ptr) + z * p.pitch * p.ysize); e != Error::Success) return e;
  return Error::Success;
}

}  // namespace

WW_CUDA_API Error cudaMemcpy(void* to, const void* from, size_t bytes, CopyKind kind) {
  return api([&](DeviceContext&) { return copy_now(linear_copy(to, from, bytes, kind)); });
}
WW_CUDA_API Error cudaMemcpyAsync(void* to, const void* from, size_t bytes, CopyKind kind, Stream* stream) {
  return api([&](DeviceContext&) { return copy_later(linear_copy(to, from, bytes, kind), stream); });
}
WW_CUDA_API Error cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  return api([&](DeviceContext&) -> Error {
    if (!Platform::get().device(to_device) || !Platform::get().device(from_device))
      return Error::InvalidDevice;
    return copy_now(linear_copy(to, from, bytes, CopyKind::Default));
  });
}
WW_CUDA_API Error cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                      size_t bytes, Stream* stream) {
  return api([&](DeviceContext&) -> Error {
    if (!Platform::get().device(to_device) || !Platform::get().device(from_device))
      return Error::InvalidDevice;
    return copy_later(linear_copy(to, from, bytes, CopyKind::Default), stream);
  });
}
WW_CUDA_API Error cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                               size_t height, CopyKind kind) {
  return pitched(to, to_pitch, from, from_pitch, width, height, kind,
                 [](Copy c) { return copy_now(std::move(c)); });
}
WW_CUDA_API Error cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                    size_t width, size_t height, CopyKind kind, Stream* stream) {
  return pitched(to, to_pitch, from, from_pitch, width, height, kind,
                 [&](Copy c) { return copy_later(std::move(c), stream); });
}
WW_CUDA_API Error cudaMemcpy3D(const Memcpy3D* params) {
  return made([&](Copy& c) { return params ? copy_of(*params, c) : Error::InvalidValue; }, nullptr, true);
}
WW_CUDA_API Error cudaMemcpy3DAsync(const Memcpy3D* params, Stream* stream) {
  return made([&](Copy& c) { return params ? copy_of(*params, c) : Error::InvalidValue; }, stream, false);
}
WW_CUDA_API Error cudaMemcpy3DPeer(const Memcpy3DPeer* params) {
  return made([&](Copy& c) { return params ? copy_of(without_devices(*params), c) : Error::InvalidValue; },
              nullptr, true);
}
WW_CUDA_API Error cudaMemcpy3DPeerAsync(const Memcpy3DPeer* params, Stream* stream) {
  return made([&](Copy& c) { return params ? copy_of(without_devices(*params), c) : Error::InvalidValue; },
              stream, false);
}

WW_CUDA_API Error cudaMemcpy2DToArray(Array* array, size_t x, size_t y, const void* from, size_t pitch,
                                      size_t width, size_t height, CopyKind kind) {
  return made([&](Copy& c) { return to_array(array, x, y, from, pitch, width, height, kind, c); }, nullptr,
              true);
}
WW_CUDA_API Error cudaMemcpy2DToArrayAsync(Array* array, size_t x, size_t y, const void* from, size_t pitch,
                                           size_t width, size_t height, CopyKind kind, Stream* stream) {
  return made([&](Copy& c) { return to_array(array, x, y, from, pitch, width, height, kind, c); }, stream,
              false);
}
WW_CUDA_API Error cudaMemcpy2DFromArray(void* to, size_t pitch, const Array* array, size_t x, size_t y,
                                        size_t width, size_t height, CopyKind kind) {
  return made([&](Copy& c) { return from_array(to, pitch, array, x, y, width, height, kind, c); }, nullptr,
              true);
}
WW_CUDA_API Error cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, const Array* array, size_t x, size_t y,
                                             size_t width, size_t height, CopyKind kind, Stream* stream) {
  return made([&](Copy& c) { return from_array(to, pitch, array, x, y, width, height, kind, c); }, stream,
              false);
}
WW_CUDA_API Error cudaMemcpy2DArrayToArray(Array* to, size_t to_x, size_t to_y, const Array* from,
                                           size_t from_x, size_t from_y, size_t width, size_t height,
                                           CopyKind kind) {
  return made(
      [&](Copy& c) -> Error {
        c = copy_2d(nullptr, width, nullptr, width, width, height, kind);
        if (Error e = array_place(to, to_x, to_y, c.to); e != Error::Success) return e;
        return array_place(const_cast<Array*>(from), from_x, from_y, c.from);
      },
      nullptr, true);
}
WW_CUDA_API Error cudaMemcpyToArray(Array* array, size_t x, size_t y, const void* from, size_t bytes,
                                    CopyKind kind) {
  return made([&](Copy& c) { return flat_to_array(array, x, y, from, bytes, kind, c); }, nullptr, true);
}
WW_CUDA_API Error cudaMemcpyToArrayAsync(Array* array, size_t x, size_t y, const void* from, size_t bytes,
                                         CopyKind kind, Stream* stream) {
  return made([&](Copy& c) { return flat_to_array(array, x, y, from, bytes, kind, c); }, stream, false);
}
WW_CUDA_API Error cudaMemcpyFromArray(void* to, const Array* array, size_t x, size_t y, size_t bytes,
                                      CopyKind kind) {
  return made([&](Copy& c) { return flat_from_array(to, array, x, y, bytes, kind, c); }, nullptr, true);
}
WW_CUDA_API Error cudaMemcpyFromArrayAsync(void* to, const Array* array, size_t x, size_t y, size_t bytes,
                                           CopyKind kind, Stream* stream) {
  return made([&](Copy& c) { return flat_from_array(to, array, x, y, bytes, kind, c); }, stream, false);
}
WW_CUDA_API Error cudaMemcpyArrayToArray(Array* to, size_t to_x, size_t to_y, const Array* from,
                                         size_t from_x, size_t from_y, size_t bytes, CopyKind kind) {
  return made(
      [&](Copy& c) -> Error {
        c = linear_copy(nullptr, nullptr, bytes, kind);
        Error e = array_place(to, to_x, to_y, c.to);
        if (e == Error::Success) e = array_place(const_cast<Array*>(from), from_x, from_y, c.from);
        if (e == Error::Success) e = flatten(c.to, bytes);
        return e == Error::Success ? flatten(c.from, bytes) : e;
      },
      nullptr, true);
}

WW_CUDA_API Error cudaMemset(void* to, int value, size_t bytes) {
  return api([&](DeviceContext& d) { return fill_bytes_now(to, bytes, value, bytes, 1, d); });
}
WW_CUDA_API Error cudaMemsetAsync(void* to, int value, size_t bytes, Stream* stream) {
  return api([&](DeviceContext& d) { return fill_bytes(to, bytes, value, bytes, 1, stream, d); });
}
WW_CUDA_API Error cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return api([&](DeviceContext& d) { return fill_bytes_now(to, pitch, value, width, height, d); });
}
WW_CUDA_API Error cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                                    Stream* stream) {
  return api([&](DeviceContext& d) { return fill_bytes(to, pitch, value, width, height, stream, d); });
}
WW_CUDA_API Error cudaMemset3DAsync(PitchedPtr p, int value, Extent extent, Stream* stream) {
  return api([&](DeviceContext& d) {
    return fill_slices(p, extent, [&](void* slice) {
      return fill_bytes(slice, p.pitch, value, extent.width, extent.height, stream, d);
    });
  });
}
WW_CUDA_API Error cudaMemset3D(PitchedPtr p, int value, Extent extent) {
  return api([&](DeviceContext& d) {
    return fill_slices(p, extent, [&](void* slice) {
      return fill_bytes_now(slice, p.pitch, value, extent.width, extent.height, d);
    });
  });
}

// Symbols.
namespace {
Error symbol_copy(const void* symbol, size_t bytes, size_t offset, DeviceContext& d, void*& at) {
  ww::cuda::u64 address = 0, size = 0;
  if (!symbol) return Error::InvalidSymbol;
  if (Error e = Registry::get().symbol(d, symbol, address, size); e != Error::Success) return e;
  if (offset > size || bytes > size - offset) return Error::InvalidValue;
  at = reinterpret_cast<void*>(address + offset);
  return Error::Success;
}
Error to_symbol(const void* symbol, const void* from, size_t bytes, size_t offset, CopyKind kind,
                Stream* stream, bool wait) {
  return api([&](DeviceContext& d) -> Error {
    void* at = nullptr;
    if (kind == CopyKind::DeviceToHost || kind == CopyKind::HostToHost) return Error::InvalidMemcpyDirection;
    if (Error e = symbol_copy(symbol, bytes, offset, d, at); e != Error::Success) return e;
    Copy copy = linear_copy(at, from, bytes, kind);
    return wait ? copy_now(copy) : copy_later(copy, stream);
  });
}
Error from_symbol(void* to, const void* symbol, size_t bytes, size_t offset, CopyKind kind, Stream* stream,
                  bool wait) {
  return api([&](DeviceContext& d) -> Error {
    void* at = nullptr;
    if (kind == CopyKind::HostToDevice || kind == CopyKind::HostToHost) return Error::InvalidMemcpyDirection;
    if (Error e = symbol_copy(symbol, bytes, offset, d, at); e != Error::Success) return e;
    Copy copy = linear_copy(to, at, bytes, kind);
    return wait ? copy_now(copy) : copy_later(copy, stream);
  });
}
}  // namespace

WW_CUDA_API Error cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                                     CopyKind kind) {
  return to_symbol(symbol, from, bytes, offset, kind, nullptr, true);
}
WW_CUDA_API Error cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                          CopyKind kind, Stream* stream) {
  return to_symbol(symbol, from, bytes, offset, kind, stream, false);
}
WW_CUDA_API Error cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                       CopyKind kind) {
  return from_symbol(to, symbol, bytes, offset, kind, nullptr, true);
}
WW_CUDA_API Error cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                            CopyKind kind, Stream* stream) {
  return from_symbol(to, symbol, bytes, offset, kind, stream, false);
}
WW_CUDA_API Error cudaGetSymbolAddress(void** address, const void* symbol) {
  return api([&](DeviceContext& d) -> Error {
    if (!address) return Error::InvalidValue;
    return symbol_copy(symbol, 0, 0, d, *address);
  });
}
WW_CUDA_API Error cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return api([&](DeviceContext& d) -> Error {
    if (!bytes) return Error::InvalidValue;
    ww::cuda::u64 address = 0, size = 0;
    Error e = symbol ? Registry::get().symbol(d, symbol, address, size) : Error::InvalidSymbol;
    if (e == Error::Success) *bytes = size;
    return e;
  });
}

// What --default-stream per-thread calls: the copy waits for the stream of this thread alone.
WW_CUDA_API Error cudaMemcpy_ptds(void* to, const void* from, size_t bytes, CopyKind kind) {
  const DefaultStreamOfThread ours;
  return cudaMemcpy(to, from, bytes, kind);
}
WW_CUDA_API Error cudaMemcpy2D_ptds(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                    size_t width, size_t height, CopyKind kind) {
  const DefaultStreamOfThread ours;
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
WW_CUDA_API Error cudaMemcpy3D_ptds(const Memcpy3D* params) {
  const DefaultStreamOfThread ours;
  return cudaMemcpy3D(params);
}
WW_CUDA_API Error cudaMemcpy2DToArray_ptds(Array* array, size_t x, size_t y, const void* from, size_t pitch,
                                           size_t width, size_t height, CopyKind kind) {
  const DefaultStreamOfThread ours;
  return cudaMemcpy2DToArray(array, x, y, from, pitch, width, height, kind);
}
WW_CUDA_API Error cudaMemcpy2DFromArray_ptds(void* to, size_t pitch, const Array* array, size_t x, size_t y,
                                             size_t width, size_t height, CopyKind kind) {
  const DefaultStreamOfThread ours;
  return cudaMemcpy2DFromArray(to, pitch, array, x, y, width, height, kind);
}
WW_CUDA_API Error cudaMemcpy3DPeer_ptds(const Memcpy3DPeer* params) {
  const DefaultStreamOfThread ours;
  return cudaMemcpy3DPeer(params);
}
WW_CUDA_API Error cudaMemcpy2DArrayToArray_ptds(Array* to, size_t to_x, size_t to_y, const Array* from,
                                                size_t from_x, size_t from_y, size_t width, size_t height,
                                                CopyKind kind) {
  const DefaultStreamOfThread ours;
  return cudaMemcpy2DArrayToArray(to, to_x, to_y, from, from_x, from_y, width, height, kind);
}
WW_CUDA_API Error cudaMemcpyToArray_ptds(Array* array, size_t x, size_t y, const void* from, size_t bytes,
                                         CopyKind kind) {
  const DefaultStreamOfThread ours;
  return cudaMemcpyToArray(array, x, y, from, bytes, kind);
}
WW_CUDA_API Error cudaMemcpyFromArray_ptds(void* to, const Array* array, size_t x, size_t y, size_t bytes,
                                           CopyKind kind) {
  const DefaultStreamOfThread ours;
  return cudaMemcpyFromArray(to, array, x, y, bytes, kind);
}
WW_CUDA_API Error cudaMemcpyArrayToArray_ptds(Array* to, size_t to_x, size_t to_y, const Array* from,
                                              size_t from_x, size_t from_y, size_t bytes, CopyKind kind) {
  const DefaultStreamOfThread ours;
  return cudaMemcpyArrayToArray(to, to_x, to_y, from, from_x, from_y, bytes, kind);
}
WW_CUDA_API Error cudaMemcpyToSymbol_ptds(const void* symbol, const void* from, size_t bytes, size_t offset,
                                          CopyKind kind) {
  const DefaultStreamOfThread ours;
  return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
WW_CUDA_API Error cudaMemcpyFromSymbol_ptds(void* to, const void* symbol, size_t bytes, size_t offset,
                                            CopyKind kind) {
  const DefaultStreamOfThread ours;
  return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
WW_CUDA_API Error cudaMemset_ptds(void* to, int value, size_t bytes) {
  const DefaultStreamOfThread ours;
  return cudaMemset(to, value, bytes);
}
WW_CUDA_API Error cudaMemset2D_ptds(void* to, size_t pitch, int value, size_t width, size_t height) {
  const DefaultStreamOfThread ours;
  return cudaMemset2D(to, pitch, value, width, height);
}
WW_CUDA_API Error cudaMemset3D_ptds(PitchedPtr p, int value, Extent extent) {
  const DefaultStreamOfThread ours;
  return cudaMemset3D(p, value, extent);
}
WW_CUDA_API Error cudaMemset3DAsync_ptsz(PitchedPtr p, int value, Extent extent, Stream* stream) {
  return cudaMemset3DAsync(p, value, extent, stream ? stream : kPerThreadStream);
}
