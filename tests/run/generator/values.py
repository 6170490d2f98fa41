"""Operands worth trying: edges of each type and a seeded handful of random ones."""
import random
import zlib
from itertools import product

from . import floats
from .emit import BITS


def signed(bits, v):
    v &= (1 << bits) - 1
    return v - (1 << bits) if v >> (bits - 1) else v


def number(t, v):
    """The integer that the bits of a value of type t stand for."""
    return signed(BITS[t], v) if t[0] == "s" else v & ((1 << BITS[t]) - 1)


def wrap(t, v): return v & ((1 << BITS[t]) - 1)


def rng(name): return random.Random(zlib.crc32(name.encode()))


def integers(t):
    n = BITS[t]
    top = 1 << (n - 1)
    return [0, 1, 2, (1 << n) - 1, top - 1, top, top + 1, 7, 0xAAAAAAAAAAAAAAAA & ((1 << n) - 1), 0x123456789ABCDEF & ((1 << n) - 1)]


def random_integer(r, t):
    n = BITS[t]
    kind = r.randrange(3)
    if kind == 0: return r.getrandbits(n)
    if kind == 1: return r.getrandbits(r.randrange(1, n + 1))
    return (-r.getrandbits(r.randrange(1, n))) & ((1 << n) - 1)


def floats_of(f):
    """Edges: zeros, subnormals, the smallest normal, around one, halves, the largest, infinity, NaN (quiet, signalling, negative)."""
    one = f.one
    return [0, f.sign, 1, f.sign | (f.min_normal - 1), f.min_normal, one, f.sign | (one + 1), one - 1, one | (1 << (f.mbits - 1)),
            f.max, f.sign | f.max, f.inf, f.sign | f.inf, f.nan, f.inf | 1, f.sign | f.inf | (1 << (f.mbits - 1)) | 5]


def random_float(r, f, near=None):
    kind = r.randrange(4)
    sign = f.sign if r.random() < 0.5 else 0
    if kind == 0: return r.getrandbits(f.bits)
    if kind == 1: return sign | ((f.one >> f.mbits) + r.randrange(-4, 5)) << f.mbits | r.getrandbits(f.mbits)
    if kind == 2 and near is not None:
        e = ((near & ~f.sign) >> f.mbits) + r.randrange(-2, 3)
        e = min(max(e, 0), (1 << f.ebits) - 2)
        return sign | e << f.mbits | r.getrandbits(f.mbits)
    return sign | ((f.one >> f.mbits) + r.randrange(-2, 3)) << f.mbits | (r.getrandbits(4) << (f.mbits - 4))


def of(r, t, near=None):
    if t == "pred": return r.randrange(2)
    if t in floats.FORMATS: return random_float(r, floats.FORMATS[t], near)
    return random_integer(r, t)


def edges(t):
    if t == "pred": return [0, 1]
    return floats_of(floats.FORMATS[t]) if t in floats.FORMATS else integers(t)


def cases(name, types, count=40, extra=()):
    """Edge tuples (all of them where there are few, a random choice of them else), `extra`, and random tuples."""
    r = rng(name)
    lists = [edges(t) for t in types]
    total = 1
    for l in lists: total *= len(l)
    want = max(count * 3 // 5, max(len(l) for l in lists))
    if total <= want: chosen = list(product(*lists))
    else:
        chosen, decks = [], [[] for _ in lists]
        while len(chosen) < want:  # every edge value of every operand appears, in changing company
            for k, l in enumerate(lists):
                if not decks[k]: decks[k] = r.sample(l, len(l))
            chosen.append(tuple(d.pop() for d in decks))
    out = list(dict.fromkeys(chosen + list(extra)))
    while len(out) < count + len(extra):
        first = of(r, types[0])
        case = (first,) + tuple(of(r, t, first if t == types[0] else None) for t in types[1:])
        if case not in out: out.append(case)
        if all(t == "pred" for t in types): break
    return out
