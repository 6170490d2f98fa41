"""Entries of test files: the record layout, the code around the instruction, the cases with their expected values."""
import os
import struct

from . import floats

BITS = {"b8": 8, "u8": 8, "s8": 8, "b16": 16, "u16": 16, "s16": 16, "f16": 16, "bf16": 16, "b32": 32, "u32": 32, "s32": 32, "f32": 32,
        "b64": 64, "u64": 64, "s64": 64, "f64": 64, "u16x2": 32, "s16x2": 32, "f16x2": 32, "bf16x2": 32, "pred": 32}
REGISTER = {"pred": ".pred", "f32": ".f32", "f64": ".f64"}


def register(t): return REGISTER.get(t, ".b%d" % max(16, BITS[t]))
def fields(text): return [tuple(f.split()) for f in text.split(",")] if text else []


def layout(items):
    """Offsets of the fields and the record's size."""
    at, top, offsets = 0, 1, []
    for t, _ in items:
        size = BITS[t] // 8
        at = (at + size - 1) // size * size
        offsets.append(at)
        at, top = at + size, max(top, size)
    return offsets, (at + top - 1) // top * top


def show(t, v):
    """A value as text: decimal where that is short and exact, else the bits."""
    if isinstance(v, str): return v
    bits = BITS[t]
    v &= (1 << bits) - 1
    if t == "pred": return str(v & 1)
    if t[0] == "s" and "x" not in t:
        s = v - (1 << bits) if v >> (bits - 1) else v
        if -10000 < s < 10000: return str(s)
    elif t[0] == "u" and "x" not in t:
        if v < 10000: return str(v)
    elif t in floats.FORMATS:
        f = floats.FORMATS[t]
        if floats.is_inf(f, v): return "-inf" if floats.negative(f, v) else "inf"
        if not floats.is_nan(f, v):
            if floats.is_zero(f, v): return "-0" if v else "0"
            x = floats.value(f, v)
            if 1e-4 < abs(x) < 1e6:
                text = "%.6g" % float(x)
                if floats.Fraction(text) == x: return text
    return "0x%0*x" % (bits // 4, v)


class Entry:
    """One kernel. `body` uses %name for each field; fn(*inputs) gives the outputs: ints (bits), "?", "nan" or text with a bound."""

    def __init__(self, name, ins, outs, body, cases, fn=None, regs="", **options):
        self.name, self.ins, self.outs = name, fields(ins), fields(outs)
        self.body = body if isinstance(body, list) else [body]
        self.cases, self.fn, self.regs, self.options = cases, fn, regs, options

    def header(self):
        o = self.options
        lines = ["ENTRY " + self.name]
        if "launch" in o: lines.append("LAUNCH " + o["launch"])
        if "group" in o: lines.append("GROUP %d" % o["group"])
        lines.append("IN  " + ", ".join("%s %s" % f for f in self.ins))
        lines.append("OUT " + ", ".join("%s %s" % f for f in self.outs))
        lines += ["DRAW " + d for d in o.get("draw", [])]
        lines += ["BOUND " + d for d in o.get("bound", [])]
        lines += ["OPEN " + d for d in o.get("open", [])]
        if o.get("clock"): lines.append("CLOCK")
        for case, results in self.expected():
            assert len(case) == len(self.ins) and len(results) == len(self.outs), (self.name, case, results)
            left = " ".join(show(t, v) for (t, _), v in zip(self.ins, case))
            right = " ".join(show(t, v) for (t, _), v in zip(self.outs, results))
            lines.append(left + " -> " + right)
        return lines

    def expected(self):
        if self.options.get("whole"): return self.fn(self.cases)  # a function of all cases together (warps)
        out = []
        for case in self.cases:
            case = case if isinstance(case, tuple) else (case,)
            r = self.fn(*case)
            out.append((case, r if isinstance(r, tuple) else (r,)))
        return out

    def kernel(self):
        in_at, in_size = layout(self.ins)
        out_at, out_size = layout(self.outs)
        head = "".join(" " + self.options[k] for k in ("head",) if k in self.options)  # .reqnctapercluster …
        code = [".visible .entry %s(.param .u64 in, .param .u64 out, .param .u32 n)%s" % (self.name, head), "{",
                "  .reg .pred %_p;", "  .reg .b32 %_i, %_n, %_t, %_b, %_w;", "  .reg .b64 %_in, %_out;"]
        seen = set()
        for t, name in self.ins + self.outs:
            if name not in seen: code.append("  .reg %s %%%s;" % (register(t), name))
            seen.add(name)
        code += ["  " + r.strip() + ";" for r in self.regs.split(";") if r.strip()]
        code += ["  " + r for r in self.options.get("variables", [])]
        code += ["  ld.param.u64 %_in, [in];", "  ld.param.u64 %_out, [out];", "  ld.param.u32 %_n, [n];",
                 "  mov.u32 %_t, %tid.x;", "  mov.u32 %_b, %ctaid.x;", "  mov.u32 %_w, %ntid.x;",
                 "  mad.lo.u32 %_i, %_b, %_w, %_t;"]
        if "group" not in self.options: code += ["  setp.ge.u32 %_p, %_i, %_n;", "  @%_p exit;"]
        code += ["  mad.wide.u32 %%_in, %%_i, %d, %%_in;" % in_size, "  mad.wide.u32 %%_out, %%_i, %d, %%_out;" % out_size]
        if not self.options.get("no_load"):
            for (t, name), at in zip(self.ins, in_at):
                if t == "pred": code += ["  ld.global.u32 %%_n, [%%_in+%d];" % at, "  setp.ne.u32 %%%s, %%_n, 0;" % name]
                else: code.append("  ld.global%s %%%s, [%%_in+%d];" % (access(t), name, at))
        code += ["  " + b if not b.endswith(":") else b for b in self.body]
        for (t, name), at in zip(self.outs, out_at):
            if ("no_store" in self.options): break
            if t == "pred": code += ["  selp.u32 %%_n, 1, 0, %%%s;" % name, "  st.global.u32 [%%_out+%d], %%_n;" % at]
            else: code.append("  st.global%s [%%_out+%d], %%%s;" % (access(t), at, name))
        return code + ["  ret;", "}"]


def access(t):
    if t in ("f32", "f64"): return "." + t
    return ".b%d" % BITS[t] if t[0] not in "us" or "x" in t else "." + t


ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def write(path, title, entries, version="8.3", target="sm_90", preamble=""):
    """Writes tests/run/<path>.ptx."""
    lines = ["// " + t for t in title.split("\n")] + ["// Written by tests/run/generate.py: change it there."]
    for e in entries: lines += ["//"] + ["// " + h for h in e.header()]
    lines += [".version " + version, ".target " + target, ".address_size 64", ""]
    if preamble: lines += [preamble.strip("\n"), ""]
    for e in entries: lines += e.kernel() + [""]
    full = os.path.join(ROOT, path + ".ptx")
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w") as out: out.write("\n".join(lines).rstrip("\n") + "\n")


def f32(x):
    """The bits of the f32 nearest to a Python float."""
    return struct.unpack("<I", struct.pack("<f", x))[0]


def f64(x): return struct.unpack("<Q", struct.pack("<d", x))[0]
def as_double32(b): return struct.unpack("<f", struct.pack("<I", b))[0]
