// Products of tiles by a warpgroup (128 threads): wgmma, GPUs of cc 9.0a. D (64 × N, float32 in registers) +=
// A · B with A (64 × 16) and B (16 × N) in shared memory, 16-bit elements, swizzled by 128 bytes. Runs beside
// the threads: begin, multiply, end_products, wait_for_products.
//
// Thread t of the warpgroup has in d[4·j + 2·h + i] the element of row 16·(t / 32) + t % 32 / 4 + 8·h and
// column 8·j + 2·(t % 4) + i.
#pragma once

struct Bf16 {};
struct F16 {};

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

/// A's rows lie along k, B's along n (TURNED 1) or k (0). With `add` 0 the sums begin anew.
template <class TYPE, int TURNED = 1>
struct Products;

/// NAME: the elements as the instruction calls them.
#define WARPGROUP_PRODUCTS(TYPE, NAME)                                                                       \
  template <int TURNED>                                                                                      \
  struct Products<TYPE, TURNED> {                                                                            \
    __device__ static __forceinline__ void multiply(float (&d)[32], unsigned long long a,                    \
                                                    unsigned long long b, int add) {                         \
      asm volatile(                                                                                          \
          "{ .reg .pred p;\n setp.ne.b32 p, %34, 0;\n"                                                       \
          "wgmma.mma_async.sync.aligned.m64n64k16.f32." NAME "." NAME                                        \
          " {"                                                                                               \
          "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "  \
          "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"                                            \
          "}, %32, %33, p, 1, 1, 0, %35; }"                                                                  \
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),  \
            "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]),         \
            "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]),       \
            "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]),       \
            "+f"(d[29]), "+f"(d[30]), "+f"(d[31])                                                            \
          : "l"(a), "l"(b), "r"(add), "n"(TURNED));                                                          \
    }                                                                                                        \
    __device__ static __forceinline__ void multiply(float (&d)[64], unsigned long long a,                    \
                                                    unsigned long long b, int add) {                         \
      asm volatile(                                                                                          \
          "{ .reg .pred p;\n setp.ne.b32 p, %66, 0;\n"                                                       \
          "wgmma.mma_async.sync.aligned.m64n128k16.f32." NAME "." NAME                                       \
          " {"                                                                                               \
          "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "  \
          "%21,"                                                                                             \
          "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, "  \
          "%41,"                                                                                             \
          "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, "  \
          "%61,"                                                                                             \
          "%62, %63"                                                                                         \
          "}, %64, %65, p, 1, 1, 0, %67; }"                                                                  \
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),  \
            "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]),         \
            "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]),       \
            "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]),       \
            "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),       \
            "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]),       \
            "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]),       \
            "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),       \
            "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])        \
          : "l"(a), "l"(b), "r"(add), "n"(TURNED));                                                          \
    }                                                                                                        \
    __device__ static __forceinline__ void multiply(float (&d)[128], unsigned long long a,                   \
                                                    unsigned long long b, int add) {                         \
      asm volatile(                                                                                          \
          "{ .reg .pred p;\n setp.ne.b32 p, %130, 0;\n"                                                      \
          "wgmma.mma_async.sync.aligned.m64n256k16.f32." NAME "." NAME                                       \
          " {"                                                                                               \
          "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "  \
          "%21,"                                                                                             \
          "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, "  \
          "%41,"                                                                                             \
          "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, "  \
          "%61,"                                                                                             \
          "%62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, "  \
          "%81,"                                                                                             \
          "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100,"  \
          "%101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116,"  \
          "%117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"                                 \
          "}, %128, %129, p, 1, 1, 0, %131; }"                                                               \
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),  \
            "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]),         \
            "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]),       \
            "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]),       \
            "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),       \
            "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]),       \
            "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]),       \
            "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),       \
            "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]),       \
            "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]),       \
            "+f"(d[71]), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]),       \
            "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]),       \
            "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]),       \
            "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), "+f"(d[96]), "+f"(d[97]), "+f"(d[98]),       \
            "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]), "+f"(d[104]), "+f"(d[105]), \
            "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]),              \
            "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]),              \
            "+f"(d[118]), "+f"(d[119]), "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]),              \
            "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])                                           \
          : "l"(a), "l"(b), "r"(add), "n"(TURNED));                                                          \
    }                                                                                                        \
  };
WARPGROUP_PRODUCTS(Bf16, "bf16")
WARPGROUP_PRODUCTS(F16, "f16")
#undef WARPGROUP_PRODUCTS
