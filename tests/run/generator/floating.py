"""f32 and f64 arithmetic (PTX ISA, "Floating-Point Instructions"): exact rationals, rounded once."""
from fractions import Fraction

from . import floats
from .emit import Entry, write
from .floats import F32, F64, FORMATS
from .values import cases, rng

ROUNDINGS = ["rn", "rz", "rm", "rp"]
ULP = {F32: 23, F64: 52}


def halfway(f):
    """Pairs whose sum lies halfway between two numbers, or just beside."""
    tiny = f.one - (f.mbits + 1 << f.mbits)  # half an ulp of 1
    return [(f.one, tiny), (f.one | 1, tiny), (f.one, tiny | 1), (f.one, tiny - 1), (f.sign | f.one, tiny), (f.sign | f.one | 1, f.sign | tiny),
            (f.one, f.sign | tiny), (f.one, f.sign | f.one), (f.sign | f.one, f.one), (f.max, f.max - (f.mbits + 1 << f.mbits)),
            (f.min_normal, f.sign | 1), (f.min_normal - 1, 1), (1, 1), (f.min_normal, f.sign | f.min_normal + 1)]


def limit_products(f):
    """Factors whose product is below the smallest normal by less than half and by less than a whole unit: both become it among the
    subnormals, with an unbounded exponent only the first."""
    out, u, r = [], Fraction(1, f.min_normal), rng("limit" + f.name)
    for low, high in ((0, Fraction(1, 2)), (Fraction(1, 2), 1)):
        for sign in (0, f.sign):
            while True:
                i = r.randrange(1, f.min_normal)
                j = int((2 / (1 + i * u) - 1) / u)
                if low * u < 2 - (1 + i * u) * (1 + j * u) < high * u: break
            out.append((sign | f.min_normal + i, f.one - f.min_normal + j))
    return out


def halfway_products(f):
    """Factors whose product is subnormal, overflows or falls halfway."""
    low = f.min_normal
    half = f.one - (1 << f.mbits)
    return [(low, half), (low | 1, half), (low | 3, half), (1, half), (3, half), (f.sign | 1, half), (f.max, f.one | 1), (f.max, f.sign | f.one + (1 << f.mbits)),
            (f.one | 1, f.one | 1), (f.one | (1 << f.mbits - 1), f.one | 3), (low, low), (low, f.sign | low), (low + 5, half), (low, f.one - 1),
            *limit_products(f),
            (f.inf, 0), (0, f.sign | f.inf), (f.inf, f.one)]


def binary(op, f, count, extra):
    return cases(op + f.name, [f.name] * 2, count, extra)


def arithmetic(op, fn, operands, extra32, extra64):
    """One entry for each rounding; for f32 the outputs are plain, .ftz, .sat and both."""
    names = "abc"[:operands]
    args = ", ".join("%" + n for n in names)
    for f, extra in ((F32, extra32), (F64, extra64)):
        entries = []
        for mode in [""] + ROUNDINGS:
            if mode == "" and op in ("fma",): continue
            if op == "mad" and mode == "": continue
            dot = "." + mode if mode else ""
            variants = [("d", "", False, False)]
            if f is F32: variants += [("ftz", ".ftz", True, False), ("sat", ".sat", False, True), ("ftz_sat", ".ftz.sat", True, True)]
            def all_variants(*v, mode=mode or "rn", variants=variants, f=f):
                out = []
                for _, _, ftz, sat in variants:
                    w = [floats.flush(f, x) for x in v] if ftz else v
                    out.append(floats.finish(f, fn(f, *w, mode), ftz, sat))
                return tuple(out)
            body = ["%s%s%s.%s %%%s, %s;" % (op, dot, suffix, f.name, n, args) for n, suffix, _, _ in variants]
            entries.append(Entry("test_" + (mode or "default"), ", ".join("%s %s" % (f.name, n) for n in names),
                                 ", ".join("%s %s" % (f.name, v[0]) for v in variants), body,
                                 cases(op + f.name + mode, [f.name] * operands, 50, extra), all_variants))
        write("floating/%s_%s" % (op, f.name), "%s{.rnd}%s.%s d, %s" % (op, "{.ftz}{.sat}" if f is F32 else "", f.name, ", ".join(names)), entries)


