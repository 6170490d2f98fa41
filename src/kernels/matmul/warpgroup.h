// Products of tiles by a warpgroup (128 threads): wgmma, GPUs of cc 9.0a. D (64 × N, float32 in registers) +=
// A · B with A (64 × 16) and B (16 × N) in shared memory, 16-bit elements, swizzled by 128 bytes. Runs beside
// the threads: begin, multiply, end_products, wait_for_products.
//
// Thread t of the warpgroup has in d[4·j + 2·h + i] the element of row 16·(t / 32) + t % 32 / 4 + 8·h and
// column 8·j + 2·(t % 4) + i.
#pragma once

struct Bf16 {};
struct F16 {};
struct E4m3 {};
struct E5m2 {};

/// The tile at this address: `wide` bytes to the next 64 elements of M or N and 1024 bytes from 8 rows to the
/// next.
__device__ __forceinline__ unsigned long long describe(unsigned address, unsigned wide) {
  return (address & 0x3ffff) >> 4 | static_cast<unsigned long long>(wide >> 4) << 16 | 64ull << 32 |
         1ull << 62;
}
/// The registers of sums are the products' from here on.
__device__ __forceinline__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void end_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Waits until at most N groups of products are under way.
template <int N>
__device__ __forceinline__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

/// B's rows lie along n (TURNED 1) or k (0), A's along m (TURNED_A 1) or k. With `add` 0 the sums begin anew.
/// SIGN −1: the products are taken off.
template <class TYPE, int TURNED = 1, int TURNED_A = 0, int SIGN = 1>
struct Products;
/// The same of 8-bit elements, whose rows lie along k: 32 of them at a time. A's and B's types may differ.
template <class TYPE_A, class TYPE_B>
struct Products8;

/// Sums as the instruction names them, eight and then sixteen from each multiple of 16 on, and what they are
/// in C++.
#define SUMS_TO_8 "%0, %1, %2, %3, %4, %5, %6, %7"
#define SUMS_0 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define SUMS_16 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define SUMS_32 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define SUMS_48 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define SUMS_64 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define SUMS_80 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define SUMS_96 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111"
#define SUMS_112 \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define SUM(i) "+f"(d[i])
#define OUTS(i) SUM(i), SUM(i + 1), SUM(i + 2), SUM(i + 3), SUM(i + 4), SUM(i + 5), SUM(i + 6), SUM(i + 7)
#define OUTS_16(i) OUTS(i), OUTS(i + 8)
#define OUTS_TO_8 OUTS(0)
#define SUMS_TO_16 SUMS_0
#define OUTS_TO_16 OUTS_16(0)
#define SUMS_TO_40 SUMS_TO_32 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define OUTS_TO_40 OUTS_TO_32, OUTS(32)
#define SUMS_TO_56 SUMS_TO_48 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define OUTS_TO_56 OUTS_TO_48, OUTS(48)
#define SUMS_TO_72 SUMS_TO_64 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define OUTS_TO_72 OUTS_TO_64, OUTS(64)
#define SUMS_TO_48 SUMS_0 ", " SUMS_16 ", " SUMS_32
#define OUTS_TO_48 OUTS_16(0), OUTS_16(16), OUTS_16(32)
#define SUMS_TO_64 SUMS_TO_48 ", " SUMS_48
#define OUTS_TO_64 OUTS_TO_48, OUTS_16(48)
#define SUMS_TO_80 SUMS_TO_64 ", " SUMS_64
#define OUTS_TO_80 OUTS_TO_64, OUTS_16(64)
#define SUMS_TO_88 SUMS_TO_80 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define OUTS_TO_88 OUTS_TO_80, OUTS(80)
#define SUMS_TO_96 SUMS_TO_64 ", " SUMS_64 ", " SUMS_80
#define OUTS_TO_96 OUTS_TO_64, OUTS_16(64), OUTS_16(80)
#define SUMS_TO_112 SUMS_TO_96 ", " SUMS_96
#define OUTS_TO_112 OUTS_TO_96, OUTS_16(96)
#define SUMS_TO_128 SUMS_TO_112 ", " SUMS_112
#define OUTS_TO_128 OUTS_TO_112, OUTS_16(112)
#define SUMS_TO_32 SUMS_0 ", " SUMS_16
#define OUTS_TO_32 OUTS_16(0), OUTS_16(16)

/// SUMS: of a thread, half of COLUMNS. NAME: the elements as the instruction calls them. A, B, ADD, TURN_A,
/// TURN_B, NEGATE: the operands' numbers behind those of the sums.
#define WARPGROUP_PRODUCT(SUMS, COLUMNS, NAME, A, B, ADD, TURN_A, TURN_B, NEGATE)                         \
  __device__ static __forceinline__ void multiply(float(&d)[SUMS], unsigned long long a,                  \
                                                  unsigned long long b, int add) {                        \
    asm volatile("{ .reg .pred p;\n setp.ne.b32 p, " ADD                                                  \
                 ", 0;\n"                                                                                 \
                 "wgmma.mma_async.sync.aligned.m64n" COLUMNS "k16.f32." NAME "." NAME " {" SUMS_TO_##SUMS \
                 "}, " A ", " B ", p, " NEGATE ", 1, " TURN_A ", " TURN_B "; }"                           \
                 : OUTS_TO_##SUMS                                                                         \
                 : "l"(a), "l"(b), "r"(add), "n"(TURNED_A), "n"(TURNED), "n"(SIGN));                      \
  }
