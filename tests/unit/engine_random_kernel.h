// Random kernels of index arithmetic, even and uneven accesses, barriers, branches and loops in each other,
// in which lanes part.
#pragma once

#include <fmt/format.h>

#include <array>
#include <random>
#include <string>

#include "engine_whole_kernels.h"

namespace ww::engine {

/// Registers %r0 to %r7 hold numbers, %f0 to %f3 what was loaded, %p0 and %p1 truth values. Each thread has
/// kOutWords words at %own and its own word of the shared array.
class RegularKernel {
 public:
  /// `wrong`: it may access what does not exist. `rounds`: that outer loops go round, about.
  /// `functions`: that it, or they, may call.
  RegularKernel(u64 seed, bool wrong, u32 rounds = 4, u32 functions = 0)
      : random_(seed), wrong_(wrong), apart_(4 * (1 + seed % 4)), rounds_(rounds), functions_(functions) {}

  std::string text() {
    std::string all = ".shared .align 16 .b8 tile[16384];\n";
    for (u32 k = 0; k < functions_; ++k) all += function(k);
    callees_ = functions_;
    all += ".visible .entry k(.param .u64 in, .param .u64 out) {\n" + beginning();
    // Computed once for all blocks: numbers that turn around, or wrap, within a warp or not.
    all += fmt::format("add.s32 %x1, %x0, {}; and.b32 %x2, %x1, {}; or.b32 %x3, %x2, {};\n",
                       pick(2) ? 0 : static_cast<int>(pick(70)) - 35, (16 << pick(5)) - 1, 64 << pick(3));
    all += fmt::format("sub.u32 %x4, %x0, {}; mul.wide.u32 %y0, %x4, 4; shr.u64 %y1, %y0, 32;\n",
                       pick(2) ? 0 : pick(40));
    all += fmt::format("shr.u32 %x5, %x1, {}; add.u32 %z0, %all, {}; shr.s32 %z1, %z0, {};\n", 4 + pick(3),
                       pick(2) ? 0 : pick(40), 4 + pick(3));
    for (u32 n = 6 + pick(20); n > 0; --n) all += statement(0);
    for (u32 k = 0; k < 8; ++k) all += fmt::format("st.global.u32 [%own + {}], %r{};\n", 4 * k, k);
    for (u32 k = 0; k < 4; ++k) all += fmt::format("st.global.f32 [%own + {}], %f{};\n", 32 + 4 * k, k);
    return all + "ld.shared.u32 %t0, [%sh];\nst.global.u32 [%own + 48], %t0;\nret;\n}\n";
  }

 private:
  /// Registers, and what they hold at first, with the parameters `in` and `out`.
  static std::string beginning() {
    return ".reg .b32 %r<8>; .reg .b32 %t<8>; .reg .b32 %c<4>; .reg .b32 %n<4>; .reg .f32 %f<4>; .reg .b64 "
           "%d<8>; .reg .b64 %in, %out, %own; .reg "
           ".pred "
           "%p<3>; .reg .b32 %me, %all, %count, %sh; .reg .b16 %h<4>; mov.u16 %h0, 5;\n"
           "mov.u16 %h1, 6; mov.u16 %h2, 7; mov.u16 %h3, 8;\n"
           ".reg .b32 %v<4>; .reg .b64 %w<2>; .local .align 16 .b8 own_bytes[64];\n"
           ".reg .b64 %mine<4>; mov.u64 %mine0, own_bytes; cvta.local.u64 %mine1, %mine0;\n"
           "ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
           "mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z; mov.u32 %r3, %ctaid.x; mov.u32 "
           "%r4, "
           "%ctaid.y;\n"
           "mov.u32 %t0, %ntid.x; mov.u32 %t1, %ntid.y; mov.u32 %t2, %ntid.z;\n"
           "mad.lo.u32 %me, %r2, %t1, %r1; mad.lo.u32 %me, %me, %t0, %r0;\n"
           "mul.lo.u32 %t3, %t0, %t1; mul.lo.u32 %t3, %t3, %t2; mov.u32 %t4, %nctaid.x;\n"
           "mad.lo.u32 %t4, %r4, %t4, %r3; mad.lo.u32 %all, %t4, %t3, %me;\n"
           "mul.wide.u32 %own, %all, 64; add.s64 %own, %own, %out;\n"
           "mov.u32 %sh, tile; mad.lo.u32 %sh, %me, 4, %sh; st.shared.u32 [%sh], %all;\n"
           "st.local.u32 [own_bytes], %all; mov.u32 %v0, 1; mov.u32 %v1, 2; mov.u32 %v2, 3; mov.u32 %v3, 4;\n"
           "mov.u32 %t2, 5; mov.u32 %r5, 7; mov.u32 %r6, %laneid; mov.u32 %r7, %ntid.x;\n"
           ".reg .b32 %x<6>; .reg .b32 %z<2>; .reg .b64 %y<2>; mov.u32 %x0, %tid.x;\n"
           "mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0f00000000; mov.f32 %f2, 0fBF000000; mov.f32 %f3, "
           "0f40400000;\n"
           "setp.eq.u32 %p0, %r7, 1; setp.lt.u32 %p1, %r0, 1000;\n";
  }

