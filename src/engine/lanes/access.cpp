// Loads and stores: the plain case fast. All lanes in one piece of memory, aligned; per half-warp contiguous or uniform addresses
// are moved as vectors, others lane by lane. Whatever is not plainly right goes to access_slow().
#include <cstring>

#include "engine/lanes/lanes.h"
#include "engine/slow.h"
#include "isa/lane.h"

namespace ww::lane {
namespace {

using namespace engine;  // NOLINT: this file is engine code

using Where = AccessKey::Where;
using Kind = AccessKey::Kind;

/// Lowest and highest address of the active lanes, and all address bits or-ed (for alignment).
template <class Addr>
struct Extent {
  Addr low, high, bits;
};

template <class Addr>
WW_INLINE Extent<Addr> extent_of(const Addr* a, Addr imm, u32 mask) {
  Extent<Addr> e{Addr(~Addr(0)), 0, 0};
  if (mask == kAllLanes) {
    for (int l = 0; l < kLanes; ++l) {
      Addr x = Addr(a[l] + imm);
      e.low = x < e.low ? x : e.low;
      e.high = x > e.high ? x : e.high;
      e.bits |= x;
    }
  } else {
    for (int l = 0; l < kLanes; ++l) {
      Addr x = Addr(a[l] + imm);
      bool on = mask >> l & 1;
      e.low = on && x < e.low ? x : e.low;
      e.high = on && x > e.high ? x : e.high;
      e.bits |= on ? x : Addr(0);
    }
  }
  return e;
}

WW_INLINE u64 number_of(const u8* host) { return reinterpret_cast<u64>(host); }

/// Where address 0 of the window's numbering would lie on the host (as a number: nothing need be there); false if the access is
/// not plainly inside one window.
template <Where W, class Addr>
WW_INLINE bool host_base(Warp& w, const Inst* i, const Extent<Addr>& e, u32 bytes, u64& host) {
  auto inside = [&](u64 base, u64 size) { return e.low >= base && u64(e.high) + bytes <= base + size && u64(e.high) + bytes > e.high; };
  if constexpr (W == Where::Shared) {
    host = number_of(w.shared);
    return inside(0, w.shared_bytes);
  } else if constexpr (W == Where::Global) {
    const Window& known = w.windows[i->aux->window];
    if (inside(known.base, known.size)) {
      host = number_of(known.host) - known.base;
      return true;
    }
    Window found = find_window(w, i, e.low);
    host = number_of(found.host) - found.base;
    return inside(found.base, found.size);
  } else {
    switch (i->aux->access.where) {
      case Where::Const: host = number_of(w.constants); return inside(0, w.constants_bytes);
      case Where::Param: host = number_of(w.params); return inside(0, w.params_bytes);
      case Where::Generic:
        if (inside(kSharedWindow, w.shared_bytes)) {
          host = number_of(w.shared) - kSharedWindow;
          return true;
        }
        if (e.low >= kGlobalBase) return host_base<Where::Global, Addr>(w, i, e, bytes, host);
        return false;
      default: return false;
    }
  }
}

// The shape of the addresses of one half-warp.
enum class Shape { Contiguous, Uniform, Other };

template <int Bytes, class Addr>
WW_INLINE Shape shape_of(const Addr* a) {
  Addr step = 0, same = 0;
  for (int l = 0; l < 16; ++l) {
    same |= Addr(a[l] - a[0]);
    step |= Addr(a[l] - a[0] - Addr(l * Bytes));
  }
  return step == 0 ? Shape::Contiguous : same == 0 ? Shape::Uniform : Shape::Other;
}

template <class Mem> WW_INLINE Mem read(u64 at) {
  Mem v;
  __builtin_memcpy(&v, reinterpret_cast<const u8*>(at), sizeof v);
  return v;
}
template <class Mem> WW_INLINE void write(u64 at, Mem v) { __builtin_memcpy(reinterpret_cast<u8*>(at), &v, sizeof v); }

template <class Mem, class Reg, class Addr>
WW_INLINE void load_half(Reg* d, const Addr* a, Addr imm, u64 host, u32 mask) {
  if constexpr (sizeof(Mem) == sizeof(Reg)) {
    if (mask == 0xffff) {
      Shape shape = shape_of<sizeof(Mem)>(a);
      u64 first = host + Addr(a[0] + imm);
      if (shape == Shape::Contiguous) {
        __builtin_memcpy(d, reinterpret_cast<const u8*>(first), 16 * sizeof(Mem));
        return;
      }
      if (shape == Shape::Uniform) {
        Mem v = read<Mem>(first);
        for (int l = 0; l < 16; ++l) d[l] = Reg(v);
        return;
      }
    }
  }
  if (mask == 0xffff) {
    for (int l = 0; l < 16; ++l) d[l] = Reg(read<Mem>(host + Addr(a[l] + imm)));
  } else {
    for (u32 m = mask; m; m &= m - 1) {
      int l = __builtin_ctz(m);
      d[l] = Reg(read<Mem>(host + Addr(a[l] + imm)));
    }
  }
}

template <class Mem, class Reg, class Addr>
WW_INLINE void store_half(const Reg* s, const Addr* a, Addr imm, u64 host, u32 mask) {
  if constexpr (sizeof(Mem) == sizeof(Reg)) {
    if (mask == 0xffff && shape_of<sizeof(Mem)>(a) == Shape::Contiguous) {
      __builtin_memcpy(reinterpret_cast<u8*>(host + Addr(a[0] + imm)), s, 16 * sizeof(Mem));
      return;
    }
  }
  for (u32 m = mask; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    write<Mem>(host + Addr(a[l] + imm), Mem(s[l]));
  }
}

template <Kind K, Where W, class Addr, class Mem, class Reg, bool Vector>
const Inst* access(Warp& w, const Inst* i) {
  u32 mask = active(w, i);
  if (mask == 0) return i + 1;
  const Addr* a = slot<const Addr>(w, i->src[0]);
  Addr imm = Addr(i->imm);
  u32 elements = Vector ? i->aux->access.elements : 1;
  u32 bytes = elements * sizeof(Mem);
  Extent<Addr> e = extent_of(a, imm, mask);
  u64 host = 0;
  if ((e.bits & (bytes - 1)) != 0 || !host_base<W>(w, i, e, bytes, host)) return access_slow(w, i, mask);
  for (u32 n = 0; n < elements; ++n) {
    u32 offset = Vector ? i->aux->vector[n] : K == Kind::Load ? i->dst : i->src[1];
    if (Vector && offset == kSink) continue;
    Reg* lanes = slot<Reg>(w, offset);
    Addr at = Addr(imm + n * sizeof(Mem));
    if constexpr (K == Kind::Load) {
      load_half<Mem>(lanes, a, at, host, mask & 0xffff);
      load_half<Mem>(lanes + 16, a + 16, at, host, mask >> 16);
    } else {
      store_half<Mem>(lanes, a, at, host, mask & 0xffff);
      store_half<Mem>(lanes + 16, a + 16, at, host, mask >> 16);
    }
  }
  return i + 1;
}


template <Kind K, Where W, class Addr, class Mem, class Reg>
Handler pick_vector(const AccessKey& k) {
  return k.elements > 1 ? &access<K, W, Addr, Mem, Reg, true> : &access<K, W, Addr, Mem, Reg, false>;
}

template <Kind K, Where W, class Addr>
Handler pick_types(const AccessKey& k) {
  bool sign = k.sign && K == Kind::Load;
  switch (k.bytes << 8 | k.register_bytes) {
    case 0x0102: return sign ? pick_vector<K, W, Addr, s8, u16>(k) : pick_vector<K, W, Addr, u8, u16>(k);
    case 0x0104: return sign ? pick_vector<K, W, Addr, s8, u32>(k) : pick_vector<K, W, Addr, u8, u32>(k);
    case 0x0108: return sign ? pick_vector<K, W, Addr, s8, u64>(k) : pick_vector<K, W, Addr, u8, u64>(k);
    case 0x0202: return pick_vector<K, W, Addr, u16, u16>(k);
    case 0x0204: return sign ? pick_vector<K, W, Addr, s16, u32>(k) : pick_vector<K, W, Addr, u16, u32>(k);
    case 0x0208: return sign ? pick_vector<K, W, Addr, s16, u64>(k) : pick_vector<K, W, Addr, u16, u64>(k);
    case 0x0404: return pick_vector<K, W, Addr, u32, u32>(k);
    case 0x0408: return sign ? pick_vector<K, W, Addr, s32, u64>(k) : pick_vector<K, W, Addr, u32, u64>(k);
    case 0x0808: return pick_vector<K, W, Addr, u64, u64>(k);
    default: return nullptr;
  }
}

template <Kind K>
Handler pick_where(const AccessKey& k) {
  bool narrow = k.address_bytes == 4;
  switch (k.where) {
    case Where::Shared: return narrow ? pick_types<K, Where::Shared, u32>(k) : pick_types<K, Where::Shared, u64>(k);
    case Where::Global: return narrow ? nullptr : pick_types<K, Where::Global, u64>(k);
    case Where::Local: return nullptr;
    default: return narrow ? nullptr : pick_types<K, Where::Generic, u64>(k);
  }
}

}  // namespace

namespace WW_TARGET {
Handler find_access(const AccessKey& k) { return k.kind == Kind::Load ? pick_where<Kind::Load>(k) : pick_where<Kind::Store>(k); }

template <class T>
static void blend_as(u8* dst, const u8* from, u32 mask) {
  T* d = reinterpret_cast<T*>(dst);
  const T* s = reinterpret_cast<const T*>(from);
#pragma GCC ivdep
  for (int l = 0; l < kLanes; ++l) d[l] = mask >> l & 1 ? s[l] : d[l];
}
void blend(u8* dst, const u8* from, u32 mask, int bytes) {
  switch (bytes) {
    case 1: return blend_as<u8>(dst, from, mask);
    case 2: return blend_as<u16>(dst, from, mask);
    case 4: return blend_as<u32>(dst, from, mask);
    case 8: return blend_as<u64>(dst, from, mask);
    default:
      for (u32 m = mask; m; m &= m - 1) std::memcpy(dst + __builtin_ctz(m) * bytes, from + __builtin_ctz(m) * bytes, bytes);
  }
}
}  // namespace WW_TARGET

}  // namespace ww::lane
