"""Data movement (PTX ISA, "ld", "st" and their kin): widths, signs, vectors, spaces, qualifiers, asynchronous copies."""
from .emit import BITS, Entry, layout, write
from .values import cases, number, wrap

SCALARS = ["b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32", "f64"]


def loads_and_stores():
    entries = []
    for t in SCALARS:
        # A register wider than the type: zero- or sign-extended by a load, cut by a store.
        wide = [r for r in ("b16", "b32", "b64") if BITS[r] > BITS[t] and t[0] != "f"]
        body = ["ld.global.%s %%d, [%%_in];" % t] + ["ld.global.%s %%in_%s, [%%_in];" % (t, r) for r in wide]
        entries.append(Entry("load_" + t, t + " a", ", ".join([t + " d"] + ["%s in_%s" % (r, r) for r in wide]), body, cases("ld" + t, [t], 14),
                             lambda a, t=t, wide=wide: (a,) + tuple(wrap(r, number(t, a)) for r in wide), no_load=True))
        sources = wide or [t]
        ins = ["%s a_%s" % (r, r) for r in sources]
        outs = ["%s d_%s" % (t, r) for r in sources]
        at = layout([tuple(o.split()) for o in outs])[0]
        entries.append(Entry("store_" + t, ", ".join(ins), ", ".join(outs), ["st.global.%s [%%_out+%d], %%a_%s;" % (t, o, r) for o, r in zip(at, sources)],
                             cases("st" + t, sources, 14), lambda *v, t=t: tuple(wrap(t, x) for x in v), no_store=True))
    write("memory/scalar", "ld.global.type, st.global.type: every type; a wider register is extended or cut", entries)
    entries = []
    for n in (2, 4):
        for t in SCALARS:
            if BITS[t] * n > 128: continue
            names = ["e%d" % k for k in range(n)]
            braces = "{" + ", ".join("%" + e for e in names) + "}"
            entries.append(Entry("v%d_%s" % (n, t), ", ".join("%s %s" % (t, e) for e in names), ", ".join("%s o%s" % (t, e) for e in names),
                                 ["ld.global.v%d.%s %s, [%%_in];" % (n, t, braces), "st.global.v%d.%s [%%_out], %s;" % (n, t, braces)],
                                 cases("vec%d" % n + t, [t] * n, 12), lambda *v: v, no_load=True, no_store=True))
    write("memory/vector", "ld.global.v2/.v4, st.global.v2/.v4 of every type", entries)
    write("memory/b128", "ld.b128, st.b128", [
        Entry("test", "b64 lo, b64 hi", "b64 d0, b64 d1", ["ld.global.b128 %w, [%_in];", "st.global.b128 [%_out], %w;"], cases("b128ld", ["b64", "b64"], 8),
              lambda a, b: (a, b), regs=".reg .b128 %w", aligned=16, no_load=True, no_store=True)])


