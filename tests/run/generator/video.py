"""Video instructions (PTX ISA, "Scalar Video Instructions", "SIMD Video Instructions"), after the manual's pseudo-code."""
from .emit import Entry, write
from .values import cases, signed, wrap

LIMITS = {("s", 8): (-128, 127), ("s", 16): (-32768, 32767), ("s", 32): (-2**31, 2**31 - 1), ("u", 8): (0, 255), ("u", 16): (0, 65535), ("u", 32): (0, 2**32 - 1)}
COMPARE = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}


def average(a, b): return (a + b + 1) >> 1 if a + b >= 0 else (a + b) >> 1


BASE = {"vadd": lambda a, b: a + b, "vsub": lambda a, b: a - b, "vabsdiff": lambda a, b: abs(a - b), "vmin": min, "vmax": max, "vavrg": average}


def number(v, bits, t): return signed(bits, v) if t == "s32" else v & ((1 << bits) - 1)
def clamp(v, bits, t): return min(max(v, LIMITS[t[0], bits][0]), LIMITS[t[0], bits][1])


def part(v, sel, t):
    """partSelectSignExtend"""
    if not sel: return number(v, 32, t)
    bits = 16 if sel[1] == "h" else 8
    return number(v >> (bits * int(sel[2])), bits, t)


def width(sel): return 32 if not sel else 16 if sel[1] == "h" else 8


def finish(r, c, dt, sat, dsel, fold):
    """optSaturate, optSecondaryOp, optMerge"""
    if sat: r = clamp(r, width(dsel), dt)
    if fold: r = {"add": lambda x, y: x + y, "min": min, "max": max}[fold](number(r, 32, dt), number(c, 32, dt))
    if not dsel: return wrap("u32", r)
    bits, at = width(dsel), width(dsel) * int(dsel[2])
    mask = ((1 << bits) - 1) << at
    return c & ~mask | (r << at) & mask


def scalar(name, variants, fn):
    entries = []
    for k, (dt, at, bt, sat, fold, d, a, b, more) in enumerate(variants):
        third = ", %c" if fold or d else ""
        mods = ".".join(([dt] if dt else []) + [at, bt]) + (".sat" if sat else "") + more + ("." + fold if fold else "")
        entries.append(Entry("test_%d" % k, "u32 a, u32 b, u32 c", "u32 d", "%s.%s %%d%s, %%a%s, %%b%s%s;" % (name, mods, d, a, b, third), cases(name + str(k), ["u32"] * 3, 24),
                             lambda x, y, z, v=(dt or "u32", at, bt, sat, fold, d, a, b, more): finish(fn(part(x, v[6], v[1]), part(y, v[7], v[2]), v[8]), z, v[0], v[3], v[5], v[4])))
    write("video/" + name, "%s: %s" % (name, "parts of registers, saturation, a second operation or a merge"), entries, version="8.0", target="sm_75")


def plain(name):
    u, s = "u32", "s32"
    scalar(name, [(u, u, u, False, "", "", "", "", ""), (s, s, s, True, "", "", "", "", ""), (u, s, u, True, "", "", ".b3", ".h1", ""), (s, u, s, False, "add", "", ".h0", ".b1", ""),
                  (s, s, s, True, "min", "", ".b2", ".b0", ""), (u, u, u, False, "max", "", "", ".h1", ""), (s, s, s, True, "", ".b2", ".h1", ".h0", ""), (u, s, s, False, "", ".h1", "", ".b3", "")],
           lambda a, b, _: BASE[name](a, b))


def shifts(name):
    def fn(a, b, more):
        by = b & 31 if more == ".wrap" else min(b, 32)
        return a << by if name == "vshl" else a >> by
    u, s = "u32", "s32"
    scalar(name, [(u, u, u, False, "", "", "", "", ".clamp"), (s, s, u, False, "", "", "", "", ".wrap"), (u, u, u, False, "add", "", ".h1", ".b0", ".wrap"), (s, s, u, True, "", ".h0", ".b3", ".b1", ".clamp")], fn)


