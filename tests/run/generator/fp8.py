"""Conversions of 8-bit floats, and .satfinite (PTX ISA, "cvt")."""
from fractions import Fraction

from . import floats
from .emit import Entry, write
from .floats import F16, BF16, F32, encode, is_inf, is_nan, negative, value
from .matrix import E4M3, E5M2
from .values import cases

EIGHT = {"e4m3": E4M3, "e5m2": E5M2}


def finite(to, frm, v, relu=False, mode="rn"):
    """Converted with .satfinite."""
    if is_nan(frm, v): return to.nan
    if relu and negative(frm, v): return 0
    sign = to.sign if negative(frm, v) else 0
    if is_inf(frm, v): return to.max | sign
    return min(encode(to, abs(value(frm, v)), mode), to.max) | sign


def edges(to, frm):
    """Every number of the 8-bit format and the middle between neighbours, plus and minus a hair."""
    out = []
    for bits in range(to.max + 1):
        low = value(to, bits)
        step = (value(to, bits + 1) if bits < to.max else 2 * low - value(to, bits - 1)) - low
        for part in (0, Fraction(1, 2), Fraction(1, 2) - Fraction(1, 64), Fraction(1, 2) + Fraction(1, 64)):
            out.append(encode(frm, low + step * part) | (frm.sign if bits % 3 == 0 else 0))
    return out


def generate():
    for name, to in EIGHT.items():
        pair = lambda fn: (lambda a, b: fn(a) << 8 | fn(b))
        entries = []
        some = edges(to, F32) + [v for (v,) in cases("fp8" + name, ["f32"], 60)] + [encode(F32, value(to, to.max) * k) for k in (2, 100)]
        some += [0] * (len(some) % 2)
        entries.append(Entry("test_f32", "f32 a, f32 b", "b16 d, b16 relu", ["cvt.rn.satfinite.%sx2.f32 %%d, %%a, %%b;" % name, "cvt.rn.satfinite.relu.%sx2.f32 %%relu, %%a, %%b;" % name],
                             list(zip(some[::2], some[1::2])), lambda a, b, to=to: tuple(finite(to, F32, a, r) << 8 | finite(to, F32, b, r) for r in (False, True))))
        some = edges(to, F16) + [v for (v,) in cases("fp8h" + name, ["f16"], 60)]
        some += [0] * (len(some) % 2)
        entries.append(Entry("test_f16x2", "f16x2 a", "b16 d, b16 relu", ["cvt.rn.satfinite.%sx2.f16x2 %%d, %%a;" % name, "cvt.rn.satfinite.relu.%sx2.f16x2 %%relu, %%a;" % name],
                             [h << 16 | l for h, l in zip(some[::2], some[1::2])],
                             lambda a, to=to: tuple(finite(to, F16, a >> 16, r) << 8 | finite(to, F16, a & 0xFFFF, r) for r in (False, True))))
        def widened(v, relu, to=to):
            if is_nan(to, v) or (to is E4M3 and v & 0x7F == 0x7F): return F16.nan
            if relu and negative(to, v): return 0
            if to is E5M2 and is_inf(to, v): return F16.inf | (v & 0x80) << 8
            return encode(F16, value(to, v), "rn", negative(to, v))
        entries.append(Entry("test_to_f16x2", "b16 a", "f16x2 d, f16x2 relu", ["cvt.rn.f16x2.%sx2 %%d, %%a;" % name, "cvt.rn.relu.f16x2.%sx2 %%relu, %%a;" % name],
                             [k << 8 | (k * 7 + 3) % 256 for k in range(256)], lambda a: tuple(widened(a >> 8, r) << 16 | widened(a & 255, r) for r in (False, True))))
        write("conversion/cvt_" + name, "cvt.rn.satfinite{.relu}.%sx2 from f32 and f16x2, and back: every number and what lies between" % name, entries, version="8.1", target="sm_89")
    entries = []
    for name, to in (("f16", F16), ("bf16", BF16)):
        largest = encode(F32, value(to, to.max))
        near = [(largest + o | s,) for o in (-1, 0, 1, 0x100, 0x1000, 0x10000) for s in (0, F32.sign)]
        some = cases("satfinite" + name, ["f32"], 30) + [v for v in near if not is_nan(F32, v[0])]
        variants = [("rn", ".rn", False), ("rz", ".rz", False), ("relu", ".rn.relu", True)]
        entries.append(Entry("test_" + name, "f32 a", ", ".join("%s %s" % (name, n) for n, _, _ in variants), ["cvt%s.satfinite.%s.f32 %%%s, %%a;" % (s, name, n) for n, s, _ in variants],
                             some, lambda a, to=to: (finite(to, F32, a), finite(to, F32, a, mode="rz"), finite(to, F32, a, True))))
        entries.append(Entry("test_%sx2" % name, "f32 a, f32 b", ", ".join("%sx2 %s" % (name, n) for n, _, _ in variants),
                             ["cvt%s.satfinite.%sx2.f32 %%%s, %%a, %%b;" % (s, name, n) for n, s, _ in variants], [(a, b) for (a,), (b,) in zip(some, some[5:] + some[:5])],
                             lambda a, b, to=to: tuple(finite(to, F32, a, r, m) << 16 | finite(to, F32, b, r, m) for m, r in (("rn", False), ("rz", False), ("rn", True)))))
    write("conversion/cvt_satfinite", "cvt.rnd{.relu}.satfinite: beyond the largest finite number, that number; NaN stays", entries, version="8.6", target="sm_90")
    def tf32(v):
        if is_nan(F32, v): return "?"
        q = floats.round_integer(Fraction(v & 0x7FFFFFFF, 1 << 13), "rna", False) << 13
        return v & F32.sign | min(q, 0x7F7FE000)
    write("conversion/cvt_tf32_satfinite", "cvt.rna.satfinite.tf32.f32 d, a", [
        Entry("test", "f32 a", "b32 d", "cvt.rna.satfinite.tf32.f32 %d, %a;", cases("tf32s", ["f32"], 30) + [(0x7F7FF000,), (0xFF7FFFFF,), (0x7F7FEFFF,), (F32.inf,)], tf32, draw=["a finite"])],
        version="8.1", target="sm_89")