def qualifiers():
    loads = ["ld", "ld.weak.global", "ld.volatile.global", "ld.relaxed.cta.global", "ld.relaxed.gpu.global", "ld.acquire.gpu.global", "ld.acquire.sys", "ld.global.ca", "ld.global.cg", "ld.global.cs",
             "ld.global.lu", "ld.global.cv", "ld.global.nc", "ld.global.ca.nc", "ld.global.nc.L1::no_allocate", "ld.global.L1::evict_last", "ld.global.L1::evict_first.L2::128B",
             "ld.global.L2::256B", "ldu.global", "ldu"]
    stores = ["st", "st.weak.global", "st.volatile.global", "st.relaxed.gpu.global", "st.release.gpu.global", "st.release.sys", "st.global.wb", "st.global.cg", "st.global.cs", "st.global.wt",
              "st.global.L1::no_allocate"]
    write("memory/qualifiers", "cache operators, memory order and scope do not change what a thread reads of its own", [
        Entry("loads", "u32 a", ", ".join("u32 d%d" % k for k in range(len(loads))), ["%s.u32 %%d%d, [%%_in];" % (l, k) for k, l in enumerate(loads)],
              cases("loads", ["u32"], 12), lambda a: (a,) * len(loads)),
        Entry("stores", "u32 a", ", ".join("u32 d%d" % k for k in range(len(stores))), ["%s.u32 [%%_out+%d], %%a;" % (s, 4 * k) for k, s in enumerate(stores)],
              cases("stores", ["u32"], 12), lambda a: (a,) * len(stores), no_store=True),
        Entry("hints", "u32 a", "u32 d", ["prefetch.global.L1 [%_in];", "prefetch.global.L2 [%_in];", "prefetch.L2 [%_in];", "prefetchu.L1 [%_in];", "prefetch.global.L2::evict_last [%_in];",
                                         "and.b64 %line, %_in, -128;", "applypriority.global.L2::evict_normal [%line], 128;", "mov.u64 %line, spare;", "discard.global.L2 [%line], 128;", "mov.u32 %d, %a;"], cases("hints", ["u32"], 4), lambda a: a,
              regs=".reg .b64 %line")], preamble=".global .align 128 .b8 spare[128];")


def spaces():
    body = ["mov.u64 %base, slots;", "st.local.u32 [slots], %a;", "st.local.u32 [%base+4], %b;", "st.local.v2.u32 [slots+8], {%b, %a};", "and.b32 %k, %k, 3;",
            "mad.wide.u32 %at, %k, 4, %base;", "ld.local.u32 %d, [%at];", "cvta.local.u64 %generic, %at;", "ld.u32 %g, [%generic];", "add.u32 %g, %g, 1;", "st.u32 [%generic], %g;",
            "ld.local.v4.u32 {%e0, %e1, %e2, %e3}, [slots];"]
    def stack(a, b, k):
        s = [a, b, b, a]
        d = s[k & 3]
        s[k & 3] = wrap("u32", d + 1)
        return (d, s[k & 3]) + tuple(s)
    write("memory/local", "local memory: by name, by register, through a generic address", [
        Entry("test", "u32 a, u32 b, u32 k", "u32 d, u32 g, u32 e0, u32 e1, u32 e2, u32 e3", body, [(a, b, k % 4) for k, (a, b) in enumerate(cases("local", ["u32"] * 2, 16))], stack,
              regs=".reg .b64 %base, %at, %generic", variables=[".local .align 16 .b32 slots[4];"])])
    values = [3, 1, 4, 1, 5, 9, 2, 6]
    write("memory/const", "constant memory: initialised arrays, by name and by register", [
        Entry("test", "u32 k", "u32 d, u16 h, f64 f, u32 sum, u64 address_value", [
            "and.b32 %k, %k, 7;", "mov.u64 %base, table;", "mad.wide.u32 %at, %k, 4, %base;", "ld.const.u32 %d, [%at];", "ld.const.u16 %h, [table+4];", "ld.const.f64 %f, [number];",
            "ld.const.v4.u32 {%e0, %e1, %e2, %e3}, [table+16];", "add.u32 %sum, %e0, %e1;", "add.u32 %sum, %sum, %e2;", "add.u32 %sum, %sum, %e3;", "cvta.const.u64 %at, %at;",
            "ld.u32 %d2, [%at];", "cvt.u64.u32 %address_value, %d2;"],
              [(k,) for k in range(10)], lambda k: (values[k & 7], 1, 0x3FF8000000000000, sum(values[4:]), values[k & 7]), regs=".reg .b64 %base, %at; .reg .b32 %e0, %e1, %e2, %e3, %d2")],
          preamble=".const .align 16 .u32 table[8] = {3, 1, 4, 1, 5, 9, 2, 6};\n.const .align 8 .f64 number = 1.5;")
    write("memory/global_variables", "global variables with initialisers, addresses of others among them", [
        Entry("test", "u32 k", "u32 d, s8 byte, f32 x, u32 through", [
            "and.b32 %k, %k, 3;", "mov.u64 %base, table;", "mad.wide.u32 %at, %k, 4, %base;", "ld.global.u32 %d, [%at];", "ld.global.s8 %byte, [bytes+2];", "ld.global.f32 %x, [real];",
            "ld.global.u64 %at, [pointer];", "ld.u32 %through, [%at];"], [(k,) for k in range(6)], lambda k: ([10, 20, 30, 0][k & 3], 0xFD, 0x40490FDB, 20),
              regs=".reg .b64 %base, %at")],
          preamble=".global .align 4 .u32 table[4] = {10, 20, 30};\n.global .align 1 .s8 bytes[4] = {1, 2, -3, 4};\n.global .align 4 .f32 real = 0f40490FDB;\n"
                   ".global .align 8 .u64 pointer = generic(table)+4;")
    names = ["global", "shared", "local", "const"]
    order = [("shared", "cell"), ("local", "slot"), ("const", "fixed")]
    body = ["mov.u64 %g, %_in;", "cvta.to.global.u64 %t, %g;", "cvta.global.u64 %g, %t;", "isspacep.global %gg, %g;", "isspacep.shared %gs, %g;", "isspacep.local %gl, %g;"]
    outs = ["pred gg", "pred gs", "pred gl"]
    for space, variable in order:
        body += ["mov.u64 %%t, %s;" % variable, "cvta.%s.u64 %%t, %%t;" % space]
        for other in names:
            p = space[0] + other[0]
            body.append("isspacep.%s %%%s, %%t;" % (other, p))
            outs.append("pred " + p)
        if space != "const":
            body += ["cvta.to.%s.u64 %%t, %%t;" % space, "st.%s.u32 [%%t], %%a;" % space, "ld.%s.u32 %%v%s, [%s];" % (space, space[0], variable)]
            outs.append("u32 v" + space[0])
    def which(a):
        out = [1, 0, 0]
        for space, _ in order:
            # The manual: const is a window of its own only as kernel parameters are; whether isspacep.global holds for it is open.
            out += [("?" if space == "const" else int(space == other)) for other in names]
            if space != "const": out.append(a)
        return tuple(out)
    write("memory/isspacep", "isspacep.space p, a; cvta and cvta.to there and back", [
        Entry("test", "u32 a", ", ".join(outs), body, [(7,), (0xFFFFFFFF,)], which, regs=".reg .b64 %g, %t", launch="block=1", open=["cc", "cg", "cs", "cl"],
              variables=[".shared .align 4 .u32 cell;", ".local .align 4 .u32 slot;"])], preamble=".const .align 4 .u32 fixed = 5;")


