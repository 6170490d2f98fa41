"""Barriers and fences (PTX ISA, "bar", "barrier", "membar", "fence")."""
from .emit import Entry, write
from .values import rng

SHARED = [".shared .align 16 .b8 cells[1024];"]
REGS = ".reg .b32 %base, %at, %other; .reg .pred %low"
STORE = ["mov.u32 %base, cells;", "mad.lo.u32 %at, %_t, 4, %base;", "st.shared.u32 [%at], %a;"]
LOAD_MIRROR = ["xor.b32 %other, %_t, 63;", "mad.lo.u32 %at, %other, 4, %base;", "ld.shared.u32 %d, [%at];"]


def rows(name, n=64, bits=32):
    r = rng(name)
    return [(r.getrandbits(bits),) for _ in range(n)]


def mirrored(some): return [(c, some[k ^ 63]) for k, c in enumerate(some)]


def barriers():
    forms = {"bar_sync": "bar.sync 0;", "bar_sync_n": "bar.sync 1, 64;", "bar_cta_sync": "bar.cta.sync 3;", "barrier_sync": "barrier.sync 2;", "barrier_sync_n": "barrier.sync 15, 64;",
             "barrier_cta_aligned": "barrier.cta.sync.aligned 0, 64;", "register": "bar.sync %number, %count;"}
    entries = []
    for name, text in forms.items():
        body = STORE + (["mov.u32 %number, 5;", "mov.u32 %count, 64;"] if name == "register" else []) + [text] + LOAD_MIRROR
        entries.append(Entry(name, "u32 a", "u32 d", body, rows(name), mirrored, group=64, whole=True, regs=REGS + "; .reg .b32 %number, %count", variables=SHARED))
    entries.append(Entry("twice", "u32 a", "u32 d", STORE + ["bar.sync 0;"] + LOAD_MIRROR + ["bar.sync 0;", "mad.lo.u32 %at, %_t, 4, %base;", "add.u32 %d, %d, 1;", "st.shared.u32 [%at], %d;", "bar.sync 0;",
                                                                                     "mad.lo.u32 %at, %other, 4, %base;", "ld.shared.u32 %d, [%at];"],
                         rows("twice"), lambda some: [(c, ((c[0] + 1) & 0xFFFFFFFF,)) for c in some], group=64, whole=True, regs=REGS, variables=SHARED))
    # One warp produces and only arrives, the other waits.
    produce = ["mov.u32 %base, cells;", "setp.lt.u32 %low, %_t, 32;", "@%low bra consumer;", "mad.lo.u32 %at, %_t, 4, %base;", "st.shared.u32 [%at], %a;", "ARRIVE", "mov.u32 %d, %a;", "bra done;", "consumer:",
               "SYNC", "xor.b32 %other, %_t, 63;", "mad.lo.u32 %at, %other, 4, %base;", "ld.shared.u32 %d, [%at];", "done:"]
    for name, arrive, sync in (("bar_arrive", "bar.arrive 1, 64;", "bar.sync 1, 64;"), ("barrier_arrive", "barrier.arrive 4, 64;", "barrier.sync 4, 64;"),
                               ("bar_cta_arrive", "bar.cta.arrive 1, 64;", "bar.cta.sync 1, 64;"), ("barrier_arrive_aligned", "barrier.cta.arrive.aligned 4, 64;", "barrier.cta.sync.aligned 4, 64;")):
        entries.append(Entry(name, "u32 a", "u32 d", [{"ARRIVE": arrive, "SYNC": sync}.get(b, b) for b in produce], rows(name),
                             lambda some: [(c, some[k ^ 63] if k < 32 else c) for k, c in enumerate(some)], group=64, whole=True, regs=REGS, variables=SHARED))
    # barrier.sync need not be reached by all threads of a warp together.
    apart = STORE + ["and.b32 %other, %_t, 1;", "setp.eq.u32 %low, %other, 0;", "@%low bra even;", "barrier.sync 3, 64;", "bra met;", "even:", "barrier.sync 3, 64;", "met:"] + LOAD_MIRROR
    entries.append(Entry("diverged", "u32 a", "u32 d", apart, rows("diverged"), mirrored, group=64, whole=True, regs=REGS, variables=SHARED))
    write("synchronization/bar", "bar.sync, bar.arrive, barrier.sync, barrier.arrive: what was written before is seen behind", entries)


