// Random kernels in PTX: valid, without races, ending. For comparing one way of running them with another.
#pragma once

#include <fmt/format.h>

#include <random>
#include <string>

namespace ww {

/// A kernel `k(in, out)`: it reads 4096 bytes at `in` and writes kRandomOutWords words for each thread at
/// `out`. About one in forty reads or writes elsewhere too, and faults.
inline constexpr unsigned kRandomOutWords = 64;

class RandomKernel {
 public:
  RandomKernel(uint64_t seed, unsigned threads) : random_(seed), threads_(threads) {}

  std::string text() {
    const unsigned size = 4 + pick(24);
    for (unsigned k = 0; k < size; ++k) statement(0);
    std::string all =
        ".visible .func (.param .b32 back) twice(.param .b32 x, .param .b32 y) {\n"
        ".reg .b32 %a<4>; .reg .pred %q;\nld.param.u32 %a0, [x]; ld.param.u32 %a1, [y]; and.b32 %a2, %a1, "
        "3;\n"
        "AGAIN: mad.lo.u32 %a0, %a0, 5, %a1; add.u32 %a2, %a2, 1; setp.lt.u32 %q, %a2, 4;\n@%q bra AGAIN;\n"
        "st.param.b32 [back], %a0; ret;\n}\n"
        ".shared .align 16 .b8 tile[4096];\n"
        ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
        ".reg .b32 %r<20>; .reg .f32 %f<8>; .reg .b64 %d<6>; .reg .f64 %g<4>; .reg .b16 %h<4>; .reg .pred "
        "%p<4>;\n"
        ".reg .b64 %in, %out, %at, %own, %more; .reg .b32 %me, %all, %i<8>, %sh, %t;\n"
        "ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
        "mov.u32 %me, %tid.x; mov.u32 %t, %ctaid.x; mov.u32 %i0, %ntid.x; mad.lo.u32 %all, %t, %i0, %me;\n"
        "mul.wide.u32 %own, %all, 256; add.s64 %own, %own, %out;\n"
        "shl.b32 %sh, %me, 2; mov.u32 %t, tile; add.u32 %sh, %sh, %t; st.shared.u32 [%sh], %me;\n"
        "mul.wide.u32 %at, %me, 4; add.s64 %at, %at, %in; mov.u64 %more, 0;\n";
    for (unsigned k = 0; k < 20; ++k)
      all += k % 4 == 0 ? fmt::format("mov.u32 %r{}, {};\n", k, word())
                        : fmt::format("ld.global.u32 %r{}, [%at + {}];\n", k, k * 128);
    for (unsigned k = 0; k < 8; ++k) all += fmt::format("ld.global.f32 %f{}, [%at + {}];\n", k, k * 64);
    for (unsigned k = 0; k < 6; ++k) all += fmt::format("mul.wide.s32 %d{}, %r{}, %r{};\n", k, k, k + 7);
    for (unsigned k = 0; k < 4; ++k)
      all += fmt::format("cvt.rn.f64.s32 %g{}, %r{}; cvt.u16.u32 %h{}, %r{}; setp.lt.s32 %p{}, %r{}, %r{};\n",
                         k, k, k, k, k, k, k + 5);
    all += body_;
    for (unsigned k = 0; k < 20; ++k) all += fmt::format("st.global.u32 [%own + {}], %r{};\n", 4 * k, k);
    for (unsigned k = 0; k < 8; ++k) all += fmt::format("st.global.f32 [%own + {}], %f{};\n", 80 + 4 * k, k);
    for (unsigned k = 0; k < 6; ++k) all += fmt::format("st.global.u64 [%own + {}], %d{};\n", 112 + 8 * k, k);
    for (unsigned k = 0; k < 4; ++k)
      all += fmt::format("st.global.f64 [%own + {}], %g{};\nst.global.u16 [%own + {}], %h{};\n", 160 + 8 * k,
                         k, 192 + 2 * k, k);
    return all + "ret;\n}\n";
  }

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  template <size_t N>
  const char* one(const char* const (&of)[N]) {
    return of[pick(N)];
  }
  unsigned word() {
    const unsigned some[] = {0, 1, 2, 31, 32, 255, 0x7fffffff, 0x80000000, 0xffffffff};
    return pick(2) ? some[pick(9)] : static_cast<unsigned>(random_());
  }
  std::string r() { return fmt::format("%r{}", pick(20)); }
  std::string f() { return fmt::format("%f{}", pick(8)); }
  std::string d() { return fmt::format("%d{}", pick(6)); }
  std::string g() { return fmt::format("%g{}", pick(4)); }
  std::string h() { return fmt::format("%h{}", pick(4)); }
  std::string p() { return fmt::format("%p{}", pick(4)); }
  std::string x() { return pick(4) ? r() : fmt::format("{}", word()); }
  std::string guard() { return pick(5) ? "" : fmt::format("@{}{} ", pick(2) ? "" : "!", p()); }
  void say(const std::string& line) { body_ += line + "\n"; }

