// Loads and stores: the plain case fast. What is known of the addresses in a register (AddressShape) is kept
// until it is written, so an access is a check of two bounds and, for each half-warp, a vector load, a
// broadcast or a gather. Whatever is not plainly right goes to access_slow().
#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <cstring>

#include "engine/interpret/slow.h"
#include "engine/lanes/lanes.h"
#include "isa/lane.h"

namespace ww::lane {
namespace {

using namespace engine;  // NOLINT: this file is engine code

using Kind = AccessKey::Kind;

/// p + by, where the sum may lie outside of what p points into until an offset brings it back.
WW_INLINE u8* shifted(u8* p, u64 by) { return reinterpret_cast<u8*>(reinterpret_cast<u64>(p) + by); }

/// The distance from lane to lane of a half-warp, if it is the same everywhere.
WW_INLINE int32_t stride_of(const int32_t* offset) {
  // Unsigned: what is no stride at all may not fit.
  u32 first = static_cast<u32>(offset[0]), stride = static_cast<u32>(offset[1]) - first, wrong = 0;
  for (u32 l = 0; l < 16; ++l) wrong |= static_cast<u32>(offset[l]) - first - l * stride;
  return wrong == 0 ? static_cast<int32_t>(stride) : kIrregular;
}

/// The shape's offsets with the first active lane at `first`. False if that leads out of the piece of memory
/// (then nothing has changed). `at`: an address that is accessed.
WW_INLINE bool move_to(Warp& w, AddressShape& s, u64 first, u64 at, u32 mask) {
  if (at - s.piece >= s.piece_bytes || s.epoch != epoch_of(w)) return false;
  s.host = shifted(s.piece_host, first - s.piece);
  s.first_offset = static_cast<int64_t>(s.piece - (first + static_cast<u64>(int64_t{s.low})));
  s.bits = (static_cast<u32>(first) | s.offset_bits) & 0xff;
  s.address = first;
  s.mask = mask;
  return true;
}

/// Whether the addresses are the offsets of the shape from another place, and still lead into the piece of
/// memory: then the shape is right again.
template <class Addr>
WW_INLINE bool moved(Warp& w, u64 imm, AddressShape& s, const Addr* a, u32 mask) {
  if (s.learnt != mask || s.own_places) return false;
  const Addr first = a[__builtin_ctz(mask)];
  Addr wrong = 0;
  if (mask == engine::kAllLanes) {
    for (int l = 0; l < kLanes; ++l) wrong |= a[l] - first - static_cast<Addr>(int64_t{s.offset[l]});
  } else {
    for (int l = 0; l < kLanes; ++l) {
      const Addr differs = a[l] - first - static_cast<Addr>(int64_t{s.offset[l]});
      wrong |= mask >> l & 1 ? differs : 0;
    }
  }
  if (wrong) return false;
  const Addr low = first + static_cast<Addr>(int64_t{s.low});
  // Addresses of 32 bits that wrap around are not the offsets from each other.
  if (sizeof(Addr) == 4 && (u64{first} + static_cast<u64>(int64_t{s.low}) != low)) return false;
  return move_to(w, s, first, sizeof(Addr) == 4 ? Addr(low + imm) : low + imm, mask);
}

/// Whether the piece is the shared memory of a block of the cluster: in the next cluster it lies elsewhere.
WW_INLINE bool of_cluster(AccessKey::Where where, u64 piece) {
  if (where == AccessKey::Where::Shared) return piece >= kClusterStep;
  return where == AccessKey::Where::Generic &&
         piece - kSharedWindow - kClusterStep < kWindowBytes - kClusterStep;
}

/// Learns where the addresses in the register lead for the lanes of `mask`. False if they are not all in one
/// piece of memory.
template <class Addr>
bool learn_from(Warp& w, const Inst* i, AddressShape& s, const Addr* a, u32 mask) {
  if (moved(w, i->imm, s, a, mask)) return true;
  const AccessKey& key = i->aux->access;
  const int first_lane = __builtin_ctz(mask);
  const Addr first = a[first_lane];
  Addr low = first, high = first;
  alignas(64) Addr address[kLanes];
  for (int l = 0; l < kLanes; ++l) address[l] = mask >> l & 1 ? a[l] : first;
  for (int l = 0; l < kLanes; ++l) {
    low = address[l] < low ? address[l] : low;
    high = address[l] > high ? address[l] : high;
  }
  s.mask = s.learnt = 0;
  const u64 span = u64(high) - u64(low);
  if (span > 0x3fffffff) return false;
  const u64 at = sizeof(Addr) == 4 ? Addr(low + i->imm) : low + i->imm;
  if (at - s.piece >= s.piece_bytes || s.own_places || s.epoch != epoch_of(w)) {
    const u32 epoch = epoch_of(w);  // read before: what is freed meanwhile makes this void
    const Window window = find_window(w, key.where, at, key.kind == Kind::Store);
    s.piece = window.base;
    s.piece_bytes = window.size;
    s.piece_host = window.host;
    s.own_places = static_cast<u32>(window.lane_bytes);
    s.epoch = epoch;
  }
  if (s.piece_bytes <= span || s.own_places > 0x1000000) {
    s.piece_bytes = 0;
    return false;
  }
  int32_t offset_bits = 0;
  for (int l = 0; l < kLanes; ++l) {
    s.offset[l] = static_cast<int32_t>(address[l] - first);
    offset_bits |= s.offset[l];
  }
  u8* host = s.piece_host;
  if (s.own_places) {
    for (int l = 0; l < kLanes; ++l)
      s.offset[l] += (mask >> l & 1 ? l - first_lane : 0) * static_cast<int32_t>(s.own_places);
    host += u64{static_cast<u32>(first_lane)} * s.own_places;
  }
  for (int h = 0; h < 2; ++h) s.stride[h] = stride_of(s.offset + 16 * h);
  s.host = shifted(host, first - s.piece);
  s.first_offset = static_cast<int64_t>(s.piece - low);
  s.room = s.piece_bytes - span;
  if (of_cluster(key.where, s.piece)) s.piece_bytes = 0;
  s.low = static_cast<int32_t>(low - first);
  s.offset_bits = static_cast<u32>(offset_bits) & 0xff;
  s.bits = (static_cast<u32>(first) | s.offset_bits) & 0xff;
  s.address = first;
  s.serial = ++*w.serial;
  s.mask = s.learnt = mask;
  return true;
}

[[gnu::noinline]] bool learn_any(Warp& w, const Inst* i, AddressShape& s, u32 mask) {
  if (i->aux->access.address_bytes == 4) return learn_from(w, i, s, slot<const u32>(w, i->src[0]), mask);
  return learn_from(w, i, s, slot<const u64>(w, i->src[0]), mask);
}

/// Whether an access of `bytes` bytes at the instruction's constant offset stays inside the piece of memory
/// and is aligned.
WW_INLINE bool allowed(Warp& w, const Inst* i, const AddressShape& s, u32 bytes) {
  u64 at = i->imm - static_cast<u64>(s.first_offset);
  return at <= s.room && s.room - at >= bytes && ((s.bits | i->imm) & (bytes - 1)) == 0 &&
         s.epoch == epoch_of(w);
}

template <class Mem>
WW_INLINE Mem read(const u8* p) {
  Mem v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class Mem>
WW_INLINE void write(u8* p, Mem v) {
  __builtin_memcpy(p, &v, sizeof v);
}

/// 16 lanes at p + offset[l].
template <class Mem, class Reg>
WW_INLINE void gather(Reg* d, const u8* p, const int32_t* offset) {
#if defined(__AVX512F__)
  if constexpr (sizeof(Mem) == 4 && sizeof(Reg) == 4) {
    _mm512_storeu_si512(
        d, _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), 0xffff, _mm512_loadu_si512(offset), p, 1));
    return;
  }
  if constexpr (sizeof(Mem) == 8) {
    for (int l = 0; l < 16; l += 8)
      _mm512_storeu_si512(d + l, _mm512_mask_i32gather_epi64(
                                     _mm512_setzero_si512(), 0xff,
                                     _mm256_loadu_si256(reinterpret_cast<const __m256i*>(offset + l)), p, 1));
    return;
  }
#elif defined(__AVX2__)
  if constexpr (sizeof(Mem) == 4 && sizeof(Reg) == 4) {
    for (int l = 0; l < 16; l += 8) {
      __m256i index = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(offset + l));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(d + l),
                          _mm256_i32gather_epi32(reinterpret_cast<const int*>(p), index, 1));
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
    if constexpr (sizeof(Mem) == sizeof(Reg))
      __builtin_memcpy(d, p + offset[0], 16 * sizeof(Mem));
    else
      for (int l = 0; l < 16; ++l) d[l] = Reg(read<Mem>(p + offset[0] + l * sizeof(Mem)));
  } else {
    gather<Mem>(d, p, offset);
  }
}

