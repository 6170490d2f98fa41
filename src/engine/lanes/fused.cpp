// Handlers that run several decoded instructions in a row without going back to the warp's loop, where that
// pays: runs of fma, two loads followed by the fma that uses them, and sums of such products. They change
// nothing of what the instructions do, each of which stays in the code by itself: a fused handler only
// carries on with the instructions behind its own.
#define WW_CHAPTER "isa/chapters/floating.inc"
#include "engine/lanes/expand.h"

#include "engine/lanes/access.h"

namespace ww::lane {
namespace {

using Fma = Bound<rows::fma_f32, f32>;
using FmaLoop = Loop<Fma, Spec{}, Fma::Signature>;
constexpr Handler kLoad = &access_full<Kind::Load, u32, u32, false>;

/// All fma from here on (full handlers are only used unguarded and while no live lane is inactive).
const Inst* fma_run(Warp& w, const Inst* i) {
  do i = FmaLoop::run(w, i);
  while (i->full == &fma_run);
  return i;
}

/// ld, ld, fma.
const Inst* load_load_fma(Warp& w, const Inst* i) {
  do {
    for (int k = 0; k < 2; ++k, ++i) {
      const AddressShape& s = *slot<AddressShape>(w, i->src[2]);
      if (s.mask != w.mask || !allowed(w, i, s, 4)) [[unlikely]]
        return kLoad(w, i);
      u32* lanes = slot<u32>(w, i->dst);
      load_half<u32>(lanes, shifted(s.host, i->imm), s, 0);
      load_half<u32>(lanes + 16, shifted(s.host, i->imm), s, 1);
    }
    i = FmaLoop::run(w, i);
  } while (i->full == &load_load_fma);
  return i;
}

#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
/// 16 lanes in vector registers.
struct Half {
#if defined(__AVX512F__)
  __m512 v;
  WW_INLINE static Half at(const void* p) { return {_mm512_loadu_ps(p)}; }
  WW_INLINE static Half all(const void* p) { return {_mm512_set1_ps(read<f32>(static_cast<const u8*>(p)))}; }
  WW_INLINE Half times_plus(Half b, Half c) const { return {_mm512_fmadd_ps(v, b.v, c.v)}; }
  WW_INLINE void store(f32* to) const { _mm512_storeu_ps(to, v); }
  WW_INLINE Half canonical() const {
    const __m512 nan = _mm512_castsi512_ps(_mm512_set1_epi32(0x7fffffff));
    return {_mm512_mask_mov_ps(v, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), nan)};
  }
#else
  __m256 low, high;
  WW_INLINE static Half at(const void* p) {
    const f32* from = static_cast<const f32*>(p);
    return {_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)};
  }
  WW_INLINE static Half all(const void* p) {
    const __m256 v = _mm256_set1_ps(read<f32>(static_cast<const u8*>(p)));
    return {v, v};
  }
  WW_INLINE Half times_plus(Half b, Half c) const {
    return {_mm256_fmadd_ps(low, b.low, c.low), _mm256_fmadd_ps(high, b.high, c.high)};
  }
  WW_INLINE void store(f32* to) const {
    _mm256_storeu_ps(to, low);
    _mm256_storeu_ps(to + 8, high);
  }
  WW_INLINE Half canonical() const {
    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    return {_mm256_blendv_ps(low, nan, _mm256_cmp_ps(low, low, _CMP_UNORD_Q)),
            _mm256_blendv_ps(high, nan, _mm256_cmp_ps(high, high, _CMP_UNORD_Q))};
  }
#endif
};

/// A register of 32-bit lanes.
struct Whole {
  Half half[2];
  WW_INLINE static Whole at(const f32* lanes) { return {{Half::at(lanes), Half::at(lanes + 16)}}; }
  /// What the lanes of the shape find at `p`.
  WW_INLINE static Whole loaded(const u8* p, const AddressShape& s) {
    Whole out;
    for (int h = 0; h < 2; ++h) {
      const u8* first = p + s.offset[16 * h];
      if (s.stride[h] == 0) {
        out.half[h] = Half::all(first);
      } else if (s.stride[h] == 4) {
        out.half[h] = Half::at(first);
      } else {
        alignas(64) f32 lanes[16];
        gather<u32>(reinterpret_cast<u32*>(lanes), p, s.offset + 16 * h);
        out.half[h] = Half::at(lanes);
      }
    }
    return out;
  }
  WW_INLINE void store(f32* lanes) const {
    half[0].store(lanes);
    half[1].store(lanes + 16);
  }
};

/// ld, ld, fma, as often as they come, where nothing but the fma reads what is loaded: that is never written
/// to its registers, nor is a sum that only the next fma reads.
const Inst* sum_of_products(Warp& w, const Inst* i) {
  Whole sum = Whole::at(slot<f32>(w, i[2].src[2]));
  const Inst* unsaved = nullptr;  // the fma that made the sum
  const auto save = [&](const Inst* fma) {
    // A NaN stays one, whatever is added: it becomes canonical only where it is seen.
    for (int h = 0; h < 2; ++h) sum.half[h].canonical().store(slot<f32>(w, fma->dst) + 16 * h);
  };
  while (true) {
    Whole factor[2];
    for (int k = 0; k < 2; ++k) {
      const AddressShape& s = *slot<AddressShape>(w, i[k].src[2]);
      if (s.mask != w.mask || !allowed(w, i + k, s, 4)) [[unlikely]] {
        if (unsaved) save(unsaved);
        if (k == 1) factor[0].store(slot<f32>(w, i->dst));
        return kLoad(w, i + k);
      }
      factor[k] = Whole::loaded(shifted(s.host, i[k].imm), s);
    }
    const Inst* fma = i + 2;
    for (int h = 0; h < 2; ++h) sum.half[h] = factor[0].half[h].times_plus(factor[1].half[h], sum.half[h]);
    i += 3;
    const bool more = i->full == &sum_of_products;
    if (more && fma->read_once && i[2].src[2] == fma->dst) {
      unsaved = fma;
      continue;
    }
    save(fma);
    unsaved = nullptr;
    if (!more) return i;
    sum = Whole::at(slot<f32>(w, i[2].src[2]));
  }
}
constexpr Handler kSumOfProducts = &sum_of_products;
#else
constexpr Handler kSumOfProducts = &load_load_fma;
#endif

}  // namespace

namespace WW_TARGET {
Handler find_floating(const LaneKey& key);
engine::Access find_access(const AccessKey& key);

Handler fuse(const Inst* i, int count) {
  static const Handler load = find_access({}).full;  // of 4 bytes
  static const Handler fma = find_floating({.op = isa::Op::fma_f32, .type = Type::f32});
  if (count >= 3 && i[0].full == load && i[1].full == load && i[2].full == fma) {
    const u32 x = i[0].dst, y = i[1].dst, a = i[2].src[0], b = i[2].src[1];
    const bool factors = (a == x && b == y) || (a == y && b == x);
    return factors && x != y && i[0].read_once && i[1].read_once ? kSumOfProducts : &load_load_fma;
  }
  return i[0].full == fma ? &fma_run : nullptr;
}
}  // namespace WW_TARGET

}  // namespace ww::lane
