"""Conversions (PTX ISA, "cvt"): integers, floats, packed."""
from fractions import Fraction

from . import floats
from .emit import BITS, Entry, write
from .floats import F16, BF16, F32, F64, FORMATS
from .values import cases, integers, number, wrap

INTS = ["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"]
ROUNDINGS = ["rn", "rz", "rm", "rp"]


def held(t): return {"u8": "u16", "s8": "s16"}.get(t, t)   # 8-bit values live in 16-bit registers
def held_raw(t): return "b16" if BITS[t] == 8 else t        # of which the low 8 bits count
def low(t): return -(1 << BITS[t] - 1) if t[0] == "s" else 0
def high(t): return (1 << BITS[t] - (t[0] == "s")) - 1
def clamp(t, v): return min(max(v, low(t)), high(t))


def between_integers():
    for sat in ("", ".sat"):
        entries = []
        for a in INTS:
            # .sat exists only where the destination cannot hold every value.
            types = [d for d in INTS if not sat or low(a) < low(d) or high(a) > high(d)]
            def all_types(v, a=a, sat=sat, types=types):
                x = number(a, v & ((1 << BITS[a]) - 1))
                return tuple(wrap(held(d), number(d, wrap(d, clamp(d, x) if sat else x))) for d in types)
            entries.append(Entry("test_" + a, held_raw(a) + " a", ", ".join("%s d_%s" % (held(d), d) for d in types),
                                 ["cvt%s.%s.%s %%d_%s, %%a;" % (sat, d, a, d) for d in types], cases("cvt" + sat + a, [held_raw(a)], 30), all_types))
        write("conversion/cvt_int" + sat.replace(".", "_"), "cvt%s.dtype.atype: an output per destination type" % sat, entries)


def to_float():
    for d in ("f16", "bf16", "f32", "f64"):
        f = FORMATS[d]
        entries = []
        for a in INTS:
            if d == "bf16" and BITS[a] == 8: continue  # there is none
            extra = [(wrap(a, v + o),) for v in (1 << 8, 1 << 11, 1 << 24, 1 << 25, (1 << 24) + (1 << 23), 1 << 53, 1 << 54, 65504, 65520, 1 << 62) for o in (-1, 0, 1, 2)
                     if v < 1 << BITS[a] - 1]
            variants = [(m, m, False) for m in ROUNDINGS] + ([("rn_sat", "rn.sat", True)] if d != "bf16" else [])
            def run(v, a=a, f=f, variants=variants):
                x = Fraction(number(a, v & ((1 << BITS[a]) - 1)))
                return tuple(floats.finish(f, floats.encode(f, x, m[:2]), False, s) for _, m, s in variants)
            entries.append(Entry("test_" + a, held_raw(a) + " a", ", ".join("%s %s" % (d, n) for n, _, _ in variants),
                                 ["cvt.%s.%s.%s %%%s, %%a;" % (m, d, a, n) for n, m, _ in variants],
                                 list(dict.fromkeys(cases("tofp" + d + a, [held_raw(a)], 30) + extra)), run))
        write("conversion/cvt_int_to_" + d, "cvt.rnd{.sat}.%s.atype d, a" % d, entries)


def boundary_floats(f, d):
    """Around the limits of the integer type, and halves."""
    out = []
    for v in (low(d), high(d), 0, 1, 2, -1):
        for o in (Fraction(-1), Fraction(-1, 2), Fraction(-1, 4), 0, Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), 1):
            out.append((floats.encode(f, v + o, "rz"),))
    return out


def nan_to_integer(f, d):
    """Zero, if the source is not f64 and the destination not of 64 bits; else the bit of the destination's sign."""
    return 0 if f is not F64 and BITS[d] < 64 else 1 << BITS[d] - 1


