#include "random_program.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "random_statements.h"

namespace ww::reference {

namespace {

class Writer : Statements {
 public:
  explicit Writer(uint64_t seed, int size) : Statements(seed), left_(size) {}

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

  int left_, depth_ = 0, loops_ = 0, functions_ = 0;
  bool full_warps_ = true, ended_ = false, may_end_ = true, recursive_ = false, recursive_ready_ = false;
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
