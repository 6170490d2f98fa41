// Arithmetic on the two halves or four bytes of a word (CUDA Math API, SIMD intrinsics), each part by itself.
#pragma once

namespace ww_math {

WW_MATH int clamp(int v, int least, int most) { return v < least ? least : v > most ? most : v; }

/// f(a, b) of each part of 32 / n bits, signed or not, put together again.
template <int n, bool is_signed, class F>
WW_MATH int parts(unsigned a, unsigned b, F f) {
  const int width = 32 / n;
  const unsigned mask = (1u << width) - 1;
  unsigned result = 0;
  for (int i = 0; i < n; i++) {
    unsigned u = (a >> (width * i)) & mask, v = (b >> (width * i)) & mask;
    int x = is_signed ? (int)(u << (32 - width)) >> (32 - width) : (int)u;
    int y = is_signed ? (int)(v << (32 - width)) >> (32 - width) : (int)v;
    result |= ((unsigned)f(x, y) & mask) << (width * i);
  }
  return (int)result;
}
template <int n, bool is_signed, class F>
WW_MATH int total(unsigned a, unsigned b, F f) {
  const int width = 32 / n;
  const unsigned mask = (1u << width) - 1;
  int result = 0;
  for (int i = 0; i < n; i++) {
    unsigned u = (a >> (width * i)) & mask, v = (b >> (width * i)) & mask;
    int x = is_signed ? (int)(u << (32 - width)) >> (32 - width) : (int)u;
    int y = is_signed ? (int)(v << (32 - width)) >> (32 - width) : (int)v;
    result += f(x, y);
  }
  return result;
}

}  // namespace ww_math

#define WW_EACH(name, is_signed, expression)                                                                \
  WW_LIB int __nv_v##name##2(int a, int b) {                                                                \
    const int least [[maybe_unused]] = is_signed ? -32768 : 0,                                              \
                    most [[maybe_unused]] = is_signed ? 32767 : 65535;                                      \
    return ww_math::parts<2, is_signed>(a, b, [=](int x, int y) -> int { return expression; });             \
  }                                                                                                         \
  WW_LIB int __nv_v##name##4(int a, int b) {                                                                \
    const int least [[maybe_unused]] = is_signed ? -128 : 0, most [[maybe_unused]] = is_signed ? 127 : 255; \
    return ww_math::parts<4, is_signed>(a, b, [=](int x, int y) -> int { return expression; });             \
  }
WW_EACH(add, true, x + y)
WW_EACH(sub, true, x - y)
WW_EACH(addss, true, ww_math::clamp(x + y, least, most))
WW_EACH(subss, true, ww_math::clamp(x - y, least, most))
WW_EACH(addus, false, ww_math::clamp(x + y, least, most))
WW_EACH(subus, false, ww_math::clamp(x - y, least, most))
WW_EACH(avgs, true, (x + y + (x + y >= 0 ? 1 : 0)) >> 1)
WW_EACH(avgu, false, (x + y + 1) >> 1)
WW_EACH(haddu, false, (x + y) >> 1)
WW_EACH(maxs, true, x < y ? y : x)
WW_EACH(maxu, false, x < y ? y : x)
WW_EACH(mins, true, y < x ? y : x)
WW_EACH(minu, false, y < x ? y : x)
WW_EACH(absdiffs, true, x < y ? y - x : x - y)
WW_EACH(absdiffu, false, x < y ? y - x : x - y)
#undef WW_EACH

#define WW_ONE(name, expression)                                                         \
  WW_LIB int __nv_v##name##2(int a) {                                                    \
    const int most [[maybe_unused]] = 32767;                                             \
    return ww_math::parts<2, true>(a, 0, [=](int x, int) -> int { return expression; }); \
  }                                                                                      \
  WW_LIB int __nv_v##name##4(int a) {                                                    \
    const int most [[maybe_unused]] = 127;                                               \
    return ww_math::parts<4, true>(a, 0, [=](int x, int) -> int { return expression; }); \
  }
WW_ONE(abs, x < 0 ? -x : x)
WW_ONE(absss, ww_math::clamp(x < 0 ? -x : x, 0, most))
WW_ONE(neg, -x)
WW_ONE(negss, ww_math::clamp(-x, -most - 1, most))
#undef WW_ONE

#define WW_SAD(name, is_signed)                                                                           \
  WW_LIB int __nv_v##name##2(int a, int b) {                                                              \
    return ww_math::total<2, is_signed>(a, b, [](int x, int y) -> int { return x < y ? y - x : x - y; }); \
  }                                                                                                       \
  WW_LIB int __nv_v##name##4(int a, int b) {                                                              \
    return ww_math::total<4, is_signed>(a, b, [](int x, int y) -> int { return x < y ? y - x : x - y; }); \
  }
WW_SAD(sads, true)
WW_SAD(sadu, false)
#undef WW_SAD

// Comparisons: all bits of a part (vcmp) or the lowest (vset).
#define WW_COMPARED(name, is_signed, relation)                                                            \
  WW_LIB int __nv_vcmp##name##2(int a, int b) {                                                           \
    return ww_math::parts<2, is_signed>(a, b, [](int x, int y) -> int { return x relation y ? -1 : 0; }); \
  }                                                                                                       \
  WW_LIB int __nv_vcmp##name##4(int a, int b) {                                                           \
    return ww_math::parts<4, is_signed>(a, b, [](int x, int y) -> int { return x relation y ? -1 : 0; }); \
  }                                                                                                       \
  WW_LIB int __nv_vset##name##2(int a, int b) {                                                           \
    return ww_math::parts<2, is_signed>(a, b, [](int x, int y) -> int { return x relation y ? 1 : 0; });  \
  }                                                                                                       \
  WW_LIB int __nv_vset##name##4(int a, int b) {                                                           \
    return ww_math::parts<4, is_signed>(a, b, [](int x, int y) -> int { return x relation y ? 1 : 0; });  \
  }
WW_COMPARED(eq, true, ==)
WW_COMPARED(ne, true, !=)
WW_COMPARED(ges, true, >=)
WW_COMPARED(geu, false, >=)
WW_COMPARED(gts, true, >)
WW_COMPARED(gtu, false, >)
WW_COMPARED(les, true, <=)
WW_COMPARED(leu, false, <=)
WW_COMPARED(lts, true, <)
WW_COMPARED(ltu, false, <)
#undef WW_COMPARED
