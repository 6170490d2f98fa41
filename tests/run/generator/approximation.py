"""Approximations: the exact value with the bound the manual gives (PTX ISA, "Floating-Point Instructions")."""
import math

from . import floats
from .emit import Entry, as_double32, f32, show, write
from .floats import F32, F64
from .values import cases, floats_of, rng

NAN = 0x7FFFFFFF


def near(f, v, bound):
    """A value with a bound; `v` is exact (bits or a Fraction)."""
    bits = v if isinstance(v, int) else floats.encode(f, v)
    return show(f.name, bits) + bound


def subnormal_inputs(fn, bound, ftz, flush_anyway=False):
    def run(*v):
        if ftz: v = [floats.flush(F32, x) for x in v]
        r = fn(*v)
        if r is None: return NAN
        if isinstance(r, str): return r
        return near(F32, floats.flush(F32, r) if ftz else r, bound if not floats.is_zero(F32, r) and not floats.is_inf(F32, r) else "")
    return run


def entry(op, fn, bound, operands=1, inputs=(), ftz_too=True, draw=(), limits=None, count=60, name=None, domain=None):
    """Outputs plain and .ftz. A result close to the flushing limit may fall on either side: it is left open there."""
    variants = [("d", "", False)] + ([("ftz", ".ftz", True)] if ftz_too else [])
    names = "ab"[:operands]
    runs = [subnormal_inputs(fn, bound, z) for _, _, z in variants]
    def both(*v):
        if domain and not domain(*v): return ("?",) * len(variants)
        out = [r(*v) for r in runs]
        if ftz_too:
            exact = fn(*[floats.flush(F32, x) for x in v])
            if isinstance(exact, int) and abs((exact & ~F32.sign) - F32.min_normal) <= 4: out[1] = "?"
        return tuple(out)
    bounds = ["%s %s" % (n, b.replace(":", " ")) for n, _, _ in variants for b in bound.split("~")[1:]]
    chosen = cases(op, ["f32"] * operands, count, inputs)
    return Entry(name or "test", ", ".join("f32 " + n for n in names), ", ".join("f32 " + v[0] for v in variants),
                 ["%s%s.f32 %%%s, %s;" % (op, s, n, ", ".join("%" + x for x in names)) for n, s, _ in variants], chosen, both, bound=bounds, draw=draw)


def through_double(fn):
    """A function of one f32 by double arithmetic (more exact than any bound here by far)."""
    def run(a):
        if floats.is_nan(F32, a): return None
        r = fn(as_double32(a))
        if r is None: return None
        try: return f32(r)
        except OverflowError: return F32.inf | (F32.sign if r < 0 else 0)
    return run


def log2(x):
    if x == 0: return -math.inf
    return None if x < 0 else math.log2(x)


def exp2(x):
    if x == math.inf: return x
    try: return math.exp2(x) if hasattr(math, "exp2") else 2.0 ** x
    except OverflowError: return math.inf


def rsqrt(a):
    if floats.is_nan(F32, a): return None
    if floats.is_zero(F32, a): return F32.inf | a
    if floats.negative(F32, a): return None
    if floats.is_inf(F32, a): return 0
    return floats.encode(F32, 1 / floats.sqrt_value(floats.value(F32, a)))


def divisions():
    big = lambda b: (253 << 23) < (b & ~F32.sign) < F32.inf  # 2^126 < |b| < 2^128
    def approx(a, b):
        if floats.is_nan(F32, a) or floats.is_nan(F32, b): return None
        if big(b):  # "if a is infinity NaN, else 0"
            return None if floats.is_inf(F32, a) else (a ^ b) & F32.sign
        return floats.div(F32, a, b)
    # Bounds hold for 2^-126 <= |b| <= 2^126; a subnormal divisor is open.
    domain = lambda a, b: not floats.is_subnormal(F32, b) and not floats.is_subnormal(F32, a)
    write("approximation/div_approx", "div.approx{.ftz}.f32 d, a, b: 2 ulp for 2^-126 <= |b| <= 2^126; 0 (NaN for infinite a) for larger finite b", [
        entry("div.approx", approx, "~ulp:2", 2, [(f32(1.0), f32(3.0)), (f32(-7.0), f32(11.0)), (f32(1.0), 0x7E800000), (f32(1.0), 0x7E800001), (F32.inf, 0x7F000000)],
              domain=lambda a, b: domain(a, b) and (not isinstance(approx(a, b), int) or not floats.is_subnormal(F32, approx(a, b))),
              draw=["a range -1000 1000", "b range 0.001 1000"])])
    write("approximation/div_full", "div.full{.ftz}.f32 d, a, b: 2 ulp over the full range", [
        entry("div.full", lambda a, b: floats.div(F32, a, b), "~ulp:2", 2, [(f32(1.0), f32(3.0)), (F32.max, f32(3.0)), (f32(3.0), F32.max)],
              domain=lambda a, b: not floats.is_subnormal(F32, a) and not floats.is_subnormal(F32, b) and
              not (isinstance(floats.div(F32, a, b), int) and floats.is_subnormal(F32, floats.div(F32, a, b))),
              draw=["a range -1000 1000", "b range 0.001 1000"])])


