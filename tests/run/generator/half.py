"""Half precision (PTX ISA, "Half Precision Floating-Point Instructions" and "Half Precision Comparison Instructions"), and min and max of f32
with magnitudes and with three operands."""
from fractions import Fraction
import math

from . import floats
from .emit import BITS, Entry, write
from .floats import F16, BF16, F32, FORMATS
from .floating import fma_extra, halfway, halfway_products
from .comparison import FLOAT_OPS, LOGIC, compare as compare_values
from .values import cases

HALVES = {"f16": F16, "bf16": BF16}


def relu(f, bits): return 0 if bits is not None and floats.negative(f, bits) else bits


def double_rounding(f):
    """a*b + c a hair beside the middle of two numbers: rounding to double or f32 first loses the hair."""
    half_ulp = f.one - (f.mbits + 1 << f.mbits)
    tiny = f.min_normal + 3
    out = [(half_ulp, s | f.one, f.one) for s in (0, f.sign)] + [(tiny, s | tiny, f.one | 1) for s in (0, f.sign)]
    odd = f.one | 1 | (1 << f.mbits - 1)
    # the product has a bit just at the middle; c is far below
    out += [(odd, f.one | (1 << f.mbits - 1) | k, s | c) for k in (0, 1, 2, 3) for s in (0, f.sign) for c in (1, f.min_normal, f.min_normal + 5)]
    return out


def both_halves(fn):
    """A function of halves as one of pairs."""
    return lambda *v: fn(*[x >> 16 for x in v]) << 16 | fn(*[x & 0xFFFF for x in v])


def in_pairs(some): return [tuple(b << 16 | a for a, b in zip(x, y)) for x, y in zip(some, some[7:] + some[:7])]


def rows(op, names, variants, some):
    """Entries for a type and its pairs. variants: (output, suffix, function of the format and the operands); some: cases of a format."""
    for t, f in HALVES.items():
        entries = []
        known = variants(t)
        if not known: continue
        for kind, chosen in ((t, some(t, f)), (t + "x2", in_pairs(some(t, f)))):
            fns = [both_halves(lambda *v, fn=fn: fn(f, *v)) if kind != t else (lambda *v, fn=fn: fn(f, *v)) for _, _, fn in known]
            entries.append(Entry("test_" + kind, ", ".join("%s %s" % (kind, n) for n in names), ", ".join("%s %s" % (kind, n) for n, _, _ in known),
                                 ["%s%s.%s %%%s, %s;" % (op, s, kind, n, ", ".join("%" + x for x in names)) for n, s, _ in known], chosen,
                                 lambda *v, fns=fns: tuple(fn(*v) for fn in fns)))
        write("half/%s_%s" % (op, t), "%s.%s and pairs: rounded once, NaN 0x7fff; outputs %s" % (op, t, ", ".join(s or "plain" for _, s, _ in known)), entries)


def flushed(fn): return lambda f, *v: floats.flush(f, fn(f, *[floats.flush(f, x) for x in v]))


def arithmetic(op, fn, operands, extra):
    plain = lambda f, *v: floats.finish(f, fn(f, *v))
    sat = lambda f, *v: floats.finish(f, fn(f, *v), sat=True)
    with_relu = lambda f, *v: floats.finish(f, relu(f, fn(f, *v)))
    def variants(t):
        rn = ".rn" if op == "fma" else ""
        out = [("d", rn, plain), ("rn", ".rn", plain)]
        if t == "f16": out += [("ftz", rn + ".ftz", flushed(plain)), ("sat", rn + ".sat", sat), ("ftz_sat", rn + ".ftz.sat", flushed(sat))]
        if op == "fma": out += [("relu", ".rn.relu", with_relu)] + ([("ftz_relu", ".rn.ftz.relu", flushed(with_relu))] if t == "f16" else [])
        return out
    rows(op, "abc"[:operands], variants, lambda t, f: cases(op + t, [t] * operands, 90, extra(f)))