def pairs(op, fn, operands, extra):
    """f32x2: two results, each as the operation on f32; outputs plain and .ftz."""
    names = "abc"[:operands]
    packed = ", ".join("%%p%s" % n for n in names)
    entries = []
    for mode in ROUNDINGS:
        variants = [("d", "", False), ("z", ".ftz", True)]
        def both(*v, mode=mode, variants=variants):
            out = []
            for _, _, ftz in variants:
                for element in (v[:operands], v[operands:]):
                    w = [floats.flush(F32, x) for x in element] if ftz else element
                    out.append(floats.finish(F32, fn(F32, *w, mode), ftz, False))
            return tuple(out)
        body = ["mov.b64 %%p%s, {%%%s0, %%%s1};" % (n, n, n) for n in names]
        for n, suffix, _ in variants:
            body += ["%s.%s%s.f32x2 %%pd, %s;" % (op, mode, suffix, packed), "mov.b64 {%%%s0, %%%s1}, %%pd;" % (n, n)]
        single = cases(op + "f32x2" + mode, ["f32"] * operands, 40, extra)
        entries.append(Entry("test_" + mode, ", ".join("f32 %s%d" % (n, k) for k in (0, 1) for n in names),
                             ", ".join("f32 %s%d" % (n, k) for n, _, _ in variants for k in (0, 1)), body,
                             [a + b for a, b in zip(single, single[1:] + single[:1])], both, regs=".reg .b64 %pa, %pb, %pc, %pd;"))
    write("floating/%s_f32x2" % op, "%s{.rnd}{.ftz}.f32x2 d, %s" % (op, ", ".join(names)), entries, version="8.6", target="sm_100")


def fma_extra(f):
    out = [(a, b, f.sign | f.one) for a, b in halfway_products(f)[:9]]
    tiny = f.one - (f.mbits + 1 << f.mbits)
    out += [(f.one | 1, f.one | 1, f.sign | f.one | 2), (f.one, tiny, f.one), (tiny, tiny, f.one), (f.sign | tiny, tiny, f.one), (f.inf, 0, f.nan),
            (f.inf, f.one, f.sign | f.inf), (f.inf, f.one, f.inf), (0, f.one, f.sign), (f.sign, f.one, f.sign), (f.one, f.one, f.sign | f.one),
            (f.max, f.max, f.sign | f.inf), (f.max, f.one | 1, f.sign | f.max), (f.one, f.min_normal, f.sign | 1), (f.min_normal, f.one, f.sign | f.min_normal + 1), (f.min_normal, f.sign | f.min_normal, f.min_normal),
            (f.min_normal, f.min_normal, 1), (f.min_normal, f.sign | f.min_normal, 1),
            (f.max, f.sign | f.one, f.max - 1), (f.sign | f.max, f.sign | f.one, f.sign | f.max - 1)]  # large numbers that cancel
    return out


def rounded(op, fn, operands, extra):
    """div, rcp, sqrt with a rounding; outputs plain and .ftz for f32."""
    names = "ab"[:operands]
    args = ", ".join("%" + n for n in names)
    for f in (F32, F64):
        entries = []
        for mode in ROUNDINGS:
            variants = [("d", "", False)] + ([("ftz", ".ftz", True)] if f is F32 else [])
            def both(*v, mode=mode, variants=variants, f=f):
                return tuple(floats.finish(f, fn(f, *([floats.flush(f, x) for x in v] if ftz else v), mode), ftz) for _, _, ftz in variants)
            entries.append(Entry("test_" + mode, ", ".join("%s %s" % (f.name, n) for n in names), ", ".join(f.name + " " + v[0] for v in variants),
                                 ["%s.%s%s.%s %%%s, %s;" % (op, mode, s, f.name, n, args) for n, s, _ in variants],
                                 cases(op + f.name + mode, [f.name] * operands, 60, extra(f)), both))
        write("floating/%s_%s" % (op, f.name), "%s.rnd%s.%s d, %s" % (op, "{.ftz}" if f is F32 else "", f.name, ", ".join(names)), entries)


def quotients(f):
    third, three = f.one - (1 << f.mbits), f.one + (3 << f.mbits - 1)
    limit = [(f.min_normal + f.min_normal - 2, f.one + f.min_normal - 1), (f.sign | f.min_normal + 4, f.one + 5)]  # just below the smallest normal
    return limit + [(f.one, three), (f.sign | f.one, three), (f.min_normal, three), (1, third), (1, f.max), (f.max, 1), (f.max, third), (f.one | 1, f.one),
            (0, 0), (f.inf, f.inf), (f.inf, f.sign), (f.one, f.sign), (f.sign | f.one, 0), (f.one, f.inf), (f.min_normal | 1, f.one + (1 << f.mbits))]