template <class Mem, class Reg>
WW_INLINE void load_lanes(Reg* d, const u8* p, const AddressShape& s) {
  load_half<Mem>(d, p, s, 0);
  load_half<Mem>(d + 16, p, s, 1);
}

template <class Mem, class Reg>
WW_INLINE void store_half(const Reg* from, u8* p, const AddressShape& s, int half, u32 mask) {
  const int32_t* offset = s.offset + 16 * half;
  if constexpr (sizeof(Mem) == sizeof(Reg)) {
    if (mask == 0xffff && s.stride[half] == sizeof(Mem)) {
      __builtin_memcpy(p + offset[0], from, 16 * sizeof(Mem));
      return;
    }
#if defined(__AVX512F__)
    if constexpr (sizeof(Mem) == 4) {
      if (s.stride[half] == sizeof(Mem)) {
        _mm512_mask_storeu_epi32(p + offset[0], static_cast<__mmask16>(mask), _mm512_loadu_si512(from));
        return;
      }
    }
#endif
  }
  for (u32 m = mask; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    write<Mem>(p + offset[l], Mem(from[l]));
  }
}

/// Loads for lanes that are not active must not reach their registers.
template <class Mem, class Reg>
WW_INLINE void load_masked(Reg* d, const u8* p, const AddressShape& s, u32 mask) {
  alignas(64) Reg loaded[16];
  for (int half = 0; half < 2; ++half, d += 16, mask >>= 16) {
    if ((mask & 0xffff) == 0) continue;
    if (s.stride[half] != 0 && s.stride[half] != sizeof(Mem)) {  // a gather reads for all 16, needed or not
      for (u32 m = mask & 0xffff; m; m &= m - 1) {
        const int l = __builtin_ctz(m);
        d[l] = Reg(read<Mem>(p + s.offset[16 * half + l]));
      }
      continue;
    }
    load_half<Mem>(loaded, p, s, half);
#pragma GCC ivdep
    for (int l = 0; l < 16; ++l) d[l] = mask >> l & 1 ? loaded[l] : d[l];
  }
}