def signs():
    for op, fn in (("neg", lambda f, a: f.nan if floats.is_nan(f, a) else a ^ f.sign), ("abs", lambda f, a: f.nan if floats.is_nan(f, a) else a & ~f.sign)):
        rows(op, "a", lambda t: [("d", "", fn)] + ([("ftz", ".ftz", flushed(fn))] if t == "f16" else []), lambda t, f: cases(op + t, [t], 40))


def magnitude(f, a, b, nan, largest):
    r = floats.minimum(f, a & ~f.sign, b & ~f.sign, nan, largest)
    return None if r is None or floats.is_nan(f, r) else r | (a ^ b) & f.sign


def extremes():
    for op in ("min", "max"):
        largest = op == "max"
        def make(nan, xorsign):
            pick = magnitude if xorsign else floats.minimum
            return lambda f, a, b: floats.finish(f, pick(f, a, b, nan, largest))
        kinds = [("", False, False), (".NaN", True, False), (".xorsign.abs", False, True), (".NaN.xorsign.abs", True, True)]
        def variants(t, op=op):
            out = [("v%d" % k, s, make(n, x)) for k, (s, n, x) in enumerate(kinds)]
            if t == "f16": out += [("ftz%d" % k, ".ftz" + s, flushed(make(n, x))) for k, (s, n, x) in enumerate(kinds)]
            return out
        rows(op, "ab", variants, lambda t, f: cases(op + t, [t] * 2, 60, [(0, f.sign), (f.sign, 0), (1, f.sign | 1), (f.nan, f.nan), (f.nan, f.sign | f.one)]))
        more = [("v%d" % k, s, make(n, x)) for k, (s, n, x) in enumerate(kinds[2:])] + [("ftz%d" % k, ".ftz" + s, flushed(make(n, x))) for k, (s, n, x) in enumerate(kinds[2:])]
        some = cases(op + "xs", ["f32"] * 2, 60, [(0, F32.sign), (F32.nan, F32.nan), (F32.sign | F32.one, F32.sign | F32.one)])
        write("floating/%s_xorsign" % op, "%s{.ftz}{.NaN}.xorsign.abs.f32 d, a, b" % op, [
            Entry("test", "f32 a, f32 b", ", ".join("f32 " + n for n, _, _ in more), ["%s%s.f32 %%%s, %%a, %%b;" % (op, s, n) for n, s, _ in more], some,
                  lambda a, b, more=more: tuple(fn(F32, a, b) for _, _, fn in more))])
        def three(nan, absolute):
            def fn(f, *v):
                if absolute: v = [x & ~f.sign for x in v]
                first = floats.minimum(f, v[0], v[1], nan, largest)
                return floats.finish(f, None if first is None and nan else floats.minimum(f, f.nan if first is None else first, v[2], nan, largest))
            return lambda f, *v: (lambda r: f.nan if floats.is_nan(f, r) else r)(fn(f, *v))
        threes = [("v%d" % k, s, three(n, x)) for k, (s, n, x) in enumerate([("", False, False), (".NaN", True, False), (".abs", False, True), (".NaN.abs", True, True)])]
        threes += [("ftz%s" % n, ".ftz" + s, flushed(fn)) for n, s, fn in threes]
        write("floating/%s3" % op, "%s{.ftz}{.NaN}{.abs}.f32 d, a, b, c" % op, [
            Entry("test", "f32 a, f32 b, f32 c", ", ".join("f32 " + n for n, _, _ in threes), ["%s%s.f32 %%%s, %%a, %%b, %%c;" % (op, s, n) for n, s, _ in threes],
                  cases(op + "3", ["f32"] * 3, 60), lambda a, b, c, threes=threes: tuple(fn(F32, a, b, c) for _, _, fn in threes))], version="9.0", target="sm_100")