def to_integer():
    for a in ("f16", "bf16", "f32", "f64"):
        f = FORMATS[a]
        entries = []
        for d in INTS:
            if a == "bf16" and BITS[d] == 8: continue  # there is none
            variants = [(m, m + "i", False) for m in ROUNDINGS]
            if a == "f32": variants += [("ftz", "rpi.ftz", True), ("sat", "rmi.sat", False)]
            def run(v, d=d, f=f, variants=variants):
                out = []
                for _, m, ftz in variants:
                    w = floats.flush(f, v) if ftz else v
                    if floats.is_nan(f, w): r = nan_to_integer(f, d)
                    elif floats.is_inf(f, w): r = low(d) if floats.negative(f, w) else high(d)
                    else:
                        x = floats.value(f, w)
                        n = floats.round_integer(abs(x), m[:2], x < 0)
                        r = clamp(d, -n if x < 0 else n)
                    out.append(wrap(held(d), number(d, wrap(d, r))))
                return tuple(out)
            entries.append(Entry("test_" + d, a + " a", ", ".join("%s %s" % (held(d), n) for n, _, _ in variants),
                                 ["cvt.%s.%s.%s %%%s, %%a;" % (m, d, a, n) for n, m, _ in variants],
                                 list(dict.fromkeys(cases("toint" + a + d, [a], 26) + boundary_floats(f, d))), run))
        write("conversion/cvt_%s_to_int" % a, "cvt.irnd{.ftz}{.sat}.dtype.%s d, a: clamps to the range; NaN: 0, or the sign's bit for 64-bit types" % a, entries)


def halves_between(frm, to):
    """Numbers of the wider format halfway between two of the narrower, and at its limits."""
    out = []
    for base in (to.one, to.one + 1, 0, 1, to.min_normal - 1, to.min_normal, to.max, to.sign | to.max, to.sign | to.one | 1, to.sign | 1):
        v = floats.value(to, base)
        up = floats.value(to, base + 1) if (base & ~to.sign) != to.max else v + (v - floats.value(to, base - 1))
        for w in ((v + up) / 2, v + (up - v) / 4, v + (up - v) * 3 / 4, v, up):
            out.append((floats.encode(frm, w, "rz", bool(base & to.sign)),))
    return out


def kept_nan(frm, to, v):
    """NaN to a narrower type, or to f32, as an H200 does it (the manual leaves payloads open): from f64 the sign and the top of the payload
    stay and the NaN becomes quiet; from bf16 to f32 all bits stay; every other one is canonical."""
    if frm is F64: return (to.sign if v & frm.sign else 0) | to.inf | 1 << to.mbits - 1 | v >> frm.mbits - to.mbits & (1 << to.mbits) - 1
    if frm is BF16 and to is F32: return v << 16
    return None


