// Loads and stores: the plain case fast. What is known of the addresses in a register (AddressShape) is kept until it is written, so
// an access is a check of two bounds and, for each half-warp, a vector load, a broadcast or a gather. Whatever is not plainly
// right goes to access_slow().
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <cstring>

#include "engine/lanes/lanes.h"
#include "engine/slow.h"
#include "isa/lane.h"

namespace ww::lane {
namespace {

using namespace engine;  // NOLINT: this file is engine code

using Where = AccessKey::Where;
using Kind = AccessKey::Kind;

/// Computes the shape of the addresses in a register for the lanes of `mask`. False if they lie too far apart for it.
template <class Addr>
bool learn(AddressShape& s, const Addr* a, u32 mask) {
  Addr first = a[__builtin_ctz(mask)];
  Addr low = first, high = first, bits = 0;
  Addr address[kLanes];
  for (int l = 0; l < kLanes; ++l) address[l] = mask >> l & 1 ? a[l] : first;
  for (int l = 0; l < kLanes; ++l) {
    low = address[l] < low ? address[l] : low;
    high = address[l] > high ? address[l] : high;
    bits |= address[l];
    s.offset[l] = static_cast<int32_t>(address[l] - first);
  }
  s.mask = 0;
  if (high - low > 0x3fffffff) return false;
  for (int h = 0; h < 2; ++h) {
    const int32_t* offset = s.offset + 16 * h;
    int32_t stride = offset[1] - offset[0], wrong = 0;
    for (int l = 0; l < 16; ++l) wrong |= offset[l] - offset[0] - l * stride;
    s.stride[h] = wrong == 0 ? stride : kIrregular;
  }
  s.first = first;
  s.low = low;
  s.high = high;
  s.bits = static_cast<u32>(bits) & 0xff;
  s.mask = mask;
  return true;
}

/// The host address of the first active lane; nullptr if the access is not plainly inside one piece of memory.
template <Where W>
WW_INLINE u8* host_of_first(Warp& w, const Inst* i, const AddressShape& s, u32 bytes) {
  u64 low = s.low + i->imm, high = s.high + i->imm + bytes, first = s.first + i->imm;
  auto inside = [&](u64 base, u64 size) { return low >= base && high <= base + size && low < high; };
  if constexpr (W == Where::Shared) {
    return inside(0, w.shared_bytes) ? w.shared + first : nullptr;
  } else if constexpr (W == Where::Global) {
    const Window& known = w.windows[i->aux->window];
    if (inside(known.base, known.size) && known.epoch == *w.epoch) return known.host + (first - known.base);
    Window found = find_window(w, i, low);
    return inside(found.base, found.size) ? found.host + (first - found.base) : nullptr;
  } else {
    switch (i->aux->access.where) {
      case Where::Const: return inside(0, w.constants_bytes) ? w.constants + first : nullptr;
      case Where::Param: return inside(0, w.params_bytes) ? const_cast<u8*>(w.params) + first : nullptr;
      case Where::Generic:
        if (inside(kSharedWindow, w.shared_bytes)) return w.shared + (first - kSharedWindow);
        return low >= kGlobalBase ? host_of_first<Where::Global>(w, i, s, bytes) : nullptr;
      default: return nullptr;
    }
  }
}

template <class Mem> WW_INLINE Mem read(const u8* p) {
  Mem v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class Mem> WW_INLINE void write(u8* p, Mem v) { __builtin_memcpy(p, &v, sizeof v); }

/// 16 lanes at p + offset[l].
template <class Mem, class Reg>
WW_INLINE void gather(Reg* d, const u8* p, const int32_t* offset) {
#if defined(__AVX512F__)
  if constexpr (sizeof(Mem) == 4 && sizeof(Reg) == 4) {
    _mm512_storeu_si512(d, _mm512_i32gather_epi32(_mm512_loadu_si512(offset), p, 1));
    return;
  }
  if constexpr (sizeof(Mem) == 8) {
    for (int l = 0; l < 16; l += 8)
      _mm512_storeu_si512(d + l, _mm512_i32gather_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(offset + l)), p, 1));
    return;
  }
#elif defined(__AVX2__)
  if constexpr (sizeof(Mem) == 4 && sizeof(Reg) == 4) {
    for (int l = 0; l < 16; l += 8) {
      __m256i index = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(offset + l));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(d + l), _mm256_i32gather_epi32(reinterpret_cast<const int*>(p), index, 1));
    }
    return;
  }
#endif
  for (int l = 0; l < 16; ++l) d[l] = Reg(read<Mem>(p + offset[l]));
}

template <class Mem, class Reg>
WW_INLINE void load_half(Reg* d, const u8* p, const AddressShape& s, int half) {
  const int32_t* offset = s.offset + 16 * half;
  if (s.stride[half] == 0) {
    Reg v = Reg(read<Mem>(p + offset[0]));
    for (int l = 0; l < 16; ++l) d[l] = v;
  } else if (s.stride[half] == sizeof(Mem)) {
    if constexpr (sizeof(Mem) == sizeof(Reg)) __builtin_memcpy(d, p + offset[0], 16 * sizeof(Mem));
    else
      for (int l = 0; l < 16; ++l) d[l] = Reg(read<Mem>(p + offset[0] + l * sizeof(Mem)));
  } else {
    gather<Mem>(d, p, offset);
  }
}

template <class Mem, class Reg>
WW_INLINE void store_half(const Reg* from, u8* p, const AddressShape& s, int half, u32 mask) {
  const int32_t* offset = s.offset + 16 * half;
  if constexpr (sizeof(Mem) == sizeof(Reg)) {
    if (mask == 0xffff && s.stride[half] == sizeof(Mem)) {
      __builtin_memcpy(p + offset[0], from, 16 * sizeof(Mem));
      return;
    }
  }
  for (u32 m = mask; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    write<Mem>(p + offset[l], Mem(from[l]));
  }
}

/// Loads for lanes that are not active must not reach their registers.
template <class Mem, class Reg>
void load_masked(Reg* d, const u8* p, const AddressShape& s, u32 mask) {
  for (u32 m = mask; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    d[l] = Reg(read<Mem>(p + s.offset[l]));
  }
}

template <Kind K, Where W, class Addr, class Mem, class Reg, bool Vector>
const Inst* access(Warp& w, const Inst* i) {
  u32 mask = active(w, i);
  if (mask == 0) return i + 1;
  AddressShape& s = *slot<AddressShape>(w, i->src[2]);
  if (s.mask != mask && !learn(s, slot<const Addr>(w, i->src[0]), mask)) return access_slow(w, i, mask);
  u32 elements = Vector ? i->aux->access.elements : 1;
  u32 bytes = elements * sizeof(Mem);
  u8* p = host_of_first<W>(w, i, s, bytes);
  if (!p || ((s.bits | i->imm) & (bytes - 1)) != 0) return access_slow(w, i, mask);
  for (u32 n = 0; n < elements; ++n, p += sizeof(Mem)) {
    u32 at = Vector ? i->aux->vector[n] : K == Kind::Load ? i->dst : i->src[1];
    if (Vector && at == kSink) continue;
    Reg* lanes = slot<Reg>(w, at);
    if constexpr (K == Kind::Load) {
      if (mask == w.live) {
        load_half<Mem>(lanes, p, s, 0);
        load_half<Mem>(lanes + 16, p, s, 1);
      } else {
        load_masked<Mem>(lanes, p, s, mask);
      }
    } else {
      store_half<Mem>(lanes, p, s, 0, mask & 0xffff);
      store_half<Mem>(lanes + 16, p, s, 1, mask >> 16);
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