  void arithmetic() {
    const std::string on = guard();
    switch (pick(16)) {
      case 0:
        return say(on +
                   fmt::format("{} {}, {}, {};",
                               one({"add.s32", "sub.u32", "mul.lo.s32", "mul.hi.u32", "min.s32", "max.u32",
                                    "and.b32", "or.b32", "xor.b32", "shl.b32", "shr.s32", "shr.u32"}),
                               r(), r(), x()));
      case 1:
        return say(on + fmt::format("{} {}, {}, {}, {};",
                                    one({"mad.lo.s32", "mad.lo.u32", "sad.u32", "prmt.b32", "bfe.u32",
                                         "bfe.s32", "shf.l.wrap.b32"}),
                                    r(), r(), x(), r()));
      case 2:
        return say(on + fmt::format("{} {}, {};",
                                    one({"popc.b32", "clz.b32", "brev.b32", "not.b32", "neg.s32", "abs.s32"}),
                                    r(), r()));
      case 3:
        return say(on + fmt::format("{} {}, {}, {};", one({"div.u32", "rem.s32", "div.s32", "rem.u32"}), r(),
                                    r(), r()));
      case 4:
        return say(on + fmt::format("{} {}, {}, {};",
                                    one({"add.f32", "sub.rz.f32", "mul.ftz.f32", "min.f32", "max.f32",
                                         "div.rn.f32", "add.sat.f32", "copysign.f32"}),
                                    f(), f(), f()));
      case 5:
        return say(on + fmt::format("{} {}, {}, {}, {};",
                                    one({"fma.rn.f32", "fma.rm.f32", "fma.rn.ftz.sat.f32"}), f(), f(), f(),
                                    f()));
      case 6:
        return say(on + fmt::format("{} {}, {};",
                                    one({"sqrt.rn.f32", "ex2.approx.f32", "lg2.approx.ftz.f32", "rcp.rn.f32",
                                         "sin.approx.f32", "rsqrt.approx.f32", "neg.f32", "abs.f32"}),
                                    f(), f()));
      case 7:
        return say(on + fmt::format("setp.{}.{} {}, {}, {};", one({"lt", "eq", "ne", "ge", "gt"}),
                                    one({"s32", "u32"}), p(), r(), x()));
      case 8:
        return say(on + fmt::format("setp.{}.f32 {}|{}, {}, {};", one({"lt", "leu", "num", "neu", "nan"}),
                                    "%p0", "%p1", f(), f()));
      case 9:
        return say(on + fmt::format("selp.b32 {}, {}, {}, {};", r(), r(), x(), p()));
      case 10:
        return say(on +
                   fmt::format("{} {}, {}, {};",
                               one({"add.s64", "sub.s64", "mul.lo.s64", "xor.b64", "max.s64", "mul.hi.u64"}),
                               d(), d(), d()));
      case 11:
        return say(on + fmt::format("{} {}, {}, {};", one({"mul.wide.s32", "mul.wide.u32"}), d(), r(), r()));
      case 12:
        switch (pick(6)) {
          case 0:
            return say(on + fmt::format("cvt.rzi.s32.f32 {}, {};", r(), f()));
          case 1:
            return say(on + fmt::format("cvt.rn.f32.u32 {}, {};", f(), r()));
          case 2:
            return say(on + fmt::format("cvt.u32.u64 {}, {};", r(), d()));
          case 3:
            return say(on + fmt::format("cvt.s64.s32 {}, {};", d(), r()));
          case 4:
            return say(on + fmt::format("cvt.rn.f32.f64 {}, {};", f(), g()));
          default:
            return say(on + fmt::format("cvt.s32.s16 {}, {};", r(), h()));
        }
      case 13:
        return say(on + fmt::format("{} {}, {}, {};", one({"add.f64", "mul.f64", "min.f64"}), g(), g(), g()));
      case 14:
        return say(on + fmt::format("{} {}, {}, {};", one({"add.s16", "mul.lo.u16", "xor.b16", "max.s16"}),
                                    h(), h(), h()));
      default:
        return say(fmt::format("add.cc.u32 {}, {}, {}; addc.u32 {}, {}, {};", r(), r(), r(), r(), r(), r()));
    }
  }

  /// The address of 16 bytes in `in`, in %at.
  void address() {
    switch (pick(5)) {
      case 0:  // one after another
        say(fmt::format(
            "and.b32 %i1, %me, 127; add.u32 %i1, %i1, {}; mul.wide.u32 %at, %i1, 16; add.s64 %at, %at, %in;",
            pick(100)));
        break;
      case 1:  // one place
        say(fmt::format("add.s64 %at, %in, {};", 16 * pick(250)));
        break;
      case 2:  // anywhere
        say(fmt::format("and.b32 %i1, {}, 255; mul.wide.u32 %at, %i1, 16; add.s64 %at, %at, %in;", r()));
        break;
      case 3:
        say(fmt::format(
            "and.b32 %i1, %me, {}; shl.b32 %i1, %i1, {}; cvt.u64.u32 %at, %i1; add.s64 %at, %in, %at;",
            pick(32), 4 + pick(3)));
        break;
      default:  // in words, as arrays of them are read
        say(
            fmt::format("and.b32 %i1, %me, 63; mad.lo.u32 %i1, %i1, 4, {}; mul.wide.s32 %at, %i1, 4; "
                        "add.s64 %at, %in, %at;",
                        4 * pick(100)));
    }
  }