#ifdef WW_BITCODE
template <class T>
struct HalfOf {
  typedef T type __attribute__((vector_size(16 * sizeof(T))));
};
/// 16 lanes, as one value: loops would have to be made vectors first.
template <class T>
using HalfRow = typename HalfOf<T>::type;
template <class From, class To>
WW_INLINE void copy_half(To* to, const void* from) {
  HalfRow<From> v;
  __builtin_memcpy(&v, from, sizeof v);
  const HalfRow<To> wide = __builtin_convertvector(v, HalfRow<To>);
  __builtin_memcpy(to, &wide, sizeof wide);
}
template <class Mem, class Reg>
WW_INLINE void spread_half(Reg* to, const u8* from) {
  const HalfRow<Reg> all = HalfRow<Reg>{} + Reg(read<Mem>(from));
  __builtin_memcpy(to, &all, sizeof all);
}

/// moved() for whole warps: one function for all accesses, because it is long.
template <class Addr>
[[gnu::noinline]] bool moved_whole(Warp& w, u64 imm, AddressShape& s, const Addr* a) {
  return moved(w, imm, s, a, kAllLanes);
}
WW_INLINE bool moved_whole(Warp& w, const Inst* i, AddressShape& s) {
  if (mask_of(w) != kAllLanes || i->aux->lazy_address) return false;
  return i->aux->access.address_bytes == 4 ? moved_whole(w, i->imm, s, slot<const u32>(w, i->src[0]))
                                           : moved_whole(w, i->imm, s, slot<const u64>(w, i->src[0]));
}

