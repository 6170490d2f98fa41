"""atom and red (PTX ISA, "Parallel Synchronization and Communication Instructions")."""
from . import floats
from .emit import BITS, Entry, layout, write
from .floats import F16, BF16, F32, F64, FORMATS
from .values import cases, number, wrap

SPACES = ["global", "shared", "generic"]


def integer(op, t, old, b):
    o, x = number(t, old), number(t, b)
    return {"add": o + x, "min": min(o, x), "max": max(o, x), "and": o & x, "or": o | x, "xor": o ^ x, "exch": x, "inc": 0 if o >= x else o + 1,
            "dec": x if o == 0 or o > x else o - 1}[op]


def float_add(f, old, b, space):
    """f32 on global memory flushes subnormals; on shared memory it does not; f64 and the 16-bit types (.noftz) never do."""
    if f is F32 and space == "global": return floats.finish(f, floats.add(f, floats.flush(f, old), floats.flush(f, b)), True)
    return floats.finish(f, floats.add(f, old, b))


def private(name, op, t, fn, space, operands=1, draw=(), returns=True):
    """Every thread works on a cell of its own: in global memory its record's field `now`."""
    mnemonic = ("atom" if returns else "red") + ("" if space == "generic" else "." + space)
    outs = ([(t, "was")] if returns else []) + [(t, "now")]
    at = layout(outs)[0][-1]
    names = "bc"[:operands]
    access = ".b%d" % BITS[t] if t not in ("f32", "f64") else "." + t
    variables, regs = [], ".reg .b64 %_cell"
    if space == "shared":
        variables = [".shared .align 16 .b8 cells[2048];"]
        regs = ".reg .b32 %_cell, %_base"
        where = ["mov.u32 %_base, cells;", "mad.lo.u32 %_cell, %_t, 16, %_base;"]
    else:
        where = ["add.u64 %%_cell, %%_out, %d;" % at]
    sp = "" if space == "generic" else "." + space
    body = where + ["st%s%s [%%_cell], %%old;" % (sp, access), "%s.%s %s[%%_cell], %s;" % (mnemonic, op, "%was, " if returns else "", ", ".join("%" + n for n in names)),
                    "ld%s%s %%now, [%%_cell];" % (sp, access)]
    def run(old, *v):
        now = fn(old, *v)
        return (old, now) if returns else (now,)
    return Entry(name, ", ".join("%s %s" % (t, n) for n in ["old"] + list(names)), ", ".join("%s %s" % o for o in outs), body,
                 cases("atom" + op, [t] * (operands + 1), 24) + ([(5, 5, 9), (0, 0, 1)] if operands == 2 else []), run, regs=regs, variables=variables, draw=list(draw))


INTEGER = [("add", ["u32", "s32", "u64"]), ("min", ["u32", "s32", "u64", "s64"]), ("max", ["u32", "s32", "u64", "s64"]), ("and", ["b32", "b64"]), ("or", ["b32", "b64"]),
           ("xor", ["b32", "b64"]), ("exch", ["b32", "b64"]), ("inc", ["u32"]), ("dec", ["u32"])]


def all_private():
    for space in SPACES:
        for kind in ("atom", "red"):
            entries = []
            for op, types in INTEGER:
                if kind == "red" and op == "exch": continue
                for t in types:
                    entries.append(private("%s_%s" % (op, t), "%s.%s" % (op, t), t, lambda o, b, op=op, t=t: wrap(t, integer(op, t, o, b)), space, returns=kind == "atom"))
            for t in ("f32", "f64"):
                if t == "f32" and space == "generic": continue
                entries.append(private("add_" + t, "add." + t, t, lambda o, b, t=t: float_add(FORMATS[t], o, b, space), space, returns=kind == "atom"))
            write("atomic/%s_%s" % (kind, space), "%s%s.op.type on a cell of the thread's own" % (kind, "" if space == "generic" else "." + space), entries)
        write("atomic/cas_" + space, "atom.cas: exchanged where the old value equals b", [
            private("cas_" + t, "cas." + t, t, lambda o, b, c: c if o == b else o, space, 2, draw=["old range 0 3", "b range 0 3"]) for t in ("b16", "b32", "b64")])
        halves = []
        for t, f in (("f16", F16), ("bf16", BF16)):
            add = lambda o, b, f=f: floats.finish(f, floats.add(f, o, b))
            halves.append(private("add_" + t, "add.noftz." + t, t, add, space))
            halves.append(private("red_" + t, "add.noftz." + t, t, add, space, returns=False))
            both = lambda o, b, add=add: add(o & 0xFFFF, b & 0xFFFF) | add(o >> 16, b >> 16) << 16
            halves.append(private("add_" + t + "x2", "add.noftz." + t + "x2", t + "x2", both, space))
            halves.append(private("red_" + t + "x2", "add.noftz." + t + "x2", t + "x2", both, space, returns=False))
        write("atomic/half_" + space, "atom/red.add.noftz of 16-bit types and pairs", halves)


def scopes():
    forms = ["relaxed.cta.global", "acquire.gpu.global", "release.gpu.global", "acq_rel.sys.global", "relaxed.sys", "acq_rel.cta", "relaxed.cluster.global"]
    body = ["add.u64 %cell, %_out, 0;", "st.global.u32 [%cell], %a;"] + ["atom.%s.add.u32 %%w%d, [%%cell], %%b;" % (s, k) for k, s in enumerate(forms)] + \
           ["red.%s.add.u32 [%%cell], %%b;" % s for s in forms if "acq" not in s] + ["ld.global.u32 %now, [%cell];"]
    reds = sum("acq" not in s for s in forms)
    write("atomic/scopes", "memory order and scope do not change what a lone thread sees", [
        Entry("test", "u32 a, u32 b", "u32 now, " + ", ".join("u32 w%d" % k for k in range(len(forms))), body, cases("scopes", ["u32"] * 2, 12),
              lambda a, b: (wrap("u32", a + b * (len(forms) + reds)),) + tuple(wrap("u32", a + b * k) for k in range(len(forms))), regs=".reg .b64 %cell")])


