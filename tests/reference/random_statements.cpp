#include "random_statements.h"

namespace ww::reference {

// ---- arithmetic ----

void Statements::arithmetic() {
  std::string g = guard();
  static const char* const ints[] = {"s16", "u16", "s32", "u32", "s32", "u32", "s64", "u64"};
  std::string type = one_of(ints);
  int bits = std::stoi(type.substr(1));
  char k = kind_of(bits);
  auto s = [&] { return source(k); };
  auto bit_type = fmt::format("b{}", bits);
  switch (below(22)) {
    case 0:
    case 1: {
      static const char* const ops[] = {"add", "sub", "mul.lo", "mul.hi", "min", "max", "div", "rem"};
      return line("{}{}.{} {}, {}, {}", g, one_of(ops), type, reg(k), s(), s());
    }
    case 2:
      return line("{}{}.{} {}, {}, {}, {}", g,
                  chance(50)   ? "mad.lo"
                  : chance(50) ? "mad.hi"
                               : "sad",
                  type, reg(k), s(), s(), s());
    case 3: {
      if (bits == 64) type = "u32", bits = 32;
      char wide = bits == 16 ? 'r' : 'l', narrow = kind_of(bits);
      if (chance(50))
        return line("{}mul.wide.{} {}, {}, {}", g, type, reg(wide), reg(narrow), source(narrow));
      return line("{}mad.wide.{} {}, {}, {}, {}", g, type, reg(wide), reg(narrow), source(narrow), reg(wide));
    }
    case 4:
      return line("{}{}.s{} {}, {}", g, chance(50) ? "abs" : "neg", bits, reg(k), reg(k));
    case 5: {
      if (bits == 16) type = "u32", bits = 32, k = 'r';
      static const char* const ops[] = {"popc.b", "clz.b", "brev.b", "bfind.u", "bfind.s"};
      std::string op = one_of(ops);
      return line("{}{}{} {}, {}", g, op, bits, op[1] == 'r' ? reg(k) : word(), reg(k));
    }
    case 6:
      if (bits == 16) type = "s32", k = 'r';
      return line("{}bfe.{} {}, {}, {}, {}", g, type, reg(k), reg(k), position(), position());
    case 7:
      if (bits == 16) bits = 32, k = 'r';
      return line("{}bfi.b{} {}, {}, {}, {}, {}", g, bits, reg(k), reg(k), source(k), position(), position());
    case 8:
    case 9: {
      static const char* const ops[] = {"and", "or", "xor"};
      return line("{}{}.{} {}, {}, {}", g, one_of(ops), bit_type, reg(k), s(), s());
    }
    case 10:
      return line("{}{}.{} {}, {}", g, chance(70) ? "not" : "cnot", bit_type, reg(k), reg(k));
    case 11:
      return line("{}lop3.b32 {}, {}, {}, {}, {}", g, word(), word(), source('r'), word(), below(256));
    case 12:
      return line("{}shl.{} {}, {}, {}", g, bit_type, reg(k), s(), source('r'));
    case 13:
      return line("{}shr.{} {}, {}, {}", g, type, reg(k), s(), source('r'));
    case 14:
      return line("{}shf.{}.{}.b32 {}, {}, {}, {}", g, chance(50) ? "l" : "r", chance(50) ? "clamp" : "wrap",
                  word(), word(), word(), source('r'));
    case 15:
      return line("{}prmt.b32 {}, {}, {}, {}", g, word(), word(), source('r'), word());
    case 16:
    case 17:
      return comparison(g, type, k);
    case 18:
      return line("{}selp.{} {}, {}, {}, {}", g, bit_type, reg(k), s(), s(), pred());
    case 19:
      return line("{}mov.b32 {}, {}", g, word(), chance(50) ? reg('f') : word());
    default:
      return floating(g);
  }
}

void Statements::comparison(const std::string& g, const std::string& type, char k) {
  static const char* const signed_ops[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  static const char* const unsigned_ops[] = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"};
  static const char* const float_ops[] = {"eq",  "ne",  "lt",  "ge",  "equ", "neu",
                                          "ltu", "leu", "gtu", "geu", "num", "nan"};
  static const char* const logic[] = {"and", "or", "xor"};
  std::string what = type, op;
  char kind = k;
  if (chance(30))
    what = chance(60) ? "f32" : "f64", kind = what == "f32" ? 'f' : 'd', op = one_of(float_ops);
  else
    op = type[0] == 'u' ? one_of(unsigned_ops) : one_of(signed_ops);
  int p = int(below(kPredicates)), q = (p + 1) % kPredicates;
  std::string to = fmt::format("%p{}", p), a = reg(kind), b = source(kind);
  if (chance(30)) to += fmt::format("|%p{}", q);
  if (chance(30))
    return line("{}setp.{}.{}.{} {}, {}, {}, {}{}", g, op, one_of(logic), what, to, a, b,
                chance(30) ? "!" : "", pred());
  line("{}setp.{}.{} {}, {}, {}", g, op, what, to, a, b);
}

/// A product that only sums read, so that it may be fused with them.
void Statements::sums_of_product(const std::string& g, char k, const char* type, const std::string& ftz) {
  const std::string product = k == 'd' ? "%product64" : "%product32";
  line("mul{}.{} {}, {}, {}", ftz, type, product, reg(k), source(k));
  for (int left = 1 + below(2); left > 0; --left) {
    const bool first = chance(50);
    const std::string other = source(k);
    line("{}{}{}.{} {}, {}, {}", g, chance(50) ? "add" : "sub", ftz, type, reg(k), first ? product : other,
         first ? other : product);
  }
}

void Statements::floating(const std::string& g) {
  static const char* const two[] = {"add", "sub", "mul"};
  static const char* const rounds[] = {"rni", "rzi", "rmi", "rpi"};
  static const char* const ints[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
  bool wide = chance(35);
  char k = wide ? 'd' : 'f';
  const char* type = wide ? "f64" : "f32";
  std::string ftz = !wide && chance(30) ? ".ftz" : "", sat = !wide && chance(15) ? ".sat" : "";
  std::string integer = one_of(ints);
  int bits = std::stoi(integer.substr(1));
  char ik = bits <= 16 ? 'h' : kind_of(bits);
  if (bits == 8 && chance(50)) ik = 'r';
  switch (below(10)) {
    case 9:
      return sums_of_product(g, k, type, ftz);
    case 0:
    case 1:
      // Without a rounding modifier a product may be fused with a sum.
      return line("{}{}{}{}{}.{} {}, {}, {}", g, one_of(two), chance(30) ? ".rn" : "", ftz, sat, type, reg(k),
                  source(k), source(k));
    case 2:
      return line("{}fma.rn{}{}.{} {}, {}, {}, {}", g, ftz, sat, type, reg(k), source(k), source(k),
                  source(k));
    case 3:
      return line("{}{}{}.{} {}, {}, {}", g, chance(50) ? "min" : "max", ftz, type, reg(k), source(k),
                  source(k));
    case 4:
      return line("{}{}{}.{} {}, {}", g, chance(50) ? "abs" : "neg", ftz, type, reg(k), reg(k));
    case 5:
      if (chance(50)) return line("{}div.rn{}.{} {}, {}, {}", g, ftz, type, reg(k), reg(k), source(k));
      return line("{}sqrt.rn{}.{} {}, {}", g, ftz, type, reg(k), reg(k));
    case 6:
      return line("{}cvt.rn.{}.{} {}, {}", g, type, integer, reg(k), reg(ik));
    case 7:
      return line("{}cvt.{}{}.{}.{} {}, {}", g, one_of(rounds), ftz, integer, type, reg(ik), reg(k));
    default:
      if (chance(30)) return line("{}cvt.f64.f32 {}, {}", g, reg('d'), reg('f'));
      if (chance(30)) return line("{}cvt.rn.f32.f64 {}, {}", g, reg('f'), reg('d'));
      if (chance(30)) return line("{}cvt.{}.{}.{} {}, {}", g, one_of(rounds), type, type, reg(k), reg(k));
      std::string other = one_of(ints);
      int other_bits = std::stoi(other.substr(1));
      char ok = other_bits <= 16 ? (chance(30) ? 'r' : 'h') : kind_of(other_bits);
      // ptxas refuses .sat where every value fits.
      const bool fits = other[0] == integer[0] ? other_bits <= bits_of(integer)
                                               : other[0] == 'u' && other_bits < bits_of(integer);
      const bool sat = chance(30) && !fits;
      return line("{}cvt{}.{}.{} {}, {}", g, sat ? ".sat" : "", integer, other, reg(ik), reg(ok));
  }
}

// ---- memory ----

void Statements::memory() {
  std::string g = guard();
  struct Choice {
    const char* type;
    char kind;
    int bytes;
  };
  static const Choice choices[] = {{"u8", 'r', 1},  {"s8", 'r', 1},  {"b8", 'h', 1},  {"u16", 'h', 2},
                                   {"s16", 'r', 2}, {"b32", 'r', 4}, {"u32", 'r', 4}, {"s32", 'l', 4},
                                   {"b64", 'l', 8}, {"f32", 'f', 4}, {"u32", 'r', 4}, {"b32", 'r', 4}};
  Choice c = choices[below(12)];
  bool load = chance(50);
  struct Place {
    const char* space;
    const char* base;
    uint32_t bytes;
  };
  // Own slots in global memory, own words of shared memory (entries only), own local memory, the common
  // input (loads).
  static const Place places[] = {{"global", "%slots", kSlotBytes},
                                 {"local", "%stack", 64},
                                 {"shared", "%mine", 16},
                                 {"global", "%input", kInBytes}};
  Place p = places[load && in_entry_ ? below(4) : below(3)];
  std::string space = p.base[1] == 's' && p.base[2] == 'l' && chance(25)
                          ? ""
                          : fmt::format(".{}", p.space);  // sometimes generic
  int elements = chance(25) && c.bytes >= 4 && c.kind != 'l' ? (chance(50) ? 2 : 4) : 1;
  int size = c.bytes * elements;
  std::string address;
  if (chance(60)) {
    address = fmt::format("{}+{}", p.base, below(p.bytes / uint32_t(size)) * uint32_t(size));
  } else {  // lanes with addresses of their own
    line("and.b32 %index, {}, {}", word(), p.bytes / uint32_t(size) >= 8 ? 7 : 0);
    line("mad.wide.u32 %address, %index, {}, {}", size, p.base);
    address = "%address";
  }
  std::string data;
  if (elements == 1)
    data = load ? reg(c.kind) : reg(c.kind);
  else {
    int start = int(below(c.kind == 'f' ? 2 : 5));
    for (int k = 0; k < elements; ++k) data += fmt::format("{}%{}{}", k ? ", " : "{", c.kind, start + k);
    data += "}";
  }
  std::string vec = elements > 1 ? fmt::format(".v{}", elements) : "";
  if (load)
    line("{}ld{}{}.{} {}, [{}]", g, space, vec, c.type, data, address);
  else
    line("{}st{}{}.{} [{}], {}", g, space, vec, c.type, address, data);
}

void Statements::atomics() {
  std::string g = guard();
  if (chance(50)) {  // on common counters: only what commutes, and nobody looks at the old value
    // Each counter has one operation of its own: mixed ones would not commute.
    static const char* const ops[] = {"add.u32", "add.u32", "min.s32", "max.s32", "min.u32",
                                      "max.u32", "and.b32", "or.b32",  "xor.b32", "add.u32"};
    uint32_t which = below(10);
    bool shared = in_entry_ && chance(40);
    return line("{}red.{}.{} [{}+{}], {}", g, shared ? "shared" : "global", ops[which],
                shared ? "%counters" : "%common", which * 4, word());
  }
  static const char* const ops[] = {"add.u32", "min.s32", "max.u32", "exch.b32",
                                    "inc.u32", "dec.u32", "xor.b32"};
  uint32_t slot = below(kSlotBytes / 4) * 4;
  if (chance(25))
    return line("{}atom.global.cas.b32 {}, [%slots+{}], {}, {}", g, word(), slot, source('r'), word());
  line("{}atom.global.{} {}, [%slots+{}], {}", g, one_of(ops), word(), slot, word());
}

}  // namespace ww::reference