/// Compiled code holds the frequent ways only, in few instructions: all lanes read or write one place after
/// another, or all read one place, or words anywhere. The native handler does the rest.
template <Kind K, class Mem, class Reg>
const Inst* access_full(Warp& w, const Inst* i) {
  AddressShape& s = *slot<AddressShape>(w, i->src[2]);
  if (s.mask != mask_of(w) && !moved_whole(w, i, s)) return WW_CAREFUL();
  // allowed(), as one number: a branch for each part of it would cost more than the parts.
  const u64 at = i->imm - static_cast<u64>(s.first_offset);
  const u64 wrong = u64{at > s.room} | u64{s.room - at < sizeof(Mem)} |
                    ((s.bits | i->imm) & (sizeof(Mem) - 1)) | (s.epoch ^ epoch_of(w));
  if (wrong) return WW_CAREFUL();
  u8* p = shifted(s.host, i->imm);
  u64 strides;
  __builtin_memcpy(&strides, s.stride, sizeof strides);
  const bool row = strides == (u64{sizeof(Mem)} << 32 | sizeof(Mem));
  if constexpr (K == Kind::Store) {
    const Reg* from = slot<Reg>(w, i->src[1]);
    if (!row) return WW_CAREFUL();
    copy_half<Reg>(reinterpret_cast<Mem*>(p + s.offset[0]), from);
    copy_half<Reg>(reinterpret_cast<Mem*>(p + s.offset[16]), from + 16);
  } else {
    Reg* d = slot<Reg>(w, i->dst);
    if (row) {
      copy_half<Mem>(d, p + s.offset[0]);
      copy_half<Mem>(d + 16, p + s.offset[16]);
    } else if (strides == 0) {
      spread_half<Mem>(d, p + s.offset[0]);
      spread_half<Mem>(d + 16, p + s.offset[16]);
    } else if constexpr (sizeof(Mem) == sizeof(Reg) && sizeof(Mem) >= 4) {
      gather<Mem>(d, p, s.offset);
      gather<Mem>(d + 16, p, s.offset + 16);
    } else {
      return WW_CAREFUL();
    }
  }
  return next_of(i);
}
#else
/// Between 32 places and the active lanes of a register.
template <Kind K, class Mem, class Reg>
WW_INLINE void move_lanes(Reg* lanes, u8* p, const u64* offset, u32 mask) {
#if defined(__AVX512F__)
  if constexpr (K == Kind::Load && sizeof(Mem) == sizeof(Reg) && sizeof(Mem) >= 4) {
    for (int l = 0; l < kLanes; l += 8, mask >>= 8) {
      const __m512i at = _mm512_loadu_si512(offset + l);
      const auto these = static_cast<__mmask8>(mask);
      if constexpr (sizeof(Mem) == 4) {
        __m256i* to = reinterpret_cast<__m256i*>(lanes + l);
        _mm256_storeu_si256(to, _mm512_mask_i64gather_epi32(_mm256_loadu_si256(to), these, at, p, 1));
      } else {
        _mm512_storeu_si512(lanes + l,
                            _mm512_mask_i64gather_epi64(_mm512_loadu_si512(lanes + l), these, at, p, 1));
      }
    }
    return;
  }
#endif
  for (u32 m = mask; m; m &= m - 1) {  // in this order: where lanes store to one place, the last wins
    const int l = __builtin_ctz(m);
    if constexpr (K == Kind::Load)
      lanes[l] = Reg(read<Mem>(p + offset[l]));
    else
      write<Mem>(p + offset[l], Mem(lanes[l]));
  }
}

/// What the lanes of the address register say, where they all lead into the piece of memory that was found
/// last. Nothing is learnt. False, and nothing done, otherwise.
template <Kind K, class Mem, class Reg, bool Vector, class Addr>
WW_INLINE bool scattered_as(Warp& w, const Inst* i, const AddressShape& s, u32 mask) {
  const u32 elements = Vector ? i->aux->access.elements : 1;
  const u64 bytes = elements * sizeof(Mem);
  if (s.piece_bytes < bytes || s.epoch != epoch_of(w)) return false;
  const Addr* a = slot<const Addr>(w, i->src[0]);
  const u64 room = s.piece_bytes - bytes;
  alignas(64) u64 offset[kLanes];
  u64 outside = 0, bits = 0;
  for (int l = 0; l < kLanes; ++l) {
    const u64 at = sizeof(Addr) == 4 ? u64{Addr(a[l] + i->imm)} : a[l] + i->imm;
    const u64 from = at - s.piece;
    offset[l] = from + static_cast<u64>(l) * s.own_places;
    const u64 on = u64{0} - (mask >> l & 1);
    bits |= at & on;
    outside |= (from > room ? ~u64(0) : 0) & on;
  }
  if (outside || (bits & (bytes - 1))) return false;
  u8* p = s.piece_host;
  for (u32 n = 0; n < elements; ++n, p += sizeof(Mem)) {
    const u32 at = Vector ? i->aux->vector[n] : K == Kind::Load ? i->dst : i->src[1];
    if (Vector && at == kSink) continue;
    move_lanes<K, Mem>(slot<Reg>(w, at), p, offset, mask);
  }
  return true;
}
template <Kind K, class Mem, class Reg, bool Vector>
[[gnu::noinline]] bool scattered(Warp& w, const Inst* i, const AddressShape& s, u32 mask) {
  if (i->aux->access.address_bytes == 4) return scattered_as<K, Mem, Reg, Vector, u32>(w, i, s, mask);
  return scattered_as<K, Mem, Reg, Vector, u64>(w, i, s, mask);
}

