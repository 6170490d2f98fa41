"""Extended-precision arithmetic (PTX ISA, "Extended-Precision Integer Arithmetic Instructions"): the carry seen through chains."""
import csv
from pathlib import Path

from .emit import BITS, Entry, write
from .values import cases, number, wrap

MEASURED = Path(__file__).parents[3] / "data/measured/h200-ptx/carry_flag.csv"
TYPES = ["u32", "s32", "u64", "s64"]


def plain(t): return "u" + t[1:]


def chain(name, first, middle, last, fn, operands):
    """A chain of three instructions over operands of three words; the last without .cc."""
    entries = []
    for t in TYPES:
        names = ["%s%d" % (o, k) for k in range(3) for o in operands]
        ins = ", ".join("%s %s" % (plain(t), n) for n in names)
        body = ["%s.%s %%d%d, %s;" % (op, t, k, ", ".join("%%%s%d" % (o, k) for o in operands)) for k, op in enumerate((first, middle, last))]
        bits = BITS[t]
        def whole(*v, t=t, bits=bits):
            k = len(operands)
            numbers = [sum(v[word * k + o] << (bits * word) for word in range(3)) for o in range(k)]
            r = fn(*numbers) if k == 2 else fn(bits, *v)
            return tuple(r >> (bits * w) & ((1 << bits) - 1) for w in range(3))
        edge = [0, 1, (1 << bits) - 1, 1 << (bits - 1)]
        extra = [tuple(edge[(n * m + 3 * n + m) % 4] for m in range(len(names))) for n in range(24)] + \
                [((1 << bits) - 1,) * len(names), (0,) * len(names)]
        entries.append(Entry("test_" + t, ins, ", ".join("%s d%d" % (plain(t), k) for k in range(3)), body,
                             list(dict.fromkeys(cases(name + t, [plain(t)] * len(names), 30) + extra)), whole))
    write("extended/" + name, "%s, %s, %s: one number of three words" % (first, middle, last), entries)


def madd(lo):
    def run(bits, *v):
        """Each step adds a product's half, c and the carry of the step before."""
        mask, carry, out = (1 << bits) - 1, 0, 0
        for k in range(3):
            a, b, c = v[3 * k: 3 * k + 3]
            product = a * b & mask if lo else a * b >> bits & mask
            total = product + c + carry
            carry = total >> bits
            out |= (total & mask) << (bits * k)
        return out
    return run


def mad_hi_entry(t):
    """.hi of signed operands takes the upper half of the signed product."""
    mask = (1 << BITS[t]) - 1
    def run(bits, *v):
        carry, out = 0, 0
        for k in range(3):
            a, b, c = v[3 * k: 3 * k + 3]
            total = ((number(t, a) * number(t, b)) >> bits & mask) + c + carry
            carry = total >> bits
            out |= (total & mask) << (bits * k)
        return out
    return run


def carry_out():
    """The flag itself: addc.type d, 0, 0 behind the instruction (subc for borrows, as 0 - 0 - borrow)."""
    forms = [("add.cc", 2, lambda t, a, b: (a + b) >> BITS[t]), ("sub.cc", 2, lambda t, a, b: int(a < b)),
             ("mad.lo.cc", 3, lambda t, a, b, c: ((a * b & ((1 << BITS[t]) - 1)) + c) >> BITS[t]),
             ("mad.hi.cc", 3, lambda t, a, b, c: (((number(t, a) * number(t, b)) >> BITS[t] & ((1 << BITS[t]) - 1)) + c) >> BITS[t])]
    for form, operands, fn in forms:
        names = "abc"[:operands]
        entries = []
        for t in TYPES:
            sub = form.startswith("sub")
            read = ("subc" if sub else "addc") + ".%s %%carry, 0, 0;" % t
            def both(*v, t=t, fn=fn, sub=sub, form=form):
                c = fn(t, *v)
                a, b = v[0], v[1]
                low = a + b if form == "add.cc" else a - b if sub else (a * b if "lo" in form else number(t, a) * number(t, b) >> BITS[t]) + v[2]
                return wrap(t, low), wrap(t, -c if sub else c)
            entries.append(Entry("test_" + t, ", ".join("%s %s" % (plain(t), n) for n in names), "%s d, %s carry" % (plain(t), plain(t)),
                                 ["%s.%s %%d, %s;" % (form, t, ", ".join("%" + n for n in names)), read],
                                 cases("carry" + form + t, [plain(t)] * operands, 60), both))
        write("extended/" + form.replace(".", "_"), form + ".type d, ...; the carry read by " + ("subc" if form[0] == "s" else "addc") + " d, 0, 0", entries)