  /// It returns what it got, or what it made of that. It may call those before it.
  std::string function(u32 number) {
    callees_ = number;
    std::string all = fmt::format(
        ".func (.param .align 8 .b8 back[16]) f{}(.param .b64 in, .param .b64 out, .param .align 16 .b8 "
        "given[16], "
        ".param .b32 more) {{\n",
        number);
    all += beginning() +
           "mov.u32 %x1, 3; mov.u32 %x2, 9; mov.u32 %x3, 5; mov.u32 %x4, 1; mov.u32 %x5, 2;\n"
           "mov.u32 %z0, 4; mov.u32 %z1, 6; mov.u64 %y0, 0; mov.u64 %y1, 0;\n"
           "ld.param.v4.u32 {%r4, %r5, %r6, %t0}, [given]; ld.param.u32 %t1, [more]; add.u32 %r7, %t0, %t1;\n"
           "st.param.b64 [back], %own; st.param.b32 [back + 8], %r4; st.param.b8 [back + 12], %r5;\n" +
           some(1, 8);
    if (pick(2)) all += some(1, 4);
    return all +
           fmt::format("st.param.b32 [back + 8], {}; st.param.b8 [back + 12], {}; ret;\n}}\n", r(), r());
  }

  std::string call() {
    return fmt::format(
        "{{ .param .align 8 .b8 back[16]; .param .b64 a; .param .b64 b; .param .align 16 .b8 c[16]; .param "
        ".b32 d;\n"
        "st.param.b64 [a], %in; st.param.b64 [b], %out; st.param.v2.b32 [c], {{{}, {}}}; st.param.b32 [c + "
        "8], {};\n"
        "st.param.b32 [c + 12], 77; st.param.b32 [d], {};\ncall (back), f{}, (a, b, c, d);\n"
        "ld.param.b32 {}, [back + 8]; ld.param.s8 {}, [back + 12]; }}\n",
        r(), r(), r(), operand(), pick(callees_), r(), r());
  }

  u32 pick(u32 n) { return static_cast<u32>(random_() % n); }
  std::string r() { return fmt::format("%r{}", pick(8)); }
  std::string f() { return fmt::format("%f{}", pick(4)); }
  std::string operand() { return pick(3) ? r() : std::to_string(static_cast<int>(pick(9)) - 2); }

  /// The address of a word at `in`, in %d0.
  std::string address() {
    const char* type = pick(2) ? "s32" : "u32";
    switch (pick(7)) {
      case 6:  // the number of a warp, of half of one, or of none
        return fmt::format(
            "add.u32 %t1, %z1, %x5; and.b32 %t1, %t1, 1023; add.u32 {}, {}, %z1; "
            "mul.wide.{} %d0, %t1, 4; add.s64 %d0, %in, %d0;\n",
            r(), r(), type);
      case 5:  // as computed once for all blocks
        return pick(4) ? fmt::format("mul.wide.{} %d0, %x{}, 4; add.s64 %d0, %in, %d0;\n", type, 2 + pick(2))
                       : fmt::format(
                             "cvt.u32.u64 %t0, %y1; add.u32 {}, {}, %t0; mul.wide.u32 %d0, %x2, 8; "
                             "add.s64 %d0, %in, %d0;\n",
                             r(), r());
      case 0:  // anywhere
        return fmt::format("and.b32 %t0, {}, 4095; mul.wide.{} %d0, %t0, 4; add.s64 %d0, %d0, %in;\n", r(),
                           type);
      case 1:  // even
        return fmt::format("mad.lo.u32 %t0, %r0, {}, {}; mul.wide.{} %d0, %t0, 4; add.s64 %d0, %in, %d0;\n",
                           pick(5), pick(64), type);
      case 2:  // downwards
        return fmt::format(
            "sub.u32 %t0, {}, %me; cvt.{}.{} %d1, %t0; shl.b64 %d1, %d1, 2; add.s64 %d0, %in, %d1;\n",
            1100 + pick(100), pick(2) ? "u64" : "s64", type);
      case 3:  // the same for all
        return fmt::format("mul.wide.u32 %d0, %r7, {}; add.s64 %d0, %in, %d0;\n", 4 * (1 + pick(3)));
      default:  // rows
        return fmt::format("mad.lo.s32 %t0, %r1, {}, %r0; mad.wide.{} %d0, %t0, 4, %in;\n", 32 + pick(64),
                           type);
    }
  }

