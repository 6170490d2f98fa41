"""Comparison and selection (PTX ISA, "Comparison and Selection Instructions"), testp apart."""
from . import floats
from .emit import BITS, Entry, write
from .floats import FORMATS
from .values import cases, number

UNTYPED, UNSIGNED, SIGNED = ["b16", "b32", "b64"], ["u16", "u32", "u64"], ["s16", "s32", "s64"]
ORDERED = ["eq", "ne", "lt", "le", "gt", "ge"]
FLOAT_OPS = ORDERED + ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]
LOGIC = {"and": lambda r, c: r and c, "or": lambda r, c: r or c, "xor": lambda r, c: r != c}


def operators(t):
    if t in FORMATS: return FLOAT_OPS
    if t[0] == "b": return ["eq", "ne"]
    return ORDERED + (["lo", "ls", "hi", "hs"] if t[0] == "u" else [])


def compare(t, op, a, b, ftz=False):
    if t in FORMATS:
        f = FORMATS[t]
        if ftz: a, b = floats.flush(f, a), floats.flush(f, b)
        return floats.compare(f, op, a, b)
    a, b = number(t, a), number(t, b)
    return {"eq": a == b, "ne": a != b, "lt": a < b, "lo": a < b, "le": a <= b, "ls": a <= b, "gt": a > b, "hi": a > b, "ge": a >= b, "hs": a >= b}[op]


def pairs(t, count, name):
    """Cases, with equal operands and neighbours among them."""
    some = cases(name + t, [t, t], count)
    return list(dict.fromkeys(some + [(a, a) for a, _ in some[:6]] + ([(0, FORMATS[t].sign), (1, 2), (1, 0)] if t in FORMATS else [])))


def setp(types, name):
    write("comparison/setp_" + name, "setp.cmp.type p|q, a, b: an output per comparison; q of the first", [
        Entry("test_" + t, "%s a, %s b" % (t, t), ", ".join("pred %s" % o for o in operators(t)) + ", pred q",
              ["setp.%s.%s %%%s%s, %%a, %%b;" % (o, t, o, "|%q" if o == "eq" else "") for o in operators(t)], pairs(t, 40, "setp"),
              lambda a, b, t=t: tuple(int(compare(t, o, a, b)) for o in operators(t)) + (int(not compare(t, "eq", a, b)),)) for t in types])
    entries = []
    for t in types:
        body, outs, fns = [], [], []
        for k, o in enumerate(operators(t)):
            logic, negate = list(LOGIC)[k % 3], k % 2
            body.append("setp.%s.%s.%s %%%s|%%not_%s, %%a, %%b, %s%%c;" % (o, logic, t, o, o, "!" if negate else ""))
            outs += ["pred " + o, "pred not_" + o]
            fns.append((o, LOGIC[logic], negate))
        entries.append(Entry("test_" + t, "%s a, %s b, pred c" % (t, t), ", ".join(outs), body,
                             [(a, b, k % 2) for k, (a, b) in enumerate(pairs(t, 30, "setpb"))] + [(1, 1, 0), (1, 2, 0), (1, 1, 1), (1, 2, 1)],
                             lambda a, b, c, t=t, fns=fns: tuple(int(fn(r, bool(c) != bool(n))) for o, fn, n in fns for r in (compare(t, o, a, b), not compare(t, o, a, b)))))
    write("comparison/setp_%s_bool" % name, "setp.cmp.BoolOp.type p|q, a, b, {!}c: p = (a cmp b) op c, q = !(a cmp b) op c", entries)


def set_(types, name):
    """Results all ones or 1.0f."""
    dtypes = ["u32", "s32", "f32"]
    truth = lambda d, r: (0x3F800000 if d == "f32" else 0xFFFFFFFF) if r else 0
    entries, with_bool = [], []
    for t in types:
        outs = [(o, dtypes[k % 3]) for k, o in enumerate(operators(t) if len(operators(t)) > 2 else ["eq", "ne", "eq"])]
        named = [("%s_%d" % (o, k), o, d) for k, (o, d) in enumerate(outs)]
        entries.append(Entry("test_" + t, "%s a, %s b" % (t, t), ", ".join("%s %s" % (d, n) for n, _, d in named),
                             ["set.%s.%s.%s %%%s, %%a, %%b;" % (o, d, t, n) for n, o, d in named], pairs(t, 24, "set"),
                             lambda a, b, t=t, named=named: tuple(truth(d, compare(t, o, a, b)) for _, o, d in named)))
        logic = list(LOGIC)
        with_bool.append(Entry("test_" + t, "%s a, %s b, pred c" % (t, t), ", ".join("%s %s" % (d, n) for n, _, d in named),
                               ["set.%s.%s.%s.%s %%%s, %%a, %%b, %s%%c;" % (o, logic[k % 3], d, t, n, "!" if k % 2 else "") for k, (n, o, d) in enumerate(named)],
                               [(a, b, k % 2) for k, (a, b) in enumerate(pairs(t, 24, "setb"))],
                               lambda a, b, c, t=t, named=named: tuple(
                                   truth(d, LOGIC[logic[k % 3]](compare(t, o, a, b), bool(c) != bool(k % 2))) for k, (_, o, d) in enumerate(named))))
    write("comparison/set_" + name, "set.cmp.dtype.type d, a, b: all ones, or 1.0", entries)
    write("comparison/set_%s_bool" % name, "set.cmp.BoolOp.dtype.type d, a, b, {!}c", with_bool)


