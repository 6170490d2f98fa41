// One format of 8, 6 or 4 bits, whichever is asked for: a number, two and four of them. They say, by macros:
// WW_KIND, WW_KIND2 and WW_KIND4 (the types), WW_STORE, WW_STORE2 and WW_STORE4 (what they are kept in),
// WW_WIDTH (bits from one to the next), WW_ENCODE(x), x a float or a double, and WW_DECODE(code). No guard:
// it is included once for each.
// clang-format off
#define WW_WHOLE(X)                                                                               \
  X(short) X(unsigned short) X(int) X(unsigned) X(long) X(unsigned long) X(long long) X(unsigned long long)
struct WW_KIND {
  WW_STORE __x;
  WW_KIND() = default;
  explicit __host__ __device__ WW_KIND(float v) : __x((WW_STORE)WW_ENCODE(v)) {}
  explicit __host__ __device__ WW_KIND(double v) : __x((WW_STORE)WW_ENCODE(v)) {}
  explicit __host__ __device__ WW_KIND(__half v) : WW_KIND((float)v) {}
  explicit __host__ __device__ WW_KIND(__nv_bfloat16 v) : WW_KIND((float)v) {}
#define WW_FROM(T) explicit __host__ __device__ WW_KIND(T v) : WW_KIND((float)v) {}
  WW_WHOLE(WW_FROM)
#define WW_TO(T) explicit __host__ __device__ operator T() const { return (T)WW_DECODE(__x); }
  WW_TO(float) WW_TO(double) WW_TO(__half) WW_TO(__nv_bfloat16)
  WW_TO(char) WW_TO(signed char) WW_TO(unsigned char) WW_WHOLE(WW_TO)
  explicit __host__ __device__ operator bool() const { return WW_DECODE(__x) != 0; }
};
#undef WW_FROM
#undef WW_TO
#undef WW_WHOLE
// clang-format on
struct WW_KIND2 {
  WW_STORE2 __x;
  WW_KIND2() = default;
#define WW_PAIR(T)                           \
  explicit __host__ __device__ WW_KIND2(T v) \
      : __x((WW_STORE2)(WW_ENCODE(v.x) | WW_ENCODE(v.y) << WW_WIDTH)) {}
  WW_PAIR(float2)
  WW_PAIR(double2)
#undef WW_PAIR
  explicit __host__ __device__ WW_KIND2(__half2 v) : WW_KIND2(__half22float2(v)) {}
  explicit __host__ __device__ WW_KIND2(__nv_bfloat162 v) : WW_KIND2(__bfloat1622float2(v)) {}
  __host__ __device__ float ww_at(int k) const {
    return WW_DECODE((unsigned)__x >> k * WW_WIDTH & ((1u << WW_WIDTH) - 1));
  }
  explicit __host__ __device__ operator float2() const { return float2{ww_at(0), ww_at(1)}; }
  explicit __host__ __device__ operator __half2() const { return __half2(ww_at(0), ww_at(1)); }
  explicit __host__ __device__ operator __nv_bfloat162() const { return __nv_bfloat162(ww_at(0), ww_at(1)); }
};
struct WW_KIND4 {
  WW_STORE4 __x;
  WW_KIND4() = default;
#define WW_FOUR(T)                                                                                     \
  explicit __host__ __device__ WW_KIND4(T v)                                                           \
      : __x((WW_STORE4)(WW_ENCODE(v.x) | WW_ENCODE(v.y) << WW_WIDTH | WW_ENCODE(v.z) << 2 * WW_WIDTH | \
                        WW_ENCODE(v.w) << 3 * WW_WIDTH)) {}
  WW_FOUR(float4)
  WW_FOUR(double4)
#undef WW_FOUR
  __host__ __device__ WW_KIND4(__half2 low, __half2 high)
      : WW_KIND4(float4{(float)low.x, (float)low.y, (float)high.x, (float)high.y}) {}
  __host__ __device__ WW_KIND4(__nv_bfloat162 low, __nv_bfloat162 high)
      : WW_KIND4(float4{(float)low.x, (float)low.y, (float)high.x, (float)high.y}) {}
  __host__ __device__ float ww_at(int k) const {
    return WW_DECODE((unsigned)__x >> k * WW_WIDTH & ((1u << WW_WIDTH) - 1));
  }
  explicit __host__ __device__ operator float4() const {
    return float4{ww_at(0), ww_at(1), ww_at(2), ww_at(3)};
  }
};
#undef WW_KIND
#undef WW_KIND2
#undef WW_KIND4
#undef WW_ENCODE
#undef WW_DECODE