#define WARPGROUP_PRODUCTS(TYPE, NAME)                                                  \
  template <int TURNED, int TURNED_A, int SIGN>                                         \
  struct Products<TYPE, TURNED, TURNED_A, SIGN> {                                       \
    WARPGROUP_PRODUCT(8, "16", NAME, "%8", "%9", "%10", "%11", "%12", "%13")            \
    WARPGROUP_PRODUCT(16, "32", NAME, "%16", "%17", "%18", "%19", "%20", "%21")         \
    WARPGROUP_PRODUCT(32, "64", NAME, "%32", "%33", "%34", "%35", "%36", "%37")         \
    WARPGROUP_PRODUCT(40, "80", NAME, "%40", "%41", "%42", "%43", "%44", "%45")         \
    WARPGROUP_PRODUCT(48, "96", NAME, "%48", "%49", "%50", "%51", "%52", "%53")         \
    WARPGROUP_PRODUCT(56, "112", NAME, "%56", "%57", "%58", "%59", "%60", "%61")        \
    WARPGROUP_PRODUCT(64, "128", NAME, "%64", "%65", "%66", "%67", "%68", "%69")        \
    WARPGROUP_PRODUCT(72, "144", NAME, "%72", "%73", "%74", "%75", "%76", "%77")        \
    WARPGROUP_PRODUCT(80, "160", NAME, "%80", "%81", "%82", "%83", "%84", "%85")        \
    WARPGROUP_PRODUCT(88, "176", NAME, "%88", "%89", "%90", "%91", "%92", "%93")        \
    WARPGROUP_PRODUCT(96, "192", NAME, "%96", "%97", "%98", "%99", "%100", "%101")      \
    WARPGROUP_PRODUCT(112, "224", NAME, "%112", "%113", "%114", "%115", "%116", "%117") \
    WARPGROUP_PRODUCT(128, "256", NAME, "%128", "%129", "%130", "%131", "%132", "%133") \
  };
WARPGROUP_PRODUCTS(Bf16, "bf16")
WARPGROUP_PRODUCTS(F16, "f16")
#define WARPGROUP_PRODUCT_8(SUMS, COLUMNS, NAMES, A, B, ADD)                                      \
  __device__ static __forceinline__ void multiply(float(&d)[SUMS], unsigned long long a,          \
                                                  unsigned long long b, int add) {                \
    asm volatile("{ .reg .pred p;\n setp.ne.b32 p, " ADD                                          \
                 ", 0;\n"                                                                         \
                 "wgmma.mma_async.sync.aligned.m64n" COLUMNS "k32.f32." NAMES " {" SUMS_TO_##SUMS \
                 "}, " A ", " B ", p, 1, 1; }"                                                    \
                 : OUTS_TO_##SUMS                                                                 \
                 : "l"(a), "l"(b), "r"(add));                                                     \
  }
#define WARPGROUP_PRODUCTS_8(TYPE_A, TYPE_B, NAMES)            \
  template <>                                                  \
  struct Products8<TYPE_A, TYPE_B> {                           \
    WARPGROUP_PRODUCT_8(32, "64", NAMES, "%32", "%33", "%34")  \
    WARPGROUP_PRODUCT_8(64, "128", NAMES, "%64", "%65", "%66") \
  };
WARPGROUP_PRODUCTS_8(E4m3, E5m2, "e4m3.e5m2")
WARPGROUP_PRODUCTS_8(E5m2, E4m3, "e5m2.e4m3")
#undef SUMS_0
#undef SUMS_16
#undef SUMS_32
#undef SUMS_48
#undef SUMS_64
#undef SUMS_80
#undef SUMS_96
#undef SUMS_112
#undef SUM
#undef OUTS
#undef OUTS_16
#undef SUMS_TO_8
#undef SUMS_TO_16
#undef OUTS_TO_8
#undef OUTS_TO_16
#undef SUMS_TO_32
#undef SUMS_TO_40
#undef OUTS_TO_40
#undef SUMS_TO_56
#undef OUTS_TO_56
#undef SUMS_TO_72
#undef OUTS_TO_72
#undef SUMS_TO_48
#undef SUMS_TO_64
#undef SUMS_TO_80
#undef SUMS_TO_88
#undef SUMS_TO_96
#undef SUMS_TO_112
#undef SUMS_TO_128
#undef OUTS_TO_32
#undef OUTS_TO_48
#undef OUTS_TO_64
#undef OUTS_TO_80
#undef OUTS_TO_88
#undef OUTS_TO_96
#undef OUTS_TO_112
#undef OUTS_TO_128
#undef WARPGROUP_PRODUCT
#undef WARPGROUP_PRODUCTS
#undef WARPGROUP_PRODUCT_8
#undef WARPGROUP_PRODUCTS_8