def shared():
    body = ["mov.u32 %base, tile;", "mad.lo.u32 %at, %_t, 8, %base;", "st.shared.u64 [%at], %a;", "bar.sync 0;", "xor.b32 %other, %_t, 63;", "mad.lo.u32 %at, %other, 8, %base;",
            "ld.shared.u64 %d, [%at];", "ld.shared.s8 %byte, [%at+1];", "mov.u64 %g, tile;", "cvta.shared.u64 %g, %g;", "mad.wide.u32 %g, %other, 8, %g;", "ld.u16 %half, [%g+2];"]
    def mirrored(rows):
        out = []
        for k, (a,) in enumerate(rows):
            b = rows[k ^ 63][0]
            out.append(((a,), (b, wrap("s32", number("s8", b >> 8 & 0xFF)), b >> 16 & 0xFFFF)))
        return out
    some = cases("shared", ["u64"], 100)
    write("memory/shared", "shared memory: every thread reads what its mirror image in the block wrote", [
        Entry("test_static", "u64 a", "u64 d, s32 byte, u16 half", body, some[:64], mirrored, group=64, whole=True, regs=".reg .b32 %base, %at, %other; .reg .b64 %g",
              variables=[".shared .align 8 .b8 tile[512];"]),
        Entry("test_dynamic", "u64 a", "u64 d, s32 byte, u16 half, u32 size", [b.replace("tile", "dynamic") for b in body] + ["mov.u32 %size, %dynamic_smem_size;"], some[:64],
              lambda rows: [(c, r + (512,)) for c, r in mirrored(rows)], group=64, whole=True, launch="block=64 shared=512", regs=".reg .b32 %base, %at, %other; .reg .b64 %g")],
          preamble=".extern .shared .align 16 .b8 dynamic[];")


