#!/usr/bin/env python3
"""ptx_run as tinygrad calls it: argument values in words, pointers of the host, block before grid. Expected values by
hand."""
import array, ctypes, mmap, os, subprocess, sys

if len(sys.argv) > 2:
    library = ctypes.CDLL(sys.argv[1])
    library.ptx_run.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p)] + [ctypes.c_int] * 7

    def run(source, values, block, grid, shared=0):
        words = (ctypes.c_void_p * len(values))(*[ctypes.c_void_p(v) for v in values])
        return library.ptx_run(source.encode(), len(values), words, *block, *grid, shared)

ADD = """.version VERSION
.target sm_35
.address_size 64
.visible .entry add(.param .u64 c, .param .u64 a, .param .u64 b, .param .s32 n)
{
  .reg .u64 %d<8>; .reg .f32 %f<4>; .reg .s32 %r<6>; .reg .pred %p<2>;
  .local .align 16 .b8 local0[16];
  mov.u64 %d6, local0[0];
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
  mad.lo.s32 %r3, %r0, %r1, %r2;
  ld.param.s32 %r4, [n]; setp.ge.s32 %p0, %r3, %r4; @%p0 bra DONE;
  mul.wide.s32 %d0, %r3, 4;
  ld.param.u64 %d1, [a]; add.s64 %d1, %d1, %d0; ld.global.f32 %f0, [%d1+0];
  ld.param.u64 %d2, [b]; add.s64 %d2, %d2, %d0; ld.global.f32 %f1, [%d2+0];
  st.local.f32 [%d6+4], %f1; ld.local.f32 %f1, [%d6+4];
  add.f32 %f2, %f0, %f1;
  ld.param.u64 %d3, [c]; add.s64 %d3, %d3, %d0; st.global.f32 [%d3+0], %f2;
DONE:
  ret;
}
"""
SHARED = """.version 7.5
.target sm_35
.address_size 64
.extern .shared .align 4 .b8 row[];
.visible .entry turn(.param .u64 x)
{
  .reg .u64 %d<4>; .reg .u32 %r<6>;
  mov.u32 %r0, %tid.x; mul.wide.u32 %d0, %r0, 4; ld.param.u64 %d1, [x]; add.s64 %d1, %d1, %d0; ld.global.u32 %r1, [%d1];
  mov.u32 %r2, row; shl.b32 %r3, %r0, 2; add.u32 %r2, %r2, %r3; st.shared.u32 [%r2], %r1; bar.sync 0;
  mov.u32 %r4, %ntid.x; sub.u32 %r4, %r4, %r0; sub.u32 %r4, %r4, 1; shl.b32 %r4, %r4, 2; mov.u32 %r2, row;
  add.u32 %r2, %r2, %r4; ld.shared.u32 %r1, [%r2]; st.global.u32 [%d1], %r1; ret;
}
"""


def at(a):
    return a.buffer_info()[0]


def good():
    for version in "7.5", "8.0", "4.0":
        for n in 100, 70000:
            a, b, c = array.array("f", range(n)), array.array("f", [0.5] * n), array.array("f", [0] * n)
            assert run(ADD.replace("VERSION", version), [at(c), at(a), at(b), n], (32, 1, 1), ((n + 31) // 32, 1, 1)) == 0
            assert list(c) == [i + 0.5 for i in range(n)]
    x = array.array("I", range(64))
    assert run(SHARED, [at(x)], (64, 1, 1), (1, 1, 1), 256) == 0 and list(x) == list(range(63, -1, -1))
    # Memory that comes and goes between the calls.
    for _ in range(20):
        pages = mmap.mmap(-1, 1 << 20)
        where = ctypes.addressof(ctypes.c_char.from_buffer(pages))
        a = array.array("f", [1] * 64)
        assert run(ADD.replace("VERSION", "7.5"), [where, at(a), at(a), 64], (64, 1, 1), (1, 1, 1)) == 0
        assert array.array("f", pages[:256]).tolist() == [2.0] * 64


def wild():
    """No memory there: an error, not a crash."""
    a = array.array("f", [1] * 64)
    assert run(ADD.replace("VERSION", "7.5"), [4096, at(a), at(a), 64], (64, 1, 1), (1, 1, 1)) == 1


def wrong():
    assert run("nonsense", [], (1, 1, 1), (1, 1, 1)) == 2
    assert run(ADD.replace("VERSION", "7.5"), [0], (1, 1, 1), (1, 1, 1)) == 2
    assert run(ADD.replace("VERSION", "7.5"), [0] * 4, (2048, 1, 1), (1, 1, 1)) == 2
    assert run(ADD.replace("VERSION", "7.5"), [0] * 4, (1, 1, 1), (0, 1, 1)) == 2


if len(sys.argv) > 2:
    globals()[sys.argv[2]]()
    sys.exit(0)
failed = 0
for name, says in (("good", ""), ("wild", "out-of-bounds write"), ("wrong", "argument 1 is missing")):
    ended = subprocess.run([sys.executable, __file__, sys.argv[1], name], capture_output=True, text=True, timeout=120)
    if ended.returncode or says not in ended.stderr or bool(says) != bool(ended.stderr):
        failed += 1
        print(f"{name}: FAILED, exit code {ended.returncode}\n{ended.stdout}{ended.stderr}")
print(f"{failed} failed")
sys.exit(failed != 0)
