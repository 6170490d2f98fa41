// Finds the handlers of loads and stores, and the small services that the engine needs from lane code.
#include "engine/lanes/access.h"

namespace ww::lane {
namespace {

template <Kind K, class Mem, class Reg>
Access pick_vector(const AccessKey& k) {
  if (k.elements > 1) return {&access_full<K, Mem, Reg, true>, &access_masked<K, Mem, Reg, true>};
  return {&access_full<K, Mem, Reg, false>, &access_masked<K, Mem, Reg, false>};
}

template <Kind K>
Access pick_types(const AccessKey& k) {
  bool sign = k.sign && K == Kind::Load;
  switch (k.bytes << 8 | k.register_bytes) {
    case 0x0102: return sign ? pick_vector<K, s8, u16>(k) : pick_vector<K, u8, u16>(k);
    case 0x0104: return sign ? pick_vector<K, s8, u32>(k) : pick_vector<K, u8, u32>(k);
    case 0x0108: return sign ? pick_vector<K, s8, u64>(k) : pick_vector<K, u8, u64>(k);
    case 0x0202: return pick_vector<K, u16, u16>(k);
    case 0x0204: return sign ? pick_vector<K, s16, u32>(k) : pick_vector<K, u16, u32>(k);
    case 0x0208: return sign ? pick_vector<K, s16, u64>(k) : pick_vector<K, u16, u64>(k);
    case 0x0404: return pick_vector<K, u32, u32>(k);
    case 0x0408: return sign ? pick_vector<K, s32, u64>(k) : pick_vector<K, u32, u64>(k);
    case 0x0808: return pick_vector<K, u64, u64>(k);
    default: return {};
  }
}

}  // namespace

namespace WW_TARGET {
Access find_access(const AccessKey& k) { return k.kind == Kind::Load ? pick_types<Kind::Load>(k) : pick_types<Kind::Store>(k); }

bool learn(Warp& w, const Inst* i, AddressShape& s, u32 mask) { return learn_any(w, i, s, mask); }

bool uniform(const u64* lanes) {
  u64 differs = 0;
  for (int l = 1; l < kLanes; ++l) differs |= lanes[l] ^ lanes[0];
  return differs == 0;
}

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
