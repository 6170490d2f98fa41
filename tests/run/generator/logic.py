"""Logic and shifts (PTX ISA, "Logic and Shift Instructions"), prmt included."""
from .emit import BITS, Entry, write
from .integer import with_amounts
from .values import cases, number, rng, wrap

THREE = ["b16", "b32", "b64"]


def table(lut, a, b, c):
    """lop3: bit i of the result is entry (a_i, b_i, c_i) of the table."""
    r = 0
    for i in range(32):
        r |= (lut >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1) & 1) << i
    return r


def shift(t, a, n, left):
    width = BITS[t]
    if left: return wrap(t, a << min(n, width))
    return wrap(t, number(t, a) >> min(n, width))


def logic():
    for name, fn in (("and", lambda a, b: a & b), ("or", lambda a, b: a | b), ("xor", lambda a, b: a ^ b)):
        write("logic/" + name, name + ".type d, a, b", [
            Entry("test_" + t, "%s a, %s b" % (t, t), t + " d", "%s.%s %%d, %%a, %%b;" % (name, t), cases(name + t, [t, t], 24), fn)
            for t in ["pred"] + THREE])
    write("logic/not", "not.type d, a", [
        Entry("test_" + t, t + " a", t + " d", "not.%s %%d, %%a;" % t, cases("not" + t, [t], 14), lambda a, t=t: 1 - a if t == "pred" else wrap(t, ~a))
        for t in ["pred"] + THREE])
    write("logic/cnot", "cnot.type d, a", [
        Entry("test_" + t, t + " a", t + " d", "cnot.%s %%d, %%a;" % t, cases("cnot" + t, [t], 14), lambda a: int(a == 0)) for t in THREE])
    luts = [0x00, 0x01, 0x80, 0x96, 0xE8, 0xCA, 0x1B, 0xFE, 0xFF, 0x6A]
    outs = ", ".join("b32 d%02x" % l for l in luts)
    write("logic/lop3", "lop3.b32 d, a, b, c, lut: one output per table", [
        Entry("test", "b32 a, b32 b, b32 c", outs, ["lop3.b32 %%d%02x, %%a, %%b, %%c, 0x%02x;" % (l, l) for l in luts],
              cases("lop3", ["b32"] * 3, 24), lambda a, b, c: tuple(table(l, a, b, c) for l in luts))])
    entries = []
    for op, fn in (("and", lambda r, q: r and q), ("or", lambda r, q: r or q)):
        for negate in ("", "!"):
            for l in (0x80, 0x96):
                entries.append(Entry("test_%s_%02x%s" % (op, l, "_not" if negate else ""), "b32 a, b32 b, b32 c, pred q", "b32 d, pred p",
                                     "lop3.%s.b32 %%d|%%p, %%a, %%b, %%c, 0x%02x, %s%%q;" % (op, l, negate),
                                     [(a, b, c, q) for a, b, c in [(0, 0, 0), (5, 3, 7), (0xF0, 0x0F, 0xFF), (0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF)] for q in (0, 1)],
                                     lambda a, b, c, q, l=l, fn=fn, negate=negate:
                                     (table(l, a, b, c), int(fn(table(l, a, b, c) != 0, bool(q) != bool(negate))))))
    write("logic/lop3_bool", "lop3.BoolOp.b32 d|p, a, b, c, lut, q: p = (d != 0) BoolOp q", entries, version="8.3")


