// The conversions of one width, whichever is asked for, by what they are called: WW_FP (fp8, fp6, fp4),
// WW_FPX2 (fp8x2), WW_STORE, WW_STORE2, WW_WIDTH, WW_KINDS (the enumeration of formats), WW_HOW and
// WW_HOW_PASSED (what else they take: saturation or rounding), WW_ENCODE(double, kind, how) and
// WW_DECODE(code, kind).
#define WW_BOTH static __host__ __device__ __inline__
#define WW_PASTE_(a, b, c) a##b##c
#define WW_PASTE(a, b, c) WW_PASTE_(a, b, c)
WW_BOTH WW_STORE WW_PASTE(__nv_cvt_double_to_, WW_FP, )(double x, WW_HOW) {
  return (WW_STORE)WW_ENCODE(x, WW_HOW_PASSED);
}
WW_BOTH WW_STORE WW_PASTE(__nv_cvt_float_to_, WW_FP, )(float x, WW_HOW) {
  return (WW_STORE)WW_ENCODE(x, WW_HOW_PASSED);
}
WW_BOTH WW_STORE WW_PASTE(__nv_cvt_halfraw_to_, WW_FP, )(__half_raw x, WW_HOW) {
  return (WW_STORE)WW_ENCODE((float)__half(x), WW_HOW_PASSED);
}
WW_BOTH WW_STORE WW_PASTE(__nv_cvt_bfloat16raw_to_, WW_FP, )(__nv_bfloat16_raw x, WW_HOW) {
  return (WW_STORE)WW_ENCODE((float)__nv_bfloat16(x), WW_HOW_PASSED);
}
WW_BOTH WW_STORE2 WW_PASTE(__nv_cvt_double2_to_, WW_FPX2, )(double2 v, WW_HOW) {
  return (WW_STORE2)(WW_ENCODE(v.x, WW_HOW_PASSED) | WW_ENCODE(v.y, WW_HOW_PASSED) << WW_WIDTH);
}
WW_BOTH WW_STORE2 WW_PASTE(__nv_cvt_float2_to_, WW_FPX2, )(float2 v, WW_HOW) {
  return (WW_STORE2)(WW_ENCODE(v.x, WW_HOW_PASSED) | WW_ENCODE(v.y, WW_HOW_PASSED) << WW_WIDTH);
}
WW_BOTH WW_STORE2 WW_PASTE(__nv_cvt_halfraw2_to_, WW_FPX2, )(__half2_raw v, WW_HOW) {
  return WW_PASTE(__nv_cvt_float2_to_, WW_FPX2, )(
      float2{(float)__half(__half_raw{v.x}), (float)__half(__half_raw{v.y})}, WW_HOW_PASSED);
}
WW_BOTH WW_STORE2 WW_PASTE(__nv_cvt_bfloat16raw2_to_, WW_FPX2, )(__nv_bfloat162_raw v, WW_HOW) {
  return WW_PASTE(__nv_cvt_float2_to_, WW_FPX2, )(
      float2{(float)__nv_bfloat16(__nv_bfloat16_raw{v.x}), (float)__nv_bfloat16(__nv_bfloat16_raw{v.y})},
      WW_HOW_PASSED);
}
WW_BOTH __half_raw WW_PASTE(__nv_cvt_, WW_FP, _to_halfraw)(WW_STORE x, WW_KINDS kind) {
  return __half_raw{__half(WW_DECODE(x, kind)).bits};
}
WW_BOTH __half2_raw WW_PASTE(__nv_cvt_, WW_FPX2, _to_halfraw2)(WW_STORE2 x, WW_KINDS kind) {
  const unsigned mask = (1u << WW_WIDTH) - 1;
  return __half2_raw{__half(WW_DECODE(x & mask, kind)).bits,
                     __half(WW_DECODE((unsigned)x >> WW_WIDTH & mask, kind)).bits};
}
#undef WW_BOTH
#undef WW_PASTE
#undef WW_PASTE_
#undef WW_FP
#undef WW_FPX2
#undef WW_STORE
#undef WW_STORE2
#undef WW_STORE4
#undef WW_WIDTH
#undef WW_KINDS
#undef WW_HOW
#undef WW_HOW_PASSED
#undef WW_ENCODE
#undef WW_DECODE