def mad():
    entries = []
    for k, (dt, at, bt, po, sat, shift, a, b) in enumerate([("u32", "u32", "u32", 0, 0, 0, "", ""), ("s32", "s32", "s32", 0, 1, 0, "", ""), ("s32", "s32", "u32", 1, 0, 7, ".h1", ".b2"),
                                                            ("u32", "u32", "u32", 1, 1, 15, "", ".h0"), ("s32", "s32", "s32", 0, 0, 15, "", "")]):
        def fn(x, y, z, v=(dt, at, bt, po, sat, shift, a, b)):
            dt, at, bt, po, sat, shift, a, b = v
            final = "s32" if "s32" in (at, bt) else "u32"
            r = (part(x, a, at) * part(y, b, bt) + number(z, 32, final) + po) >> shift
            return wrap("u32", clamp(r, 32, final) if sat else r)
        text = "vmad.%s.%s.%s%s%s%s %%d, %%a%s, %%b%s, %%c;" % (dt, at, bt, ".po" if po else "", ".sat" if sat else "", ".shr%d" % shift if shift else "", a, b)
        entries.append(Entry("test_%d" % k, "u32 a, u32 b, u32 c", "u32 d", text, cases("vmad%d" % k, ["u32"] * 3, 24), fn))
    write("video/vmad", "vmad: (a * b + c (+ 1)) >> scale, in full precision", entries, version="8.0", target="sm_75")


def sets():
    scalar("vset", [("", "u32", "u32", False, "", "", "", "", ".lt"), ("", "s32", "s32", False, "", "", ".h1", ".b0", ".ge"), ("", "s32", "u32", False, "add", "", "", "", ".ne"), ("", "u32", "u32", False, "", ".b1", "", ".b3", ".eq"),
                    ("", "u32", "u32", False, "max", "", "", "", ".gt"), ("", "s32", "s32", False, "min", "", "", "", ".le")],
           lambda a, b, more: int(COMPARE[more[1:]](a, b)))


def simd(name, lanes):
    letter, bits, base = ("h", 16, name) if lanes == 2 else ("b", 8, name)
    u, s = "u32", "s32"
    swap, high = (".h01", ".h1") if lanes == 2 else (".b0123", ".b31")
    mixed = ".h21" if lanes == 2 else ".b6204"
    forms = [(u, u, u, False, False, "", "", ""), (s, s, s, True, False, "", "", ""), (s, s, u, False, True, "", "", ""), (u, u, u, False, False, high, swap, mixed), (u, s, s, True, True, high, mixed, "")]
    if base == "vset": forms = [("", u, u, "lt", False, "", "", ""), ("", s, s, "ge", False, "", "", ""), ("", u, u, "ne", True, "", "", ""), ("", s, u, "gt", False, high, swap, mixed)]
    entries = []
    for k, v in enumerate(forms):
        def fn(x, y, z, v=v):
            dt, at, bt, how, fold, d, a, b = v
            both = y << 32 | x
            def of(sel, first, t):
                order = [int(c) for c in reversed(sel[2:])] if sel else list(range(first, first + lanes))
                return [number(both >> (bits * p), bits, t) for p in order]
            mask = [int(c) for c in d[2:]] if d else list(range(lanes))
            total, merged = z, z
            for i, (p, q) in enumerate(zip(of(a, 0, at), of(b, lanes, bt))):
                r = int(COMPARE[how](p, q)) if base == "vset" else BASE[base](p, q)
                if how is True: r = clamp(r, bits, dt)
                if i not in mask: continue
                total += r
                field = ((1 << bits) - 1) << (bits * i)
                merged = merged & ~field | (r << (bits * i)) & field
            return wrap("u32", total if fold else merged)
        dt, at, bt, how, fold, d, a, b = v
        mods = ".".join(([dt] if dt else []) + [at, bt]) + (".sat" if how is True else "." + how if how else "") + (".add" if fold else "")
        entries.append(Entry("test_%d" % k, "u32 a, u32 b, u32 c", "u32 d", "%s%d.%s %%d%s, %%a%s, %%b%s, %%c;" % (name, lanes, mods, d, a, b), cases(name + str(lanes) + str(k), ["u32"] * 3, 24), fn))
    write("video/%s%d" % (name, lanes), "%s%d: %d parts at once, merged into c or added to it" % (name, lanes, lanes), entries, version="8.0", target="sm_75")


def generate():
    for name in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"): plain(name)
    for name in ("vshl", "vshr"): shifts(name)
    mad()
    sets()
    for name in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset"):
        for lanes in (2, 4): simd(name, lanes)