  std::string statement(int depth) {
    static const char* kOps[] = {"add.u32", "sub.u32", "mul.lo.u32", "and.b32", "or.b32",
                                 "xor.b32", "min.s32", "max.u32",    "shl.b32"};
    const std::string guard = pick(8) == 0 ? (pick(2) ? "@%p0 " : "@!%p1 ") : "";
    if (callees_ && pick(6) == 0) return call();
    switch (pick(depth > 2 ? 12 : depth > 0 ? 16 : 18)) {
      case 0:
      case 1:
      case 2:
        return fmt::format("{}{} {}, {}, {};\n", guard, kOps[pick(9)], r(), r(), operand());
      case 3:
        return fmt::format("{}mad.lo.s32 {}, {}, {}, {};\n", guard, r(), r(), operand(), operand());
      case 4:
        return fmt::format("setp.{}.s32 %p{}, {}, {};\n", pick(2) ? "lt" : "ne", pick(2), r(), operand());
      case 5: {
        static const char* kFloats[] = {"add.f32", "mul.f32", "add.rm.f32", "mul.rz.f32"};
        return fmt::format("{}{} {}, {}, {};\n", guard, kFloats[pick(4)], f(), f(), f());
      }
      case 6:
      case 7:
        return address() + fmt::format("{}ld.global.f32 {}, [%d0 + {}];\n", guard, f(), 4 * pick(4));
      case 8:
        return address() + fmt::format("{}ld.global.{} %t2, [%d0 + {}];\nadd.u32 {}, {}, %t2;\n", guard,
                                       pick(2) ? "u8" : "s8", pick(4), r(), r());
      case 9:
        return address() + (wrong_ && pick(6) == 0
                                ? fmt::format("ld.global.u32 {}, [%d0 + {}];\n", r(), 4 * kInWords - 2000)
                                : fmt::format("ld.global.u32 {}, [%d0];\n", r()));
      case 10:
        return fmt::format("{}st.shared.u32 [%sh], {};\nld.shared.u32 {}, [%sh];\n", guard, r(), r());
      case 11:
        return other(guard);
      case 12:
        return loop(depth);
      case 13: {
        const std::string label = fmt::format("L{}", labels_++);
        return fmt::format("setp.gt.s32 %p2, {}, {};\n@%p2 bra {};\n", r(), operand(), label) +
               some(depth + 1, 3) + label + ":\n";
      }
      case 14: {
        const std::string other = fmt::format("L{}", labels_++), end = fmt::format("L{}", labels_++);
        return fmt::format("and.b32 %t7, {}, {}; setp.eq.s32 %p2, %t7, 0;\n@%p2 bra {};\n", r(), 1 + pick(7),
                           other) +
               some(depth + 1, 3) + fmt::format("bra {};\n{}:\n", end, other) + some(depth + 1, 3) + end +
               ":\n";
      }
      case 15:
        return pick(6) ? "" : fmt::format("setp.eq.s32 %p2, {}, {};\n@%p2 ret;\n", r(), pick(40));
      case 16:
        return shuffle();
      default:
        return "bar.sync 0;\n";
    }
  }

