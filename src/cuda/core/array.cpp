#include "cuda/core/array.h"

#include "base/live_handles.h"

namespace ww::cuda {

namespace {
LiveHandles& arrays() {
  static auto* all = new LiveHandles;
  return *all;
}
}  // namespace

Error format_of(const ChannelDesc& desc, engine::ChannelFormat& format, u8& channels) {
  using enum engine::ChannelFormat;
  const int bits[4] = {desc.x, desc.y, desc.z, desc.w};
  channels = 0;
  for (int b : bits) {
    if (!b) break;
    if (b != bits[0]) return Error::InvalidChannelDescriptor;
    ++channels;
  }
  for (int k = channels; k < 4; ++k)
    if (bits[k]) return Error::InvalidChannelDescriptor;
  if (channels != 1 && channels != 2 && channels != 4) return Error::InvalidChannelDescriptor;
  switch (desc.f) {
    case ChannelKind::Signed:
    case ChannelKind::Unsigned: {
      bool sign = desc.f == ChannelKind::Signed;
      if (bits[0] == 8)
        format = sign ? S8 : U8;
      else if (bits[0] == 16)
        format = sign ? S16 : U16;
      else if (bits[0] == 32)
        format = sign ? S32 : U32;
      else
        return Error::InvalidChannelDescriptor;
      return Error::Success;
    }
    case ChannelKind::Float:
      if (bits[0] != 16 && bits[0] != 32) return Error::InvalidChannelDescriptor;
      format = bits[0] == 16 ? F16 : F32;
      return Error::Success;
    default:
      return Error::InvalidChannelDescriptor;
  }
}

Error make_array(DeviceContext& device, const ChannelDesc& desc, Extent extent, u32 flags, Array*& out) {
  engine::ChannelFormat format;
  u8 channels;
  if (Error e = format_of(desc, format, channels); e != Error::Success) return e;
  // The largest extents of compute capability 5.0 and later (Programming Guide, technical specifications).
  const bool layered = flags & kArrayLayered;
  const bool flat = extent.depth == 0 || layered;
  if (extent.width == 0 || extent.width > 131072 || extent.height > 65536 || extent.depth > 16384 ||
      (!flat && extent.height == 0))
    return Error::InvalidValue;
  constexpr u32 kKnownFlags = 0xff;  // cudaArray…, in driver_types.h
  if (flags & ~kKnownFlags) return Error::InvalidValue;
  if ((flags & kArrayCubemap) &&
      (extent.width != extent.height || (layered ? extent.depth % 6 != 0 : extent.depth != 6)))
    return Error::InvalidValue;
  auto array = std::make_unique<Array>();
  array->desc = desc, array->extent = extent, array->flags = flags, array->device = &device;
  Error e =
      Platform::get().memory().allocate(BlockKind::Array, device, array->bytes(), flags, array->address);
  if (e != Error::Success) return e;
  arrays().add(array.get());
  out = array.release();
  return Error::Success;
}

bool is_array(const Array* array) { return arrays().has(array); }

Error free_array(Array* array) {
  if (!arrays().remove(array)) return Error::InvalidResourceHandle;
  (void)Platform::get().memory().release(array->address, BlockKind::Array, Error::InvalidValue);
  delete array;
  return Error::Success;
}

Error make_mipmapped(DeviceContext& device, const ChannelDesc& desc, Extent extent, u32 levels, u32 flags,
                     MipmappedArray*& out) {
  auto mipmap = std::make_unique<MipmappedArray>();
  mipmap->desc = desc, mipmap->extent = extent, mipmap->flags = flags;
  size_t largest = std::max({extent.width, extent.height, flags & kArrayLayered ? 0 : extent.depth});
  u32 most = 1;
  while (largest >>= 1) ++most;
  levels = std::max<u32>(1, std::min(levels, most));
  for (u32 k = 0; k < levels; ++k) {
    auto smaller = [&](size_t n) { return n ? std::max<size_t>(1, n >> k) : 0; };
    Extent e{smaller(extent.width), smaller(extent.height),
             flags & (kArrayLayered | kArrayCubemap) ? extent.depth : smaller(extent.depth)};
    Array* level = nullptr;
    if (Error why = make_array(device, desc, e, flags, level); why != Error::Success) {
      for (Array* a : mipmap->levels) (void)free_array(a);
      return why;
    }
    level->parent = mipmap.get();
    mipmap->levels.push_back(level);
  }
  arrays().add(mipmap.get());
  out = mipmap.release();
  return Error::Success;
}

Error free_mipmapped(MipmappedArray* mipmap) {
  if (!arrays().remove(mipmap)) return Error::InvalidResourceHandle;
  for (Array* a : mipmap->levels) (void)free_array(a);
  delete mipmap;
  return Error::Success;
}

}  // namespace ww::cuda