def top_half(name, fn):
    """rcp.approx.ftz.f64, rsqrt.approx.ftz.f64: only the upper 32 bits of input and result count; about 20 bits of mantissa."""
    def run(a):
        a = floats.flush(F64, a & ~0xFFFFFFFF)
        r = fn(a)
        if r is None: return "nan"
        if floats.is_zero(F64, r) or floats.is_inf(F64, r): return r
        return "?" if floats.is_subnormal(F64, r) else near(F64, r, "~rel:9.6e-7")
    inputs = [(x,) for x in floats_of(F64)]
    return Entry("test", "f64 a", "f64 d", name + ".f64 %d, %a;", cases(name, ["f64"], 50, inputs), run, bound=["d rel 2e-6"], draw=["a range 0.001 1000"])


def generate():
    finite = lambda a: floats.is_nan(F32, a) or floats.is_inf(F32, a) or abs(as_double32(a)) <= 2 * math.pi
    rcp = lambda a: floats.div(F32, F32.one, a)
    divisions()
    one = lambda name, title, *args, **more: write("approximation/" + name, title, [entry(*args, **more)])
    one("rcp", "rcp.approx{.ftz}.f32 d, a: 1 ulp", "rcp.approx", rcp, "~ulp:1", draw=["a range -1000 1000"])
    one("sqrt", "sqrt.approx{.ftz}.f32 d, a: relative error 2^-23", "sqrt.approx", lambda a: floats.sqrt(F32, a), "~rel:1.2e-7~ulp:1", draw=["a range 0 1000"])
    one("rsqrt", "rsqrt.approx{.ftz}.f32 d, a: relative error 2^-22.9", "rsqrt.approx", rsqrt, "~rel:1.28e-7~ulp:2", draw=["a range 0.0001 1000"])
    angles = [(f32(x),) for x in (0.1, -0.5, 0.7853982, 1.5707964, 3.1415927, -3.0, 6.0, 6.283, -6.283, 1e-3)]
    for name, fn in (("sin", math.sin), ("cos", math.cos)):
        wave = through_double(lambda x, fn=fn: None if math.isinf(x) else fn(x))
        one(name, name + ".approx{.ftz}.f32 d, a: absolute error 2^-20.5 in [-2 pi, 2 pi], open outside", name + ".approx", wave, "~abs:6.75e-7",
            inputs=angles, domain=finite, draw=["a range -6.283 6.283"])
    one("lg2", "lg2.approx{.ftz}.f32 d, a: absolute error 2^-22 within (0.5, 2), relative 2^-22 outside", "lg2.approx", through_double(log2),
        "~abs:2.39e-7~rel:2.39e-7", inputs=[(f32(x),) for x in (0.5, 0.9, 1.1, 2.0, 3.0, 1e30, 1e-30, 0.99999994)], draw=["a range 0.0001 1000"])
    one("ex2", "ex2.approx{.ftz}.f32 d, a: 2 ulp (relative error 2^-22)", "ex2.approx", through_double(exp2), "~ulp:2~rel:2.39e-7",
        inputs=[(f32(x),) for x in (0.5, -0.5, 1.0, 10.25, -10.25, 127.5, 128.0, -126.5, -148.0, -160.0, 3.3333)], draw=["a range -20 20"])
    one("tanh", "tanh.approx.f32 d, a: relative error 2^-11", "tanh.approx", through_double(math.tanh), "~rel:4.9e-4", ftz_too=False,
        inputs=[(f32(x),) for x in (0.1, -0.1, 0.5, 1.0, -2.0, 5.0, 20.0, 1e-4)], draw=["a range -10 10"])
    from .floats import div, sqrt_value, value, encode, is_nan, is_zero, is_inf, negative
    write("approximation/rcp_f64", "rcp.approx.ftz.f64 d, a: the upper 32 bits of 1/a, the lower bits 0", [top_half("rcp.approx.ftz", lambda a: div(F64, F64.one, a))])
    def rsqrt64(a):
        if is_nan(F64, a): return None
        if is_zero(F64, a): return F64.inf | a
        if negative(F64, a): return None
        return 0 if is_inf(F64, a) else encode(F64, 1 / sqrt_value(value(F64, a)))
    write("approximation/rsqrt_ftz_f64", "rsqrt.approx.ftz.f64 d, a: the upper 32 bits, the lower bits 0", [top_half("rsqrt.approx.ftz", rsqrt64)])
    def precise(a):
        r = rsqrt64(a)
        return "nan" if r is None else r if is_zero(F64, r) or is_inf(F64, r) else near(F64, r, "~ulp:2")
    write("approximation/rsqrt_f64", "rsqrt.approx.f64 d, a", [
        Entry("test", "f64 a", "f64 d", "rsqrt.approx.f64 %d, %a;", cases("rsqrt64", ["f64"], 50), precise, bound=["d ulp 2"])])
