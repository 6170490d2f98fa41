"""Control flow (PTX ISA, "Control Flow Instructions"): divergence of every kind; each thread must get what it would get alone."""
from .emit import Entry, write
from .values import cases, rng, wrap

M = 0xFFFFFFFF


def some(name, n=40, high=1 << 32):
    r = rng(name)
    return [(r.randrange(high),) for _ in range(n)]


def nested():
    body = ["mov.u32 %d, 0;", "and.b32 %x, %a, 1;", "setp.eq.u32 %p, %x, 0;", "@%p bra A_else;", "and.b32 %x, %a, 2;", "setp.eq.u32 %p, %x, 0;", "@%p bra B_else;", "add.u32 %d, %d, 1;", "bra B_end;", "B_else:",
            "add.u32 %d, %d, 10;", "B_end:", "mul.lo.u32 %d, %d, 3;", "bra A_end;", "A_else:", "and.b32 %x, %a, 4;", "setp.ne.u32 %p, %x, 0;", "@!%p bra C_end;", "add.u32 %d, %d, 100;", "and.b32 %x, %a, 8;",
            "setp.ne.u32 %p, %x, 0;", "@%p add.u32 %d, %d, 1000;", "C_end:", "add.u32 %d, %d, 7;", "A_end:", "xor.b32 %d, %d, %a;"]
    def fn(a):
        d = 0
        if a & 1: d = (1 if a & 2 else 10) * 3
        else:
            if a & 4: d += 100 + (1000 if a & 8 else 0)
            d += 7
        return d ^ a
    write("control/nested", "branches in branches", [Entry("test", "u32 a", "u32 d", body, [(k,) for k in range(40)], fn, regs=".reg .b32 %x; .reg .pred %p")])


def loops():
    collatz = ["mov.u32 %d, 0;", "max.u32 %x, %a, 1;", "loop:", "setp.le.u32 %p, %x, 1;", "@%p bra end;", "and.b32 %y, %x, 1;", "setp.eq.u32 %p, %y, 0;", "@%p bra even;", "mad.lo.u32 %x, %x, 3, 1;", "bra next;",
               "even:", "shr.u32 %x, %x, 1;", "next:", "add.u32 %d, %d, 1;", "bra loop;", "end:"]
    def steps(a):
        x, n = max(a, 1), 0
        while x > 1:
            x = (3 * x + 1) & M if x & 1 else x >> 1
            n += 1
        return n
    search = ["mov.u32 %d, -1;", "mov.u32 %x, 0;", "o_loop:", "mov.u32 %y, 0;", "i_loop:", "mad.lo.u32 %z, %x, 7, %y;", "setp.eq.u32 %p, %z, %a;", "@%p bra found;", "add.u32 %y, %y, 1;", "setp.gt.u32 %p, %y, %x;",
              "@%p bra i_end;", "bra i_loop;", "i_end:", "add.u32 %x, %x, 1;", "setp.lt.u32 %p, %x, 7;", "@%p bra o_loop;", "bra end;", "found:", "mad.lo.u32 %d, %x, 100, %y;", "end:", "add.u32 %d, %d, 1;"]
    def find(a):
        for x in range(7):
            for y in range(x + 1):
                if x * 7 + y == a: return x * 100 + y + 1
        return 0
    odd = ["mov.u32 %d, 0;", "mov.u32 %x, 0;", "loop:", "setp.ge.u32 %p, %x, %a;", "@%p bra end;", "add.u32 %x, %x, 1;", "and.b32 %y, %x, 3;", "setp.eq.u32 %p, %y, 0;", "@%p bra loop;", "add.u32 %d, %d, %x;",
           "setp.gt.u32 %p, %d, 500;", "@!%p bra loop;", "neg.s32 %d, %d;", "end:"]
    def continued(a):
        d = x = 0
        while x < a:
            x += 1
            if x & 3 == 0: continue
            d += x
            if d > 500: return wrap("u32", -d)
        return d
    regs = ".reg .b32 %x, %y, %z; .reg .pred %p"
    write("control/loops", "loops with different trip counts, two-level search left from inside, continue and break", [
        Entry("collatz", "u32 a", "u32 d", collatz, [(k,) for k in range(64)] + some("collatz", 20, 10000), steps, regs=regs, draw=["a range 1 5000"]),
        Entry("search", "u32 a", "u32 d", search, [(k,) for k in range(60)], find, regs=regs, draw=["a range 0 80"]),
        Entry("continued", "u32 a", "u32 d", odd, [(k,) for k in range(0, 100, 2)], continued, regs=regs, draw=["a range 0 1000"])])


