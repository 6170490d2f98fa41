// Accesses of whole-warp code to addresses without a known pattern: in a row or not, of all lanes or some.
#include <gtest/gtest.h>

#include "../long.h"
#include "engine_whole_kernels.h"

namespace ww::engine {
namespace {

/// What index lane `%r0` of 64 accesses, into %r4.
struct Index {
  const char *name, *code;
};
constexpr Index kIndices[] = {
    // (x == 0 ? 63 : x - 1): warp 1 lies in a row, warp 0 does not.
    {"ring", "setp.eq.u32 %p1, %r0, 0; sub.u32 %r4, %r0, 1; selp.b32 %r4, 63, %r4, %p1;"},
    {"backwards",
     "sub.u32 %r4, 63, %r0; ld.global.u32 %r5, [%d0]; and.b32 %r5, %r5, 0; add.u32 %r4, %r4, %r5;"},
    {"permuted", "mul.lo.u32 %r4, %r0, 13; and.b32 %r4, %r4, 63;"},
    {"as far as a row", "setp.eq.u32 %p1, %r0, 8; selp.b32 %r4, 9, %r0, %p1;"},
    {"in one place",
     "and.b32 %r5, %r0, 0; ld.global.u32 %r4, [%d0]; and.b32 %r4, %r4, 7; add.u32 %r4, %r4, %r5;"},
};

TEST(WholeWarps, LanesInARowOrApart) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  size_t number = 0;
  for (const Index& index : kIndices)
    for (const int bytes : {1, 2, 4, 8})
      for (const bool parted : {false, true}) {
        if (!is_tried(number++, 3)) continue;
        SCOPED_TRACE(fmt::format("{}, {} bytes{}", index.name, bytes, parted ? ", parted" : ""));
        // Values go from memory to shared memory by the index, from there to memory by the index, too.
        const std::string text =
            fmt::format(R"(.visible .entry k(.param .u64 in, .param .u64 out) {{
.reg .b16 %h0; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .pred %p<4>; .shared .align 8 .b8 s[512];
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mul.wide.u32 %d2, %r1, 4096; add.s64 %d1, %d1, %d2;
mov.u32 %r7, s; shl.b32 %r5, %r0, 3; add.u32 %r5, %r7, %r5; mov.u64 %d4, 0; st.shared.u64 [%r5], %d4; bar.sync 0;
{code}
and.b32 %r2, %r0, {named}; setp.eq.u32 %p0, %r2, {wanted}; @%p0 bra SKIP;
mul.wide.u32 %d2, %r4, {bytes}; add.s64 %d2, %d0, %d2; mul.lo.u32 %r5, %r4, {bytes}; add.u32 %r5, %r7, %r5;
ld.global.u{bits} {value}, [%d2 + 128]; st.shared.u{bits} [%r5], {value};
SKIP: bar.sync 0; @%p0 bra END;
sub.u32 %r6, 63, %r0; mul.lo.u32 %r6, %r6, {bytes}; add.u32 %r6, %r7, %r6; ld.shared.u{bits} {value}, [%r6];
mul.wide.u32 %d3, %r4, {bytes}; add.s64 %d3, %d1, %d3; st.global.u{bits} [%d3], {value};
END: ret;
}})",
                        fmt::arg("code", index.code), fmt::arg("bytes", bytes), fmt::arg("bits", 8 * bytes),
                        fmt::arg("named", parted ? 5 : 0), fmt::arg("wanted", parted ? 4 : 1),
                        fmt::arg("value", bytes == 8   ? "%d5"
                                          : bytes == 4 ? "%r3"
                                                       : "%h0"));
        expect_the_same(text, {2, 1, 1}, {64, 1, 1});
        if (HasFailure()) return;
      }
}

/// Some lanes store to shared memory, up to its end, beyond it, or where no word begins.
TEST(WholeWarps, StoresOfSomeLanesToTheEndOfSharedMemory) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  for (const int by : {0, 1, 4, -512, -516}) {
    const std::string text = fmt::format(R"(.visible .entry k(.param .u64 in, .param .u64 out) {{
.reg .b32 %r<12>; .reg .b64 %d<6>; .reg .pred %p<4>; .shared .align 8 .b8 s[768];
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mov.u32 %r7, s;
shl.b32 %r1, %r0, 2; add.u32 %r1, %r7, %r1; mov.u32 %r2, 0;
st.shared.u32 [%r1], %r2; st.shared.u32 [%r1 + 256], %r2; st.shared.u32 [%r1 + 512], %r2; bar.sync 0;
mul.lo.u32 %r3, %r0, 13; and.b32 %r3, %r3, 63; shl.b32 %r4, %r3, 2; add.u32 %r4, %r7, %r4;
mul.wide.u32 %d2, %r0, 4; add.s64 %d3, %d0, %d2; ld.global.u32 %r5, [%d3];
and.b32 %r6, %r0, 3; setp.eq.u32 %p0, %r6, 2; @%p0 bra SKIP;
st.shared.u32 [%r4 + 512 + {by}], %r5; st.shared.u32 [%r4 + 256], %r0;
SKIP: bar.sync 0; add.s64 %d4, %d1, %d2; ld.shared.u32 %r8, [%r1 + 512]; ld.shared.u32 %r9, [%r1 + 256];
ld.shared.u32 %r10, [%r1]; mad.lo.u32 %r8, %r8, 31, %r9; mad.lo.u32 %r8, %r8, 31, %r10; st.global.u32 [%d4], %r8; ret;
}})",
                                         fmt::arg("by", by));
    const Outcome3 o = expect_the_same(text, {1, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(o.whole);
    EXPECT_EQ(o.fault.empty(), by == 0 || by == -512) << by << o.fault;
  }
}

/// Rows of bytes that some lanes read up to the end of an allocation, and of a page.
TEST(WholeWarps, PartsOfRowsAtTheEnd) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  for (const int bytes : {1, 2}) {
    // The last 16 threads are not active; active ones read the array's last elements.
    const std::string text = fmt::format(R"(.visible .entry k(.param .u64 in, .param .u64 out) {{
.reg .b16 %h0; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .pred %p<4>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mul.wide.u32 %d2, %r0, {bytes}; add.s64 %d0, %d0, %d2; add.s64 %d1, %d1, %d2;
setp.gt.u32 %p0, %r0, 51; @%p0 bra END;
ld.global.u{bits} %h0, [%d0 + {last}]; st.global.u{bits} [%d1], %h0;
END: ret;
}})",
                                         fmt::arg("bytes", bytes), fmt::arg("bits", 8 * bytes),
                                         fmt::arg("last", 4 * kInWords - 52 * static_cast<u32>(bytes)));
    expect_the_same(text, {1, 1, 1}, {64, 1, 1});
  }
}

}  // namespace
}  // namespace ww::engine