  /// Vectors of elements, accesses of one register, and what handlers are called for.
  std::string other(const std::string& guard) {
    const std::string all = "{%v0, %v1, %v2, %v3}";
    switch (pick(24)) {
      case 18:
      case 19: {  // vectors of bytes and of 16 bits
        static const char *kTypes[] = {"v4.u8", "v2.u8", "v2.u16", "v4.u16", "v4.s8"},
                          *kParts[] = {"{%h0, %h1, %h2, %h3}", "{%h3, %h1}", "{%h2, %h0}"};
        const u32 type = pick(5), parts = type == 1 || type == 2 ? 1 + pick(2) : 0;
        return address() +
               fmt::format("and.b64 %d0, %d0, -8;\n{}ld.global.{} {}, [%d0 + 8];\n", guard, kTypes[type],
                           kParts[parts]) +
               fmt::format("mov.b32 %t2, {{%h{}, %h1}};\n{}mov.b32 {{%h{}, _}}, %t2;\n", pick(4),
                           pick(2) ? "" : guard, pick(4)) +
               fmt::format("cvt.s32.s16 %t2, %h{}; add.u32 {}, {}, %t2; cvt.u16.u32 %h{}, {};\n", pick(4),
                           r(), r(), pick(4), r()) +
               fmt::format("{}st.global.{} [%own + {}], {};\n", guard, kTypes[type], type == 3 ? 48 : 52,
                           kParts[parts]);
      }
      case 20:  // words that lie apart
        return fmt::format("mul.lo.u32 %t0, %me, {}; mov.u32 %t1, tile; add.u32 %t0, %t0, %t1;\n", apart_) +
               fmt::format("{}st.shared.u32 [%t0 + 12288], {};\nld.shared.u32 {}, [%t0 + 12288];\n", guard,
                           r(), r());
      case 21:  // generic addresses of shared memory, in some lanes perhaps of global memory
        return fmt::format("cvt.u64.u32 %d3, %sh; cvta.shared.u64 %d3, %d3;\n{}st.u32 [%d3], {};\n", guard,
                           r()) +
               (pick(3) ? ""
                        : fmt::format("add.s64 %d4, %own, 56; selp.b64 %d3, %d3, %d4, %p{};\n", pick(2))) +
               fmt::format("{}ld.u32 {}, [%d3];\n", guard, r());
      case 22:
      case 23:  // stored anywhere in what the warp has: lanes may meet there
        return fmt::format("and.b32 %t0, {}, 511; and.b32 %t1, %all, -32; mad.lo.u32 %t0, %t1, 16, %t0;\n",
                           r()) +
               fmt::format(
                   "mul.wide.u32 %d2, %t0, 4; add.s64 %d2, %d2, %out;\n{}st.global.u{} [%d2 + {}], {};\n",
                   guard, pick(2) ? 32 : 16, wrong_ && pick(4) == 0 ? 1 << 20 : 0, r());
      case 0:  // rows of vectors
        return fmt::format("and.b32 %t0, {}, 511; mul.wide.u32 %d2, %t0, 16; add.s64 %d2, %d2, %in;\n", r()) +
               fmt::format("{}ld.global.v4.u32 {}, [%d2 + {}];\nadd.u32 {}, %v0, %v3;\n", guard, all,
                           16 * pick(3), r());
      case 1:
        return fmt::format("mad.lo.u32 %t0, %r0, {}, {}; mul.wide.u32 %d2, %t0, 8; add.s64 %d2, %d2, %in;\n",
                           1 + pick(2), pick(9)) +
               fmt::format("{}ld.global.v2.u32 {{%v1, _}}, [%d2 + 8];\nadd.u32 {}, %v1, %v2;\n", guard, r());
      case 2:
        return fmt::format("{}st.global.v{} [%own + 48], {};\n", guard, pick(2) ? "2.u32" : "2.b32",
                           "{%v2, %v1}");
      case 3:
        return fmt::format(
            "mul.wide.u32 %d2, %r0, 16; add.s64 %d2, %d2, %in;\nld.global.v2.u64 {{%w0, %w1}}, "
            "[%d2];\ncvt.u32.u64 {}, %w1;\n",
            r());
      case 4:  // the same for all
        return fmt::format("ld.shared.v2.u32 {{%v0, %v1}}, [tile + {}];\n", 8 * pick(3));
      case 5:
        return fmt::format("mul.lo.u32 %t0, %me, 16; mov.u32 %t1, tile; add.u32 %t0, %t0, %t1;\n") +
               fmt::format("{}st.shared.v4.u32 [%t0 + 8192], {};\nld.shared.v4.u32 {}, [%t0 + 8192];\n",
                           guard, all, all);
      case 6:  // one register, several places
        return address() + fmt::format(
                               "ld.global.u32 %v0, [%d0 + 8];\nld.global.f32 {}, [%d0 + 4];\nadd.u32 {}, "
                               "%v0, 1;\nld.global.u32 {}, [%d0 + 12];\n",
                               f(), r(), r());
      case 7:
        return fmt::format("{}atom.shared.add.u32 %v0, [%sh], {};\nadd.u32 {}, {}, %v0;\n", guard, pick(5),
                           r(), r());
      case 8:
        return fmt::format("{}red.global.add.u32 [%out + {}], {};\n", guard,
                           wrong_ && pick(3) == 0 ? 1 << 28 : 60, operand());
      case 9:
        return fmt::format("{}atom.global.max.u32 %v1, [%own + 56], {};\n", guard, r());
      case 10:
        return local(guard);
      case 11:
        return ordered(guard);
      case 12:
        return fmt::format("{}st.global.u8 [%own + {}], {};\n", guard, 52 + pick(4), r());
      case 13:  // of the thread `by` before, if there is one
      {
        const u32 by = 1u << pick(6);
        return fmt::format("setp.ge.u32 %p2, %me, {};\n@%p2 ld.shared.u32 {}, [%sh + {}];\n", by, r(),
                           -4 * static_cast<int>(by));
      }
      case 14:
        return fmt::format("activemask.b32 %t0;\nvote.sync.{}.pred %p{}, {}%p{}, %t0;\n",
                           std::array{"all", "any", "uni"}[pick(3)], pick(2), pick(2) ? "!" : "", pick(2));
      case 15:
        if (pick(3) == 0) return "nanosleep.u32 1;\n";  // the interpreter's, in any code
        return fmt::format("activemask.b32 %t0;\nbar.warp.sync %t0;\nadd.u32 {}, {}, %t0;\n", r(), r());
      case 16:
        return fmt::format("mov.b64 %w0, {{{}, %v1}};\nshl.b64 %w0, %w0, {};\nmov.b64 {{%v2, {}}}, %w0;\n",
                           r(), pick(20), r());
      default:
        return fmt::format("activemask.b32 %t0; vote.ballot.sync.b32 %v3, %p{}, %t0;\nadd.u32 {}, {}, %v3;\n",
                           pick(2), r(), r());
    }
  }