def between_floats():
    """Narrowing takes a rounding, widening none."""
    narrowing = [("f32", "f16"), ("f32", "bf16"), ("f64", "f16"), ("f64", "bf16"), ("f64", "f32"), ("f16", "bf16"), ("bf16", "f16")]
    widening = [("f16", "f32"), ("bf16", "f32"), ("f16", "f64"), ("bf16", "f64"), ("f32", "f64")]
    entries = []
    for a, d in narrowing:
        frm, to = FORMATS[a], FORMATS[d]
        variants = [(m, m, m, "") for m in ROUNDINGS]
        if a == "f32": variants += [("relu", "rn.relu", "rn", "relu"), ("rz_relu", "rz.relu", "rz", "relu")]
        if (a, d) == ("f64", "f32"): variants += [("ftz", "rn.ftz", "rn", "ftz"), ("sat", "rn.sat", "rn", "sat")]
        if (a, d) == ("f32", "f16"): variants += [("ftz", "rn.ftz", "rn", "ftz"), ("sat", "rn.sat", "rn", "sat")]
        def run(v, frm=frm, to=to, variants=variants):
            out = []
            for _, _, mode, what in variants:
                r = floats.convert(to, frm, floats.flush(frm, v) if what == "ftz" and frm is F32 else v, mode)
                if what == "relu" and r is not None and floats.negative(to, r): r = 0
                if r is None and what != "sat": r = kept_nan(frm, to, v)
                out.append(floats.finish(to, r, what == "ftz" and to is F32, what == "sat"))
            return tuple(out)
        entries.append(Entry("test_%s_%s" % (d, a), a + " a", ", ".join("%s %s" % (d, v[0]) for v in variants),
                             ["cvt.%s.%s.%s %%%s, %%a;" % (m, d, a, n) for n, m, _, _ in variants],
                             list(dict.fromkeys(cases("narrow" + a + d, [a], 40) + halves_between(frm, to) + [(frm.inf | k << frm.mbits - 5,) for k in (3, 21)])) if frm.mbits > to.mbits
                             else cases("narrow" + a + d, [a], 60), run))
    write("conversion/cvt_narrow", "cvt.rnd{.relu}{.ftz}{.sat}.dtype.atype between floating types, one rounding", entries)
    entries = []
    for a, d in widening:
        frm, to = FORMATS[a], FORMATS[d]
        variants = [("d", "", "")]
        if d == "f32" and a == "f16": variants += [("ftz", ".ftz", "ftz"), ("sat", ".sat", "sat")]
        if a == "f32": variants += [("ftz", ".ftz", "ftz"), ("sat", ".sat", "sat")]
        def run(v, frm=frm, to=to, variants=variants):
            if floats.is_nan(frm, v) and kept_nan(frm, to, v) is not None: return (kept_nan(frm, to, v),) * len(variants)
            return tuple(floats.finish(to, floats.convert(to, frm, floats.flush(frm, v) if w == "ftz" and frm is F32 else v), False, w == "sat") for _, _, w in variants)
        entries.append(Entry("test_%s_%s" % (d, a), a + " a", ", ".join("%s %s" % (d, v[0]) for v in variants),
                             ["cvt%s.%s.%s %%%s, %%a;" % (m, d, a, n) for n, m, _ in variants], cases("widen" + a + d, [a], 40), run))
    write("conversion/cvt_widen", "cvt{.ftz}{.sat}.dtype.atype to a wider floating type: exact", entries)
    entries = []
    for a in ("f16", "f32", "f64"):
        f = FORMATS[a]
        variants = [(m, m + "i", "") for m in ROUNDINGS] + [("sat", "rni.sat", "sat")] + ([("ftz", "rpi.ftz", "ftz")] if a == "f32" else [])
        def run(v, f=f, variants=variants):
            out = []
            for _, m, w in variants:
                r = floats.to_integral(f, floats.flush(f, v) if w == "ftz" else v, m[:2])
                out.append(floats.finish(f, r, False, w == "sat"))
            return tuple(out)
        entries.append(Entry("test_" + a, a + " a", ", ".join("%s %s" % (a, n) for n, _, _ in variants),
                             ["cvt.%s.%s.%s %%%s, %%a;" % (m, a, a, n) for n, m, _ in variants],
                             list(dict.fromkeys(cases("integral" + a, [a], 40) + boundary_floats(f, "s16"))), run))
    write("conversion/cvt_integral", "cvt.irnd{.ftz}{.sat}.type.type d, a: to an integral value", entries)