def shifts():
    write("logic/shl", "shl.type d, a, b: amounts of the width or more give 0", [
        Entry("test_" + t, t + " a, u32 b", t + " d", "shl.%s %%d, %%a, %%b;" % t, with_amounts("shl" + t, [t, "u32"], (1,), 50),
              lambda a, b, t=t: shift(t, a, b, True), draw=["b range 0 70"]) for t in THREE])
    types = THREE + ["u16", "u32", "u64", "s16", "s32", "s64"]
    write("logic/shr", "shr.type d, a, b: amounts of the width or more give 0, or copies of the sign", [
        Entry("test_" + t, t + " a, u32 b", t + " d", "shr.%s %%d, %%a, %%b;" % t, with_amounts("shr" + t, [t, "u32"], (1,), 50),
              lambda a, b, t=t: shift(t, a, b, False), draw=["b range 0 70"]) for t in types])
    limit = {"clamp": lambda c: min(c, 32), "wrap": lambda c: c & 31}
    for side in "lr":
        entries = []
        for edge in ("clamp", "wrap"):
            def funnel(a, b, c, edge=edge, side=side):
                n = limit[edge](c)
                both = b << 32 | a
                return (both << n >> 32 if side == "l" else both >> n) & 0xFFFFFFFF
            entries.append(Entry("test_" + edge, "b32 a, b32 b, u32 c", "b32 d", "shf.%s.%s.b32 %%d, %%a, %%b, %%c;" % (side, edge),
                                 with_amounts("shf" + side + edge, ["b32", "b32", "u32"], (2,), 60), funnel, draw=["c range 0 70"]))
        write("logic/shf_" + side, "shf.%s.mode.b32 d, a, b, c: b:a shifted by c, the %s word" % (side, "upper" if side == "l" else "lower"), entries)


def select(a, b, selector):
    pool = [(b << 32 | a) >> 8 * i & 0xFF for i in range(8)]
    d = 0
    for i in range(4):
        s = selector >> 4 * i & 0xF
        byte = pool[s & 7]
        if s & 8: byte = 0xFF if byte & 0x80 else 0
        d |= byte << 8 * i
    return d


MODES = {"f4e": [(3, 2, 1, 0), (4, 3, 2, 1), (5, 4, 3, 2), (6, 5, 4, 3)], "b4e": [(5, 6, 7, 0), (6, 7, 0, 1), (7, 0, 1, 2), (0, 1, 2, 3)],
         "rc8": [(0,) * 4, (1,) * 4, (2,) * 4, (3,) * 4], "ecl": [(3, 2, 1, 0), (3, 2, 1, 1), (3, 2, 2, 2), (3, 3, 3, 3)],
         "ecr": [(0, 0, 0, 0), (1, 1, 1, 0), (2, 2, 1, 0), (3, 2, 1, 0)], "rc16": [(1, 0, 1, 0), (3, 2, 3, 2), (1, 0, 1, 0), (3, 2, 3, 2)]}


def permutes():
    r = rng("prmt")
    selectors = [0x3210, 0x7654, 0x0123, 0x8888, 0xFEDC, 0xBA98, 0x4444, 0x10000, 0xFFFF3210] + [r.getrandbits(16) for _ in range(20)]
    write("logic/prmt", "prmt.b32 d, a, b, c: four bytes of b:a; bit 3 of a selector copies the byte's sign", [
        Entry("test", "b32 a, b32 b, b32 c", "b32 d", "prmt.b32 %d, %a, %b, %c;",
              [(r.getrandbits(32), r.getrandbits(32), s) for s in selectors] + [(0x03020100, 0x07060504, s) for s in selectors[:9]], select)])
    write("logic/prmt_mode", "prmt.b32.mode d, a, b, c: the manual's table (bytes from the most significant), c[1:0]", [
        Entry("test_" + m, "b32 a, b32 b, b32 c", "b32 d", "prmt.b32.%s %%d, %%a, %%b, %%c;" % m,
              [(0x03020100, 0x07060504, c) for c in (0, 1, 2, 3, 4, 7, 0xFFFFFFFE)],
              lambda a, b, c, rows=rows: sum(((b << 32 | a) >> 8 * s & 0xFF) << 8 * (3 - i)
                                             for i, s in enumerate(rows[c & 3]))) for m, rows in MODES.items()])


def generate():
    logic()
    shifts()
    permutes()