def signs():
    for f in (F32, F64):
        ftz = f is F32
        for op, fn in (("abs", lambda f, a: a & ~f.sign), ("neg", lambda f, a: a ^ f.sign)):
            variants = [("d", "", False)] + ([("ftz", ".ftz", True)] if ftz else [])
            # abs and neg of NaN: the payload and sign are unspecified in the manual.
            def both(a, fn=fn, f=f, variants=variants):
                return tuple("nan" if floats.is_nan(f, a) else fn(f, floats.flush(f, a) if z else a) for _, _, z in variants)
            write("floating/%s_%s" % (op, f.name), "%s%s.%s d, a" % (op, "{.ftz}" if ftz else "", f.name), [
                Entry("test", f.name + " a", ", ".join(f.name + " " + v[0] for v in variants),
                      ["%s%s.%s %%%s, %%a;" % (op, s, f.name, n) for n, s, _ in variants], cases(op + f.name, [f.name], 24), both)])
        for op in ("min", "max"):
            variants = [("d", "", False, False)]
            if ftz: variants += [("ftz", ".ftz", True, False), ("nan", ".NaN", False, True), ("ftz_nan", ".ftz.NaN", True, True)]
            def pick(a, b, f=f, variants=variants, op=op):
                return tuple(floats.finish(f, floats.minimum(f, *([floats.flush(f, x) for x in (a, b)] if z else (a, b)), n, op == "max"), z)
                             for _, _, z, n in variants)
            for part in ((variants[:2], ""), (variants[2:], "_nan")):
                if not part[0]: continue
                chosen = part[0]
                index = [variants.index(v) for v in chosen]
                write("floating/%s%s_%s" % (op, part[1], f.name), "%s%s.%s d, a, b; -0 < +0" % (op, "{.ftz}" + (".NaN" if part[1] else "") if ftz else "", f.name), [
                    Entry("test", "%s a, %s b" % (f.name, f.name), ", ".join(f.name + " " + v[0] for v in chosen),
                          ["%s%s.%s %%%s, %%a, %%b;" % (op, v[1], f.name, v[0]) for v in chosen],
                          cases(op + f.name, [f.name] * 2, 60, [(0, f.sign), (f.sign, 0), (1, f.sign | 1), (f.nan, 1), (1, f.nan), (f.nan, f.nan)]),
                          lambda a, b, pick=pick, index=index: tuple(pick(a, b)[k] for k in index))])
    write("floating/copysign", "copysign.type d, a, b: the sign of a, the magnitude of b, of a NaN too", [
        Entry("test_" + n, "%s a, %s b" % (n, n), n + " d", "copysign.%s %%d, %%a, %%b;" % n, cases("copysign" + n, [n] * 2, 30),
              lambda a, b, f=f: (a & f.sign) | (b & ~f.sign)) for n, f in (("f32", F32), ("f64", F64))])
    ops = {"finite": lambda f, a: not floats.is_nan(f, a) and not floats.is_inf(f, a), "infinite": floats.is_inf,
           "number": lambda f, a: not floats.is_nan(f, a), "notanumber": floats.is_nan,
           "normal": lambda f, a: floats.is_zero(f, a) or f.min_normal <= (a & ~f.sign) < f.inf, "subnormal": floats.is_subnormal}
    # "As a special case, positive and negative zero are considered normal numbers."
    write("floating/testp", "testp.op.type p, a", [
        Entry("test_" + n, n + " a", ", ".join("pred " + o for o in ops), ["testp.%s.%s %%%s, %%a;" % (o, n, o) for o in ops], cases("testp" + n, [n], 30),
              lambda a, f=f: tuple(int(fn(f, a)) for fn in ops.values()))
        for n, f in FORMATS.items() if n in ("f32", "f64")])


def generate():
    add = lambda f, a, b, mode: floats.add(f, a, b, mode)
    sub = lambda f, a, b, mode: floats.add(f, a, b if floats.is_nan(f, b) else b ^ f.sign, mode)
    minus = lambda f: [(a, b ^ f.sign) for a, b in halfway(f)]
    arithmetic("add", add, 2, halfway(F32), halfway(F64))
    arithmetic("sub", sub, 2, minus(F32), minus(F64))
    arithmetic("mul", floats.mul, 2, halfway_products(F32), halfway_products(F64))
    arithmetic("fma", floats.fma, 3, fma_extra(F32), fma_extra(F64))
    arithmetic("mad", floats.fma, 3, fma_extra(F32), fma_extra(F64))
    pairs("add", add, 2, halfway(F32))
    pairs("sub", sub, 2, minus(F32))
    pairs("mul", floats.mul, 2, halfway_products(F32))
    pairs("fma", floats.fma, 3, fma_extra(F32))
    rounded("div", floats.div, 2, quotients)
    rounded("rcp", lambda f, a, mode: floats.div(f, f.one, a, mode), 1, lambda f: [(f.one + (3 << f.mbits - 1),), (f.min_normal,), (f.max - 1,), (2,), (f.one | 1,)])
    rounded("sqrt", floats.sqrt, 1, lambda f: [(f.one + (1 << f.mbits),), (f.one | 1,), (3,), (f.one + (2 << f.mbits),), (f.max - 1,)])
    signs()