def ends():
    out = lambda text: "st.global.u32 [%%_out], %s;" % text
    body = [out("1"), "and.b32 %x, %a, 3;", "setp.eq.u32 %p, %x, 0;", "@%p exit;", out("2"), "setp.eq.u32 %p, %x, 1;", "@%p ret;", out("3"), "mov.u32 %y, 0;", "loop:", "add.u32 %y, %y, 1;", "setp.gt.u32 %p, %y, %a;",
            "@%p exit;", "setp.lt.u32 %p, %y, 20;", "@%p bra loop;", out("%y")]
    def fn(a):
        if a & 3 == 0: return 1
        if a & 3 == 1: return 2
        return 3 if a < 20 else 20
    write("control/ends", "guarded exit and ret, out of a loop too", [
        Entry("test", "u32 a", "u32 d", body, [(k,) for k in range(40)], fn, regs=".reg .b32 %x, %y; .reg .pred %p", no_store=True, draw=["a range 0 60"])])
    helper = """.func (.param .b32 r) early(.param .b32 a)
{
  .reg .b32 %a, %y;
  .reg .pred %p;
  ld.param.u32 %a, [a];
  st.param.u32 [r], 5;
  setp.lt.u32 %p, %a, 10;
  @%p ret;
  st.param.u32 [r], 6;
  setp.gt.u32 %p, %a, 30;
  @%p bra big;
  ret.uni;
big:
  st.param.u32 [r], %a;
  ret;
}"""
    body = ["{", ".param .b32 arg;", ".param .b32 back;", "st.param.b32 [arg], %a;", "call (back), early, (arg);", "ld.param.b32 %d, [back];", "}", "add.u32 %d, %d, 1;"]
    write("control/early_return", "a function that some lanes leave early", [
        Entry("test", "u32 a", "u32 d", body, [(k,) for k in range(40)], lambda a: (5 if a < 10 else 6 if a <= 30 else a) + 1, draw=["a range 0 60"])], preamble=helper)


def switches():
    body = ["min.u32 %x, %a, 4;", "targets: .branchtargets L0, L1, L2, L1, L_default;", "brx.idx %x, targets;", "L0:", "mov.u32 %d, 100;", "bra end;", "L1:", "mul.lo.u32 %d, %a, 5;", "bra end;", "L2:", "mov.u32 %d, 7;",
            "L_default:", "xor.b32 %d, %a, 255;", "end:", "add.u32 %d, %d, 1;"]
    def fn(a): return ((100 if a == 0 else a * 5 if a in (1, 3) else a ^ 255) + 1) & M
    write("control/switch", "brx.idx through a list of targets, one of them twice, one falling through", [
        Entry("test", "u32 a", "u32 d", body, [(k % 9,) for k in range(40)] + [(M,)], fn, regs=".reg .b32 %x", draw=["a range 0 6"]),
        Entry("uniform", "u32 a", "u32 d", ["mov.u32 %x, 1;", "list: .branchtargets U0, U1;", "brx.idx.uni %x, list;", "U0:", "mov.u32 %d, 1;", "bra.uni out_of;", "U1:", "add.u32 %d, %a, 2;", "out_of:"],
              [(1,), (2,)], lambda a: a + 2, regs=".reg .b32 %x")])


CALL = ["{", ".param .b32 arg;", ".param .b32 back;", "st.param.b32 [arg], %x;", "call (back), NAME, (arg);", "ld.param.b32 %d, [back];", "}"]


