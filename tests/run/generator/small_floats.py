"""4- and 6-bit floats and scales (PTX ISA, "cvt"; OCP Microscaling Formats): the nearest of all values, by looking at each of them."""
from fractions import Fraction

from .emit import Entry, write
from .floats import BF16, F16, F32, encode, is_inf, is_nan, negative, value
from .values import cases

FORMATS = {"e2m1": (2, 1), "e2m3": (2, 3), "e3m2": (3, 2)}


def table(name):
    """The values of all codes without a sign."""
    e, m = FORMATS[name]
    bias = 2 ** (e - 1) - 1
    return [Fraction(c % 2**m, 2**m) * Fraction(2) ** (1 - bias) if c >> m == 0 else (1 + Fraction(c % 2**m, 2**m)) * Fraction(2) ** ((c >> m) - bias) for c in range(2 ** (e + m))]


def narrow(name, v, relu):
    values = table(name)
    if is_nan(F32, v): return len(values) - 1
    if relu and negative(F32, v): return 0
    sign = len(values) if negative(F32, v) else 0
    if is_inf(F32, v): return sign | len(values) - 1
    x = abs(value(F32, v))
    return sign | min(range(len(values)), key=lambda c: (abs(values[c] - x), c & 1))


def interesting(name):
    values = table(name)
    middles = [(a + b) / 2 for a, b in zip(values, values[1:])]
    some = [encode(F32, x * (1 + s * Fraction(1, 4096))) for x in values + middles for s in (-1, 0, 1)]
    some = [v | (F32.sign if k % 3 == 0 else 0) for k, v in enumerate(some)] + [v for (v,) in cases("small" + name, ["f32"], 40)]
    return some + [0] * (len(some) % 2)


def scale(v, mode, finite):
    """Power of two at or above (.rp) or at or below (.rz) the magnitude, as its exponent plus 127."""
    if is_nan(F32, v): return 0xFF
    if is_inf(F32, v): return 0xFE if finite else 0xFF
    x = abs(value(F32, v))
    if mode == "rz": return max([c for c in range(255) if Fraction(2) ** (c - 127) <= x], default=0)
    fit = [c for c in range(255) if Fraction(2) ** (c - 127) >= x]
    return fit[0] if fit else (0xFE if finite else 0xFF)


NARROW = ".reg .b8 %n1, %n2"


def through(name, body, back=False):
    """e2m1x2 takes registers of 8 bits, which only mov and cvt reach."""
    if name != "e2m1": return body
    if back: return ["cvt.u8.u16 %n1, %a;"] + [b.replace("%a", "%n1") for b in body]
    return [body[0].replace("%d", "%n1"), body[1].replace("%relu", "%n2"), "cvt.u16.u8 %d, %n1;", "cvt.u16.u8 %relu, %n2;"]


def generate():
    entries, back = [], []
    for name in FORMATS:
        t, shift = ("b8", 4) if name == "e2m1" else ("b16", 8)
        some = interesting(name)
        entries.append(Entry("test_" + name, "f32 a, f32 b", "%s d, %s relu" % (t, t), through(name, ["cvt.rn.satfinite.%sx2.f32 %%d, %%a, %%b;" % name, "cvt.rn.satfinite.relu.%sx2.f32 %%relu, %%a, %%b;" % name]),
                             list(zip(some[::2], some[1::2])), regs=NARROW, fn=lambda a, b, name=name, shift=shift: tuple(narrow(name, a, r) << shift | narrow(name, b, r) for r in (False, True))))
        values = table(name)
        def wide(c, relu, values=values):
            if c & len(values): return 0 if relu else encode(F16, values[c % len(values)], "rn") | F16.sign
            return encode(F16, values[c], "rn")
        count = 2 * len(values)
        back.append(Entry("test_" + name, t + " a", "f16x2 d, f16x2 relu", through(name, ["cvt.rn.f16x2.%sx2 %%d, %%a;" % name, "cvt.rn.relu.f16x2.%sx2 %%relu, %%a;" % name], True),
                          [c << shift | (c * 5 + 1) % count for c in range(count)], regs=NARROW, fn=lambda a, shift=shift, wide=wide: tuple(wide(a >> shift, r) << 16 | wide(a & (1 << shift) - 1, r) for r in (False, True))))
    write("conversion/cvt_fp6_fp4", "cvt.rn.satfinite{.relu} to e2m1x2, e2m3x2, e3m2x2: every value, what lies between, and a hair beside", entries, version="8.6", target="sm_100a")
    write("conversion/cvt_from_fp6_fp4", "cvt.rn{.relu}.f16x2 from e2m1x2, e2m3x2, e3m2x2: every code", back, version="8.6", target="sm_100a")
    edges = [0, 1, 0x400000, 0x400001, 0x3FFFFF, 0x7FFFFF, 0x800000, 0x800001, 0x3F800000, 0x3F800001, 0xBF800000, 0xC0400000, 0x7F000000, 0x7F000001, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000]
    some = edges + [v for (v,) in cases("scales", ["f32"], 60)]
    some += [0] * (len(some) % 2)
    variants = [("rz", "rz", False), ("rp", "rp", False), ("rz_satfinite", "rz", True), ("rp_satfinite", "rp", True)]
    texts = lambda source, operands: ["cvt.%s.ue8m0x2.%s %%%s, %s;" % (n.replace("_", "."), source, n, operands) for n, _, _ in variants]
    outs = ", ".join("b16 " + n for n, _, _ in variants)
    entries = [Entry("test_f32", "f32 a, f32 b", outs, texts("f32", "%a, %b"), list(zip(some[::2], some[1::2])), lambda a, b: tuple(scale(a, m, f) << 8 | scale(b, m, f) for _, m, f in variants)),
               Entry("test_bf16x2", "bf16x2 a", outs, texts("bf16x2", "%a"), [(x & 0xFFFF0000) | y >> 16 for x, y in zip(some[::2], some[1::2])],
                     lambda a: tuple(scale(a & 0xFFFF0000, m, f) << 8 | scale(a << 16 & 0xFFFFFFFF, m, f) for _, m, f in variants)),
               Entry("test_to_bf16x2", "b16 a", "bf16x2 d", "cvt.rn.bf16x2.ue8m0x2 %d, %a;", [c << 8 | (c * 3 + 1) % 256 for c in range(256)],
                     lambda a: sum((BF16.nan if c == 255 else encode(BF16, Fraction(2) ** (c - 127))) << s for c, s in ((a >> 8, 16), (a & 255, 0))))]
    write("conversion/cvt_ue8m0", "cvt to and from ue8m0x2: powers of two", entries, version="8.6", target="sm_100a")
