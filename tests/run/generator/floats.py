"""Floating-point formats as bit patterns with exact arithmetic: every operation works on Fractions and rounds once."""
from fractions import Fraction
from math import isqrt


class Format:
    def __init__(self, name, ebits, mbits, nan):
        self.name, self.ebits, self.mbits, self.nan = name, ebits, mbits, nan
        self.bits = 1 + ebits + mbits
        self.sign = 1 << (self.bits - 1)
        self.inf = ((1 << ebits) - 1) << mbits
        self.max = self.inf - 1
        self.min_normal = 1 << mbits
        self.emin = 2 - (1 << (ebits - 1))
        self.one = ((1 << (ebits - 1)) - 1) << mbits


F16 = Format("f16", 5, 10, 0x7FFF)
BF16 = Format("bf16", 8, 7, 0x7FFF)
F32 = Format("f32", 8, 23, 0x7FFFFFFF)
F64 = Format("f64", 11, 52, 0x7FF8000000000000)
FORMATS = {f.name: f for f in (F16, BF16, F32, F64)}


def is_nan(f, b): return (b & ~f.sign) > f.inf
def is_inf(f, b): return (b & ~f.sign) == f.inf
def is_zero(f, b): return (b & ~f.sign) == 0
def is_subnormal(f, b): return 0 < (b & ~f.sign) < f.min_normal
def negative(f, b): return bool(b & f.sign)
def flush(f, b): return b & f.sign if is_subnormal(f, b) or getattr(b, "tiny", False) else b


def value(f, b):
    """The exact value of a finite number."""
    m = b & ~f.sign
    e, frac = m >> f.mbits, m & (f.min_normal - 1)
    scale = f.emin - f.mbits
    v = Fraction(frac) if e == 0 else Fraction((frac | f.min_normal) << (e - 1))
    v = v * (Fraction(1, 1 << -scale) if scale < 0 else (1 << scale))
    return -v if b & f.sign else v


def log2_floor(v):
    e = v.numerator.bit_length() - v.denominator.bit_length()
    return e if v >= (Fraction(1 << e) if e >= 0 else Fraction(1, 1 << -e)) else e - 1


def pow2(e): return Fraction(1 << e) if e >= 0 else Fraction(1, 1 << -e)


def round_integer(q, mode, sign=False):
    """A non-negative Fraction to an integer; `sign` is the sign of the number it is the magnitude of."""
    whole = q.numerator // q.denominator
    rest = q - whole
    if rest == 0: return whole
    if mode == "rn": up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1)
    elif mode == "rna": up = rest >= Fraction(1, 2)
    elif mode == "rz": up = False
    elif mode == "rm": up = sign
    elif mode == "rp": up = not sign
    return whole + bool(up)


class Rounded(int):
    """The bits of a rounded value. tiny: below the smallest normal even when rounded with an unbounded exponent, which is what .ftz flushes (an H200 does)."""
    tiny = False


def encode(f, v, mode="rn", zero_sign=False):
    """Rounds an exact value; the sign of an exact zero is given. Overflow: infinity or the largest number, by mode."""
    if v == 0: return f.sign if zero_sign else 0
    sign, m = v < 0, abs(v)
    e = max(log2_floor(m), f.emin)
    bits = ((e - f.emin) << f.mbits) + round_integer(m / pow2(e - f.mbits), mode, sign)
    if bits >= f.inf:
        to_inf = mode in ("rn", "rna") or (mode == "rp" and not sign) or (mode == "rm" and sign)
        bits = f.inf if to_inf else f.max
    out = Rounded(bits | (f.sign if sign else 0))
    if m < pow2(f.emin):
        e = log2_floor(m)
        out.tiny = round_integer(m / pow2(e - f.mbits), mode, sign) * pow2(e - f.mbits) < pow2(f.emin)
    return out


def sqrt_value(v, precision=220):
    """The square root of a Fraction, exact when it is rational with few bits, else with a sticky bit far below any rounding."""
    shift = 2 * precision
    n = (v.numerator << (shift + 1200)) // v.denominator
    exact = (n * v.denominator == v.numerator << (shift + 1200))
    root = isqrt(n)
    exact = exact and root * root == n
    return Fraction(2 * root + (0 if exact else 1), 2 << (precision + 600))


