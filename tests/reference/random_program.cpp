#include "random_program.h"

#include <fmt/format.h>

#include <cstring>
#include <random>
#include <vector>

namespace ww::reference {

namespace {

// Registers that statements may use as they like; everything else has names of its own.
constexpr int kWords = 8, kLongs = 4, kShorts = 4, kFloats = 5, kDoubles = 3, kPredicates = 4;

class Writer {
 public:
  explicit Writer(uint64_t seed, int size) : random_(seed), left_(size) {}

  RandomProgram write() {
    RandomProgram p;
    const uint32_t blocks[] = {32, 64, 96, 40, 7, 70, 8, 16, 33, 100};
    p.block = blocks[below(10)];
    p.grid = 1 + below(3);
    full_warps_ = p.block % 32 == 0;
    std::string functions;
    int count = int(below(3));
    for (int k = 0; k < count; ++k) functions += function(k);
    recursive_ = chance(40);
    if (recursive_) functions += recursion();
    in_entry_ = true;
    text_.clear();
    while (left_ > 0) top_statement();
    p.text = fmt::format(
        ".version 8.0\n.target sm_80\n.address_size 64\n.shared .align 16 .b8 own_shared[{}];\n.shared "
        ".align 16 .b8 counters[64];\n{}"
        ".visible .entry k(.param .u64 out, .param .u64 in, .param .u64 common)\n{{\n{}{}{}{}}}\n",
        p.block * 16, functions, registers(), prologue(p.block), text_, epilogue());
    return p;
  }

 private:
  uint32_t below(uint32_t n) { return uint32_t(random_() % n); }
  bool chance(uint32_t percent) { return below(100) < percent; }
  template <size_t N>
  const char* one_of(const char* const (&names)[N]) {
    return names[below(N)];
  }
  std::string word() { return fmt::format("%r{}", below(kWords)); }
  std::string pred() { return fmt::format("%p{}", below(kPredicates)); }
  std::string fresh_label(const char* what) { return fmt::format("{}_{}", what, labels_++); }
  template <class... T>
  void line(fmt::format_string<T...> f, T&&... args) {
    text_ += "  " + fmt::format(f, std::forward<T>(args)...) + ";\n";
  }
  void label(const std::string& name) { text_ += name + ":\n"; }

  // A register of a class of types, or (as a source) sometimes a constant.
  std::string reg(char kind) {
    switch (kind) {
      case 'h':
        return fmt::format("%h{}", below(kShorts));
      case 'l':
        return fmt::format("%l{}", below(kLongs));
      case 'f':
        return fmt::format("%f{}", below(kFloats));
      case 'd':
        return fmt::format("%d{}", below(kDoubles));
      default:
        return word();
    }
  }
  std::string source(char kind) {
    if (!chance(20)) return reg(kind);
    static const char* const integers[] = {"0",  "1",  "-1",  "2",    "7",   "31",
                                           "32", "33", "100", "-128", "255", "32767"};
    static const char* const floats[] = {"0f3F800000", "0fBF000000", "0f7F800000", "0f7FC00000",
                                         "0f00000001", "0f80000000", "0f4F800000", "0f42280000"};
    static const char* const doubles[] = {"0d3FF0000000000000", "0d7FF0000000000000", "0d0000000000000001",
                                          "0dC024000000000000", "0d43E0000000000000"};
    return kind == 'f' ? one_of(floats) : kind == 'd' ? one_of(doubles) : one_of(integers);
  }
  /// Of a bit, or how many. Constants: ptxas takes 0 to 255 alone, and those beyond the value (bfe.s32 d, a,
  /// 70, 36) give other results on an H200 than the same numbers in registers, which follow the manual.
  std::string position() { return chance(20) ? fmt::format("{}", below(32)) : word(); }
  static int bits_of(const std::string& type) { return std::stoi(type.substr(1)); }
  static char kind_of(int bits) { return bits == 16 ? 'h' : bits == 32 ? 'r' : 'l'; }
  std::string guard() { return chance(15) ? fmt::format("@{}{} ", chance(50) ? "!" : "", pred()) : ""; }