def packed():
    pair_inputs = lambda name, to: [(a, b) for (a,), (b,) in zip(cases(name, ["f32"], 40) + halves_between(F32, to)[:10], reversed(cases(name + "b", ["f32"], 40) + halves_between(F32, to)[10:20]))]
    for d, f in (("f16x2", F16), ("bf16x2", BF16)):
        variants = [("rn", "rn", False), ("rz", "rz", False), ("rn_relu", "rn.relu", True), ("rz_relu", "rz.relu", True)]
        def one(v, mode, relu, f=f):
            r = floats.convert(f, F32, v, mode)
            return floats.finish(f, 0 if relu and r is not None and floats.negative(f, r) else r)
        write("conversion/cvt_" + d, "cvt.rnd{.relu}.%s.f32 d, a, b: a is the upper half" % d, [
            Entry("test", "f32 a, f32 b", ", ".join("%s %s" % (d, v[0]) for v in variants), ["cvt.%s.%s.f32 %%%s, %%a, %%b;" % (m, d, n) for n, m, _ in variants],
                  pair_inputs("pack" + d, f), lambda a, b, one=one: tuple(one(a, m[:2], r) << 16 | one(b, m[:2], r) for _, m, r in variants))])
    def tf32(v, mode, relu):
        if floats.is_nan(F32, v): return "?"
        if relu and floats.negative(F32, v): return 0
        if floats.is_inf(F32, v): return v
        magnitude = v & 0x7FFFFFFF
        q = floats.round_integer(Fraction(magnitude, 1 << 13), mode, False) << 13
        return v & 0x80000000 | q
    variants = [("rna", "rna", False), ("rn", "rn", False), ("rz", "rz", False), ("rn_relu", "rn.relu", True), ("rz_relu", "rz.relu", True)]
    write("conversion/cvt_tf32", "cvt.rnd{.relu}.tf32.f32 d, a: 10 bits of mantissa", [
        Entry("test", "f32 a", ", ".join("b32 " + v[0] for v in variants), ["cvt.%s.tf32.f32 %%%s, %%a;" % (m, n) for n, m, _ in variants],
              cases("tf32", ["f32"], 40) + [(0x3F801000,), (0x3F803000,), (0x3F800FFF,), (0x3F801001,), (0xBF801000,), (0x7F7FF000,), (0x7F7FE000,), (0x00001000,)],
              lambda a: tuple(tf32(a, m.split(".")[0], r) for _, m, r in variants), draw=["a finite"])])
    some = cases("cvtpack", ["s32", "s32"], 24) + [(wrap("s32", v), wrap("s32", w)) for v, w in [(127, -128), (128, -129), (255, -1), (256, 300), (32767, -32768), (32768, -32769), (65535, 65536)]]
    write("conversion/cvt_pack", "cvt.pack.sat.type.s32 d, a, b: a is the upper half", [
        Entry("test_" + t, "s32 a, s32 b", "b32 d", "cvt.pack.sat.%s.s32 %%d, %%a, %%b;" % t, some,
              lambda a, b, t=t: wrap(t, clamp(t, number("s32", a))) << 16 | wrap(t, clamp(t, number("s32", b)))) for t in ("u16", "s16")])
    write("conversion/cvt_pack_c", "cvt.pack.sat.type.s32.b32 d, a, b, c: c shifted up by two elements, a, b", [
        Entry("test_" + t, "s32 a, s32 b, b32 c", "b32 d", "cvt.pack.sat.%s.s32.b32 %%d, %%a, %%b, %%c;" % t, [(a, b, 0x12345678 * (k + 1) & 0xFFFFFFFF) for k, (a, b) in enumerate(some)],
              lambda a, b, c, t=t: (c << 16 | wrap(t, clamp(t, number("s32", a))) << 8 | wrap(t, clamp(t, number("s32", b)))) & 0xFFFFFFFF) for t in ("u8", "s8")])


def moves():
    types = ["pred", "b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"]
    write("conversion/mov", "mov.type d, a: bits, NaN payloads included", [
        Entry("test_" + t, t + " a", t + " d", "mov.%s %%d, %%a;" % t, cases("mov" + t, [t], 16), lambda a: a) for t in types])
    parts = [("b32", "b16", 2), ("b64", "b32", 2), ("b64", "b16", 4)]
    entries = []
    for whole, part, n in parts:
        names = ["e%d" % k for k in range(n)]
        entries.append(Entry("pack_%s_%d" % (whole, n), ", ".join("%s %s" % (part, e) for e in names), whole + " d",
                             "mov.%s %%d, {%s};" % (whole, ", ".join("%" + e for e in names)), cases("pack" + whole + part, [part] * n, 16),
                             lambda *v, part=part: sum(x << BITS[part] * k for k, x in enumerate(v))))
        entries.append(Entry("unpack_%s_%d" % (whole, n), whole + " a", ", ".join("%s %s" % (part, e) for e in names),
                             "mov.%s {%s}, %%a;" % (whole, ", ".join("%" + e for e in names)), cases("unpack" + whole + part, [whole], 16),
                             lambda a, part=part, n=n: tuple(a >> BITS[part] * k & (1 << BITS[part]) - 1 for k in range(n))))
    entries.append(Entry("through_b128", "b64 a, b64 b", "b64 lo, b64 hi", ["mov.b128 %w, {%a, %b};", "mov.b128 {%hi, %lo}, %w;"],
                         cases("b128", ["b64", "b64"], 12), lambda a, b: (b, a), regs=".reg .b128 %w"))
    entries.append(Entry("sink", "b32 a", "b16 hi", "mov.b32 {_, %hi}, %a;", cases("sink", ["b32"], 12), lambda a: a >> 16))
    write("conversion/mov_pack", "mov.type between a register and a brace list: the first element is the lowest", entries)


def generate():
    between_integers()
    to_float()
    to_integer()
    between_floats()
    packed()
    moves()
