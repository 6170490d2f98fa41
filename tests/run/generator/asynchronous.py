"""mbarriers, bulk copies and clusters (PTX ISA, "mbarrier", "cp.async.bulk", "barrier.cluster", "mapa")."""
import math
import struct

from .emit import Entry, write
from .values import rng

SHARED = [".shared .align 128 .b8 cells[1024];", ".shared .align 8 .b64 gate[2];"]
REGS = ".reg .b32 %base, %at, %other, %bar, %rank, %peer, %far, %farbar; .reg .b64 %state, %wide, %generic; .reg .pred %low, %first, %done"
START = ["mov.u32 %base, cells;", "mov.u32 %bar, gate;", "mad.lo.u32 %at, %_t, 4, %base;", "setp.eq.u32 %first, %_t, 0;"]
STORE = ["st.shared.u32 [%at], %a;"]
MIRROR = ["xor.b32 %other, %_t, 63;", "mad.lo.u32 %at, %other, 4, %base;", "ld.shared.u32 %d, [%at];"]


def init(count): return ["@%%first mbarrier.init.shared::cta.b64 [%%bar], %d;" % count, "fence.mbarrier_init.release.cluster;", "bar.sync 0;"]
def wait(text, label="again"): return [label + ":", text, "@!%%done bra %s;" % label]
def rows(name, n=64): r = rng(name); return [(r.getrandbits(32),) for _ in range(n)]
def mirrored(some): return [(c, some[k ^ 63]) for k, c in enumerate(some)]
def same(some): return [(c, c) for c in some]


def entry(name, body, fn, n=64, ins="u32 a", outs="u32 d", some=None, **options):
    return Entry(name, ins, outs, body, some or rows(name, n), fn, group=options.pop("group", 64), whole=True, regs=REGS + options.pop("regs", ""), variables=options.pop("variables", SHARED), **options)


STATE = wait("mbarrier.test_wait.shared.b64 %done, [%bar], %state;")
PARITY0 = wait("mbarrier.try_wait.parity.shared::cta.b64 %done, [%bar], 0;", "phase0")
PARITY1 = wait("mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %done, [%bar], 1, 1000;", "phase1")


