"""Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions")."""
from .emit import BITS, Entry, write
from .values import cases, number, signed, wrap

ALL = ["u16", "u32", "u64", "s16", "s32", "s64"]
SIGNED = ["s16", "s32", "s64"]


def wide(t): return t[0] + str(2 * BITS[t])


def simple(name, text, types, fn, operands=2, result=None, count=40, title=None, draw=(), outs=None):
    """One entry per type: `text` has {t}; fn(t, numbers…) gives the result as an integer (wrapped here) or a marker."""
    entries = []
    names = "abc"[:operands]
    for t in types:
        r = result or t
        result_type = wide(t) if r == "wide" else r
        entries.append(Entry("test_" + t, ", ".join(t + " " + n for n in names), "%s d" % result_type,
                             "%s %%d, %s;" % (text.format(t=t), ", ".join("%" + n for n in names)),
                             cases(name + t, [t] * operands, count),
                             lambda *v, t=t, rt=result_type: as_bits(rt, fn(t, *[number(t, x) for x in v])), draw=draw))
    write("integer/" + name, title or text.replace("{t}", "type") + " d, " + ", ".join(names), entries)


def as_bits(t, v): return v if isinstance(v, str) else wrap(t, v)


def clamp(t, v):
    low, high = (-(1 << BITS[t] - 1), (1 << BITS[t] - 1) - 1) if t[0] == "s" else (0, (1 << BITS[t]) - 1)
    return min(max(v, low), high)


