"""wgmma.mma_async (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"): layouts in shared memory as the manual's figures have them, small
integers, whose sums are exact in every order."""
from fractions import Fraction

from . import floats
from .emit import Entry, write
from .matrix import A, BITS, FLOATS, exact, g, pack, t
from .values import rng

PARTS = 2  # a row of K is 32 bytes: two chunks of 16


def number(r, typ):
    if typ in FLOATS: return floats.encode(FLOATS[typ], Fraction(r.randrange(-4, 5)))
    return r.getrandbits(BITS[typ])


def words(elements, bits):
    """16 bytes as four words."""
    return pack(elements, bits) if bits < 32 else elements


class Layout:
    """Where chunks of 16 bytes lie, and the descriptor's fields. Rows of 8 chunks repeat; swizzles mix the address bits 4 to 6 with 7 to 9."""

    def __init__(self, swizzle, by_rows, chunks_of_rows):
        self.swizzle, self.by_rows = swizzle, by_rows
        if by_rows:
            line = swizzle or 16
            self.lines = line // 16                                             # chunks of rows in one line
            atom = 8 * line                                                      # eight k
            groups = max(1, chunks_of_rows // self.lines)
            self.near, self.far = (atom, atom * 2) if swizzle else (128, 256)    # k groups, then groups of rows
            self.sbo, self.lbo = (self.near, self.far) if swizzle else (self.far, self.near)
            self.bytes = self.far * groups
        elif swizzle: self.sbo, self.lbo = 8 * swizzle, 16
        else: self.sbo, self.lbo = 256, 128

    def at(self, row_chunk, k):
        """by_rows: chunk of eight rows, k; else: row, chunk of k."""
        if self.by_rows:
            line = self.swizzle or 16
            offset = row_chunk % self.lines * 16 + row_chunk // self.lines * self.far + k % 8 * line + k // 8 * self.near
        elif self.swizzle: offset = row_chunk % 8 * self.swizzle + row_chunk // 8 * self.sbo + k * 16
        else: offset = row_chunk % 8 * 16 + row_chunk // 8 * self.sbo + k * self.lbo
        mask = {0: 0, 32: 1, 64: 3, 128: 7}[self.swizzle]
        return offset ^ ((offset >> 7 & mask) << 4)

    def descriptor(self): return (self.lbo >> 4) << 16 | (self.sbo >> 4) << 32 | {0: 0, 128: 1, 64: 2, 32: 3}[self.swizzle] << 62


def one(name, n, a, b, d, la, lb, registers=False, accumulates=True, signs=(1, 1), satfinite=False, mid=""):
    """One warpgroup. Thread i fills chunk i of A and, the first 2n threads, chunk i of B; sub-word types by 16 bytes."""
    k = 256 // BITS[a]
    per = 16 * 8 // BITS[a]  # elements of a chunk
    r = rng("wgmma" + name)
    ma = {(m, x): number(r, a) for m in range(64) for x in range(k)}
    mb = {(c, x): number(r, b) for c in range(n) for x in range(k)}
    acc_count = n // 2
    start = lambda: floats.encode(FLOATS[d], Fraction(r.randrange(-9, 10))) if d != "s32" else r.randrange(-50, 51) & 0xFFFFFFFF
    place = lambda th, i: (th // 32 * 16 + g(th % 32) + (8 if i & 2 else 0), i // 4 * 8 + t(th % 32) * 2 + (i & 1))
    mc = {(th, i): start() for th in range(128) for i in range(acc_count)}

    def chunk(matrix, layout, rows, i):
        """Elements and place of chunk i."""
        if layout.by_rows:
            x, group = i // (rows // 8), i % (rows // 8)
            return [matrix[group * 8 + e, x] for e in range(8)], layout.at(group, x)
        return [matrix[i // PARTS, i % PARTS * per + e] for e in range(per)], layout.at(i // PARTS, i % PARTS)

    body = ["mov.u32 %base, cells;", "mov.u32 %bbase, cells;", "add.u32 %bbase, %bbase, 16384;"]
    cases = []
    fragment = None
    if registers: fragment = A[{16: "m16n8k16", 32: "m16n8k8", 8: "m16n8k32"}[BITS[a]], BITS[a]]
    for th in range(128):
        if registers:
            elements = [ma[th // 32 * 16 + fragment(th % 32, i)[0], fragment(th % 32, i)[1]] for i in range(16 * k // 32)]
            fill, at_a = pack(elements, BITS[a]) if BITS[a] < 32 else elements, 0
        else:
            elements, at_a = chunk(ma, la, 64, th)
            fill = words(elements, BITS[a])
        if th < n * k * BITS[a] // 128:
            elements, at_b = chunk(mb, lb, n, th)
            second = words(elements, BITS[b])
        else: second, at_b = [0] * 4, 12288  # past what is used
        acc = [mc[th, i] for i in range(acc_count)]
        acc = pack(acc, 16) if d == "f16" else acc
        row = []
        for i in range(acc_count):
            m, c = place(th, i)
            dot = sum((ma[m, x] & mb[c, x]) if a == "b1" else exact(a, ma[m, x]) * exact(b, mb[c, x]) for x in range(k)) * signs[0] * signs[1]
            if accumulates: dot += exact(d, mc[th, i]) if d != "s32" else (mc[th, i] ^ 1 << 31) - (1 << 31)
            row.append(dot & 0xFFFFFFFF if d == "s32" else floats.encode(FLOATS[d], dot))
        cases.append((tuple(fill + [at_a] + second + [at_b] + acc), tuple(pack(row, 16) if d == "f16" else row)))
    count = acc_count // 2 if d == "f16" else acc_count
    atype = {"f16": "b32", "f32": "f32", "s32": "s32"}[d]
    ins = ", ".join("b32 a%d" % i for i in range(4)) + ", u32 ata, " + ", ".join("b32 b%d" % i for i in range(4)) + ", u32 atb, " + ", ".join("%s c%d" % (atype, i) for i in range(count))
    outs = ", ".join("%s d%d" % (atype, i) for i in range(count))
    if not registers: body += ["add.u32 %at, %base, %ata;", "st.shared.v4.b32 [%at], {%a0, %a1, %a2, %a3};"]
    body += ["add.u32 %at, %bbase, %atb;", "st.shared.v4.b32 [%at], {%b0, %b1, %b2, %b3};", "fence.proxy.async;", "bar.sync 0;"]
    for which, layout, base in (("da", la, "%base"), ("db", lb, "%bbase")):
        body += ["cvt.u64.u32 %%%s, %s;" % (which, base), "shr.u64 %%%s, %%%s, 4;" % (which, which), "or.b64 %%%s, %%%s, 0x%x;" % (which, which, layout.descriptor())]
    body += ["mov.b32 %%d%d, %%c%d;" % (i, i) for i in range(count)]
    body += ["setp.ne.u32 %%scale, %d, 0;" % int(accumulates), "wgmma.fence.sync.aligned;"]
    half = a in ("f16", "bf16")
    tail = ""
    if a in FLOATS: tail += ", %d, %d" % signs
    if half and not registers: tail += ", %d" % la.by_rows
    if half: tail += ", %d" % lb.by_rows
    first = "{%a0, %a1, %a2, %a3}" if registers else "%da"
    body += ["wgmma.mma_async.sync.aligned.m64n%dk%d%s.%s.%s.%s%s {%s}, %s, %%db, %%scale%s;" % (n, k, ".satfinite" if satfinite else "", d, a, b, mid, ", ".join("%%d%d" % i for i in range(count)), first, tail),
             "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"]
    regs = ".reg .b32 %base, %bbase, %at; .reg .b64 %da, %db; .reg .pred %scale"
    return Entry(name, ins, outs, body, [None], lambda _: cases, whole=True, group=128, regs=regs, variables=[".shared .align 1024 .b8 cells[32768];"], open=[o.split()[1] for o in outs.split(", ")])


def generate():
    K = lambda s: Layout(s, False, 0)
    halves = [one("plain_" + d, 8, "f16", "f16", d, K(0), K(0)) for d in ("f16", "f32")]
    halves += [one("swizzle_%d" % s, 16, "f16", "f16", "f32", K(s), K(s)) for s in (32, 64, 128)]
    halves += [one("bf16", 16, "bf16", "bf16", "f32", K(128), K(64)), one("registers", 24, "f16", "f16", "f32", K(0), K(32), registers=True), one("registers_bf16", 8, "bf16", "bf16", "f32", K(0), K(0), registers=True),
               one("fresh", 8, "f16", "f16", "f32", K(128), K(128), accumulates=False), one("negative", 8, "f16", "f16", "f32", K(0), K(0), signs=(-1, 1)), one("negative_both", 8, "f16", "f16", "f32", K(0), K(0), signs=(-1, -1)),
               one("a_by_rows", 8, "f16", "f16", "f32", Layout(0, True, 8), K(0)), one("b_by_rows", 16, "f16", "f16", "f32", K(0), Layout(0, True, 2)), one("a_by_rows_128", 8, "f16", "f16", "f32", Layout(128, True, 8), K(0)),
               one("a_by_rows_64", 8, "f16", "f16", "f32", Layout(64, True, 8), K(0)), one("b_by_rows_32", 32, "f16", "f16", "f32", K(32), Layout(32, True, 4)), one("wide", 64, "f16", "f16", "f32", K(128), K(128))]
    write("matrix/wgmma_half", "wgmma of f16 and bf16: every layout of shared memory, A in registers, scales", halves, target="sm_90a")
    write("matrix/wgmma_float", "wgmma of tf32 and 8-bit floats", [one("tf32", 8, "tf32", "tf32", "f32", K(128), K(128)), one("tf32_registers", 8, "tf32", "tf32", "f32", K(0), K(32), registers=True), one("e4m3", 16, "e4m3", "e5m2", "f32", K(64), K(0)),
                                                                   one("e5m2_f16", 8, "e5m2", "e4m3", "f16", K(0), K(128))], target="sm_90a")
    write("matrix/wgmma_int", "wgmma of bytes", [one("s8", 8, "s8", "s8", "s32", K(0), K(0)), one("mixed", 16, "u8", "s8", "s32", K(128), K(32), satfinite=True), one("registers", 8, "s8", "u8", "s32", K(0), K(128), registers=True)], target="sm_90a")
    write("matrix/wgmma_b1", "wgmma of bits: population count of what both have", [one("test", 8, "b1", "b1", "s32", K(0), K(128), mid=".and.popc")], target="sm_90a")