def mbarriers():
    arrive = "mbarrier.arrive.shared.b64 %state, [%bar];"
    forms = {
        "test_wait": START + init(64) + STORE + [arrive] + STATE + MIRROR,
        "try_wait": START + init(64) + STORE + ["mbarrier.arrive.release.cta.shared::cta.b64 %state, [%bar];"] + wait("mbarrier.try_wait.shared.b64 %done, [%bar], %state, 100;") + MIRROR,
        "generic": START + init(64) + STORE + ["cvt.u64.u32 %wide, %bar;", "cvta.shared.u64 %generic, %wide;", "mbarrier.arrive.b64 %state, [%generic];"] + wait("mbarrier.test_wait.b64 %done, [%generic], %state;") + MIRROR,
        "sink": START + init(64) + STORE + ["mbarrier.arrive.shared::cta.b64 _, [%bar];"] + PARITY0 + MIRROR,
        # 32 threads arrive twice each, at once.
        "count": START + init(64) + STORE + ["setp.lt.u32 %low, %_t, 32;", "bar.sync 0;", "@%low mbarrier.arrive.shared.b64 %state, [%bar], 2;"] + PARITY0 + MIRROR,
        # The bytes announced hold the phase until somebody completes them.
        "bytes": START + init(64) + STORE + ["@%first mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%bar], 96;", "bar.sync 0;", "mbarrier.arrive.shared.b64 %state, [%bar];", "bar.sync 0;",
                                            "mbarrier.test_wait.shared.b64 %done, [%bar], %state;", "selp.u32 %peer, 1, 0, %done;", "bar.sync 0;", "@%first mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%bar], 96;"] + STATE + MIRROR + ["add.u32 %d, %d, %peer;"],
        "arrive_expect_tx": START + init(64) + STORE + ["mbarrier.arrive.expect_tx.shared::cta.b64 %state, [%bar], 4;", "mbarrier.complete_tx.shared::cta.b64 [%bar], 4;"] + STATE + MIRROR,
        # Two phases, the second with half of the threads: the others have dropped out.
        "arrive_drop": START + init(64) + STORE + ["setp.lt.u32 %low, %_t, 32;", "@%low mbarrier.arrive.shared.b64 _, [%bar];", "@!%low mbarrier.arrive_drop.shared.b64 _, [%bar];"] + PARITY0 +
                       ["bar.sync 0;", "@%low mbarrier.arrive.shared.b64 _, [%bar];"] + PARITY1 + MIRROR,
        "arrive_drop_expect_tx": START + init(64) + STORE + ["mbarrier.arrive_drop.expect_tx.shared.b64 _, [%bar], 8;", "mbarrier.complete_tx.shared::cta.b64 [%bar], 8;"] + PARITY0 + MIRROR,
        "no_complete": START + init(128) + STORE + ["mbarrier.arrive.noComplete.shared.b64 %state, [%bar], 1;", "bar.sync 0;", "@%first mbarrier.arrive.shared.b64 %state, [%bar], 64;"] + PARITY0 + MIRROR,
        "drop_no_complete": START + init(128) + STORE + ["mbarrier.arrive_drop.noComplete.release.cta.shared.b64 %state, [%bar], 1;", "bar.sync 0;", "@%first mbarrier.arrive.shared.b64 %state, [%bar], 64;"] + PARITY0 + MIRROR,
        # A place used again, for another mbarrier.
        "inval": START + init(1) + ["@%first mbarrier.inval.shared::cta.b64 [%bar];", "bar.sync 0;"] + init(64) + STORE + [arrive] + wait("mbarrier.test_wait.parity.shared.b64 %done, [%bar], 0;") + MIRROR,
    }
    entries = [entry(name, body, mirrored) for name, body in forms.items()]
    # pending_count: how many arrivals were missing before this one. Lanes of one warp arrive in some order, so only the set is known: its sum.
    entries.append(entry("pending_count", START + init(64) + ["mbarrier.arrive.shared.b64 %state, [%bar];", "mbarrier.pending_count.b64 %d, %state;", "st.shared.u32 [%at], %d;", "bar.sync 0;", "mov.u32 %d, 0;", "mov.u32 %other, 0;", "sum:",
                                              "mad.lo.u32 %at, %other, 4, %base;", "ld.shared.u32 %peer, [%at];", "add.u32 %d, %d, %peer;", "add.u32 %other, %other, 1;", "setp.lt.u32 %low, %other, 64;", "@%low bra sum;"],
                         lambda some: [(c, (sum(range(1, 65)),)) for c in some]))
    write("synchronization/mbarrier", "mbarrier: arrivals and bytes that a phase waits for", entries, version="8.6")
    copies = ["cvta.to.global.u64 %wide, %_in;", "cp.async.ca.shared.global [%at], [%wide], 4;"]
    write("memory/cp_async_mbarrier", "cp.async.mbarrier.arrive{.noinc}: the mbarrier knows when the thread's copies are there", [
        entry("noinc", START + init(64) + copies + ["cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%bar];"] + PARITY0 + MIRROR, mirrored),
        entry("counted", START + init(64) + copies + ["cp.async.mbarrier.arrive.shared.b64 [%bar];", "mbarrier.arrive.shared.b64 _, [%bar];"] + PARITY0 + MIRROR, mirrored)], version="8.0")


