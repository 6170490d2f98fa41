"""Matrix instructions (PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions"): layouts as the manual states them shape by shape, dot products
as exact rationals. Sums of small integers are exact in every order; other sums carry a bound, because tensor cores round while they add."""
from fractions import Fraction

from . import floats
from .emit import Entry, write
from .floats import F16, BF16, F32, F64, Format
from .values import rng, signed

E4M3, E5M2 = Format("e4m3", 4, 3, 0x7F), Format("e5m2", 5, 2, 0x7F)
E4M3.inf, E4M3.max = 0x7F, 0x7E  # no infinity
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1, "e4m3": 8, "e5m2": 8}
FLOATS = {"f16": F16, "bf16": BF16, "tf32": F32, "f64": F64, "e4m3": E4M3, "e5m2": E5M2, "f32": F32}


# ---- layouts: element i of lane l → (row, column), as in the sections "Matrix Fragments for mma.…" ----

def g(l): return l >> 2
def t(l): return l % 4


A = {("m16n8k16", 16): lambda l, i: (g(l) if i < 2 or 4 <= i < 6 else g(l) + 8, t(l) * 2 + (i & 1) + (8 if i >= 4 else 0)),
     ("m16n8k8", 16): lambda l, i: (g(l) if i < 2 else g(l) + 8, t(l) * 2 + (i & 1)),
     ("m16n8k4", 32): lambda l, i: ([g(l), g(l) + 8][i], t(l)),
     ("m16n8k8", 32): lambda l, i: (g(l) if i in (0, 2) else g(l) + 8, t(l) if i in (0, 1) else t(l) + 4),
     ("m16n8k16", 8): lambda l, i: (g(l) if i < 4 else g(l) + 8, t(l) * 4 + (i & 3)),
     ("m16n8k32", 8): lambda l, i: (g(l) if i < 4 or 8 <= i < 12 else g(l) + 8, t(l) * 4 + (i & 3) + (16 if i >= 8 else 0)),
     ("m8n8k16", 8): lambda l, i: (g(l), t(l) * 4 + i),
     ("m8n8k32", 4): lambda l, i: (g(l), t(l) * 8 + i),
     ("m16n8k32", 4): lambda l, i: (g(l) if i < 8 else g(l) + 8, t(l) * 8 + (i & 7)),
     ("m16n8k64", 4): lambda l, i: (g(l) if i < 8 or 16 <= i < 24 else g(l) + 8, t(l) * 8 + (i & 7) + (32 if i >= 16 else 0)),
     ("m8n8k128", 1): lambda l, i: (g(l), t(l) * 32 + i),
     ("m16n8k128", 1): lambda l, i: (g(l) if i < 32 else g(l) + 8, t(l) * 32 + (i & 31)),
     ("m16n8k256", 1): lambda l, i: (g(l) if i < 32 or 64 <= i < 96 else g(l) + 8, t(l) * 32 + (i & 31) + (128 if i >= 64 else 0)),
     ("m8n8k4", 64): lambda l, i: (g(l), t(l)),
     ("m16n8k4", 64): lambda l, i: ([g(l), g(l) + 8][i], t(l)),
     ("m16n8k8", 64): lambda l, i: (g(l) if i in (0, 2) else g(l) + 8, t(l) if i in (0, 1) else t(l) + 4),
     ("m16n8k16", 64): lambda l, i: (g(l) if i % 2 == 0 else g(l) + 8, t(l) + (i // 2) * 4)}
B = {("m16n8k16", 16): lambda l, i: (t(l) * 2 + (i & 1) + (8 if i >= 2 else 0), g(l)),
     ("m16n8k8", 16): lambda l, i: (t(l) * 2 + i, g(l)),
     ("m16n8k4", 32): lambda l, i: (t(l), g(l)),
     ("m16n8k8", 32): lambda l, i: ([t(l), t(l) + 4][i], g(l)),
     ("m16n8k16", 8): lambda l, i: (t(l) * 4 + i, g(l)),
     ("m16n8k32", 8): lambda l, i: (t(l) * 4 + (i & 3) + (16 if i >= 4 else 0), g(l)),
     ("m8n8k16", 8): lambda l, i: (t(l) * 4 + i, g(l)),
     ("m8n8k32", 4): lambda l, i: (t(l) * 8 + i, g(l)),
     ("m16n8k32", 4): lambda l, i: (t(l) * 8 + i, g(l)),
     ("m16n8k64", 4): lambda l, i: (t(l) * 8 + (i & 7) + (32 if i >= 8 else 0), g(l)),
     ("m8n8k128", 1): lambda l, i: (t(l) * 32 + i, g(l)),
     ("m16n8k128", 1): lambda l, i: (t(l) * 32 + i, g(l)),
     ("m16n8k256", 1): lambda l, i: (t(l) * 32 + (i & 31) + (128 if i >= 32 else 0), g(l)),
     ("m8n8k4", 64): lambda l, i: (t(l), g(l)),
     ("m16n8k4", 64): lambda l, i: (t(l), g(l)),
     ("m16n8k8", 64): lambda l, i: ([t(l), t(l) + 4][i], g(l)),
     ("m16n8k16", 64): lambda l, i: (t(l) + 4 * i, g(l))}


def c_place(shape): return (lambda l, i: (g(l), t(l) * 2 + i)) if shape.startswith("m8") else (lambda l, i: (g(l) if i < 2 else g(l) + 8, t(l) * 2 + (i & 1)))


def sizes(shape):
    m, rest = shape[1:].split("n")
    n, k = rest.split("k")
    return int(m), int(n), int(k)


def quad_places(alayout, blayout, ctype):
    """mma.m8n8k4.f16: lanes 0-3 and 16-19 work on the first of four matrices, 4-7 and 20-23 on the second, …"""
    up = lambda l: 0 if l < 16 else 4
    a = (lambda l, i: (l % 4 + up(l), i)) if alayout == "row" else (lambda l, i: (i % 4 + up(l), l % 4))
    b = (lambda l, i: (l % 4, i + up(l))) if blayout == "row" else (lambda l, i: (i, l % 4 + up(l)))
    c = (lambda l, i: (l % 4 + up(l), i)) if ctype == "f16" else (lambda l, i: ((l & 1) + (i & 2) + up(l), (i & 4) + (l & 2) + (i & 1)))
    return a, b, c


# ---- values ----

def draw(r, typ, kind):
    """Bits of an element: small integers, or anything of moderate size."""
    f = FLOATS.get(typ)
    if f is None: return r.getrandbits(BITS.get(typ, 32)) if kind != "small" or typ in BITS else r.randrange(-100, 101) & 0xFFFFFFFF
    if kind == "small": return floats.encode(f, Fraction(r.randrange(-4, 5)))
    bias = f.one >> f.mbits
    if f.mbits < 7: bits = (bias + r.randrange(-3, 2)) << f.mbits | r.getrandbits(f.mbits)
    else: bits = (bias + r.randrange(-6, 2)) << f.mbits | r.getrandbits(f.mbits)
    if typ == "tf32" and kind == "tf32 exact": bits &= ~0x1FFF
    return bits | (f.sign if r.random() < 0.5 else 0)


def exact(typ, bits):
    if typ == "tf32": return floats.value(F32, bits & ~0x1FFF)  # the multiplier ignores the low 13 bits
    if typ in FLOATS: return floats.value(FLOATS[typ], bits)
    if typ[0] == "s": return signed(BITS.get(typ, 32), bits)
    return bits


def pack(elements, bits):
    per = max(1, 32 // bits)
    return [sum(v << (bits * k) for k, v in enumerate(elements[at:at + per])) for at in range(0, len(elements), per)]


class Mma:
    """One instruction: its registers and how a group of 32 lanes is filled and judged."""
    selector = None  # of mma.sp

    def __init__(self, shape, atype, btype, ctype, dtype, text, places=None, op=None, satfinite=False, quads=False):
        self.shape, self.types, self.text = shape, (atype, btype, ctype, dtype), text
        self.m, self.n, self.k = sizes(shape)
        self.quads, self.op, self.satfinite = quads, op, satfinite
        bits = BITS[atype]
        self.places = places or (A[shape, bits], B[shape, bits], c_place(shape))
        per = lambda total, b: total // 32 * (4 if quads else 1)
        self.counts = (per(self.m * self.k, bits), per(self.k * self.n, bits), per(self.m * self.n, 32))
        self.ab_register = "b64" if bits == 64 else "b32"
        self.acc = lambda typ: ("b32", 2) if typ == "f16" else (("f64", 1) if typ == "f64" else (("f32", 1) if typ == "f32" else ("s32", 1)))
        width = max(bits, 32)
        self.na, self.nb = (c * bits // width for c in self.counts[:2])
        self.nc, self.nd = (self.counts[2] // self.acc(x)[1] for x in (ctype, dtype))

    def matrix(self, l): return (l >> 2 & 3) if self.quads else 0

    def fill(self, r, kind):
        """Cases of one warp: a tuple of registers per lane."""
        lanes = []
        a, b, c, _ = self.types
        for _ in range(32):
            regs = pack([draw(r, a, kind) for _ in range(self.counts[0])], BITS[a]) + pack([draw(r, b, kind) for _ in range(self.counts[1])], BITS[b])
            acc = [draw(r, c, kind) for _ in range(self.counts[2])]
            lanes.append(tuple(regs + (pack(acc, 16) if c == "f16" else acc)))
        return lanes

    def elements(self, regs, typ, count):
        bits = BITS.get(typ, 32)
        per = max(1, 32 // bits)
        return [regs[i // per] >> (bits * (i % per)) & ((1 << bits) - 1) for i in range(count)]

    def judge(self, lanes, small):
        a, b, c, d = self.types
        ma, mb, mc = {}, {}, {}
        for l, regs in enumerate(lanes):
            q = self.matrix(l)
            for i, v in enumerate(self.elements(regs[:self.na], a, self.counts[0])): ma[(q,) + self.places[0](l, i)] = exact(a, v)
            for i, v in enumerate(self.elements(regs[self.na:self.na + self.nb], b, self.counts[1])): mb[(q,) + self.places[1](l, i)] = exact(b, v)
        out = []
        place_c = self.places[2]
        place_d = self.place_d if hasattr(self, "place_d") else place_c
        for l, regs in enumerate(lanes):
            q = self.matrix(l)
            for i, v in enumerate(self.elements(regs[self.na + self.nb:], c, self.counts[2])): mc[(q,) + place_c(l, i)] = exact(c, v)
        for l in range(32):
            q, row = self.matrix(l), []
            for i in range(self.counts[2]):
                y, x = place_d(l, i)
                terms = [(ma[q, y, k] ^ mb[q, k, x]) if self.op == "xor" else ma[q, y, k] * mb[q, k, x] for k in range(self.k)]
                total = sum(terms) + mc[q, y, x]
                scale = sum(abs(v) for v in terms) + abs(mc[q, y, x])
                row.append((total, scale))
            out.append(tuple(self.show(d, row, small)))
        return out

    def show(self, d, row, small):
        if d == "f16":
            bits = [floats.encode(F16, v) for v, _ in row]
            return pack(bits, 16)
        out = []
        for v, scale in row:
            if d == "s32": out.append((min(max(v, -1 << 31), (1 << 31) - 1) if self.satfinite else v) & 0xFFFFFFFF)
            elif small: out.append(floats.encode(FLOATS[d], v))
            elif d == "f64": out.append("0x%016x~abs:%.3g" % (floats.encode(F64, v), float(scale) * 2 ** -48))
            else: out.append("0x%08x~abs:%.3g" % (floats.encode(F32, v), float(scale) * 2 ** -20))
        return out

    def entry(self, name):
        a, b, c, d = self.types
        r = rng(self.text + name)
        groups = [(self.fill(r, "small"), True)]
        if a in FLOATS and d != "f16": groups.append((self.fill(r, "any"), False))
        if d == "s32":
            groups.append((self.fill(r, "any"), True))
        ct, dt = self.acc(c)[0], self.acc(d)[0]
        names = ["a%d" % k for k in range(self.na)], ["b%d" % k for k in range(self.nb)], ["c%d" % k for k in range(self.nc)], ["d%d" % k for k in range(self.nd)]
        ins = ", ".join(["%s %s" % (self.ab_register if a != "f64" else "f64", n) for n in names[0] + names[1]] + ["%s %s" % (ct, n) for n in names[2]])
        if self.selector is not None: ins += ", b32 e"
        braces = lambda ns: "{" + ", ".join("%" + n for n in ns) + "}"
        tail = "" if self.selector is None else ", %%e, %d" % self.selector
        body = "%s %s, %s, %s, %s%s;" % (self.text, braces(names[3]), braces(names[0]), braces(names[1]), braces(names[2]), tail)
        def whole(_): return [(lane, out) for lanes, small in groups for lane, out in zip(lanes, self.judge(lanes, small))]
        opens = {} if d == "s32" and self.selector is None else {"open": ["d%d" % k for k in range(self.nd)]}
        return Entry(name, ins, ", ".join("%s %s" % (dt, n) for n in names[3]), body, [None], whole, whole=True, group=32, **opens)


def mma():
    text = lambda shape, a, b, c, d, mid="": "mma.sync.aligned.%s.row.col%s.%s.%s.%s.%s" % (shape, mid, d, a, b, c)
    floats_ = []
    for shape in ("m16n8k8", "m16n8k16"):
        floats_ += [(shape, "f16", "f16", "f16", "f16"), (shape, "f16", "f16", "f32", "f32"), (shape, "bf16", "bf16", "f32", "f32")]
    floats_ += [(s, "tf32", "tf32", "f32", "f32") for s in ("m16n8k4", "m16n8k8")]
    for x in floats_:
        write("matrix/mma_%s_%s_%s" % (x[0], x[1], x[4]), "mma %s: small integers exactly, other values within 2^-20 of the sum of magnitudes" % (x,), [Mma(*x, text(*x)).entry("test")])
    eight = [("m16n8k16", "e4m3", "e4m3", "f32", "f32"), ("m16n8k32", "e4m3", "e5m2", "f32", "f32"), ("m16n8k32", "e5m2", "e4m3", "f16", "f16")]
    write("matrix/mma_fp8", "mma of 8-bit floats", [Mma(*x, text(*x)).entry("test_%d" % k) for k, x in enumerate(eight)], version="8.7", target="sm_89")
    write("matrix/mma_f64", "mma of f64, in all shapes", [Mma(s, "f64", "f64", "f64", "f64", text(s, "f64", "f64", "f64", "f64")).entry("test_" + s)
                                                          for s in ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16")])
    ints = [(s, a, b) for s in ("m8n8k16", "m16n8k16", "m16n8k32") for a, b in (("s8", "s8"), ("u8", "s8"), ("s8", "u8"), ("u8", "u8"))]
    ints += [(s, a, b) for s in ("m8n8k32", "m16n8k32", "m16n8k64") for a, b in (("s4", "s4"), ("u4", "s4"))]
    write("matrix/mma_int", "mma of integers: sums wrap, or are clamped with .satfinite", [
        Mma(s, a, b, "s32", "s32", text(s, a, b, "s32", "s32", mid), satfinite=bool(mid)).entry("test_%s_%s_%s%s" % (s, a, b, mid.replace(".", "_")))
        for s, a, b in ints for mid in ("", ".satfinite")])
    write("matrix/mma_b1", "mma of single bits", [
        Mma(s, "b1", "b1", "s32", "s32", text(s, "b1", "b1", "s32", "s32") + ".%s.popc" % op, op=op).entry("test_%s_%s" % (s, op))
        for s in ("m8n8k128", "m16n8k128", "m16n8k256") for op in ("and", "xor")])
    entries = []
    for al in ("row", "col"):
        for bl in ("row", "col"):
            for c, d in (("f16", "f16"), ("f32", "f32"), ("f16", "f32")):
                m = Mma("m8n8k4", "f16", "f16", c, d, "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s" % (al, bl, d, c), places=quad_places(al, bl, c), quads=True)
                m.place_d = quad_places(al, bl, d)[2]
                entries.append(m.entry("test_%s_%s_%s_%s" % (al, bl, c, d)))
    write("matrix/mma_m8n8k4_f16", "mma.m8n8k4 of f16: four matrices, each of two quads", entries)


# ---- mma.sp ----

def sparse_layout(bits):
    """Element i of A's registers of lane l → (row, its chunk's first column, which of the chunk's stored elements), from the formulas of "Matrix
    Fragments for sparse mma.…": a lane's elements of a row lie in columns firstcol … lastcol, of which half are stored."""
    per, chunk = 32 // bits, {32: 2, 16: 4, 8: 4, 4: 8}[bits]

    def place(l, i):
        register, e = divmod(i, per)
        row = g(l) + 8 * (register % 2)
        first = t(l) * 2 * per + (register // 2) * 8 * per
        stored = chunk // 2
        return row, first + e // stored * chunk, e % stored
    return place, chunk


def metadata_place(bits, l, nibble):
    """Which row and chunk four bits of a lane's metadata belong to: the figures "metadata layout" of the same sections; an H200 agrees
    (data/measured/h200-ptx/sparse_metadata.csv). The lane is counted from the first that holds metadata in its group of four."""
    q = t(l)
    return (g(l) + 8 * (nibble // 4), 4 * q + nibble % 4) if bits >= 16 else (g(l) + 8 * (q & 1), 8 * (q >> 1) + nibble)


class SparseMma(Mma):
    def __init__(self, shape, atype, btype, ctype, dtype, selector, ordered=True):
        m, n, k = sizes(shape)
        bits = BITS[atype]
        self.bits, self.full, self.selector = bits, k, selector
        self.layout, self.chunk = sparse_layout(bits)
        self.holders = 16 * (k // self.chunk) * 4 // 256
        half = "m16n8k%d" % (k // 2)
        b = lambda l, i: (i // (32 // bits) * 4 * (32 // bits) + t(l) * (32 // bits) + i % (32 // bits), g(l))
        text = "mma.sp%s.sync.aligned.%s.row.col.%s.%s.%s.%s" % ("::ordered_metadata" if ordered else "", shape, dtype, atype, btype, ctype)
        super().__init__(half, atype, btype, ctype, dtype, text, places=(None, b, c_place(shape)))
        self.counts = (16 * k // 2 // 32, 8 * k // 32, 4)
        self.na, self.nb = (c * bits // 32 for c in self.counts[:2])

    def fill(self, r, kind):
        orders = [0b0100, 0b1110] if self.bits == 32 else [0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110]
        return [regs + (sum(r.choice(orders) << 4 * n for n in range(8)),) for regs in super().fill(r, kind)]

    def judge(self, lanes, small):
        a, b, c, d = self.types
        index = {}
        first = self.selector * self.holders
        for l, regs in enumerate(lanes):
            if first <= t(l) < first + self.holders:
                for n in range(8): index[metadata_place(self.bits, l - first, n)] = regs[-1] >> 4 * n & 15
        ma, mb, mc = {}, {}, {}
        for l, regs in enumerate(lanes):
            for i, v in enumerate(self.elements(regs[:self.na], a, self.counts[0])):
                row, column, which = self.layout(l, i)
                bits = index[row, column // self.chunk]
                if self.chunk == 2: at = bits >> 1 & 1
                elif self.chunk == 8: at = (bits >> 2 * (which // 2) & 3) * 2 + which % 2
                else: at = bits >> 2 * which & 3
                ma[row, column + at] = exact(a, v)
            for i, v in enumerate(self.elements(regs[self.na:self.na + self.nb], b, self.counts[1])): mb[self.places[1](l, i)] = exact(b, v)
            for i, v in enumerate(self.elements(regs[self.na + self.nb:-1], c, 4)): mc[self.places[2](l, i)] = exact(c, v)
        out = []
        for l in range(32):
            row = []
            for i in range(4):
                y, x = self.places[2](l, i)
                terms = [ma.get((y, k), 0) * mb[k, x] for k in range(self.full)]
                row.append((sum(terms) + mc[y, x], sum(abs(v) for v in terms) + abs(mc[y, x])))
            out.append(tuple(self.show(d, row, small)))
        return out

def sparse():
    floats_ = [("m16n8k16", "f16", "f16", "f32", "f32", f) for f in range(4)] + [("m16n8k32", "f16", "f16", "f32", "f32", f) for f in range(2)]
    floats_ += [("m16n8k32", "bf16", "bf16", "f32", "f32", 1), ("m16n8k16", "f16", "f16", "f16", "f16", 2)]
    floats_ += [("m16n8k8", "tf32", "tf32", "f32", "f32", 3), ("m16n8k16", "tf32", "tf32", "f32", "f32", 0), ("m16n8k16", "tf32", "tf32", "f32", "f32", 1)]
    write("matrix/mma_sp_float", "mma.sp: A is half zeros, metadata says where", [SparseMma(*x).entry("test_%s_%s_%s_%d" % (x[0], x[1], x[4], x[5])) for x in floats_], version="8.5", target="sm_80")
    eight = [("m16n8k64", "e4m3", "e5m2", "f32", "f32", 0), ("m16n8k64", "e5m2", "e4m3", "f32", "f32", 0)]
    write("matrix/mma_sp_fp8", "mma.sp of 8-bit floats", [SparseMma(*x).entry("test_%d" % k) for k, x in enumerate(eight)], version="8.5", target="sm_89")
    ints = [("m16n8k32", "s8", "u8", 0), ("m16n8k32", "u8", "s8", 1), ("m16n8k64", "s8", "s8", 0), ("m16n8k64", "s4", "u4", 0), ("m16n8k64", "u4", "u4", 1), ("m16n8k128", "s4", "s4", 0)]
    write("matrix/mma_sp_int", "mma.sp of integers: pairs of 4-bit ones stand or fall together", [SparseMma(s, a, b, "s32", "s32", f).entry("test_%s_%s_%s_%d" % (s, a, b, f)) for s, a, b, f in ints], version="8.5", target="sm_80")


def matrices():
    """ldmatrix, stmatrix and movmatrix through shared memory. Lane l owns 16 bytes of it (row l of the matrices); for x1 and x2 the addresses of
    the other lanes are not used."""
    entries = []
    r = rng("ldmatrix")
    rows = [tuple(r.getrandbits(64) for _ in range(2)) for _ in range(64)]
    half = lambda row, k: row[k // 4] >> (16 * (k % 4)) & 0xFFFF
    start = ["mov.u32 %l, %tid.x;", "shl.b32 %at, %l, 4;", "mov.u32 %base, sm;", "add.u32 %at, %at, %base;"]
    regs = ".reg .b32 %l, %at, %base, %x<4>; .reg .b64 %wide"
    for count in (1, 2, 4):
        for trans in ("", ".trans"):
            for space in (".shared", ""):
                def load(_, count=count, trans=trans):
                    out = []
                    for at in (0, 32):
                        group = rows[at:at + 32]
                        for l in range(32):
                            regs = []
                            for q in range(4):
                                lo, hi = ((half(group[8 * q + t(l) * 2 + k], g(l)) if trans else half(group[8 * q + g(l)], t(l) * 2 + k)) for k in (0, 1))
                                regs.append(lo | hi << 16 if q < count else 0)
                            out.append((group[l], tuple(regs)))
                    return out
                outs = ["d%d" % k for k in range(4)]
                address = "%at" if space else "%wide"
                body = start + ["st.shared.v2.b64 [%at], {%a, %b};", "bar.sync 0;", "cvt.u64.u32 %wide, %at;", "cvta.shared.u64 %wide, %wide;"]
                body += ["mov.b32 %%d%d, 0;" % k for k in range(4)]
                body += ["ldmatrix.sync.aligned.m8n8.x%d%s%s.b16 {%s}, [%s];" % (count, trans, space, ", ".join("%" + o for o in outs[:count]), address)]
                entries.append(Entry("load_x%d%s%s" % (count, trans.replace(".", "_"), space.replace(".", "_")), "b64 a, b64 b", ", ".join("b32 " + o for o in outs), body, [None], load,
                                     whole=True, group=32, regs=regs, variables=[".shared .align 128 .b8 sm[2048];"]))
    write("matrix/ldmatrix", "ldmatrix: lane l stores row l of the matrices, then all lanes load", entries)
    entries = []
    words = [tuple(r.getrandbits(32) for _ in range(4)) for _ in range(64)]
    for count in (1, 2, 4):
        for trans in ("", ".trans"):
            def store(_, count=count, trans=trans):
                out = []
                for at in (0, 32):
                    group = words[at:at + 32]
                    memory = [[0] * 8 for _ in range(32)]
                    for l in range(32):
                        for q in range(count):
                            for k in (0, 1):
                                v = group[l][q] >> (16 * k) & 0xFFFF
                                if trans: memory[8 * q + t(l) * 2 + k][g(l)] = v
                                else: memory[8 * q + g(l)][t(l) * 2 + k] = v
                    out += [(group[l], tuple(sum(memory[l][4 * h + k] << (16 * k) for k in range(4)) for h in (0, 1))) for l in range(32)]
                return out
            body = start + ["mov.u64 %d, 0;", "st.shared.v2.b64 [%at], {%d, %d};", "bar.sync 0;",
                            "stmatrix.sync.aligned.m8n8.x%d%s.shared.b16 [%%at], {%s};" % (count, trans, ", ".join("%" + "abce"[k] for k in range(count))),
                            "bar.sync 0;", "ld.shared.v2.b64 {%d, %f}, [%at];"]
            entries.append(Entry("store_x%d%s" % (count, trans.replace(".", "_")), "b32 a, b32 b, b32 c, b32 e", "b64 d, b64 f", body, [None], store, whole=True, group=32,
                                 regs=regs, variables=[".shared .align 128 .b8 sm[2048];"]))
    write("matrix/stmatrix", "stmatrix: all lanes store, then lane l reads row l of the matrices", entries)
    def transpose(_):
        out = []
        for at in (0, 32):
            m = [[0] * 8 for _ in range(8)]
            for l in range(32):
                for k in (0, 1): m[g(l)][t(l) * 2 + k] = words[at + l][0] >> (16 * k) & 0xFFFF
            out += [((words[at + l][0],), (m[t(l) * 2][g(l)] | m[t(l) * 2 + 1][g(l)] << 16,)) for l in range(32)]
        return out
    write("matrix/movmatrix", "movmatrix: the transposed matrix", [Entry("test", "b32 a", "b32 d", "movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;", [None], transpose, whole=True, group=32)])


def generate():
    mma()
    sparse()
    matrices()
