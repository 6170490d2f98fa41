// Finds the handlers of loads and stores, and the small services that the engine needs from lane code.
#include "engine/lanes/access.h"

namespace ww::lane {
namespace {

template <Kind K, class Mem, class Reg>
constexpr Access pick_vector(const AccessKey& k) {
#ifdef WW_BITCODE
  if (k.elements > 1) return {};
  return {&access_full<K, Mem, Reg>};
#else
  if (k.elements > 1)
    return {&access_full<K, Mem, Reg, true>, &access_masked<K, Mem, Reg, true>,
            &access_irregular<K, Mem, Reg, true>};
  return {&access_full<K, Mem, Reg, false>, &access_masked<K, Mem, Reg, false>,
          &access_irregular<K, Mem, Reg, false>};
#endif
}

template <Kind K>
constexpr Access pick_types(const AccessKey& k) {
  bool sign = k.sign && K == Kind::Load;
  switch (k.bytes << 8 | k.register_bytes) {
    case 0x0102:
      return sign ? pick_vector<K, s8, u16>(k) : pick_vector<K, u8, u16>(k);
    case 0x0104:
      return sign ? pick_vector<K, s8, u32>(k) : pick_vector<K, u8, u32>(k);
    case 0x0108:
      return sign ? pick_vector<K, s8, u64>(k) : pick_vector<K, u8, u64>(k);
    case 0x0202:
      return pick_vector<K, u16, u16>(k);
    case 0x0204:
      return sign ? pick_vector<K, s16, u32>(k) : pick_vector<K, u16, u32>(k);
    case 0x0208:
      return sign ? pick_vector<K, s16, u64>(k) : pick_vector<K, u16, u64>(k);
    case 0x0404:
      return pick_vector<K, u32, u32>(k);
    case 0x0408:
      return sign ? pick_vector<K, s32, u64>(k) : pick_vector<K, u32, u64>(k);
    case 0x0808:
      return pick_vector<K, u64, u64>(k);
    default:
      return {};
  }
}

WW_INLINE u64 base_of(Warp& w, const AddressSum& sum) {
  u64 base = sum.constant;
#if defined(__clang__)
#pragma clang loop vectorize(disable) unroll(full)
#endif
  for (u32 k = 0; k < std::size(sum.bases); ++k)
    if (k < sum.count) base += *slot<u64>(w, sum.bases[k]);
  return base;
}
WW_INLINE int64_t extended(const AddressSum& sum, u32 index) {
  return sum.index_signed ? int64_t{static_cast<int32_t>(index)} : int64_t{index};
}

#ifndef WW_BITCODE
/// Computes the lanes of the mask.
WW_INLINE void write_lanes(Warp& w, const Inst* i, const AddressSum& sum, u32 mask) {
  const u64 base = base_of(w, sum);
  const u32* index = slot<const u32>(w, i->src[1]);
  u64* a = slot<u64>(w, i->src[0]);
#pragma GCC ivdep
  for (int l = 0; l < kLanes; ++l)
    a[l] = mask >> l & 1 ? base + static_cast<u64>(sum.scale * extended(sum, index[l])) : a[l];
}

[[gnu::noinline]] const Inst* learn_sum(Warp& w, const Inst* i) {
  const AddressSum& sum = *static_cast<const AddressSum*>(i->aux->more);
  AddressShape& s = *slot<AddressShape>(w, i->dst);
  IndexPattern& p = *slot<IndexPattern>(w, i->dst2);
  const u32 mask = w.mask;
  write_lanes(w, i, sum, mask);
  s.mask = p.mask = 0;
  if (!learn_from(w, i, s, slot<const u64>(w, i->src[0]), mask)) return i + 1;
  const u32* index = slot<const u32>(w, i->src[1]);
  const int64_t first = extended(sum, index[__builtin_ctz(mask)]);
  int64_t low = 0, high = 0;
  for (int l = 0; l < kLanes; ++l) {
    const int64_t distance = mask >> l & 1 ? extended(sum, index[l]) - first : 0;
    low = distance < low ? distance : low;
    high = distance > high ? distance : high;
    p.distance[l] = static_cast<int32_t>(distance);
  }
  if (low < INT32_MIN || high > INT32_MAX) return i + 1;
  p.low = static_cast<int32_t>(low);
  p.high = static_cast<int32_t>(high);
  p.mask = mask;
  return i + 1;
}
#endif

/// While no live lane is inactive: mostly the index's lanes are as far apart as before.
const Inst* sum_full(Warp& w, const Inst* i) {
  const AddressSum& sum = *static_cast<const AddressSum*>(i->aux->more);
  AddressShape& s = *slot<AddressShape>(w, i->dst);
  const IndexPattern& p = *slot<IndexPattern>(w, i->dst2);
  const u32 mask = mask_of(w);
  if (p.mask != mask || s.learnt != mask) return WW_CAREFUL(learn_sum(w, i));
  const u32* index = slot<const u32>(w, i->src[1]);
  const u32 first = index[__builtin_ctz(mask)];
  u32 wrong = 0;
  if (mask == engine::kAllLanes) {
    for (int l = 0; l < kLanes; ++l) wrong |= index[l] - first - static_cast<u32>(p.distance[l]);
  } else {
    for (int l = 0; l < kLanes; ++l)
      wrong |= mask >> l & 1 ? index[l] - first - static_cast<u32>(p.distance[l]) : 0;
  }
  // The distances are those between the numbers, so none of them may have wrapped around.
  const int64_t least = sum.index_signed ? INT32_MIN : 0,
                most = sum.index_signed ? INT32_MAX : int64_t{UINT32_MAX};
  const int64_t at = extended(sum, first);
  if (wrong || at + p.low < least || at + p.high > most) return WW_CAREFUL(learn_sum(w, i));
  const u64 address = base_of(w, sum) + static_cast<u64>(sum.scale * at);
  const u64 low = address + static_cast<u64>(int64_t{s.low});
  return move_to(w, s, address, low + i->imm, mask) ? next_of(i) : WW_CAREFUL(learn_sum(w, i));
}

#ifndef WW_BITCODE
const Inst* sum_masked(Warp& w, const Inst* i) {
  AddressShape& s = *slot<AddressShape>(w, i->dst);
  settle(w, i, s);  // lanes that are not active keep what they have
  s.mask = 0;
  write_lanes(w, i, *static_cast<const AddressSum*>(i->aux->more), mask_of(w));
  return next_of(i);
}
#endif

// ---- all of them in one order, as expand.h lists the rows ----

constexpr u8 kWidths[][2] = {{1, 2}, {1, 4}, {1, 8}, {2, 2}, {2, 4}, {2, 8}, {4, 4}, {4, 8}, {8, 8}};
constexpr size_t kListed = std::size(kWidths) * 4 + 1;
struct AccessTable {
  Handler all[kListed] = {};
};
constexpr AccessTable list_access() {
  AccessTable table;
  size_t at = 0;
  for (const auto& width : kWidths)
    for (int k = 0; k < 4; ++k) {
      AccessKey key;
      key.kind = k & 1 ? Kind::Store : Kind::Load;
      key.bytes = width[0];
      key.register_bytes = width[1];
      key.sign = k & 2;
      table.all[at++] = (k & 1 ? pick_types<Kind::Store>(key) : pick_types<Kind::Load>(key)).full;
    }
  table.all[at++] = &sum_full;
  return table;
}

}  // namespace

#ifdef WW_BITCODE
extern "C" [[gnu::used]] constexpr AccessTable ww_table = list_access();
#else
namespace WW_TARGET {
namespace {
constexpr AccessTable kTable = list_access();
}
extern const HandlerTable access_table;
const HandlerTable access_table{kTable.all, std::size(kTable.all)};
extern const Access sum_access;
const Access sum_access{&sum_full, &sum_masked};

Access find_access(const AccessKey& k) {
  return k.kind == Kind::Load ? pick_types<Kind::Load>(k) : pick_types<Kind::Store>(k);
}

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
    case 1:
      return blend_as<u8>(dst, from, mask);
    case 2:
      return blend_as<u16>(dst, from, mask);
    case 4:
      return blend_as<u32>(dst, from, mask);
    case 8:
      return blend_as<u64>(dst, from, mask);
    default:
      for (u32 m = mask; m; m &= m - 1)
        std::memcpy(dst + __builtin_ctz(m) * bytes, from + __builtin_ctz(m) * bytes, bytes);
  }
}
}  // namespace WW_TARGET
#endif

}  // namespace ww::lane