def bulk():
    load = "@%%first cp.async.bulk.%s.global.mbarrier::complete_tx::bytes%s [%%base], [%%_in], 256, [%%bar]%s;"
    expect = ["@%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 256;"]
    policy = ["createpolicy.fractional.L2::evict_first.b64 %wide, 0.5;"]
    entries = [entry("load_" + n, START + init(1) + policy + expect + [load % (d, h, t)] + PARITY0 + MIRROR, mirrored)
               for n, d, h, t in (("cluster", "shared::cluster", "", ""), ("cta", "shared::cta", "", ""), ("hint", "shared::cluster", ".L2::cache_hint", ", %wide"))]
    entries.append(entry("prefetch", START + init(1) + ["@%first cp.async.bulk.prefetch.L2.global [%_in], 256;"] + expect + [load % ("shared::cluster", "", "")] + PARITY0 + MIRROR, mirrored))
    out = ["fence.proxy.async.shared::cta;", "bar.sync 0;", "@%first cp.async.bulk.global.shared::cta.bulk_group [%_out], [%base], 256;", "@%first cp.async.bulk.commit_group;", "@%first cp.async.bulk.wait_group 0;"]
    entries.append(entry("store", START + STORE + out, same, no_store=True))
    entries.append(entry("store_read", START + STORE + out[:-1] + ["@%first cp.async.bulk.wait_group.read 0;", "bar.sync 0;", "st.shared.u32 [%at], 0;"], same, no_store=True))
    # Two groups; waiting for all but the latest leaves the first one there.
    entries.append(entry("groups", START + STORE + out[:2] + ["@%first cp.async.bulk.global.shared::cta.bulk_group [%_out], [%base], 128;", "@%first cp.async.bulk.commit_group;",
                                                             "@%first cp.async.bulk.global.shared::cta.bulk_group [%_out+128], [%base+128], 128;", "@%first cp.async.bulk.commit_group;", "@%first cp.async.bulk.wait_group 1;",
                                                             "@%first cp.async.bulk.wait_group 0;"], same, no_store=True))
    # Of every 16 bytes only those whose bit is set are written.
    entries.append(entry("mask", START + ["st.global.u32 [%_out], 0x11223344;"] + STORE + out[:2] + ["@%first cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%_out], [%base], 256, %half;", "@%first cp.async.bulk.commit_group;", "@%first cp.async.bulk.wait_group 0;"],
                         lambda some: [(c, ((c[0] & 0xFFFF) | 0x11220000 if k % 4 != 3 else 0x11223344,)) for k, c in enumerate(some)], no_store=True, regs="; .reg .b16 %half"))
    entries[-1].body.insert(0, "mov.u16 %half, 0x0333;")
    write("memory/cp_async_bulk", "cp.async.bulk between global and shared memory", entries, version="8.6")
    M = 0xFFFFFFFF
    entries = []
    sets = [("add_u32", "add.u32", lambda a, b: (a + b) & M), ("min_s32", "min.s32", lambda a, b: min(a, b, key=lambda v: v - (1 << 32) if v >> 31 else v)), ("max_u32", "max.u32", max), ("and_b32", "and.b32", lambda a, b: a & b),
            ("or_b32", "or.b32", lambda a, b: a | b), ("xor_b32", "xor.b32", lambda a, b: a ^ b), ("inc_u32", "inc.u32", lambda a, b: 0 if a >= b else a + 1), ("dec_u32", "dec.u32", lambda a, b: b if a == 0 or a > b else a - 1)]
    for name, op, fn in sets:
        text = "@%%first cp.reduce.async.bulk.global.shared::cta.bulk_group.%s [%%_out], [%%base], 256;" % op
        entries.append(entry(name, START + ["not.b32 %d, %a;", "xor.b32 %d, %d, 0x5555;", "st.global.u32 [%_out], %d;"] + STORE + out[:2] + [text] + out[3:],
                             lambda some, fn=fn: [(c, (fn((~c[0] & M) ^ 0x5555, c[0]),)) for c in some], no_store=True))
    half = "@%first cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%_out], [%base], 256;"
    some = [(v,) for v in [0x3C003C00, 0x40004200, 0xBC003800, 0x00010001] * 16]  # 1 1, 2 3, -1 0.5, the smallest subnormals
    doubled = {0x3C003C00: 0x40004000, 0x40004200: 0x44004600, 0xBC003800: 0xC0003C00, 0x00010001: 0x00020002}
    entries.append(entry("add_f16", START + ["st.global.u32 [%_out], %a;"] + STORE + out[:2] + [half] + out[3:], lambda some: [(c, (doubled[c[0]],)) for c in some], some=some, no_store=True))
    write("memory/cp_reduce_async_bulk", "cp.reduce.async.bulk.global.shared::cta: every element is folded into what lies there", entries, version="8.6")
    write("memory/st_bulk", "st.bulk: zeros", [entry("test", START + STORE + ["bar.sync 0;", "mov.u64 %wide, 64;", "@%first st.bulk.weak.shared::cta [%base], %wide, 0;", "bar.sync 0;", "ld.shared.u32 %d, [%at];"],
                                                    lambda some: [(c, (0,) if k < 16 else c) for k, c in enumerate(some)])], version="8.6", target="sm_100")
    write("memory/createpolicy", "createpolicy: a value for .L2::cache_hint", [Entry("test", "u32 a", "u32 d", [
        "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %w, [%_in], 128, 256;", "createpolicy.cvt.L2.b64 %w, %w;", "createpolicy.fractional.L2::evict_last.b64 %w;", "ld.global.L2::cache_hint.u32 %d, [%_in], %w;"],
        rows("policy", 8), lambda a: a, regs=".reg .b64 %w")], version="8.3")
    write("memory/prefetch_tensormap", "prefetch.tensormap: no effect", [Entry("test", "u32 a", "u32 d", ["prefetch.tensormap [%_in];", "mov.u32 %d, %a;"], rows("prefetch", 8), lambda a: a)], version="8.3")