  void load() {
    address();
    const std::string on = guard();
    const unsigned far = pick(400) == 0 ? 1u << 20 : 0;
    switch (pick(8)) {
      case 0:
        return say(on + fmt::format("ld.global.u8 {}, [%at + {}];", r(), far + pick(16)));
      case 1:
        return say(on + fmt::format("ld.global.s16 {}, [%at + {}];", r(), far + 2 * pick(8)));
      case 2:
        return say(on + fmt::format("ld.global.v2.u32 {{%r1, %r2}}, [%at + {}];", far + 8 * pick(2)));
      case 3:
        return say(on + fmt::format("ld.global.v4.f32 {{%f1, %f2, %f3, %f4}}, [%at + {}];", far));
      case 4:
        return say(on + fmt::format("ld.global.u64 {}, [%at + {}];", d(), far + 8 * pick(2)));
      case 5:
        return say(on + fmt::format("ld.u32 {}, [%at + {}];", r(), far + 4 * pick(4)));
      default:
        return say(on + fmt::format("ld.global.u32 {}, [%at + {}];", r(), far + 4 * pick(4)));
    }
  }
  void store() {  // to the thread's own words behind those that its registers go to in the end
    const std::string on = guard();
    const unsigned at = 200 + 8 * pick(7);
    switch (pick(5)) {
      case 0:
        return say(on + fmt::format("st.global.u64 [%own + {}], {};", at, d()));
      case 1:
        return say(on + fmt::format("st.global.u8 [%own + {}], {};", at + pick(8), r()));
      case 2:
        return say(on + fmt::format("st.global.v2.u32 [%own + {}], {{{}, {}}};", at, r(), r()));
      case 3:
        return say(on + fmt::format("red.global.add.u32 [%own + {}], {};", at, r()));
      default:
        return say(on + fmt::format("st.global.u32 [%own + {}], {};", at + 4 * pick(2), r()));
    }
  }
  void exchange() {  // by all threads
    say(fmt::format("bar.sync 0; {}st.shared.u32 [%sh], {}; bar.sync 0;", guard(), r()));
    say(
        fmt::format("xor.b32 %i2, %me, {}; min.u32 %i2, %i2, {}; shl.b32 %i2, %i2, 2; mov.u32 %t, tile; "
                    "add.u32 %i2, %i2, %t;",
                    pick(64), threads_ - 1));
    say(fmt::format("ld.shared.u32 {}, [%i2];", r()));
  }
  void block(unsigned depth) {
    const unsigned size = 1 + pick(4);
    for (unsigned k = 0; k < size; ++k) statement(depth + 1);
  }

  void statement(unsigned depth) {
    const unsigned what = pick(24);
    const unsigned label = labels_++;
    if (what < 13) return arithmetic();
    if (what < 16) return load();
    if (what < 18) return store();
    if (what == 18 && depth == 0) return exchange();
    if (what == 19 && depth == 0) {
      say(one({"shfl.sync.bfly.b32 %r3, %r4, 3, 31, -1;", "shfl.sync.up.b32 %r5|%p2, %r6, 1, 0, -1;",
               "vote.sync.ballot.b32 %r7, %p1, -1;", "vote.sync.any.pred %p3, %p0, -1;"}));
      return;
    }
    if (what == 20) {
      say(fmt::format(
          "{{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], {}; st.param.b32 [b], {};\n"
          "call.uni (c), twice, (a, b); ld.param.b32 {}, [c]; }}",
          r(), r(), r()));
      return;
    }
    if (depth >= 3) return arithmetic();
    if (what < 22) {  // if, else
      const bool both = pick(2);
      say(fmt::format("@{}{} bra ELSE{};", pick(2) ? "" : "!", p(), label));
      block(depth);
      if (both) say(fmt::format("bra.uni END{};", label));
      say(fmt::format("ELSE{}:", label));
      if (both) {
        block(depth);
        say(fmt::format("END{}:", label));
      }
      return;
    }
    // A loop: as often for all lanes, or not.
    const std::string counter = fmt::format("%i{}", 4 + depth);
    if (pick(2))
      say(fmt::format("and.b32 {}, {}, 7; add.u32 {}, {}, 1;", counter, r(), counter, counter));
    else
      say(fmt::format("mov.u32 {}, {};", counter, 1 + pick(6)));
    say(fmt::format("LOOP{}:", label));
    block(depth);
    say(fmt::format("sub.u32 {}, {}, 1; setp.ne.u32 %p3, {}, 0;\n@%p3 bra LOOP{};", counter, counter, counter,
                    label));
  }

  std::mt19937_64 random_;
  unsigned threads_;
  unsigned labels_ = 0;
  std::string body_;
};

}  // namespace ww