  /// Of the thread's own array: at a place of its own, at one for all, of all widths, by generic addresses,
  /// too.
  std::string local(const std::string& guard) {
    const std::string at = "[own_bytes + " + std::to_string(8 * pick(7)) + "]";
    switch (pick(6)) {
      case 4:
        return fmt::format(
            "{}st.u32 [%mine1 + {}], {};\n{}ld.u64 %w1, [%mine1 + {}];\nmov.b64 {{%v1, {}}}, %w1;\n", guard,
            4 * pick(16), r(), guard, 8 * pick(7), r());
      case 5:
        return fmt::format(
            "and.b32 %t0, {}, 7; mul.wide.u32 %mine3, %t0, 8; add.s64 %mine2, %mine1, %mine3;\n"
            "{}st.v2.u32 [%mine2], {{{}, %v0}};\nld.u32 {}, [%mine1 + 4];\n{}ld.u8 {}, [%mine2 + 3];\n",
            r(), guard, r(), r(), guard, r());
      case 0:
        return fmt::format("{}st.local.v2.u32 {}, {{%v0, {}}};\nld.local.v2.u32 {{%v1, {}}}, {};\n", guard,
                           at, r(), r(), at);
      case 1:
        return fmt::format(
            "and.b32 %t0, {}, 63; mov.u32 %t1, own_bytes; add.u32 %t0, %t0, %t1;\n{}st.local.u8 [%t0], {};\n"
            "ld.local.s8 {}, [own_bytes + {}];\n{}ld.local.u8 {}, [%t0];\n",
            r(), guard, r(), r(), pick(64), guard, r());
      case 2:
        return fmt::format("mov.b64 %w0, {{{}, {}}};\n{}st.local.u64 {}, %w0;\nld.local.f32 {}, {};\n", r(),
                           r(), guard, at, f(), at);
      default:
        return fmt::format(
            "and.b32 %t0, {}, 15; mul.lo.u32 %t0, %t0, 4; mov.u32 %t1, own_bytes; add.u32 %t0, "
            "%t0, %t1;\n{}st.local.u32 [%t0], {};\nld.local.u32 {}, [own_bytes];\n{}ld.local.u32 {}, "
            "[%t0];\n",
            r(), guard, r(), r(), guard, r());
    }
  }

