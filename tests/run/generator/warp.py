"""Warp-level instructions (PTX ISA, "shfl", "vote", "match", "activemask", "redux")."""
from .emit import BITS, Entry, write
from .values import cases, number, rng, signed, wrap

FULL = 0xFFFFFFFF


def source_lane(mode, lane, b, c):
    """shfl after the manual: the lane to read and whether it is in range."""
    bval, cval, segmask = b & 31, c & 31, c >> 8 & 31
    top = (lane & segmask) | (cval & ~segmask & 31)
    bottom = lane & segmask
    if mode == "up": j, p = lane - bval, lane - bval >= top
    elif mode == "down": j, p = lane + bval, lane + bval <= top
    elif mode == "bfly": j, p = lane ^ bval, (lane ^ bval) <= top
    else:
        j = bottom | (bval & ~segmask & 31)
        p = j <= top
    return (j if p else lane), p


def shuffles():
    r = rng("shfl")
    # Clamp and segment: whole warp, halves, quarters, and a clamp inside of a segment.
    controls = {"up": [0x0000, 0x1000, 0x1800, 0x1C00, 0x0005], "down": [0x001F, 0x101F, 0x181F, 0x1C1F, 0x000B], "bfly": [0x001F, 0x101F, 0x181F, 0x1E1F, 0x0003],
                "idx": [0x001F, 0x101F, 0x181F, 0x1C1F, 0x0007]}
    for sync in (True, False):
        entries = []
        for mode, cs in controls.items():
            body, outs = [], []
            for k, c in enumerate(cs):
                body.append("shfl%s.%s.b32 %%d%d|%%p%d, %%a, %%b, %d%s;" % (".sync" if sync else "", mode, k, k, c, ", -1" if sync else ""))
                outs += ["b32 d%d" % k, "pred p%d" % k]
            rows = [(r.getrandbits(32), b) for b in [0] * 4 + [1] * 4 + [2, 3, 5, 16, 31, 32, 33, 17] * 3] + [(r.getrandbits(32), b) for b in (0, 1, 4, 31) for _ in range(8)] + \
                   [(r.getrandbits(32), r.getrandbits(6)) for _ in range(32)]
            rows = rows[:len(rows) // 32 * 32]
            def run(rows, mode=mode, cs=cs):
                out = []
                for k, (a, b) in enumerate(rows):
                    warp, lane, result = k // 32 * 32, k % 32, []
                    for c in cs:
                        j, p = source_lane(mode, lane, b, c)
                        result += [rows[warp + j][0], int(p)]
                    out.append(((a, b), tuple(result)))
                return out
            entries.append(Entry("test_" + mode, "b32 a, u32 b", ", ".join(outs), body, rows, run, group=32, whole=True))
        if sync:
            write("warp/shfl_sync", "shfl.sync.mode.b32 d|p, a, b, c, -1 for several c (clamp and segment)", entries + [halves()])
        else:
            write("warp/shfl", "shfl.mode.b32 d|p, a, b, c (PTX 6.3 and before: without member mask)", entries, version="6.3", target="sm_60")


def halves():
    """Two halves of a warp, each with a member mask of its own, the control in a register."""
    body = ["setp.lt.u32 %low, %_t, 16;", "@%low bra first;", "shfl.sync.bfly.b32 %d, %a, 1, %c, 0xffff0000;", "bra done;", "first:", "shfl.sync.idx.b32 %d, %a, %b, %c, 0x0000ffff;", "done:"]
    r = rng("halves")
    rows = [(r.getrandbits(32), r.randrange(16), 0x1F) for _ in range(32)]
    run = lambda rows: [((a, b, c), (rows[b][0] if k < 16 else rows[k ^ 1][0],)) for k, (a, b, c) in enumerate(rows)]
    return Entry("halves", "b32 a, u32 b, u32 c", "b32 d", body, rows, run, group=32, whole=True, regs=".reg .pred %low", draw=["b range 0 15", "c oneof 31"])


def per_warp(fn):
    """Applies fn(rows of a warp) -> results of its lanes."""
    def run(rows):
        out = []
        for w in range(0, len(rows), 32):
            warp = rows[w:w + 32]
            out += [(c, r if isinstance(r, tuple) else (r,)) for c, r in zip(warp, fn(warp))]
        return out
    return run


def votes():
    r = rng("vote")
    warps = [[0] * 32, [1] * 32, [1] + [0] * 31, [0] + [1] * 31, [r.randrange(2) for _ in range(32)], [1 - k // 16 for k in range(32)]]
    rows = [(p,) for w in warps for p in w]
    def results(warp):
        ps = [p for (p,) in warp]
        mask = sum(p << k for k, p in enumerate(ps))
        one = (int(all(ps)), int(any(ps)), int(len(set(ps)) == 1), mask, int(not any(ps)), FULL ^ mask)
        return [one] * 32
    outs = "pred all, pred any, pred uni, b32 ballot, pred all_not, b32 ballot_not"
    def body(sync, members):
        return ["vote%s.all.pred %%all, %%a%s;" % (sync, members), "vote%s.any.pred %%any, %%a%s;" % (sync, members), "vote%s.uni.pred %%uni, %%a%s;" % (sync, members),
                "vote%s.ballot.b32 %%ballot, %%a%s;" % (sync, members), "vote%s.all.pred %%all_not, !%%a%s;" % (sync, members),
                "vote%s.ballot.b32 %%ballot_not, !%%a%s;" % (sync, members)]
    def parts(warp):
        low = sum(p << k for k, (p,) in enumerate(warp) if k < 10)
        high = sum(p << k for k, (p,) in enumerate(warp) if k >= 10)
        return [(low, int(low == 0x3FF)) if k < 10 else (high, int(high != 0)) for k in range(32)]
    part_body = ["setp.ge.u32 %big, %_t, 10;", "@%big bra second;", "vote.sync.ballot.b32 %d, %a, 0x3ff;", "vote.sync.all.pred %p, %a, 0x3ff;", "bra done;", "second:",
                 "vote.sync.ballot.b32 %d, %a, 0xfffffc00;", "vote.sync.any.pred %p, %a, 0xfffffc00;", "done:"]
    def tiles(warp):
        out = []
        for k in range(32):
            tile = warp[k // 8 * 8:k // 8 * 8 + 8]
            out.append((sum(p << (k // 8 * 8 + j) for j, (p,) in enumerate(tile)), int(all(p for (p,) in tile))))
        return out
    # Tiles of eight lanes at one instruction, each waiting for its own members only.
    tile_body = ["and.b32 %shift, %_t, 24;", "mov.b32 %members, 255;", "shl.b32 %members, %members, %shift;", "vote.sync.ballot.b32 %d, %a, %members;", "vote.sync.all.pred %p, %a, %members;"]
    write("warp/vote_sync", "vote.sync.mode d, {!}a, members", [
        Entry("tiles", "pred a", "b32 d, pred p", tile_body, rows, per_warp(tiles), group=32, whole=True, regs=".reg .b32 %shift, %members"),
        Entry("test", "pred a", outs, body(".sync", ", -1"), rows, per_warp(results), group=32, whole=True),
        Entry("parts", "pred a", "b32 d, pred p", part_body, rows, per_warp(parts), group=32, whole=True, regs=".reg .pred %big")])
    write("warp/vote", "vote.mode d, {!}a (PTX 6.3 and before)", [Entry("test", "pred a", outs, body("", ""), rows, per_warp(results), group=32, whole=True)],
          version="6.3", target="sm_60")


def matches():
    r = rng("match")
    entries_any, entries_all = [], []
    for t in ("b32", "b64"):
        base = r.getrandbits(BITS[t])
        warps = [[base] * 32, [base ^ k for k in range(32)], [base ^ k % 5 for k in range(32)], [base] * 31 + [base ^ 1 << BITS[t] - 1]]
        rows = [(v,) for w in warps for v in w]
        any_fn = per_warp(lambda warp: [sum(int(w == v) << k for k, (w,) in enumerate(warp)) for (v,) in warp])
        all_fn = per_warp(lambda warp: [((FULL, 1) if len({v for (v,) in warp}) == 1 else (0, 0))] * 32)
        draw = ["a oneof 1 2 3"]
        entries_any.append(Entry("test_" + t, t + " a", "b32 d", "match.any.sync.%s %%d, %%a, -1;" % t, rows, any_fn, group=32, whole=True, draw=draw))
        entries_all.append(Entry("test_" + t, t + " a", "b32 d, pred p", "match.all.sync.%s %%d|%%p, %%a, -1;" % t, rows, all_fn, group=32, whole=True, draw=["a same"]))
    body = ["setp.lt.u32 %low, %_t, 16;", "@%low match.any.sync.b32 %d, %a, 0x0000ffff;", "@!%low match.any.sync.b32 %d, %a, 0xffff0000;"]
    rows = [(r.randrange(3),) for _ in range(32)]
    part = per_warp(lambda warp: [sum(int(warp[j][0] == v) << j for j in range(k // 16 * 16, k // 16 * 16 + 16)) for k, (v,) in enumerate(warp)])
    entries_any.append(Entry("guarded", "b32 a", "b32 d", body, rows, part, group=32, whole=True, regs=".reg .pred %low", draw=["a oneof 1 2 3"]))
    write("warp/match_any", "match.any.sync.type d, a, members: the lanes with the same value", entries_any)
    write("warp/match_all", "match.all.sync.type d|p, a, members", entries_all)


def reductions():
    entries = []
    fns = {"add": lambda vs: sum(vs), "min": min, "max": max}
    def fold(op, vs):
        x = vs[0]
        for v in vs[1:]: x = {"and": x & v, "or": x | v, "xor": x ^ v}[op]
        return x
    for t, ops in (("u32", ["add", "min", "max"]), ("s32", ["add", "min", "max"]), ("b32", ["and", "or", "xor"])):
        rows = (cases("redux" + t, [t], 96) + [])[:96]
        def run(warp, t=t, ops=ops):
            vs = [number(t, v) for (v,) in warp]
            return [tuple(wrap(t, fns[o](vs) if o in fns else fold(o, vs)) for o in ops)] * 32
        def by_parts(warp, t=t, ops=ops):
            out = []
            for k in range(32):
                vs = [number(t, v) for j, (v,) in enumerate(warp) if (j < 7) == (k < 7)]
                out.append(wrap(t, fns[ops[0]](vs) if ops[0] in fns else fold(ops[0], vs)))
            return out
        entries.append(Entry("test_" + t, t + " a", ", ".join("%s d_%s" % (t, o) for o in ops), ["redux.sync.%s.%s %%d_%s, %%a, -1;" % (o, t, o) for o in ops], rows, per_warp(run),
                             group=32, whole=True))
        entries.append(Entry("parts_" + t, t + " a", t + " d", ["setp.lt.u32 %low, %_t, 7;", "@%%low redux.sync.%s.%s %%d, %%a, 0x7f;" % (ops[0], t),
                                                                "@!%%low redux.sync.%s.%s %%d, %%a, 0xffffff80;" % (ops[0], t)], rows[:32], per_warp(by_parts), group=32, whole=True,
                             regs=".reg .pred %low"))
    write("warp/redux", "redux.sync.op.type d, a, members", entries)


def active():
    body = ["activemask.b32 %all;", "mov.u32 %d, 0;", "setp.lt.u32 %low, %_t, 10;", "@%low bra few;", "activemask.b32 %d;", "bra done;", "few:", "activemask.b32 %d;", "done:",
            "bar.warp.sync -1;"]
    write("warp/activemask", "activemask.b32 d in both arms of a branch", [
        Entry("test", "u32 a", "b32 all, b32 d", body, [(k,) for k in range(32)], lambda rows: [(c, (FULL, 0x3FF if k < 10 else FULL ^ 0x3FF)) for k, c in enumerate(rows)],
              group=32, whole=True, regs=".reg .pred %low")])
    body = ["setp.lt.u32 %low, %_t, 16;", "mov.u32 %base, cells;", "mad.lo.u32 %at, %_t, 4, %base;", "@%low bra first;", "st.shared.u32 [%at], %a;", "bar.warp.sync 0xffff0000;", "xor.b32 %at, %at, 4;",
            "ld.shared.u32 %d, [%at];", "bra done;", "first:", "st.shared.u32 [%at], %a;", "bar.warp.sync 0x0000ffff;", "xor.b32 %at, %at, 8;", "ld.shared.u32 %d, [%at];", "done:", "bar.warp.sync -1;",
            "mad.lo.u32 %at, %_t, 4, %base;", "xor.b32 %at, %at, 64;", "ld.shared.u32 %e, [%at];"]
    r = rng("bws")
    rows = [(r.getrandbits(32),) for _ in range(32)]
    write("warp/bar_warp_sync", "bar.warp.sync members: shared memory written by the members is seen", [
        Entry("test", "u32 a", "u32 d, u32 e", body, rows, lambda rows: [(c, (rows[k ^ (2 if k < 16 else 1)][0], rows[k ^ 16][0])) for k, c in enumerate(rows)], group=32, whole=True,
              regs=".reg .pred %low; .reg .b32 %base, %at", variables=[".shared .align 128 .b8 cells[128];"])])


def generate():
    shuffles()
    votes()
    matches()
    reductions()
    active()