def mixed():
    """The flag between instructions of different kinds, as an H200 has it."""
    entries = {}
    for row in csv.DictReader(open(MEASURED)):
        (writer, t), (reader, _) = row["writer"].rsplit(".", 1), row["reader"].rsplit(".", 1)
        mask = (1 << BITS[t]) - 1
        entries.setdefault((writer, reader, t), {})[int(row["a"], 0) & mask, int(row["b"], 0) & mask] = int(row["result"], 0) & mask
    def entry(writer, reader, t, results):
        third = lambda op, value: ", " + value if op.startswith("mad") else ""
        return Entry("test_%s_%s_%s" % (writer.replace(".", "_"), reader.replace(".", "_"), t), "%s a, %s b" % (plain(t), plain(t)), plain(t) + " d",
                     ["%s.%s %%d, %%a, %%b%s;" % (writer, t, third(writer, "%b")), "%s.%s %%d, 0, 0%s;" % (reader, t, third(reader, "0"))],
                     list(results), lambda *v: results[v])
    write("extended/mixed_carry", "the carry flag read by an instruction of another kind than its writer's (data/measured/h200-ptx/carry_flag.csv)",
          [entry(*key, results) for key, results in entries.items()])


def generate():
    chain("add_chain", "add.cc", "addc.cc", "addc", lambda a, b: a + b, "ab")
    chain("sub_chain", "sub.cc", "subc.cc", "subc", lambda a, b: a - b, "ab")
    chain("mad_lo_chain", "mad.lo.cc", "madc.lo.cc", "madc.lo", madd(True), "abc")
    hi_chain()
    carry_out()
    product_128()
    mixed()


def hi_chain():
    entries = []
    for t in TYPES:
        names = ["%s%d" % (o, k) for k in range(3) for o in "abc"]
        body = ["%s.%s %%d%d, %%a%d, %%b%d, %%c%d;" % (op, t, k, k, k, k) for k, op in enumerate(("mad.hi.cc", "madc.hi.cc", "madc.hi"))]
        run, bits = mad_hi_entry(t), BITS[t]
        entries.append(Entry("test_" + t, ", ".join("%s %s" % (plain(t), n) for n in names), ", ".join("%s d%d" % (plain(t), k) for k in range(3)), body,
                             cases("mad_hi_chain" + t, [plain(t)] * 9, 60) + [((1 << bits) - 1,) * 9],
                             lambda *v, run=run, bits=bits: tuple(run(bits, *v) >> (bits * w) & ((1 << bits) - 1) for w in range(3))))
    write("extended/mad_hi_chain", "mad.hi.cc, madc.hi.cc, madc.hi: halves of products with carries", entries)


def product_128():
    body = ["mul.lo.u64 %d0, %a0, %b0;", "mul.hi.u64 %d1, %a0, %b0;", "mad.lo.cc.u64 %d1, %a0, %b1, %d1;", "madc.hi.u64 %d2, %a0, %b1, 0;",
            "mad.lo.cc.u64 %d1, %a1, %b0, %d1;", "madc.hi.cc.u64 %d2, %a1, %b0, %d2;", "addc.u64 %d3, 0, 0;",
            "mad.lo.cc.u64 %d2, %a1, %b1, %d2;", "madc.hi.u64 %d3, %a1, %b1, %d3;"]
    def product(a0, a1, b0, b1):
        r = (a1 << 64 | a0) * (b1 << 64 | b0)
        return tuple(r >> (64 * w) & (1 << 64) - 1 for w in range(4))
    write("extended/product_128", "128 x 128 -> 256 bits out of mad.lo.cc, madc.hi, addc", [
        Entry("test", "u64 a0, u64 a1, u64 b0, u64 b1", "u64 d0, u64 d1, u64 d2, u64 d3", body,
              cases("product", ["u64"] * 4, 50) + [((1 << 64) - 1,) * 4], product)])