  /// Accesses that others may wait for: of the lane's own word, and of the one before it.
  std::string ordered(const std::string& guard) {
    static const char* kStores[] = {"st.volatile.shared.u32 [%sh]", "st.relaxed.cta.shared.u32 [%sh]",
                                    "st.volatile.global.u32 [%own + 56]",
                                    "st.release.gpu.global.u32 [%own + 56]"};
    static const char* kLoads[] = {"volatile", "relaxed.cta", "volatile", "acquire.gpu"};
    const u32 how = pick(4);
    const std::string load = fmt::format("ld.{}.{}.u32 ", kLoads[how], how < 2 ? "shared" : "global");
    const std::string at = how < 2 ? "%sh" : "%own + 56";
    std::string all = fmt::format("{}{}, {};\n{}{}, [{}];\n", guard, kStores[how], r(), load, r(), at);
    if (how < 2)
      all += fmt::format("setp.ge.u32 %p2, %me, 1;\n@%p2 {}{}, [%sh + -4];\n{}{}, [%sh];\n", load, r(), load,
                         r());
    return all + (pick(2) ? "membar.cta;\n" : "");
  }

  /// Between all lanes of a warp; those that have ended are named by nobody.
  std::string shuffle() {
    static const char* kWays[] = {"down.b32", "up.b32", "bfly.b32", "idx.b32"};
    const u32 way = pick(4), width = 1u << (2 + pick(4));
    const u32 c = (32 - width) << 8 | (way == 1 ? 0 : width - 1);
    return fmt::format("activemask.b32 %t0;\nshfl.sync.{} {}{}, {}, {}, {}, %t0;\n", kWays[way], r(),
                       pick(2) ? "|%p1" : "", r(), pick(4) ? std::to_string(pick(32)) : r(), c);
  }

  std::string some(int depth, u32 most) {
    std::string all;
    for (u32 n = 1 + pick(most); n > 0; --n) all += statement(depth);
    return all;
  }

  /// As often for all lanes, or not; some lanes may leave it in between or begin the next round early.
  std::string loop(int depth) {
    const std::string label = fmt::format("L{}", labels_++), end = fmt::format("L{}", labels_++),
                      next = fmt::format("L{}", labels_++);
    const u32 rounds = depth == 0 ? rounds_ : 4;
    std::string all = pick(2) ? fmt::format("mov.u32 %n{}, {};\n", depth, rounds / 2 + pick(rounds))
                              : fmt::format("and.b32 %n{}, {}, {};\n", depth, r(), 2 * rounds - 1);
    all += fmt::format("mov.u32 %c{}, 0;\n{}:\n", depth, label) + some(depth + 1, 4);
    if (pick(3) == 0) all += fmt::format("setp.lt.s32 %p2, {}, {};\n@%p2 bra {};\n", r(), operand(), end);
    if (pick(3) == 0) all += fmt::format("setp.ne.s32 %p2, {}, {};\n@%p2 bra {};\n", r(), operand(), next);
    if (pick(2)) all += some(depth + 1, 2);
    return all + fmt::format("{}:\nadd.u32 %c{}, %c{}, 1; setp.lt.s32 %p2, %c{}, %n{};\n@%p2 bra {};\n{}:\n",
                             next, depth, depth, depth, depth, label, end);
  }

  std::mt19937_64 random_;
  bool wrong_;
  u32 apart_;   ///< bytes from thread to thread
  u32 rounds_;  ///< of outer loops, a power of two
  u32 functions_, callees_ = 0;
  u32 labels_ = 0;
};

/// Blocks of all forms.
inline constexpr Form kForms[] = {{32, 1, 1},  {64, 2, 1},  {16, 4, 1}, {8, 8, 1},   {32, 8, 1},
                                  {48, 2, 1},  {40, 1, 1},  {16, 2, 3}, {200, 1, 1}, {4, 4, 4},
                                  {8, 1, 1},   {16, 1, 1},  {33, 1, 1}, {100, 1, 1}, {4, 4, 1},
                                  {10, 10, 1}, {20, 20, 1}, {5, 7, 1},  {16, 3, 1},  {1, 1, 1}};

}  // namespace ww::engine