def truncated(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def arithmetic():
    simple("add", "add.{t}", ALL, lambda t, a, b: a + b)
    simple("sub", "sub.{t}", ALL, lambda t, a, b: a - b)
    simple("add_sat", "add.sat.{t}", ["s32"], lambda t, a, b: clamp(t, a + b), count=60)
    simple("sub_sat", "sub.sat.{t}", ["s32"], lambda t, a, b: clamp(t, a - b), count=60)
    simple("mul_lo", "mul.lo.{t}", ALL, lambda t, a, b: a * b)
    simple("mul_hi", "mul.hi.{t}", ALL, lambda t, a, b: a * b >> BITS[t])
    simple("mul_wide", "mul.wide.{t}", ["u16", "u32", "s16", "s32"], lambda t, a, b: a * b, result="wide")
    simple("mad_lo", "mad.lo.{t}", ALL, lambda t, a, b, c: a * b + c, 3)
    simple("mad_hi", "mad.hi.{t}", ALL, lambda t, a, b, c: (a * b >> BITS[t]) + c, 3)
    simple("mad_hi_sat", "mad.hi.sat.{t}", ["s32"], lambda t, a, b, c: clamp(t, (a * b >> 32) + c), 3, count=60)
    entries = []
    for t in ["u16", "u32", "s16", "s32"]:
        w = wide(t)
        entries.append(Entry("test_" + t, "%s a, %s b, %s c" % (t, t, w), w + " d", "mad.wide.%s %%d, %%a, %%b, %%c;" % t,
                             cases("mad_wide" + t, [t, t, w]),
                             lambda a, b, c, t=t, w=w: wrap(w, number(t, a) * number(t, b) + number(w, c))))
    write("integer/mad_wide", "mad.wide.type d, a, b, c", entries)
    # mul24 takes 24 bits of each operand: the low 24, as signed or unsigned; .hi are bits 16..47 of the 48-bit product.
    low24 = lambda t, v: signed(24, v) if t == "s32" else v & 0xFFFFFF
    two = ["u32", "s32"]
    simple("mul24_lo", "mul24.lo.{t}", two, lambda t, a, b: low24(t, a) * low24(t, b))
    simple("mul24_hi", "mul24.hi.{t}", two, lambda t, a, b: low24(t, a) * low24(t, b) >> 16)
    simple("mad24_lo", "mad24.lo.{t}", two, lambda t, a, b, c: low24(t, a) * low24(t, b) + c, 3)
    simple("mad24_hi", "mad24.hi.{t}", two, lambda t, a, b, c: (low24(t, a) * low24(t, b) >> 16) + c, 3)
    simple("mad24_hi_sat", "mad24.hi.sat.{t}", ["s32"], lambda t, a, b, c: clamp(t, (low24(t, a) * low24(t, b) >> 16) + c), 3)
    simple("sad", "sad.{t}", ALL, lambda t, a, b, c: c + abs(a - b), 3)
    # The manual leaves division by zero open: all ones on an H200 (data/measured/h200-ptx/division_by_zero.csv). INT_MIN / -1
    # is not representable.
    least = lambda t: -(1 << BITS[t] - 1)
    overflow = lambda t, a, b: t[0] == "s" and b == -1 and a == least(t)
    simple("div", "div.{t}", ALL, lambda t, a, b: -1 if b == 0 else "?" if overflow(t, a, b) else truncated(a, b), count=50)
    simple("rem", "rem.{t}", ALL, lambda t, a, b: -1 if b == 0 else "?" if overflow(t, a, b) else a - b * truncated(a, b), count=50)
    simple("abs", "abs.{t}", SIGNED, lambda t, a: abs(a), 1, count=24)
    simple("neg", "neg.{t}", SIGNED, lambda t, a: -a, 1, count=24)


def minmax():
    for name, pick in (("min", min), ("max", max)):
        simple(name, name + ".{t}", ALL, lambda t, a, b: pick(a, b))
        simple(name + "_relu", name + ".relu.{t}", ["s32"], lambda t, a, b: max(0, pick(a, b)))
        paired(name + "_x2", name + ".{t}", pick)
        paired(name + "_relu_x2", name + ".relu.{t}", lambda a, b: max(0, pick(a, b)), ["s16x2"])
    paired("add_x2", "add.{t}", lambda a, b: a + b)


def paired(name, text, fn, types=("u16x2", "s16x2")):
    """The low and the high half each for itself."""
    entries = []
    for t in types:
        half = t[:3]
        def both(a, b, half=half):
            lo = wrap("u16", fn(number(half, a & 0xFFFF), number(half, b & 0xFFFF)))
            return lo | wrap("u16", fn(number(half, a >> 16), number(half, b >> 16))) << 16
        pairs = [(a | c << 16, b | d << 16) for (a, b), (c, d) in zip(cases(name + t, [half, half], 40), cases("+" + name + t, [half, half], 40))]
        entries.append(Entry("test_" + t, "%s a, %s b" % (t, t), t + " d", text.format(t=t) + " %d, %a, %b;", pairs, both))
    write("integer/" + name, text.replace("{t}", "type") + " d, a, b", entries)


def find_leading(t, a):
    a = -a - 1 if a < 0 else a
    return a.bit_length() - 1 if a else 0xFFFFFFFF


def shift_left_amount(t, a):
    at = find_leading(t, a)
    return at if at == 0xFFFFFFFF else BITS[t] - 1 - at


def extract(t, a, b, c):
    """bfe after the manual's pseudocode; of pos and len the manual keeps 8 bits, an H200 does so for 32-bit values only."""
    msb = 31 if BITS[t] == 32 else 63
    pos, length = (b & 0xFF, c & 0xFF) if msb == 31 else (b, c)
    sbit = 0 if t[0] == "u" or length == 0 else a >> min(pos + length - 1, msb) & 1
    d = 0
    for i in range(msb + 1):
        bit = a >> (pos + i) & 1 if i < length and pos + i <= msb else sbit
        d |= bit << i
    return d


def insert(t, a, b, c, e):
    msb = BITS[t] - 1
    pos, length, f = (c & 0xFF, e & 0xFF, b) if msb == 31 else (c, e, b)
    i = 0
    while i < length and pos + i <= msb:
        f = f & ~(1 << (pos + i)) | (a >> i & 1) << (pos + i)
        i += 1
    return f


def nth_set(mask, base, offset):
    """fns after the manual's pseudocode."""
    if offset == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    pos, count, inc = base, abs(offset) - 1, 1 if offset > 0 else -1
    while 0 <= pos < 32:
        if mask >> pos & 1:
            if count == 0: return pos
            count -= 1
        pos += inc
    return 0xFFFFFFFF


AMOUNTS = [0, 1, 5, 16, 31, 32, 33, 40, 63, 64, 65, 100, 255, 256, 0x105, 0xFFFFFFFF]


def with_amounts(name, types, places, count=60, amounts=AMOUNTS):
    """Cases whose operands at `places` are small amounts."""
    from .values import of, rng
    r = rng(name)
    base = cases(name, types, count)
    return [tuple(r.choice(amounts) if k in places and (n % 4 or v > 1 << 16) else v for k, v in enumerate(case)) for n, case in enumerate(base)]


def bits():
    simple("popc", "popc.{t}", ["b32", "b64"], lambda t, a: bin(a).count("1"), 1, "u32", 24)
    simple("clz", "clz.{t}", ["b32", "b64"], lambda t, a: BITS[t] - a.bit_length(), 1, "u32", 24)
    four = ["u32", "u64", "s32", "s64"]
    simple("bfind", "bfind.{t}", four, find_leading, 1, "u32", 30)
    simple("bfind_shiftamt", "bfind.shiftamt.{t}", four, shift_left_amount, 1, "u32", 30)
    simple("brev", "brev.{t}", ["b32", "b64"], lambda t, a: int(format(a, "0%db" % BITS[t])[::-1], 2), 1, count=24)
    write("integer/bfe", "bfe.type d, a, b, c: c bits of a from position b", [
        Entry("test_" + t, t + " a, u32 b, u32 c", t + " d", "bfe.%s %%d, %%a, %%b, %%c;" % t, with_amounts("bfe" + t, [t, "u32", "u32"], (1, 2), 100),
              lambda a, b, c, t=t: extract(t, a, b, c), draw=["b range 0 300", "c range 0 300"]) for t in four])
    write("integer/bfi", "bfi.type f, a, b, c, d: the low d bits of a put into b at c", [
        Entry("test_" + t, "%s a, %s b, u32 c, u32 e" % (t, t), t + " d", "bfi.%s %%d, %%a, %%b, %%c, %%e;" % t,
              with_amounts("bfi" + t, [t, t, "u32", "u32"], (2, 3), 80), lambda a, b, c, e, t=t: insert(t, a, b, c, e),
              draw=["c range 0 300", "e range 0 300"]) for t in ["b32", "b64"]])
    masks = [0, 1, 0x80000000, 0xFFFFFFFF, 0xAAAAAAAA, 0x00F0F000, 0x80000001]
    write("integer/fns", "fns.b32 d, mask, base, offset (base outside 0..31: open)", [
        Entry("test", "b32 mask, b32 base, s32 offset", "b32 d", "fns.b32 %d, %mask, %base, %offset;",
              [(m, b, o & 0xFFFFFFFF) for m in masks for b in (0, 7, 31) for o in (0, 1, 2, -1, -2, 32)] + [(0x12345678, 15, 4), (0x12345678, 15, 0xFFFFFFFC)],
              lambda m, b, o: nth_set(m, b, signed(32, o)), draw=["base range 0 31", "offset range -33 33"])])
    edges_of = {"clamp": lambda v: min(v, 32), "wrap": lambda v: v & 31}
    def extend(t, n, a):
        if n == 0: return 0
        field = a & ((1 << n) - 1)
        return wrap("u32", signed(n, field)) if t == "s32" else field
    entries = []
    for t in ("u32", "s32"):
        for edge, limit in edges_of.items():
            entries.append(Entry("test_%s_%s" % (edge, t), t + " a, u32 b", t + " d", "szext.%s.%s %%d, %%a, %%b;" % (edge, t),
                                 with_amounts("szext" + edge + t, [t, "u32"], (1,), 60), lambda a, b, t=t, limit=limit: extend(t, limit(b), a),
                                 draw=["b range 0 70"]))
    write("integer/szext", "szext.mode.type d, a, b: sign- or zero-extends a from bit b", entries)
    entries = []
    for edge, limit in edges_of.items():
        entries.append(Entry("test_" + edge, "u32 a, u32 b", "b32 d", "bmsk.%s.b32 %%d, %%a, %%b;" % edge,
                             [(a, b) for a in AMOUNTS[:10] for b in AMOUNTS[:10:2] + [0xFFFFFFFF]],
                             lambda a, b, limit=limit: ((1 << limit(b)) - 1 << limit(a)) & 0xFFFFFFFF, draw=["a range 0 70", "b range 0 70"]))
    write("integer/bmsk", "bmsk.mode.b32 d, a, b: b ones from position a", entries)


def dot_products():
    def elements(v, width, sign):
        parts = [v >> i & ((1 << width) - 1) for i in range(0, 32, width)]
        return [signed(width, p) if sign == "s32" else p for p in parts]
    def entry(name, ta, tb, text, fn):
        return Entry("test_%s_%s" % (ta, tb), "b32 a, b32 b, b32 c", "b32 d", text.format(ta=ta, tb=tb) + " %d, %a, %b, %c;",
                     cases(name + ta + tb, ["b32"] * 3, 40), fn)
    pairs = [(x, y) for x in ("u32", "s32") for y in ("u32", "s32")]
    write("integer/dp4a", "dp4a.atype.btype d, a, b, c: c + the dot product of 4 bytes", [
        entry("dp4a", ta, tb, "dp4a.{ta}.{tb}", lambda a, b, c, ta=ta, tb=tb:
              (c + sum(x * y for x, y in zip(elements(a, 8, ta), elements(b, 8, tb)))) & 0xFFFFFFFF) for ta, tb in pairs])
    for part, at in (("lo", 0), ("hi", 2)):
        write("integer/dp2a_" + part, "dp2a.%s.atype.btype d, a, b, c: c + 2 halves of a times 2 bytes of b" % part, [
            entry("dp2a" + part, ta, tb, "dp2a." + part + ".{ta}.{tb}", lambda a, b, c, ta=ta, tb=tb, at=at:
                  (c + sum(x * y for x, y in zip(elements(a, 16, ta), elements(b, 8, tb)[at:]))) & 0xFFFFFFFF) for ta, tb in pairs])


def generate():
    arithmetic()
    minmax()
    bits()
    dot_products()