def vectors():
    entries = []
    for n in (2, 4):
        for kind in ("atom", "red"):
            olds, adds, wases, nows = (["%s%d" % (x, k) for k in range(n)] for x in ("old", "b", "was", "now"))
            at = 4 * n if kind == "atom" else 0
            brace = lambda names: "{" + ", ".join("%" + x for x in names) + "}"
            body = ["add.u64 %%cell, %%_out, %d;" % at, "st.global.v%d.f32 [%%cell], %s;" % (n, brace(olds)),
                    "%s.global.add.v%d.f32 %s[%%cell], %s;" % (kind, n, brace(wases) + ", " if kind == "atom" else "", brace(adds)), "ld.global.v%d.f32 %s, [%%cell];" % (n, brace(nows))]
            def run(*v, n=n, kind=kind):
                now = tuple(float_add(F32, a, b, "global") for a, b in zip(v[:n], v[n:]))
                return (v[:n] if kind == "atom" else ()) + now
            entries.append(Entry("%s_v%d" % (kind, n), ", ".join("f32 " + x for x in olds + adds), ", ".join("f32 " + x for x in (wases if kind == "atom" else []) + nows), body,
                                 cases("atomv%d" % n, ["f32"] * (2 * n), 16), run, regs=".reg .b64 %cell"))
    write("atomic/vector", "atom.global.add.v2/.v4.f32, red.global.add.v2/.v4.f32", entries)
    body = ["mov.u32 %base, cells;", "mad.lo.u32 %at, %_t, 16, %base;", "mov.b128 %w, {%a0, %a1};", "st.shared.b128 [%at], %w;", "mov.b128 %x, {%b0, %b1};", "mov.b128 %y, {%c0, %c1};",
            "atom.shared.cas.b128 %z, [%at], %x, %y;", "mov.b128 {%w0, %w1}, %z;", "atom.shared.exch.b128 %z, [%at], %x;", "mov.b128 {%n0, %n1}, %z;"]
    def cas(a0, a1, b0, b1, c0, c1): return (a0, a1) + ((c0, c1) if (a0, a1) == (b0, b1) else (a0, a1))
    write("atomic/b128", "atom.cas.b128, atom.exch.b128", [
        Entry("test", "b64 a0, b64 a1, b64 b0, b64 b1, b64 c0, b64 c1", "b64 w0, b64 w1, b64 n0, b64 n1", body,
              cases("b128atom", ["b64"] * 6, 10) + [(1, 2, 1, 2, 3, 4), (1, 2, 1, 3, 3, 4), (1, 2, 0, 2, 3, 4)], cas,
              regs=".reg .b128 %w, %x, %y, %z; .reg .b32 %base, %at", variables=[".shared .align 16 .b8 cells[2048];"])])


def contended():
    """A whole block on the same cells; what is left does not depend on the order."""
    ops = [("add", "u32", 0), ("min", "u32", 0xFFFFFFFF), ("max", "s32", 0x80000000), ("and", "b32", 0xFFFFFFFF), ("or", "b32", 0), ("xor", "b32", 0), ("inc", "u32", 0), ("dec", "u32", 0)]
    entries = []
    for space in ("shared", "global"):
        body = (["mov.u32 %cells, room;"] if space == "shared" else ["mov.u64 %cells, table;", "mad.wide.u32 %cells, %_b, 64, %cells;"])
        body += ["setp.ne.u32 %other, %_t, 0;", "@%other bra wait;"]
        body += ["st.%s.u32 [%%cells+%d], %d;" % (space, 4 * k, start) for k, (_, _, start) in enumerate(ops)]
        body += ["wait:", "membar.gl;", "bar.sync 0;"]
        operand = lambda op: "100" if op in ("inc", "dec") else "%a"
        body += ["red.%s.%s.%s [%%cells+%d], %s;" % (space, op, t, 4 * k, operand(op)) if k % 2 else "atom.%s.%s.%s %%was, [%%cells+%d], %s;" % (space, op, t, 4 * k, operand(op))
                 for k, (op, t, _) in enumerate(ops)]
        body += ["membar.gl;", "bar.sync 0;"] + ["ld.volatile.%s.u32 %%%s, [%%cells+%d];" % (space, op, 4 * k) for k, (op, _, _) in enumerate(ops)]
        def run(rows):
            final = []
            for op, t, start in ops:
                v = start
                for (a,) in rows: v = wrap(t, integer(op, t, v, 100 if op in ("inc", "dec") else a))
                final.append(v)
            return [(c, tuple(final)) for c in rows]
        entries.append(Entry("block_" + space, "u32 a", ", ".join("u32 " + op for op, _, _ in ops), body, cases("contended", ["u32"], 250)[:128], run, group=128, whole=True,
                             regs=".reg .b%d %%cells; .reg .b32 %%was; .reg .pred %%other" % (32 if space == "shared" else 64),
                             variables=[".shared .align 4 .b8 room[64];"] if space == "shared" else []))
    write("atomic/contended", "128 threads on the same cells", entries, preamble=".global .align 16 .b8 table[65536];")


def generate():
    all_private()
    scopes()
    vectors()
    contended()