def reductions():
    r = rng("barred")
    blocks = [[0] * 64, [1] * 64, [1] + [0] * 63, [0] + [1] * 63, [r.randrange(2) for _ in range(64)]]
    some = [(p,) for b in blocks for p in b]
    def fn(all_rows):
        out = []
        for b in range(0, len(all_rows), 64):
            ps = [p for (p,) in all_rows[b:b + 64]]
            out += [(c, (sum(ps), 64 - sum(ps), int(all(ps)), int(any(ps)), int(not any(ps)))) for c in all_rows[b:b + 64]]
        return out
    for name, op, number in (("bar_red", "bar.red", "0"), ("bar_red_n", "bar.cta.red", "2, 64"), ("barrier_red", "barrier.red", "3"), ("barrier_red_n", "barrier.cta.red", "1, 64")):
        aligned = ".aligned" if name == "barrier_red_n" else ""
        body = ["%s.popc%s.u32 %%count, %s, %%a;" % (op, aligned, number), "%s.popc%s.u32 %%count_not, %s, !%%a;" % (op, aligned, number),
                "%s.and%s.pred %%all, %s, %%a;" % (op, aligned, number), "%s.or%s.pred %%any, %s, %%a;" % (op, aligned, number), "%s.and%s.pred %%none, %s, !%%a;" % (op, aligned, number)]
        write("synchronization/" + name, op + ".popc/.and/.or over the block", [
            Entry("test", "pred a", "u32 count, u32 count_not, pred all, pred any, pred none", body, some, fn, group=64, whole=True)])


def fences():
    forms = ["membar.cta;", "membar.gl;", "membar.sys;", "fence.sc.cta;", "fence.sc.gpu;", "fence.acq_rel.gpu;", "fence.acq_rel.sys;", "fence.sc.cluster;", "fence.proxy.async;", "fence.proxy.async.global;"]
    body = ["mov.u32 %base, cells;", "mad.lo.u32 %at, %_t, 8, %base;", "st.shared.u32 [%at], %a;"] + forms + ["st.shared.u32 [%at+4], 1;", "ld.shared.u32 %d, [%at];"]
    write("synchronization/fence", "membar.level, fence.sem.scope: no effect on a thread's own values", [
        Entry("test", "u32 a", "u32 d", body, rows("fence", 8), lambda a: a, regs=".reg .b32 %base, %at", variables=[".shared .align 8 .b8 cells[1024];"])])
    # Message passing between two warps of a block: a flag published behind a fence.
    passing = ["mov.u32 %base, cells;", "setp.lt.u32 %low, %_t, 32;", "and.b32 %other, %_t, 31;", "mad.lo.u32 %at, %other, 8, %base;", "@%low bra reader;", "st.volatile.shared.u32 [%at], %a;", "FENCE",
               "st.volatile.shared.u32 [%at+4], 1;", "mov.u32 %d, %a;", "bra done;", "reader:", "again:", "ld.volatile.shared.u32 %flag, [%at+4];", "setp.eq.u32 %low, %flag, 0;", "@%low bra again;", "FENCE",
               "ld.volatile.shared.u32 %d, [%at];", "done:"]
    clear = ["mov.u32 %base, cells;", "mad.lo.u32 %at, %_t, 4, %base;", "st.shared.u32 [%at], 0;", "bar.sync 0;"]
    entries = []
    for name, fence in (("membar", "membar.cta;"), ("fence", "fence.acq_rel.cta;")):
        entries.append(Entry(name, "u32 a", "u32 d", clear + [fence if b == "FENCE" else b for b in passing], rows("pass" + name),
                             lambda some: [(c, some[k + 32] if k < 32 else c) for k, c in enumerate(some)], group=64, whole=True, regs=REGS + "; .reg .b32 %flag", variables=SHARED))
    write("synchronization/message", "one warp waits for a flag that another publishes behind a fence", entries)


def generate():
    barriers()
    reductions()
    fences()
