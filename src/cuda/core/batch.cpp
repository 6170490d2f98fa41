#include "cuda/core/batch.h"

#include <cstdint>

#include "cuda/core/array.h"
#include "cuda/core/transfer.h"

namespace ww::cuda {

namespace {

bool legacy(const Stream* stream) { return !stream || stream == kLegacyStream; }
bool known_order(int order) { return order >= 1 && order <= 3; }

/// Checks all of the copies before the first is made, then makes them.
template <class Describe>
Error all_copies(size_t count, size_t* failed, Stream* stream, Describe&& describe) {
  if (failed) *failed = SIZE_MAX;
  if (!stream_of(stream)) return Error::InvalidResourceHandle;
  std::vector<Copy> copies(count);
  for (size_t k = 0; k < count; ++k) {
    Error e = describe(k, copies[k]);
    if (e == Error::Success) e = check(copies[k]);
    if (e == Error::Success) continue;
    if (failed) *failed = k;
    return e;
  }
  for (Copy& copy : copies)
    if (Error e = copy_later(std::move(copy), stream); e != Error::Success) return e;
  return Error::Success;
}

size_t texel_of(const BatchOperand& o) { return o.type == 2 ? o.array.array->texel() : 0; }

Error describe_end(const BatchOperand& o, const Extent& extent, size_t element, Array*& array, Pos& at,
                   PitchedPtr& pointer) {
  if (o.type == 2) {
    array = o.array.array, at = o.array.offset;
    return Error::Success;
  }
  const size_t row = o.pointer.row_length ? o.pointer.row_length : extent.width,
               height = o.pointer.layer_height ? o.pointer.layer_height : extent.height;
  if (!o.pointer.at || row < extent.width || height < extent.height) return Error::InvalidValue;
  pointer = {o.pointer.at, row * element, row, height};
  return Error::Success;
}

Error describe(const BatchCopy& b, Copy& copy) {
  const Extent& e = b.extent;
  if (!e.width || !e.height || !e.depth || !known_order(b.source_order) || b.flags > 1)
    return Error::InvalidValue;
  for (const BatchOperand* o : {&b.from, &b.to}) {
    if (o->type != 1 && o->type != 2) return Error::InvalidValue;
    if (o->type == 2 && !is_array(o->array.array)) return Error::InvalidValue;
  }
  const size_t from = texel_of(b.from), to = texel_of(b.to);
  if (from && to && from != to) return Error::InvalidValue;
  const size_t element = from ? from : to ? to : 1;
  Memcpy3D m{};
  m.extent = e, m.kind = CopyKind::Default;
  Error error = describe_end(b.from, e, element, m.src_array, m.src_pos, m.src_ptr);
  if (error == Error::Success) error = describe_end(b.to, e, element, m.dst_array, m.dst_pos, m.dst_ptr);
  return error == Error::Success ? copy_of(m, copy) : error;
}

}  // namespace

bool Ranges::good(size_t operations) const {
  if (!first || !count || count > operations || first[0] != 0) return false;
  for (size_t k = 1; k < count; ++k)
    if (first[k] <= first[k - 1]) return false;
  return first[count - 1] < operations;
}

Error copy_batch(void* const* to, const void* const* from, const size_t* bytes, size_t count,
                 const CopyAttributes* attributes, Ranges ranges, size_t* failed, Stream* stream) {
  if (failed) *failed = SIZE_MAX;
  if (!to || !from || !bytes || !count || !attributes || !ranges.good(count) || legacy(stream))
    return Error::InvalidValue;
  for (size_t k = 0; k < ranges.count; ++k)
    if (!known_order(attributes[k].source_order) || attributes[k].flags > 1) return Error::InvalidValue;
  return all_copies(count, failed, stream, [&](size_t k, Copy& copy) {
    copy = linear_copy(to[k], from[k], bytes[k], CopyKind::Default);
    return Error::Success;
  });
}

Error copy_batch(const BatchCopy* copies, size_t count, unsigned long long flags, size_t* failed,
                 Stream* stream) {
  if (failed) *failed = SIZE_MAX;
  if (!copies || !count || flags || legacy(stream)) return Error::InvalidValue;
  return all_copies(count, failed, stream, [&](size_t k, Copy& copy) { return describe(copies[k], copy); });
}

Error managed_batch(void* const* at, const size_t* bytes, size_t count, unsigned long long flags,
                    Stream* stream) {
  if (!at || !bytes || !count || flags || legacy(stream)) return Error::InvalidValue;
  for (size_t k = 0; k < count; ++k) {
    auto block = Platform::get().memory().find(at[k]);
    if (!block || block->kind != BlockKind::Managed || !bytes[k] ||
        bytes[k] > block->base + block->bytes - reinterpret_cast<u64>(at[k]))
      return Error::InvalidValue;
  }
  return stream_of(stream) ? Error::Success : Error::InvalidResourceHandle;
}

Error prefetch_batch(void* const* at, const size_t* bytes, size_t count, const MemLocation* places,
                     Ranges ranges, unsigned long long flags, Stream* stream) {
  if (!places || !ranges.good(count)) return Error::InvalidValue;
  for (size_t k = 0; k < ranges.count; ++k) {
    if (places[k].type < 1 || places[k].type > 4) return Error::InvalidValue;
    if (places[k].type == 1 && !Platform::get().device(places[k].id)) return Error::InvalidDevice;
  }
  return managed_batch(at, bytes, count, flags, stream);
}

}  // namespace ww::cuda