  // ---- arithmetic ----

  void arithmetic() {
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
        return line("{}mad.wide.{} {}, {}, {}, {}", g, type, reg(wide), reg(narrow), source(narrow),
                    reg(wide));
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
        return line("{}bfi.b{} {}, {}, {}, {}, {}", g, bits, reg(k), reg(k), source(k), position(),
                    position());
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
        return line("{}shf.{}.{}.b32 {}, {}, {}, {}", g, chance(50) ? "l" : "r",
                    chance(50) ? "clamp" : "wrap", word(), word(), word(), source('r'));
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

  void comparison(const std::string& g, const std::string& type, char k) {
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
  void sums_of_product(const std::string& g, char k, const char* type, const std::string& ftz) {
    const std::string product = k == 'd' ? "%product64" : "%product32";
    line("mul{}.{} {}, {}, {}", ftz, type, product, reg(k), source(k));
    for (int left = 1 + below(2); left > 0; --left) {
      const bool first = chance(50);
      const std::string other = source(k);
      line("{}{}{}.{} {}, {}, {}", g, chance(50) ? "add" : "sub", ftz, type, reg(k), first ? product : other,
           first ? other : product);
    }
  }

  void floating(const std::string& g) {
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
        return line("{}{}{}{}{}.{} {}, {}, {}", g, one_of(two), chance(30) ? ".rn" : "", ftz, sat, type,
                    reg(k), source(k), source(k));
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

  void memory() {
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

  void atomics() {
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

  // ---- control ----

  void block(int statements) {
    ++depth_;
    while (statements-- > 0) statement();
    --depth_;
  }

  void branch() {
    std::string otherwise = fresh_label("ELSE"), end = fresh_label("END");
    line("@{}{} bra {}", chance(50) ? "!" : "", pred(), otherwise);
    block(1 + int(below(4)));
    if (chance(60)) {
      line("bra {}", end);
      label(otherwise);
      block(1 + int(below(3)));
      label(end);
    } else {
      label(otherwise);
    }
  }

  void loop() {
    if (loops_ >= 3) return arithmetic();
    std::string top = fresh_label("LOOP"), end = fresh_label("DONE"), next = fresh_label("NEXT");
    std::string counter = fmt::format("%c{}", loops_++), was = end_of_loop_, was_next = next_of_loop_;
    end_of_loop_ = end, next_of_loop_ = next;
    line("and.b32 {}, {}, {}", counter, word(), chance(50) ? 7 : 3);
    label(top);
    line("setp.eq.u32 %q, {}, 0", counter);
    line("@%q bra {}", end);
    block(1 + int(below(4)));
    label(next);
    line("sub.u32 {}, {}, 1", counter, counter);
    line("bra {}", top);
    label(end);
    end_of_loop_ = was, next_of_loop_ = was_next;
    --loops_;
  }

  void choose() {
    std::string end = fresh_label("OUT"), targets = fresh_label("TARGETS");
    std::vector<std::string> cases;
    for (int k = 0; k < 4; ++k) cases.push_back(k == 3 && chance(40) ? cases[0] : fresh_label("CASE"));
    line("and.b32 %index, {}, 3", word());
    text_ +=
        fmt::format("{}: .branchtargets {}, {}, {}, {};\n", targets, cases[0], cases[1], cases[2], cases[3]);
    line("{}brx.idx %index, {}", chance(15) ? "@" + pred() + " " : "", targets);
    for (int k = 0; k < 4; ++k) {
      if (k == 3 && cases[3] == cases[0]) break;
      label(cases[size_t(k)]);
      block(1 + int(below(2)));
      if (chance(70)) line("bra {}", end);  // else falls into the next
    }
    label(end);
  }

  void call() {
    int count = functions_ + (recursive_ready_ ? 1 : 0);
    if (count == 0) return arithmetic();
    int which = int(below(uint32_t(count)));
    bool recursion = which == functions_;
    std::string g = chance(15) ? fmt::format("@{} ", pred()) : "";
    text_ += "  {\n  .param .b64 to0;\n  .param .b32 to1;\n  .param .b32 back;\n";
    line("st.param.b64 [to0], %slots");
    if (recursion) line("and.b32 %index, {}, 7", word());
    line("st.param.b32 [to1], {}", recursion ? "%index" : word());
    line("{}call (back), {}, (to0, to1)", g, recursion ? "recursive" : fmt::format("f{}", which));
    if (g.empty()) line("ld.param.b32 {}, [back]", word());
    text_ += "  }\n";
  }

  void leave() {
    if (depth_ == 0 && !chance(30)) return arithmetic();
    if (!end_of_loop_.empty() && chance(60))
      return line("@{} bra {}", pred(), chance(50) ? end_of_loop_ : next_of_loop_);
    // Both end a thread early; in a function a ret only returns.
    bool end = in_entry_ || chance(20);
    if (end && !may_end_) return arithmetic();
    if (end) ended_ = true;
    line("@{}{} {}", chance(50) ? "!" : "", pred(),
         in_entry_ ? (chance(50) ? "ret" : "exit")
         : end     ? "exit"
                   : "ret");
  }

  void statement() {
    --left_;
    uint32_t n = below(100);
    if (left_ <= 0 || depth_ > 5) return arithmetic();
    if (n < 50)
      arithmetic();
    else if (n < 65)
      memory();
    else if (n < 70)
      atomics();
    else if (n < 79)
      branch();
    else if (n < 85)
      loop();
    else if (n < 89)
      choose();
    else if (n < 94)
      call();
    else if (n < 97)
      leave();
    else
      arithmetic();
  }

  // Where all threads of the block are that have not ended: what waits for others.
  void top_statement() {
    uint32_t n = below(100);
    if (n < 6) {
      line("bar.sync 0");
    } else if (n < 12) {  // a word from the neighbour
      line("st.shared.b32 [%mine], {}", word());
      line("bar.sync 0");
      line("ld.shared.b32 {}, [%next]", word());
      line("bar.sync 0");
    } else if (n < 20 && !ended_ && full_warps_) {
      static const char* const modes[] = {"up", "down", "bfly", "idx"};
      std::string mode = one_of(modes);
      line("shfl.sync.{}.b32 {}|{}, {}, {}, {}, -1", mode, word(), pred(), word(), below(32),
           mode == "up" ? 0
           : chance(70) ? 31
                        : 0x181f);
    } else if (n < 26) {
      static const char* const modes[] = {"all", "any", "uni"};
      if (chance(50))
        line("vote.sync.ballot.b32 {}, {}, -1", word(), pred());
      else
        line("vote.sync.{}.pred {}, {}, -1", one_of(modes), pred(), pred());
    } else if (n < 30) {  // a loop that all go through together, with barriers in it
      std::string top = fresh_label("ROUND");
      line("mov.u32 %round, {}", 1 + below(3));
      label(top);
      block(2);
      line("bar.sync 0");
      line("sub.u32 %round, %round, 1");
      line("setp.ne.u32 %q, %round, 0");
      line("@%q bra {}", top);
    } else {
      statement();
    }
  }

  // ---- frames ----

  static std::string registers() {
    return fmt::format(
        "  .reg .b32 %r<{}>;\n  .reg .b64 %l<{}>;\n  .reg .b16 %h<{}>;\n  .reg .f32 %f<{}>;\n  .reg .f64 "
        "%d<{}>;\n  .reg .pred %p<{}>, %q;\n"
        "  .reg .b32 %index, %round, %x, %n, %c<3>;\n  .reg .b64 %address, %slots, %stack, %mine, %next, "
        "%input, %common, %counters, %t;\n  .reg .f32 %product32;\n  .reg .f64 %product64;\n"
        "  .local .align 16 .b8 own_local[64];\n",
        kWords, kLongs, kShorts, kFloats, kDoubles, kPredicates);
  }

  /// Every register that statements may read gets a value that differs from thread to thread.
  std::string values_from(const char* word_source) {
    std::string was = std::move(text_);
    text_.clear();
    for (int k = 0; k < kWords; ++k) line("ld.global.u32 %r{}, [%t+{}]", k, 4 * k);
    line("add.u32 %r0, %r0, {}", word_source);
    line("mov.u32 %r1, {}", word_source);
    for (int k = 0; k < kLongs; ++k) line("ld.global.u64 %l{}, [%t+{}]", k, 32 + 8 * k);
    for (int k = 0; k < kShorts; ++k) line("ld.global.u16 %h{}, [%t+{}]", k, 64 + 2 * k);
    for (int k = 0; k < kFloats; ++k) line("cvt.rn.f32.s32 %f{}, %r{}", k, k % kWords);
    for (int k = 0; k < kDoubles; ++k) line("cvt.rn.f64.s64 %d{}, %l{}", k, k);
    for (int k = 0; k < kPredicates; ++k)
      line("setp.lt.s32 %p{}, %r{}, {}", k, k + 2, below(2) ? "0" : word_source);
    // Local memory starts as nobody knows what: the own part is filled.
    for (int k = 0; k < 8; ++k) line("st.local.u64 [%stack+{}], %l{}", 8 * k, k % kLongs);
    std::string made = std::move(text_);
    text_ = std::move(was);
    return made;
  }

  std::string prologue(uint32_t block) {
    std::string t = "  mov.u32 %x, %tid.x;\n  mov.u32 %n, %ctaid.x;\n";
    t += fmt::format("  mad.lo.u32 %n, %n, {}, %x;\n", block);
    t += fmt::format("  ld.param.u64 %slots, [out];\n  mad.wide.u32 %slots, %n, {}, %slots;\n", kOutBytes);
    t += "  ld.param.u64 %input, [in];\n  ld.param.u64 %common, [common];\n";
    t += "  and.b32 %index, %n, 31;\n  mad.wide.u32 %t, %index, 96, %input;\n";
    t += "  mov.u64 %mine, own_shared;\n";
    t += fmt::format(
        "  add.u32 %index, %x, 1;\n  rem.u32 %index, %index, {};\n  mad.wide.u32 %next, %index, 16, %mine;\n",
        block);
    t += "  mad.wide.u32 %mine, %x, 16, %mine;\n  mov.u64 %counters, counters;\n  mov.u64 %stack, "
         "own_local;\n";
    t += "  mov.u32 %r0, 0;\n  st.shared.v4.b32 [%mine], {%n, %n, %x, %x};\n";
    t += "  setp.ne.u32 %q, %x, 0;\n";
    for (int k = 0; k < 16; ++k) t += fmt::format("  @!%q st.shared.u32 [%counters+{}], %r0;\n", 4 * k);
    t += "  bar.sync 0;\n";
    return t + values_from("%n");
  }

  std::string epilogue() const {
    std::string t;
    uint32_t at = kSlotBytes;
    for (int k = 0; k < kLongs; ++k, at += 8) t += fmt::format("  st.global.u64 [%slots+{}], %l{};\n", at, k);
    for (int k = 0; k < kWords; ++k, at += 4) t += fmt::format("  st.global.u32 [%slots+{}], %r{};\n", at, k);
    for (int k = 0; k < kFloats; ++k, at += 4)
      t += fmt::format("  st.global.f32 [%slots+{}], %f{};\n", at, k);
    for (int k = 0; k < kShorts; ++k, at += 2)
      t += fmt::format("  st.global.u16 [%slots+{}], %h{};\n", at, k);
    at = (at + 7) / 8 * 8;
    // A NaN of 64 bits has bits of its own on every machine: stored as a float it has not.
    for (int k = 0; k < kDoubles; ++k, at += 8)
      t += fmt::format(
          "  setp.nan.f64 %q, %d{0}, %d{0};\n  @%q mov.f64 %d{0}, 0d0000000000000000;\n  st.global.f64 "
          "[%slots+{1}], %d{0};\n",
          k, at);
    t += "  bar.sync 0;\n  setp.eq.u32 %q, %x, 0;\n";
    for (int k = 0; k < 10; ++k)
      t += fmt::format(
          "  @%q ld.shared.u32 %r0, [%counters+{}];\n  @%q red.global.add.u32 [%common+{}], %r0;\n", 4 * k,
          64 + 4 * k);
    return t + "  ret;\n";
  }

  std::string function(int number) {
    text_.clear();
    may_end_ = chance(30);
    int was = left_;
    left_ = 6;
    while (left_ > 0) statement();
    left_ = was;
    may_end_ = true;
    std::string body = std::move(text_);
    text_.clear();
    functions_ = number + 1;
    return header(fmt::format("f{}", number)) + body + "  st.param.b32 [result], %r0;\n  ret;\n}\n";
  }

  /// Calls itself as often as its second argument says.
  std::string recursion() {
    text_.clear();
    left_ += 3;
    block(3);
    std::string body = std::move(text_);
    text_.clear();
    recursive_ready_ = true;
    return header("recursive") +
           "  ld.param.b32 %round, [a1];\n  setp.eq.u32 %q, %round, 0;\n  @%q bra BOTTOM;\n" + body +
           "  sub.u32 %round, %round, 1;\n  {\n  .param .b64 b0;\n  .param .b32 b1;\n  .param .b32 got;\n  "
           "st.param.b64 [b0], %slots;\n"
           "  st.param.b32 [b1], %round;\n  call (got), recursive, (b0, b1);\n  ld.param.b32 %r7, [got];\n  "
           "}\n  add.u32 %r0, %r0, %r7;\n"
           "BOTTOM:\n  st.param.b32 [result], %r0;\n  ret;\n}\n";
  }

  std::string header(const std::string& name) {
    std::string t = fmt::format(".func (.param .b32 result) {}(.param .b64 a0, .param .b32 a1)\n{{\n", name) +
                    registers();
    // Functions see their caller's slots and nothing shared; input and counters are slots as well.
    t += "  ld.param.b64 %slots, [a0];\n  ld.param.b32 %x, [a1];\n  st.param.b32 [result], %x;\n  mov.u64 "
         "%t, %slots;\n  mov.u64 %input, %slots;\n  mov.u64 %stack, own_local;\n";
    t += "  add.u64 %common, %slots, 128;\n";
    t += "  mov.u32 %n, %tid.x;\n  mov.u64 %mine, own_shared;\n  mad.wide.u32 %mine, %n, 16, %mine;\n";
    return t + values_from("%x");
  }

  std::mt19937_64 random_;
  std::string text_;
  int left_, labels_ = 0, depth_ = 0, loops_ = 0, functions_ = 0;
  bool in_entry_ = false, full_warps_ = true, ended_ = false, may_end_ = true, recursive_ = false,
       recursive_ready_ = false;
  std::string end_of_loop_, next_of_loop_;
};

}  // namespace

std::vector<uint8_t> random_input() {
  std::mt19937 random(1);
  std::vector<uint8_t> bytes(kInBytes);
  for (size_t at = 0; at < bytes.size(); at += 4) {
    const uint32_t r = uint32_t(random());
    const uint32_t word = r % 4 == 0   ? r
                          : r % 4 == 1 ? (r >> 8) % 100
                          : r % 4 == 2 ? 0u - (r >> 8) % 100
                                       : 0x3f000000 + (r >> 4) % 0x02000000;
    std::memcpy(&bytes[at], &word, 4);
  }
  return bytes;
}

RandomProgram random_program(uint64_t seed, int size) { return Writer(seed, size).write(); }

}  // namespace ww::reference