def clusters():
    two = {"head": ".reqnctapercluster 2", "launch": "block=32", "group": 64}
    met = ["barrier.cluster.arrive.release.aligned;", "barrier.cluster.wait.acquire.aligned;"]
    last = ["barrier.cluster.arrive;", "barrier.cluster.wait;"]
    ranks = START + ["mov.u32 %rank, %cluster_ctarank;", "xor.b32 %peer, %rank, 1;"]
    crossed = lambda some: [(c, some[k ^ 32]) for k, c in enumerate(some)]
    far = ["mapa.shared::cluster.u32 %far, %at, %peer;"]
    entries = [
        entry("load", ranks + STORE + met + far + ["ld.shared::cluster.u32 %d, [%far];"] + last, crossed, **two),
        entry("store", ranks + met + far + ["st.shared::cluster.u32 [%far], %a;"] + met + ["ld.shared.u32 %d, [%at];"], crossed, **two),
        entry("generic", ranks + STORE + met + ["cvt.u64.u32 %wide, %at;", "cvta.shared.u64 %wide, %wide;", "mapa.u64 %generic, %wide, %peer;", "ld.u32 %d, [%generic];"] + last, crossed, **two),
        entry("atomic", ranks + STORE + met + far + ["atom.shared::cluster.exch.b32 %d, [%far], 0;"] + last, crossed, **two),
        entry("relaxed", ranks + STORE + ["barrier.cluster.arrive.relaxed;", "fence.acq_rel.cluster;", "barrier.cluster.wait;"] + met + far + ["ld.shared::cluster.u32 %d, [%far];"] + last, crossed, **two),
        entry("getctarank", ranks + far + ["getctarank.shared::cluster.u32 %other, %far;", "cvt.u64.u32 %wide, %far;", "cvta.shared.u64 %wide, %wide;", "getctarank.u64 %farbar, %wide;", "getctarank.shared::cluster.u32 %far, %at;",
                                         "mad.lo.u32 %d, %other, 100, %far;", "mad.lo.u32 %d, %farbar, 10000, %d;"] + last, lambda some: [(c, ((1 - k // 32) * 10100 + k // 32,)) for k, c in enumerate(some)], **two),
    ]
    # Registers: three blocks in x make a cluster; a grid of one dimension.
    regs = [("%clusterid.x", 0), ("%nclusterid.y", 1), ("%cluster_ctaid.x", None), ("%cluster_ctaid.y", 0), ("%cluster_nctaid.x", 3), ("%cluster_nctaid.z", 1), ("%cluster_ctarank", None), ("%cluster_nctarank", 3)]
    body = ["mov.u32 %d, 0;"]
    for name, _ in regs: body += ["mov.u32 %%other, %s;" % name, "mad.lo.u32 %d, %d, 4, %other;"]
    body += ["mov.pred %low, %is_explicit_cluster;", "selp.u32 %other, 1, 0, %low;", "mad.lo.u32 %d, %d, 4, %other;"]
    def fold(rank):
        d = 0
        for _, v in regs: d = d * 4 + (rank if v is None else v)
        return d * 4 + 1
    entries.append(entry("registers", body, lambda some: [(c, (fold(k // 32),)) for k, c in enumerate(some)], n=96, head=".reqnctapercluster 3", launch="block=32", group=96))
    # A cluster of 2 x 1 x 2 cannot be had from a grid of one dimension; without clusters each block is one of its own.
    entries.append(entry("alone", ["mov.u32 %d, %cluster_nctarank;", "mov.u32 %other, %cluster_ctarank;", "mad.lo.u32 %d, %d, 4, %other;", "barrier.cluster.arrive;", "barrier.cluster.wait;"], lambda some: [(c, (4,)) for c in some]))
    write("synchronization/cluster", "clusters: barrier.cluster, mapa, getctarank, shared memory of the other block", entries, version="8.6")
    farbar = ["mapa.shared::cluster.u32 %farbar, %bar, %peer;"]
    ready = ranks + ["@%first mbarrier.init.shared::cta.b64 [%bar], 1;", "@%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 128;", "fence.mbarrier_init.release.cluster;"] + STORE + met + far + farbar
    arrived = wait("mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %done, [%bar], 0;")
    own = ["ld.shared.u32 %d, [%at];"]
    bulk_rows = rows("cluster_bulk")
    entries = [
        entry("st_async", ready + ["st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%far], %a, [%farbar];"] + arrived + own + last, crossed, **two),
        entry("st_async_v2", ready + ["mapa.shared::cluster.u32 %far, %base, %peer;", "mad.lo.u32 %far, %_t, 8, %far;", "setp.lt.u32 %low, %_t, 16;", "not.b32 %other, %a;",
                                      "@%low st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%far], {%a, %other}, [%farbar];"] + arrived + own + last,
              lambda some: [(c, ((lambda v: v if k % 2 == 0 else ~v & 0xFFFFFFFF)(some[(k ^ 32) // 32 * 32 + k % 32 // 2][0]),)) for k, c in enumerate(some)], **two),
        entry("red_async", ready + ["red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%far], 1, [%farbar];"] + arrived + own + last,
              lambda some: [(c, ((c[0] + 1) & 0xFFFFFFFF,)) for c in some], **two),
        entry("bulk", ready + ["mapa.shared::cluster.u32 %far, %base, %peer;", "add.u32 %far, %far, 256;", "fence.proxy.async;", "bar.sync 0;",
                               "@%first cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%far], [%base], 128, [%farbar];"] + arrived + ["ld.shared.u32 %d, [%at+256];"] + last, crossed, some=bulk_rows, **two),
        entry("bulk_reduce", ready + ["mapa.shared::cluster.u32 %far, %base, %peer;", "fence.proxy.async;", "st.shared.u32 [%at+256], %_t;", "bar.sync 0;",
                                      "@%first cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.xor.b32 [%far], [%base+256], 128, [%farbar];"] + arrived + own + last,
              lambda some: [(c, (c[0] ^ k % 32,)) for k, c in enumerate(some)], **two),
        entry("multicast", ready + ["setp.eq.and.u32 %low, %rank, 0, %first;", "mov.u16 %half, 3;", "@%low cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%base+256], [%_in], 128, [%bar], %half;"] +
              arrived + ["ld.shared.u32 %d, [%at+256];"] + last, lambda some: [(c, some[k % 32]) for k, c in enumerate(some)], regs="; .reg .b16 %half", **two),
        # Every thread of the other block tells that it is there.
        entry("remote_arrive", ranks + ["@%first mbarrier.init.shared::cta.b64 [%bar], 32;", "fence.mbarrier_init.release.cluster;"] + met + far + farbar + ["st.shared::cluster.u32 [%far], %a;",
              "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%farbar];"] + arrived + own + last, crossed, **two),
    ]
    write("memory/distributed", "st.async, red.async, bulk copies and arrivals from block to block", entries, version="8.6")


def others():
    forms = ["griddepcontrol.wait;", "griddepcontrol.launch_dependents;", "fence.proxy.alias;", "fence.proxy.async.shared::cta;", "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;",
             "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;", "fence.acquire.sync_restrict::shared::cluster.cluster;", "fence.proxy.tensormap::generic.release.gpu;",
             "fence.proxy.tensormap::generic.acquire.gpu [%_in], 128;", "membar.proxy.alias;", "fence.mbarrier_init.release.cluster;", "fence.acquire.gpu;", "fence.release.sys;"]
    write("synchronization/proxies", "fences between proxies, griddepcontrol: no effect on a thread's own values", [Entry("test", "u32 a", "u32 d", forms + ["mov.u32 %d, %a;"], rows("proxies", 8), lambda a: a)], version="8.6")
    elect = ["elect.sync %d|%q, 0xffffffff;", "selp.u32 %e, 1, 0, %q;", "setp.gt.u32 %q, %_t, 9;", "mov.u32 %f, 99;", "@%q elect.sync %f|_, 0xfffffc00;"]
    write("warp/elect", "elect.sync: the lowest lane of the mask leads", [entry("test", elect, lambda some: [(c, (0, int(k == 0), 10 if k > 9 else 99)) for k, c in enumerate(some)], n=32, outs="u32 d, u32 e, u32 f", group=32, regs="; .reg .pred %q")], version="8.0")


def reductions():
    r = rng("redux_f32")
    f = lambda x: struct.unpack("<I", struct.pack("<f", x))[0]
    back = lambda b: struct.unpack("<f", struct.pack("<I", b))[0]
    some = [(f(r.uniform(-100, 100)),) for _ in range(32)] + [(f(x),) for x in [0.0, -0.0] * 16] + [(0x7FC00000 if k % 5 == 0 else f(float(k) - 9),) for k in range(32)] + [(0x7FC00000,)] * 32
    def fn(rows_):
        out = []
        for w in range(0, len(rows_), 32):
            values = [back(v) for (v,) in rows_[w:w + 32]]
            good = [v for v in values if v == v]
            key = lambda v: (v, math.copysign(1, v))
            pick = lambda which, vs: f(which(vs, key=key)) if vs else "nan"
            result = (pick(min, good), pick(max, good), pick(min, [abs(v) for v in good]), pick(max, good) if len(good) == 32 else "nan")
            out += [(c, result) for c in rows_[w:w + 32]]
        return out
    body = ["redux.sync.min.f32 %least, %a, 0xffffffff;", "redux.sync.max.f32 %most, %a, 0xffffffff;", "redux.sync.min.abs.f32 %least_abs, %a, 0xffffffff;", "redux.sync.max.NaN.f32 %most_nan, %a, 0xffffffff;"]
    write("warp/redux_f32", "redux.sync.{min,max}{.abs}{.NaN}.f32 over the warp", [Entry("test", "f32 a", "f32 least, f32 most, f32 least_abs, f32 most_nan", body, some, fn, group=32, whole=True)], version="8.6", target="sm_100a")
    # Vectors of halves: every thread its own place, small integers, whose sums are exact.
    h = lambda x: struct.unpack("<H", struct.pack("<e", x))[0]
    pairs = [tuple(h(float(r.randrange(-50, 51))) | h(float(r.randrange(-50, 51))) << 16 for _ in range(4)) for _ in range(24)]
    both = lambda a, b: sum(h(struct.unpack("<e", struct.pack("<H", a >> s & 0xFFFF))[0] + struct.unpack("<e", struct.pack("<H", b >> s & 0xFFFF))[0]) << s for s in (0, 16))
    body = ["st.global.v2.b32 [%_out], {%a, %b};", "atom.global.v2.f16x2.add.noftz {%o, %q}, [%_out], {%c, %e};", "st.global.v2.b32 [%_out+8], {%o, %q};", "st.global.v2.b32 [%_out+16], {%a, %b};", "red.relaxed.gpu.global.add.noftz.v2.f16x2 [%_out+16], {%c, %e};"]
    body[1] = "atom.global.add.noftz.v2.f16x2 {%o, %q}, [%_out], {%c, %e};"
    write("atomic/vector_half", "atom and red of vectors of f16x2", [Entry("test", "b32 a, b32 b, b32 c, b32 e", "b32 s, b32 t, b32 o, b32 q, b32 u, b32 v", body, pairs,
          lambda a, b, c, e: (both(a, c), both(b, e), a, b, both(a, c), both(b, e)), no_store=True)], version="8.1", target="sm_90")


def generate():
    reductions()
    mbarriers()
    bulk()
    clusters()
    others()