def approximations():
    """The engine rounds correctly; a GPU is held to the manual's bounds in random runs."""
    def through(f, a, real):
        if floats.is_nan(f, a): return f.nan
        x = math.copysign(math.inf, -1 if floats.negative(f, a) else 1) if floats.is_inf(f, a) else float(floats.value(f, a))
        if x == 0: return a if real is math.tanh else f.one
        r = real(x)
        return f.inf if math.isinf(r) else floats.encode(f, Fraction(r), "rn", x < 0 and real is math.tanh)
    def exp2(x): return 0.0 if x < -1000 else math.inf if x > 1000 else 2.0 ** x
    for op, real, suffix in (("tanh", math.tanh, lambda t: ".approx"), ("ex2", exp2, lambda t: ".approx" + (".ftz" if t == "bf16" else ""))):
        for t, f in HALVES.items():
            ftz = op == "ex2" and t == "bf16"
            fn = lambda a, f=f, real=real, ftz=ftz: floats.flush(f, through(f, floats.flush(f, a), real)) if ftz else through(f, a, real)
            some = cases(op + t, [t], 50)
            # "max absolute error" 2^-10.987 and 2^-8, "max relative error" 2^-9.9 and 2^-7; the expected value is itself rounded to half an ulp.
            # Where the result is flushed or overflows either side of the limit is good, which one ulp grants.
            bound = ("abs:%g" if op == "tanh" else "rel:%g") % {"tanhf16": 2 ** -10.987 + 2 ** -12, "tanhbf16": 2 ** -8 + 2 ** -9, "ex2f16": 2 ** -9.9 + 2 ** -11, "ex2bf16": 2 ** -7 + 2 ** -8}[op + t]
            bounds = ["d " + bound.replace(":", " "), "d ulp 1"]
            near = lambda kind, r: r if isinstance(r, str) else "0x%0*x~%s~ulp:1" % (BITS[kind] // 4, r, bound)
            write("half/%s_%s" % (op, t), "%s%s.%s and pairs; the correctly rounded value with the manual's bound, of pairs for each half" % (op, suffix(t), t), [
                Entry("test_" + t, t + " a", t + " d", "%s%s.%s %%d, %%a;" % (op, suffix(t), t), some, lambda a, fn=fn, t=t, near=near: near(t, fn(a)), bound=bounds),
                Entry("test_%sx2" % t, t + "x2 a", t + "x2 d", "%s%s.%sx2 %%d, %%a;" % (op, suffix(t), t), in_pairs(some),
                      lambda a, fn=both_halves(fn), t=t, near=near: near(t + "x2", fn(a)), bound=bounds)])


def mixed():
    for t, f in HALVES.items():
        wide = lambda v, f=f: F32.nan if floats.is_nan(f, v) else floats.convert(F32, f, v)
        entries = []
        for op, fn in (("add", lambda a, c, m: floats.add(F32, a, c, m)), ("sub", lambda a, c, m: floats.add(F32, a, c if floats.is_nan(F32, c) else c ^ F32.sign, m))):
            variants = [(m, "." + m, False) for m in ("rn", "rz", "rm", "rp")] + [("d", "", False), ("sat", ".sat", True)]
            entries.append(Entry("test_" + op, "%s a, f32 c" % t, ", ".join("f32 " + n for n, _, _ in variants), ["%s%s.f32.%s %%%s, %%a, %%c;" % (op, s, t, n) for n, s, _ in variants],
                                 cases("mixed" + op + t, [t, "f32"], 40), lambda a, c, fn=fn, variants=variants: tuple(
                                     floats.finish(F32, fn(wide(a), c, s[1:] if s in (".rn", ".rz", ".rm", ".rp") else "rn"), sat=z) for _, s, z in variants)))
        variants = [(m, "." + m, False) for m in ("rn", "rz", "rm", "rp")] + [("sat", ".rn.sat", True)]
        entries.append(Entry("test_fma", "%s a, %s b, f32 c" % (t, t), ", ".join("f32 " + n for n, _, _ in variants), ["fma%s.f32.%s %%%s, %%a, %%b, %%c;" % (s, t, n) for n, s, _ in variants],
                             cases("mixedfma" + t, [t, t, "f32"], 40), lambda a, b, c, variants=variants: tuple(
                                 floats.finish(F32, floats.fma(F32, wide(a), wide(b), c, s[1:3]), sat=z) for _, s, z in variants)))
        write("half/mixed_" + t, "add, sub, fma{.rnd}{.sat}.f32.%s: the half operands are widened exactly" % t, entries, version="9.0", target="sm_100")


def comparisons():
    for t, f in HALVES.items():
        compare = lambda o, a, b, z=False, f=f: floats.compare(f, o, *([floats.flush(f, v) for v in (a, b)] if z else (a, b)))
        some = cases("setp" + t, [t, t], 50)
        some += [(a, a) for a, _ in some[:8]] + [(0, f.sign), (1, 0), (1, 2), (f.sign | 1, 0)]
        three = [(a, b, k % 2) for k, (a, b) in enumerate(some)]
        pairs, with_c = in_pairs(some), [v + (k % 2,) for k, v in enumerate(in_pairs(some))]
        lo, hi = (lambda v: v & 0xFFFF), (lambda v: v >> 16)
        ftzs = [("", False)] + ([(".ftz", True)] if t == "f16" else [])
        names = [(o, s, z) for s, z in ftzs for o in FLOAT_OPS]
        label = lambda o, s: o + s.replace(".", "_")
        logic = lambda k: list(LOGIC)[k % 3]
        neg = lambda k: "!" if k % 2 else ""
        take = lambda k, r, c: int(LOGIC[logic(k)](r, bool(c) != bool(k % 2)))
        write("half/setp_" + t, "setp.cmp{.BoolOp}{.ftz}.%s p, a, b{, c}; of pairs p compares the low halves, q the high ones" % t, [
            Entry("test_" + t, "%s a, %s b" % (t, t), ", ".join("pred " + label(o, s) for o, s, _ in names), ["setp.%s%s.%s %%%s, %%a, %%b;" % (o, s, t, label(o, s)) for o, s, _ in names],
                  some, lambda a, b, names=names, compare=compare: tuple(int(compare(o, a, b, z)) for o, _, z in names)),
            Entry("test_%s_bool" % t, "%s a, %s b, pred c" % (t, t), ", ".join("pred " + label(o, s) for o, s, _ in names),
                  ["setp.%s.%s%s.%s %%%s, %%a, %%b, %s%%c;" % (o, logic(k), s, t, label(o, s), neg(k)) for k, (o, s, _) in enumerate(names)], three,
                  lambda a, b, c, names=names, compare=compare: tuple(take(k, compare(o, a, b, z), c) for k, (o, _, z) in enumerate(names))),
            Entry("test_%sx2" % t, "%sx2 a, %sx2 b" % (t, t), ", ".join("pred %s, pred %s_q" % (label(o, s), label(o, s)) for o, s, _ in names) + ", pred alone",
                  ["setp.%s%s.%sx2 %%%s|%%%s_q, %%a, %%b;" % (o, s, t, label(o, s), label(o, s)) for o, s, _ in names] + ["setp.eq.%sx2 %%alone, %%a, %%b;" % t], pairs,
                  lambda a, b, names=names, compare=compare: tuple(int(compare(o, h(a), h(b), z)) for o, _, z in names for h in (lo, hi)) + (int(compare("eq", lo(a), lo(b))),)),
            Entry("test_%sx2_bool" % t, "%sx2 a, %sx2 b, pred c" % (t, t), ", ".join("pred %s, pred %s_q" % (label(o, s), label(o, s)) for o, s, _ in names),
                  ["setp.%s.%s%s.%sx2 %%%s|%%%s_q, %%a, %%b, %s%%c;" % (o, logic(k), s, t, label(o, s), label(o, s), neg(k)) for k, (o, s, _) in enumerate(names)], with_c,
                  lambda a, b, c, names=names, compare=compare: tuple(take(k, compare(o, h(a), h(b), z), c) for k, (o, _, z) in enumerate(names) for h in (lo, hi)))])
        one = {"f16": F16.one, "bf16": BF16.one}
        true = lambda d: one.get(d, (1 << BITS[d]) - 1) if d in one or "x2" not in d else one[d[:-2]] * 0x10001
        dtypes = (["f16"] if t == "f16" else []) + ["bf16", "u16", "s16", "u32", "s32"]
        outs = [("%s_%d" % (label(o, s), k), o, s, z, dtypes[k % len(dtypes)] if not s or dtypes[k % len(dtypes)] != "bf16" else "f16") for k, (o, s, z) in enumerate(names)]
        half_mask = lambda d: one[t] if d == t + "x2" else 0xFFFF
        packed = [t + "x2", "u32", "s32"]
        pouts = [("%s_%d" % (label(o, s), k), o, s, z, packed[k % 3]) for k, (o, s, z) in enumerate(names)]
        write("half/set_" + t, "set.cmp{.BoolOp}{.ftz}.dtype.%s d, a, b{, c}: all ones or 1.0, of pairs in each half" % t, [
            Entry("test_" + t, "%s a, %s b" % (t, t), ", ".join("%s %s" % (d, n) for n, _, _, _, d in outs), ["set.%s%s.%s.%s %%%s, %%a, %%b;" % (o, s, d, t, n) for n, o, s, _, d in outs],
                  some, lambda a, b, outs=outs, compare=compare, true=true: tuple(true(d) if compare(o, a, b, z) else 0 for _, o, _, z, d in outs)),
            Entry("test_%s_bool" % t, "%s a, %s b, pred c" % (t, t), ", ".join("%s %s" % (d, n) for n, _, _, _, d in outs),
                  ["set.%s.%s%s.%s.%s %%%s, %%a, %%b, %s%%c;" % (o, logic(k), s, d, t, n, neg(k)) for k, (n, o, s, _, d) in enumerate(outs)], three,
                  lambda a, b, c, outs=outs, compare=compare, true=true: tuple(true(d) if take(k, compare(o, a, b, z), c) else 0 for k, (_, o, _, z, d) in enumerate(outs))),
            Entry("test_%sx2" % t, "%sx2 a, %sx2 b" % (t, t), ", ".join("%s %s" % (d, n) for n, _, _, _, d in pouts), ["set.%s%s.%s.%sx2 %%%s, %%a, %%b;" % (o, s, d, t, n) for n, o, s, _, d in pouts],
                  pairs, lambda a, b, pouts=pouts, compare=compare, half_mask=half_mask: tuple(
                      sum(half_mask(d) << sh for sh in (0, 16) if compare(o, a >> sh & 0xFFFF, b >> sh & 0xFFFF, z)) for _, o, _, z, d in pouts)),
            Entry("test_%sx2_bool" % t, "%sx2 a, %sx2 b, pred c" % (t, t), ", ".join("%s %s" % (d, n) for n, _, _, _, d in pouts),
                  ["set.%s.%s%s.%s.%sx2 %%%s, %%a, %%b, %s%%c;" % (o, logic(k), s, d, t, n, neg(k)) for k, (n, o, s, _, d) in enumerate(pouts)], with_c,
                  lambda a, b, c, pouts=pouts, compare=compare, half_mask=half_mask: tuple(
                      sum(half_mask(d) << sh for sh in (0, 16) if take(k, compare(o, a >> sh & 0xFFFF, b >> sh & 0xFFFF, z), c)) for k, (_, o, _, z, d) in enumerate(pouts)))])
    write("half/set_to_half", "set.cmp.f16.stype and bf16: 1.0 or 0", [
        Entry("test_" + s, "%s a, %s b" % (s, s), "f16 lt, bf16 ne", ["set.%s.f16.%s %%lt, %%a, %%b;" % ("lt", s), "set.ne.bf16.%s %%ne, %%a, %%b;" % s], cases("seth" + s, [s, s], 20),
              lambda a, b, s=s: (F16.one if compare_values(s, "lt", a, b) else 0,
                                 BF16.one if compare_values(s, "ne", a, b) else 0)) for s in ("u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64")])


def generate():
    sub = lambda f, a, b: floats.add(f, a, b if floats.is_nan(f, b) else b ^ f.sign)
    arithmetic("add", floats.add, 2, halfway)
    arithmetic("sub", sub, 2, lambda f: [(a, b ^ f.sign) for a, b in halfway(f)])
    arithmetic("mul", floats.mul, 2, halfway_products)
    arithmetic("fma", floats.fma, 3, lambda f: fma_extra(f) + double_rounding(f))
    signs()
    extremes()
    approximations()
    mixed()
    comparisons()
