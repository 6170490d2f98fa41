"""wmma.load, wmma.mma and wmma.store. The inputs of a warp are an image of memory that holds A, B and C, its outputs an image of D; records are just
32 equal slices of them. Which register holds which element is open, so only whole operations are tested, and arithmetic on accumulators."""
from . import floats
from .emit import Entry, write
from .floats import F16, F32, F64
from .matrix import BITS as FACTOR_BITS, FLOATS, draw, exact, sizes
from .values import rng

BITS = dict(FACTOR_BITS, f32=32, s32=32)


class Matrix:
    """rows × columns elements in memory, lines `padding` bytes apart beyond their length."""

    def __init__(self, typ, rows, columns, layout, padded):
        self.typ, self.rows, self.columns, self.layout = typ, rows, columns, layout
        self.lines, self.length = (rows, columns) if layout == "row" else (columns, rows)
        pad = max(1, 128 // BITS[typ]) if padded else 0
        self.stride = self.length + pad
        self.bytes = self.lines * self.stride * BITS[typ] // 8

    def bit(self, row, column):
        line, at = (row, column) if self.layout == "row" else (column, row)
        return (line * self.stride + at) * BITS[self.typ]


class Wmma:
    def __init__(self, name, shape, a, b, c, d, layouts, padded, space, op=None, saturate=False, scale=False):
        self.name, self.shape, self.space, self.op, self.saturate, self.scale = name, shape, space, op, saturate, scale
        self.m, self.n, self.k = sizes(shape)
        al, bl, cl = layouts
        self.a, self.b = Matrix(a, self.m, self.k, al, padded), Matrix(b, self.k, self.n, bl, padded)
        self.c, self.d = Matrix(c, self.m, self.n, cl, padded), Matrix(d, self.m, self.n, cl, False)
        self.padded = padded
        up = lambda v: (v + 255) // 256 * 256
        self.at = (0, up(self.a.bytes), up(self.a.bytes) + up(self.b.bytes))
        self.total = self.at[2] + up(self.c.bytes)

    def registers(self):
        per = lambda mat, elements: elements * BITS[mat.typ] // 32 // max(32, BITS[mat.typ])
        na = 8 if self.a.typ == "f16" else per(self.a, self.m * self.k)
        nb = 8 if self.b.typ == "f16" else per(self.b, self.k * self.n)
        return na, nb, per(self.c, self.m * self.n), per(self.d, self.m * self.n)

    def image(self, r, kind):
        memory, values = 0, []
        for mat, at in zip((self.a, self.b, self.c), self.at):
            v = {}
            for row in range(mat.rows):
                for column in range(mat.columns):
                    bits = draw(r, mat.typ, kind)
                    memory |= bits << (8 * at + mat.bit(row, column))
                    v[row, column] = exact(mat.typ, bits)
            values.append(v)
        return memory, values

    def judge(self, values, small):
        a, b, c = values
        out = {}
        for y in range(self.m):
            for x in range(self.n):
                terms = [(a[y, k] ^ b[k, x]) if self.op == "xor" else a[y, k] * b[k, x] for k in range(self.k)]
                v, scale = sum(terms) + c[y, x], sum(map(abs, terms)) + abs(c[y, x])
                d = self.d.typ
                if d == "s32": text = (min(max(v, -1 << 31), (1 << 31) - 1) if self.saturate else v) & 0xFFFFFFFF
                else:
                    f = {"f16": F16, "f32": F32, "f64": F64}[d]
                    text = floats.encode(f, 2 * v if self.scale else v)
                    if not small: text = "0x%0*x~abs:%.3g" % (f.bits // 4, text, float(scale) * {"f16": 2 ** -9, "f32": 2 ** -20, "f64": 2 ** -48}[d])
                out[self.d.bit(y, x) // BITS[d]] = text
        return [out[k] for k in range(self.m * self.n)]

    def entry(self):
        words = self.total // 32 // 8
        outs = self.m * self.n // 32
        d = self.d.typ
        r = rng("wmma" + self.name)
        kinds = [("small", True)] + ([("any", False)] if self.a.typ in FLOATS else []) + ([("any", True)] if d == "s32" else [])
        def whole(_):
            out = []
            for kind, small in kinds:
                memory, values = self.image(r, kind)
                results = self.judge(values, small)
                out += [(tuple(memory >> (64 * (l * words + k)) & (1 << 64) - 1 for k in range(words)), tuple(results[l * outs:(l + 1) * outs])) for l in range(32)]
            return out
        na, nb, nc, nd = self.registers()
        reg = lambda typ: {"f64": "f64", "f32": "f32"}.get(typ, "b32")
        dot = "." + self.space if self.space else ""
        frag = lambda letter, count: "{" + ", ".join("%%%s%d" % (letter, k) for k in range(count)) + "}"
        stride = lambda mat: ", %d" % mat.stride if self.padded else ""
        body = ["mov.u32 %l, %laneid;", "mul.wide.u32 %%o, %%l, %d;" % (words * 8), "sub.s64 %base, %_in, %o;",
                "mul.wide.u32 %%o, %%l, %d;" % (outs * BITS[d] // 8), "sub.s64 %to, %_out, %o;"]
        for letter, mat, at, count in zip("abc", (self.a, self.b, self.c), self.at, (na, nb, nc)):
            body.append("wmma.load.%s.sync.aligned.%s.%s%s.%s %s, [%%base+%d]%s;" % (letter, mat.layout, self.shape, dot, mat.typ, frag(letter, count), at, stride(mat)))
        types = "%s.%s" % (d, self.c.typ) if self.a.typ == "f16" else "%s.%s.%s.%s" % (d, self.a.typ, self.b.typ, self.c.typ)
        op = self.op + ".popc." if self.op else ""
        body.append("wmma.mma.%ssync.aligned.%s.%s.%s.%s%s %s, %s, %s, %s;" % (op, self.a.layout, self.b.layout, self.shape, types, ".satfinite" if self.saturate else "",
                                                                             frag("d", nd), frag("a", na), frag("b", nb), frag("c", nc)))
        if self.scale: body += ["add.f32 %%d%d, %%d%d, %%d%d;" % (k, k, k) for k in range(nd)]
        body.append("wmma.store.d.sync.aligned.%s.%s%s.%s [%%to], %s%s;" % (self.d.layout, self.shape, dot, d, frag("d", nd), ", %d" % self.d.stride if self.padded else ""))
        regs = ".reg .b32 %l; .reg .b64 %o, %base, %to; " + "; ".join(".reg .%s %%%s<%d>" % (reg(m.typ) if m.typ != "tf32" else "b32", x, c)
                                                                  for x, m, c in zip("abcd", (self.a, self.b, self.c, self.d), (na, nb, nc, nd)))
        names = ", ".join("%s r%d" % (d, k) for k in range(outs))
        opens = {} if d == "s32" else {"open": ["r%d" % k for k in range(outs)]}
        return Entry(self.name, ", ".join("b64 m%d" % k for k in range(words)), names, body, [None], whole, whole=True, group=32, no_load=True, no_store=True, regs=regs, **opens)


def generate():
    shapes = ("m16n16k16", "m32n8k16", "m8n32k16")
    layouts = [(a, b, c) for a in ("row", "col") for b in ("row", "col") for c in ("row", "col")]
    title = "whole matrices between memory and fragments and their product; strides given where lines are padded"
    for typ, combos in (("f16", [("f32", "f32"), ("f16", "f16"), ("f16", "f32"), ("f32", "f16")]), ("bf16", [("f32", "f32")]), ("s8", [("s32", "s32")]), ("u8", [("s32", "s32")])):
        entries, n = [], 0
        for c, d in combos:
            for shape in shapes:
                for which in range(2):
                    l = layouts[(3 * n + 5 * which) % 8]
                    padded, space = bool((n + which) % 2), ["global", ""][(n // 2 + which) % 2]
                    entries.append(Wmma("test_%s_%s_%s_%d" % (shape, c, d, which), shape, typ, typ, c, d, l, padded, space, saturate=typ == "s8" and which == 1,
                                        scale=d == "f32" and which == 1).entry())
                n += 1
        write("matrix/wmma_" + typ, "wmma of .%s: %s" % (typ, title), entries)
    write("matrix/wmma_tf32", "wmma of .tf32: " + title, [Wmma("test_%d" % k, "m16n16k8", "tf32", "tf32", "f32", "f32", l, bool(k % 2), ["global", ""][k // 2 % 2]).entry() for k, l in enumerate(layouts[::2] + layouts[1::3])])
    write("matrix/wmma_f64", "wmma of .f64: " + title, [Wmma("test_%d" % k, "m8n8k4", "f64", "f64", "f64", "f64", l, bool(k % 2), ["global", ""][k // 2 % 2]).entry() for k, l in enumerate(layouts)])
    write("matrix/wmma_int4", "wmma of .s4 and .u4", [Wmma("test_%s%s" % (typ, "_sat" * s), "m8n8k32", typ, typ, "s32", "s32", ("row", "col", "row"), bool(s), "global", saturate=bool(s)).entry()
                                                      for typ in ("s4", "u4") for s in (0, 1)])
    write("matrix/wmma_b1", "wmma of .b1", [Wmma("test_" + op, "m8n8k128", "b1", "b1", "s32", "s32", ("row", "col", "col"), p, "global", op=op).entry() for op, p in (("xor", False), ("and", True))])