def ftz():
    """Subnormals compare as zeros."""
    some = [(1, 0), (0x80000001, 0), (1, 2), (1, 0x807FFFFF), (0x007FFFFF, 0x00800000), (0x007FFFFF, 0x80000000), (0x7FFFFFFF, 1), (0x3F800000, 0x3F800000)]
    write("comparison/setp_ftz", "setp.cmp{.BoolOp}.ftz.f32, set.cmp.ftz, slct.ftz: subnormals are zeros", [
        Entry("test", "f32 a, f32 b, pred c", ", ".join("pred " + o for o in FLOAT_OPS) + ", pred with_c, u32 set, f32 set_c",
              ["setp.%s.ftz.f32 %%%s, %%a, %%b;" % (o, o) for o in FLOAT_OPS] +
              ["setp.lt.xor.ftz.f32 %with_c, %a, %b, %c;", "set.lt.ftz.u32.f32 %set, %a, %b;", "set.lt.and.ftz.f32.f32 %set_c, %a, %b, %c;"],
              [(a, b, k % 2) for k, (a, b) in enumerate(some * 2)],
              lambda a, b, c: tuple(int(compare("f32", o, a, b, True)) for o in FLOAT_OPS) +
              (int(compare("f32", "lt", a, b, True) != bool(c)), 0xFFFFFFFF if compare("f32", "lt", a, b, True) else 0,
               0x3F800000 if compare("f32", "lt", a, b, True) and c else 0)),
        Entry("test_slct", "u32 a, u32 b, f32 c", "u32 d, u32 ftz", ["slct.u32.f32 %d, %a, %b, %c;", "slct.ftz.u32.f32 %ftz, %a, %b, %c;"],
              [(1, 2, c) for c in (0, 0x80000000, 1, 0x80000001, 0x807FFFFF, 0x80800000, 0x7FFFFFFF, 0xFFFFFFFF, 0xFF800000, 0x7F800000)],
              lambda a, b, c: tuple(2 if floats.is_nan(floats.F32, v) else 1 if floats.value(floats.F32, v) >= 0 else 2 for v in
                                    (c, floats.flush(floats.F32, c))) if not floats.is_inf(floats.F32, c) else ((1, 1) if c == 0x7F800000 else (2, 2)))])


def select():
    all_types = UNTYPED + UNSIGNED + SIGNED + ["f32", "f64"]
    write("comparison/selp", "selp.type d, a, b, {!}c", [
        Entry("test_" + t, "%s a, %s b, pred c" % (t, t), "%s d, %s e" % (t, t), ["selp.%s %%d, %%a, %%b, %%c;" % t, "selp.%s %%e, %%b, %%a, %%c;" % t],
              [(a, b, k % 2) for k, (a, b) in enumerate(cases("selp" + t, [t, t], 16))], lambda a, b, c: (a if c else b, b if c else a)) for t in all_types])
    write("comparison/slct_s32", "slct.type.s32 d, a, b, c: a where c >= 0", [
        Entry("test_" + t, "%s a, %s b, s32 c" % (t, t), t + " d", "slct.%s.s32 %%d, %%a, %%b, %%c;" % t,
              cases("slct" + t, [t, t, "s32"], 16), lambda a, b, c: a if number("s32", c) >= 0 else b) for t in all_types])
    def by_float(a, b, c):
        if floats.is_nan(floats.F32, c): return b
        return a if floats.is_zero(floats.F32, c) or not floats.negative(floats.F32, c) else b
    write("comparison/slct_f32", "slct.type.f32 d, a, b, c: a where c >= 0 (-0 too), b for NaN", [
        Entry("test_" + t, "%s a, %s b, f32 c" % (t, t), t + " d", "slct.%s.f32 %%d, %%a, %%b, %%c;" % t,
              cases("slctf" + t, [t, t, "f32"], 24), by_float) for t in all_types])


def generate():
    ints = UNTYPED + UNSIGNED + SIGNED
    setp(ints, "int")
    setp(["f32", "f64"], "fp")
    set_(ints, "int")
    set_(["f32", "f64"], "fp")
    ftz()
    select()