def calls():
    recursive = """.func (.param .b32 r) fib(.param .b32 n)
{
  .reg .b32 %n, %x, %y, %d;
  .reg .pred %p;
  ld.param.u32 %n, [n];
  setp.lt.u32 %p, %n, 2;
  @%p bra small;
  sub.u32 %x, %n, 1;
  { .param .b32 arg; .param .b32 back; st.param.b32 [arg], %x; call (back), fib, (arg); ld.param.b32 %y, [back]; }
  sub.u32 %x, %n, 2;
  { .param .b32 arg; .param .b32 back; st.param.b32 [arg], %x; call (back), fib, (arg); ld.param.b32 %d, [back]; }
  add.u32 %d, %d, %y;
  st.param.b32 [r], %d;
  ret;
small:
  st.param.b32 [r], %n;
  ret;
}
.func (.param .b32 r) is_odd(.param .b32 n);
.func (.param .b32 r) is_even(.param .b32 n)
{
  .reg .b32 %x, %d;
  .reg .pred %p;
  ld.param.u32 %x, [n];
  mov.u32 %d, 1;
  setp.eq.u32 %p, %x, 0;
  @%p bra known;
  sub.u32 %x, %x, 1;
  { .param .b32 arg; .param .b32 back; st.param.b32 [arg], %x; call (back), is_odd, (arg); ld.param.b32 %d, [back]; }
known:
  st.param.b32 [r], %d;
  ret;
}
.func (.param .b32 r) is_odd(.param .b32 n)
{
  .reg .b32 %x, %d;
  .reg .pred %p;
  ld.param.u32 %x, [n];
  mov.u32 %d, 0;
  setp.eq.u32 %p, %x, 0;
  @%p bra known;
  sub.u32 %x, %x, 1;
  { .param .b32 arg; .param .b32 back; st.param.b32 [arg], %x; call (back), is_even, (arg); ld.param.b32 %d, [back]; }
known:
  st.param.b32 [r], %d;
  ret;
}"""
    def fib(n):
        a, b = 0, 1
        for _ in range(n): a, b = b, a + b
        return a
    limit = lambda m: ["rem.u32 %%x, %%a, %d;" % m]
    write("control/recursion", "recursion to a depth of its own in every lane; two functions that call each other", [
        Entry("fibonacci", "u32 a", "u32 d", limit(12) + [c.replace("NAME", "fib") for c in CALL], [(k,) for k in range(34)], lambda a: fib(a % 12), regs=".reg .b32 %x"),
        Entry("mutual", "u32 a", "u32 d", limit(20) + [c.replace("NAME", "is_even") for c in CALL], [(k,) for k in range(34)], lambda a: 1 - a % 20 % 2, regs=".reg .b32 %x")], preamble=recursive)
    functions = "\n".join(""".func (.param .b32 r) f%d(.param .b32 a)
{
  .reg .b32 %%x;
  ld.param.u32 %%x, [a];
  %s
  st.param.b32 [r], %%x;
  ret;
}""" % (k, text) for k, text in enumerate(["add.u32 %x, %x, 100;", "mul.lo.u32 %x, %x, 3;", "not.b32 %x, %x;"]))
    functions += "\n.global .align 8 .u64 table[3] = {f0, f1, f2};"
    indirect = ["rem.u32 %x, %a, 3;", "mov.u64 %base, table;", "mad.wide.u32 %base, %x, 8, %base;", "ld.global.u64 %f, [%base];", "mov.u32 %x, %a;", "proto: .callprototype (.param .b32 _) _ (.param .b32 _);",
                "{", ".param .b32 arg;", ".param .b32 back;", "st.param.b32 [arg], %x;", "call (back), %f, (arg), proto;", "ld.param.b32 %d, [back];", "}"]
    guarded = ["and.b32 %x, %a, 1;", "setp.eq.u32 %p, %x, 0;", "mov.u32 %d, 9;", "mov.u32 %x, %a;", "{", ".param .b32 arg;", ".param .b32 back;", "st.param.b32 [arg], %x;", "@!%p bra skip;", "call (back), f1, (arg);",
               "ld.param.b32 %d, [back];", "skip:", "}"]
    write("control/calls", "calls through a table of addresses, different in every lane; a call in a branch; a function with a struct and two results", [
        Entry("indirect", "u32 a", "u32 d", indirect, [(k,) for k in range(36)], lambda a: wrap("u32", [a + 100, a * 3, ~a][a % 3]), regs=".reg .b32 %x; .reg .b64 %base, %f", draw=["a range 0 100000"]),
        Entry("in_branch", "u32 a", "u32 d", guarded, [(k,) for k in range(36)], lambda a: 9 if a & 1 else wrap("u32", a * 3), regs=".reg .b32 %x; .reg .pred %p"),
        Entry("struct", "u32 a, u64 b", "u32 d, u64 e", ["{", ".param .align 8 .b8 arg[16];", ".param .align 8 .b8 back[16];", "st.param.b32 [arg], %a;", "st.param.b64 [arg+8], %b;", "call (back), swap, (arg);",
                                                       "ld.param.b64 %e, [back];", "ld.param.b32 %d, [back+8];", "}"], cases("struct", ["u32", "u64"], 12), lambda a, b: (wrap("u32", a + 1), b ^ 1))],
        preamble=functions + """
.func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 s[16])
{
  .reg .b32 %x;
  .reg .b64 %y;
  ld.param.b32 %x, [s];
  ld.param.b64 %y, [s+8];
  add.u32 %x, %x, 1;
  xor.b64 %y, %y, 1;
  st.param.b64 [r], %y;
  st.param.b32 [r+8], %x;
  ret;
}""")