def copies():
    """cp.async: sizes, zero-filling, groups. 16 bytes per thread: four words."""
    def copy(kind, size, src=None):
        return "cp.async.%s.shared.global [%%at], [%%_in], %d%s;" % (kind, size, "" if src is None else ", %d" % src)
    head = ["mov.u32 %base, tile;", "mad.lo.u32 %at, %_t, 16, %base;", "st.shared.v4.u32 [%at], {-1, -1, -1, -1};"]
    tail = ["ld.shared.v4.u32 {%o0, %o1, %o2, %o3}, [%at];"]
    entries = []
    for name, kind, size, src in (("ca4", "ca", 4, None), ("ca8", "ca", 8, None), ("ca16", "ca", 16, None), ("cg16", "cg", 16, None), ("ca8_fill", "ca", 8, 3), ("cg16_fill", "cg", 16, 6),
                                  ("ca4_zero", "ca", 4, 0)):
        for wait in (["cp.async.commit_group;", "cp.async.wait_group 0;"], ["cp.async.wait_all;"]):
            def result(*v, size=size, src=src):
                raw = b"".join(x.to_bytes(4, "little") for x in v)
                n = size if src is None else src
                raw = raw[:n] + bytes(size - n) + b"\xff" * (16 - size)
                return tuple(int.from_bytes(raw[4 * k:4 * k + 4], "little") for k in range(4))
            entries.append(Entry(name + ("_all" if len(wait) == 1 else ""), "u32 e0, u32 e1, u32 e2, u32 e3", "u32 o0, u32 o1, u32 o2, u32 o3", head + [copy(kind, size, src)] + wait + tail,
                                 cases("cpasync", ["u32"] * 4, 6), result, regs=".reg .b32 %base, %at", variables=[".shared .align 16 .b8 tile[2048];"], no_load=True))
    order = head + ["cp.async.ca.shared.global [%at], [%_in], 4;", "cp.async.commit_group;", "cp.async.ca.shared.global [%at+4], [%_in+4], 4;", "cp.async.commit_group;",
                    "cp.async.wait_group 1;", "ld.shared.u32 %o0, [%at];", "cp.async.wait_group 0;", "ld.shared.u32 %o1, [%at+4];"]
    entries.append(Entry("groups", "u32 e0, u32 e1", "u32 o0, u32 o1", order, cases("cpgroups", ["u32"] * 2, 8), lambda a, b: (a, b), regs=".reg .b32 %base, %at",
                         variables=[".shared .align 16 .b8 tile[2048];"], no_load=True))
    entries.append(Entry("cta_space", "u32 e0, u32 e1, u32 e2, u32 e3", "u32 o0, u32 o1, u32 o2, u32 o3",
                         head + ["cp.async.ca.shared::cta.global [%at], [%_in], 8;", "cp.async.cg.shared::cta.global.L2::128B [%at], [%_in], 16;", "cp.async.wait_all;"] + tail,
                         cases("cpcta", ["u32"] * 4, 6), lambda *v: v, regs=".reg .b32 %base, %at", variables=[".shared .align 16 .b8 tile[2048];"], no_load=True))
    write("memory/cp_async", "cp.async.{ca,cg}.shared.global [d], [a], size{, src-size}: the rest up to size is zero", entries)


def generate():
    loads_and_stores()
    qualifiers()
    spaces()
    shared()
    copies()