[[gnu::noinline]] bool moved_any(Warp& w, const Inst* i, AddressShape& s, u32 mask) {
  if (i->aux->access.address_bytes == 4) return moved(w, i->imm, s, slot<const u32>(w, i->src[0]), mask);
  return moved(w, i->imm, s, slot<const u64>(w, i->src[0]), mask);
}

/// Any mask, any guard.
template <Kind K, class Mem, class Reg, bool Vector>
[[gnu::noinline]] const Inst* access_masked(Warp& w, const Inst* i) {
  u32 mask = active(w, i);
  if (mask == 0) return i + 1;
  u32 elements = Vector ? i->aux->access.elements : 1;
  AddressShape& s = *slot<AddressShape>(w, i->src[2]);
  // A shape of more lanes will do, if all of them are where they may be.
  if ((s.mask & mask) != mask || !allowed(w, i, s, elements * sizeof(Mem))) {
    settle(w, i, s);
    // Lanes that were others the last time seldom stay the same for long enough to learn where they lead.
    if (!moved_any(w, i, s, mask)) {
      if (s.learnt != mask && scattered<K, Mem, Reg, Vector>(w, i, s, mask)) return i + 1;
      if (!learn_any(w, i, s, mask)) return access_slow(w, i, mask);
    }
    if (!allowed(w, i, s, elements * sizeof(Mem))) return access_slow(w, i, mask);
  }
  u8* p = shifted(s.host, i->imm);
  for (u32 n = 0; n < elements; ++n, p += sizeof(Mem)) {
    u32 at = Vector ? i->aux->vector[n] : K == Kind::Load ? i->dst : i->src[1];
    if (Vector && at == kSink) continue;
    Reg* lanes = slot<Reg>(w, at);
    if constexpr (K == Kind::Load) {
      load_masked<Mem>(lanes, p, s, mask);
    } else {
      store_half<Mem>(lanes, p, s, 0, mask & 0xffff);
      store_half<Mem>(lanes + 16, p, s, 1, mask >> 16);
    }
  }
  return i + 1;
}

/// No guard, and no live lane is inactive.
template <Kind K, class Mem, class Reg, bool Vector>
const Inst* access_full(Warp& w, const Inst* i) {
  AddressShape& s = *slot<AddressShape>(w, i->src[2]);
  u32 elements = Vector ? i->aux->access.elements : 1;
  if (s.mask != mask_of(w)) [[unlikely]] {
    settle(w, i, s);
    if (!learn_any(w, i, s, mask_of(w))) return access_slow(w, i, mask_of(w));
  }
  if (!allowed(w, i, s, elements * sizeof(Mem))) [[unlikely]]
    return access_masked<K, Mem, Reg, Vector>(w, i);  // learns, or finds the fault
  u8* p = shifted(s.host, i->imm);
  for (u32 n = 0; n < elements; ++n, p += sizeof(Mem)) {
    u32 at = Vector ? i->aux->vector[n] : K == Kind::Load ? i->dst : i->src[1];
    if (Vector && at == kSink) continue;
    Reg* lanes = slot<Reg>(w, at);
    if constexpr (K == Kind::Load) {
      load_lanes<Mem>(lanes, p, s);
    } else {
      store_half<Mem>(lanes, p, s, 0, mask_of(w) & 0xffff);
      store_half<Mem>(lanes + 16, p, s, 1, mask_of(w) >> 16);
    }
  }
  return i + 1;
}

/// As access_full, where the addresses come from memory themselves: they have no pattern that would come
/// back.
template <Kind K, class Mem, class Reg, bool Vector>
const Inst* access_irregular(Warp& w, const Inst* i) {
  const AddressShape& s = *slot<AddressShape>(w, i->src[2]);
  const bool known = !i->aux->lazy_address || s.mask == 0;  // the register's lanes
  if (known && scattered<K, Mem, Reg, Vector>(w, i, s, mask_of(w))) return i + 1;
  return access_full<K, Mem, Reg, Vector>(w, i);
}
#endif

}  // namespace
}  // namespace ww::lane