def locks():
    head = ["mov.u32 %base, room;", "setp.ne.u32 %p, %_t, 0;", "@%p bra ready;", "st.shared.v2.u32 [%base], {0, 0};", "ready:", "bar.sync 0;"]
    # Waiting ends after a number of tries, so that a device on which the lanes do not wait for each other fails and does not hang.
    tries = ["add.u32 %tries, %tries, 1;", "setp.lt.and.u32 %p, %tries, 4000000, %p;"]
    spin = ["mov.u32 %tries, 0;", "again:", "atom.shared.cas.b32 %was, [%base], 0, 1;", "setp.ne.u32 %p, %was, 0;"] + tries + ["@%p bra again;", "ld.volatile.shared.u32 %x, [%base+4];", "add.u32 %x, %x, %a;", "st.volatile.shared.u32 [%base+4], %x;",
            "membar.cta;", "atom.shared.exch.b32 %was, [%base], 0;", "bar.sync 0;", "ld.shared.u32 %d, [%base+4];"]
    def total(rows): return [(c, (wrap("u32", sum(a for (a,) in rows)),)) for c in rows]
    turns = ["mov.u32 %tries, 0;", "turn:", "ld.volatile.shared.u32 %x, [%base];", "setp.ne.u32 %p, %x, %_t;"] + tries + ["@%p bra turn;", "ld.volatile.shared.u32 %d, [%base+4];", "mad.lo.u32 %d, %d, 31, %a;", "st.volatile.shared.u32 [%base+4], %d;",
             "membar.cta;", "add.u32 %x, %x, 1;", "st.volatile.shared.u32 [%base], %x;"]
    def chain(rows):
        out, h = [], 0
        for c in rows:
            h = wrap("u32", h * 31 + c[0])
            out.append((c, (h,)))
        return out
    regs = ".reg .b32 %base, %was, %x, %tries; .reg .pred %p"
    variables = [".shared .align 8 .b8 room[8];"]
    write("control/locks", "lanes of a warp that wait for each other: a spin lock, and turns taken in order", [
        Entry("spin_lock", "u32 a", "u32 d", head + spin, some("spin", 64), total, group=64, whole=True, regs=regs, variables=variables),
        Entry("turns", "u32 a", "u32 d", head + turns, some("turns", 64), chain, group=64, whole=True, regs=regs, variables=variables)])


def registers():
    body = ["mov.u32 %thread, %tid.x;", "mov.u32 %threads, %ntid.x;", "mov.u32 %ny, %ntid.y;", "mov.u32 %nz, %nctaid.z;", "mov.u32 %lane, %laneid;", "mov.u32 %eq, %lanemask_eq;", "mov.u32 %le, %lanemask_le;",
            "mov.u32 %lt, %lanemask_lt;", "mov.u32 %ge, %lanemask_ge;", "mov.u32 %gt, %lanemask_gt;", "mov.u32 %cta, %ctaid.x;", "mov.u32 %ncta, %nctaid.x;", "mov.u16 %short, %tid.x;", "mov.u32 %dynamic, %dynamic_smem_size;",
            "mov.u32 %z, %tid.z;"]
    rows = [(k,) for k in range(128)]
    def fn(rows):
        out = []
        for k, c in enumerate(rows):
            lane = k % 32
            e = 1 << lane
            out.append((c, (k % 64, 64, 1, 1, lane, e, 2 * e - 1, e - 1, M ^ (e - 1), M ^ (2 * e - 1), k // 64, len(rows) // 64, k % 64, 0, 0)))
        return out
    write("control/special_registers", "the special registers that a launch determines", [
        Entry("test", "u32 a", "u32 thread, u32 threads, u32 ny, u32 nz, u32 lane, u32 eq, u32 le, u32 lt, u32 ge, u32 gt, u32 cta, u32 ncta, u16 short, u32 dynamic, u32 z", body, rows, fn, group=64, whole=True),
        Entry("time", "u32 a", "pred grows, pred grows64, pred global",
              ["mov.u32 %t0, %clock;", "mov.u64 %t1, %clock64;", "mov.u64 %t2, %globaltimer;", "nanosleep.u32 20000;", "mov.u32 %t3, %clock;", "mov.u64 %t4, %clock64;", "mov.u64 %t5, %globaltimer;", "setp.ne.u32 %grows, %t0, %t3;",
               "setp.gt.u64 %grows64, %t4, %t1;", "setp.ge.u64 %global, %t5, %t2;"], [(k,) for k in range(32)], lambda a: (1, 1, 1), regs=".reg .b32 %t0, %t3; .reg .b64 %t1, %t2, %t4, %t5", clock=True)])


def miscellaneous():
    write("control/miscellaneous", "nanosleep and pmevent have no effect on values", [
        Entry("test", "u32 a", "u32 d", ["nanosleep.u32 100;", "pmevent 1;", "pmevent.mask 3;", "add.u32 %d, %a, 1;"], [(k,) for k in range(8)], lambda a: a + 1)])


def generate():
    nested()
    loops()
    ends()
    switches()
    calls()
    locks()
    registers()
    miscellaneous()