def finish(f, bits, ftz=False, sat=False):
    """.sat, then .ftz on a result. A NaN arrives as None and leaves as the format's canonical one ("nan" for f64: payload open)."""
    if sat:
        if bits is None: return 0
        if negative(f, bits): return 0
        if (bits & ~f.sign) > f.one: return f.one
    if bits is None: return "nan" if f is F64 else f.nan
    return flush(f, bits) if ftz else bits


def add(f, a, b, mode="rn"):
    if is_nan(f, a) or is_nan(f, b): return None
    if is_inf(f, a) or is_inf(f, b):
        if is_inf(f, a) and is_inf(f, b): return a if a == b else None
        return a if is_inf(f, a) else b
    both = negative(f, a) and negative(f, b)
    differ = negative(f, a) != negative(f, b)
    zero_sign = both or (differ and mode == "rm")
    return encode(f, value(f, a) + value(f, b), mode, zero_sign)


def mul(f, a, b, mode="rn"):
    if is_nan(f, a) or is_nan(f, b): return None
    sign = negative(f, a) != negative(f, b)
    if is_inf(f, a) or is_inf(f, b):
        if is_zero(f, a) or is_zero(f, b): return None
        return f.inf | (f.sign if sign else 0)
    return encode(f, value(f, a) * value(f, b), mode, sign)


def fma(f, a, b, c, mode="rn"):
    if is_nan(f, a) or is_nan(f, b) or is_nan(f, c): return None
    sign = negative(f, a) != negative(f, b)
    if is_inf(f, a) or is_inf(f, b):
        if is_zero(f, a) or is_zero(f, b): return None
        p = f.inf | (f.sign if sign else 0)
        return None if is_inf(f, c) and c != p else p
    if is_inf(f, c): return c
    both = sign and negative(f, c)
    differ = sign != negative(f, c)
    exact = value(f, a) * value(f, b) + value(f, c)
    return encode(f, exact, mode, both or (differ and mode == "rm"))


def div(f, a, b, mode="rn"):
    if is_nan(f, a) or is_nan(f, b): return None
    s = f.sign if negative(f, a) != negative(f, b) else 0
    if is_inf(f, a): return None if is_inf(f, b) else f.inf | s
    if is_inf(f, b): return s
    if is_zero(f, b): return None if is_zero(f, a) else f.inf | s
    return encode(f, value(f, a) / value(f, b), mode, bool(s))


def sqrt(f, a, mode="rn"):
    if is_nan(f, a): return None
    if is_zero(f, a): return a
    if negative(f, a): return None
    if is_inf(f, a): return a
    return encode(f, sqrt_value(value(f, a)), mode)


def total_less(f, a, b):
    """a < b with -0 < +0; neither is NaN."""
    key = lambda x: -(x & ~f.sign) - 1 if negative(f, x) else x
    return key(a) < key(b)


def minimum(f, a, b, nan=False, largest=False):
    if nan and (is_nan(f, a) or is_nan(f, b)): return None
    if is_nan(f, a) and is_nan(f, b): return None
    if is_nan(f, a): return b
    if is_nan(f, b): return a
    first = total_less(f, a, b)
    return (b if first else a) if largest else (a if first else b)


def compare(f, op, a, b):
    unordered = is_nan(f, a) or is_nan(f, b)
    if op == "num": return not unordered
    if op == "nan": return unordered
    if unordered: return op in ("equ", "neu", "ltu", "leu", "gtu", "geu")
    inf = 1 << 4000
    x, y = ((-inf if negative(f, v) else inf) if is_inf(f, v) else value(f, v) for v in (a, b))
    return {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[op[:2]]


def convert(to, frm, a, mode="rn"):
    """Between formats: None for NaN."""
    if is_nan(frm, a): return None
    s = to.sign if negative(frm, a) else 0
    if is_inf(frm, a): return to.inf | s
    return encode(to, value(frm, a), mode, bool(s))


def to_integral(f, a, mode):
    """Rounds to an integral value in the same format."""
    if is_nan(f, a): return None
    if is_inf(f, a) or is_zero(f, a): return a
    v = value(f, a)
    n = round_integer(abs(v), mode, v < 0)
    return encode(f, Fraction(-n if v < 0 else n), "rn", v < 0)
