// Which products are fused with sums: small functions beside what ptxas 13.0 made of them for sm_90, random
// ones beside the ptxas of this machine, and that fusing changes nothing but the rounding.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "base/private_directory.h"
#include "base/process.h"
#include "ir/print.h"
#include "ptx/parser.h"
#include "ptxas/assembler.h"
#include "ptxas/fuse_products.h"

namespace ww::ptxas {
namespace {

using ir::Op;
using ir::Operand;

/// A kernel whose %a … %d, %g and %h are loaded, and whose %w … %z, where the body has them, are stored.
std::string kernel(const std::string& body, const std::string& type = "f32",
                   const std::string& target = "sm_90") {
  const int bytes = type == "f64" ? 8 : type == "b16" ? 2 : 4;
  std::string text = ".version 8.0\n.target " + target +
                     "\n.address_size 64\n.extern .func (.param .b32 r) other(.param .b32 a);\n"
                     ".visible .entry k(.param .u64 P, .param .u64 Q, .param .u32 N) {\n"
                     ".reg .b64 %p, %q; .reg .b32 %n, %i; .reg .pred %t;\n"
                     ".reg ." +
                     type +
                     " %a, %b, %c, %d, %e, %f, %g, %h, %w, %x, %y, %z;\n"
                     "ld.param.u64 %p, [P]; ld.param.u64 %q, [Q]; ld.param.u32 %n, [N];\n"
                     "setp.ne.u32 %t, %n, 0;\n";
  for (int k = 0; k < 6; ++k)
    text +=
        std::string("ld.global.") + type + " %" + "abcdgh"[k] + ", [%p+" + std::to_string(k * bytes) + "];\n";
  text += body + "\n";
  for (int k = 0; k < 4; ++k)
    if (body.find(std::string("%") + "wxyz"[k]) != body.npos)
      text +=
          std::string("st.global.") + type + " [%q+" + std::to_string(k * bytes) + "], %" + "wxyz"[k] + ";\n";
  return text + "ret;\n}\n";
}

ir::Module module_of(const std::string& text) {
  auto module = ptx::parse("test.ptx", text);
  EXPECT_TRUE(module.ok()) << text << (module.ok() ? "" : render(module.error()));
  return *module;
}

/// The arithmetic that is left, in order: "mul fma".
std::string arithmetic(const ir::Module& module) {
  std::string out;
  for (const auto& block : module.functions.back().blocks)
    for (const auto& in : block.instructions) {
      const std::string& name = in.form().mnemonic;
      if (name == "mul" || name == "add" || name == "sub" || name == "fma")
        if (in.form().pipe != isa::Pipe::Int)
          out += (out.empty() ? "" : " ") + (name == "sub" ? "add" : name);
    }
  return out;
}

struct Case {
  const char* name;
  const char* body;
  const char* left;  ///< as in ptxas's machine code; a subtraction is an addition there
  const char* type = "f32";
};

constexpr Case kCases[] = {
    {"sum", "mul.f32 %e,%a,%b; add.f32 %x,%e,%c;", "fma"},
    {"difference", "mul.f32 %e,%a,%b; sub.f32 %x,%e,%c;", "fma"},
    {"difference, product second", "mul.f32 %e,%a,%b; sub.f32 %x,%c,%e;", "fma"},
    {"both sums", "mul.f32 %e,%a,%b; add.f32 %x,%e,%c; add.f32 %y,%e,%d;", "fma fma"},
    {"stored as well", "mul.f32 %x,%a,%b; add.f32 %y,%x,%c;", "mul add"},
    {"used by max", "mul.f32 %e,%a,%b; add.f32 %x,%e,%c; max.f32 %y,%e,%d;", "mul add"},
    {"added by fma as well", "mul.f32 %e,%a,%b; add.f32 %x,%e,%c; fma.rn.f32 %y,%h,%d,%e;", "mul add fma"},
    {"two products", "mul.f32 %e,%a,%b; mul.f32 %f,%c,%d; add.f32 %x,%e,%f;", "mul fma"},
    {"add.rn", "mul.f32 %e,%a,%b; add.rn.f32 %x,%e,%c;", "mul add"},
    {"mul.rn", "mul.rn.f32 %e,%a,%b; add.f32 %x,%e,%c;", "mul add"},
    {"add.rn as well", "mul.f32 %e,%a,%b; add.f32 %x,%e,%c; add.rn.f32 %y,%d,%e;", "mul add add"},
    {"ftz", "mul.ftz.f32 %e,%a,%b; add.ftz.f32 %x,%e,%c;", "fma"},
    {"ftz of the product alone", "mul.ftz.f32 %e,%a,%b; add.f32 %x,%e,%c;", "mul add"},
    {"ftz of the sum alone", "mul.f32 %e,%a,%b; add.ftz.f32 %x,%e,%c;", "mul add"},
    {"saturated product", "mul.sat.f32 %e,%a,%b; add.f32 %x,%e,%c;", "mul add"},
    {"saturated sum", "mul.f32 %e,%a,%b; add.sat.f32 %x,%e,%c;", "fma"},
    {"neg between", "mul.f32 %e,%a,%b; neg.f32 %f,%e; add.f32 %x,%f,%c;", "fma"},
    {"neg between, used both ways", "mul.f32 %e,%a,%b; neg.f32 %f,%e; add.f32 %x,%c,%f; add.f32 %y,%d,%e;",
     "fma fma"},
    {"abs between", "mul.f32 %e,%a,%b; abs.f32 %f,%e; add.f32 %x,%f,%c;", "mul add"},
    {"mov between", "mul.f32 %e,%a,%b; mov.f32 %f,%e; add.f32 %x,%f,%c;", "fma"},
    {"bits between", "mul.f32 %e,%a,%b; mov.b32 %i,%e; mov.b32 %f,%i; add.f32 %x,%f,%c;", "fma"},
    {"with itself", "mul.f32 %e,%a,%a; add.f32 %x,%e,%e;", "mul add"},
    {"with itself and another", "mul.f32 %e,%a,%b; add.f32 %x,%e,%e; add.f32 %y,%e,%c;", "mul add add"},
    {"guarded sum", "mul.f32 %e,%a,%b; mov.f32 %x,%d; @%t add.f32 %x,%e,%c;", "fma"},
    {"guarded product", "mov.f32 %e,%d; @%t mul.f32 %e,%a,%b; add.f32 %x,%e,%c;", "mul add"},
    {"guarded write behind", "mul.f32 %e,%a,%b; add.f32 %x,%e,%c; @%t mov.f32 %e,%d; mov.f32 %y,%e;",
     "mul add"},
    {"other block",
     "mul.f32 %e,%a,%b; @%t bra L; mov.f32 %c,%d; st.global.f32 [%q+64],%a; L: add.f32 %x,%e,%c;", "mul add"},
    {"other block, constant factor",
     "mov.f32 %x,%d; mul.f32 %e,%a,0f41100000; @%t bra L; bar.sync 0; st.global.f32 [%q+64],%a; add.f32 "
     "%x,%e,%c; L:",
     "fma"},
    {"other block, kernel parameter",
     "mov.f32 %x,%d; ld.param.f32 %f,[N]; mul.f32 %e,%a,%f; @%t bra L; bar.sync 0; st.global.f32 [%q+64],%a; "
     "add.f32 "
     "%x,%e,%c; L:",
     "fma"},
    {"other blocks, constant factor, used otherwise",
     "mov.f32 %y,%d; mul.f32 %e,%a,0f41100000; add.f32 %x,%e,%c; @%t bra L; bar.sync 0; st.global.f32 "
     "[%q+64],%a; "
     "max.f32 %y,%e,%h; L:",
     "mul add"},
    {"constant factor, the other one changes",
     "mov.f32 %x,%d; mul.f32 %e,%a,0f41100000; ld.global.f32 %a,[%p+64]; @%t bra L; bar.sync 0; add.f32 "
     "%x,%e,%a; L:",
     "fma"},
    {"two constant factors meet",
     "mov.f32 %x,%d; mul.f32 %e,%a,0f41100000; mul.f32 %f,%b,0f41200000; @%t bra L; bar.sync 0; add.f32 "
     "%x,%f,%e; L:",
     "mul fma"},
    {"behind a guarded exit", "mul.f32 %e,%a,%b; @%t exit; add.f32 %x,%e,%c;", "mul add"},
    {"behind a barrier", "mul.f32 %e,%a,%b; bar.sync 0; add.f32 %x,%e,%c;", "fma"},
    {"behind a label nobody jumps to", "mul.f32 %e,%a,%b; L: add.f32 %x,%e,%c;", "fma"},
    {"behind a jump",
     "mul.f32 %e,%a,%b; bra L; M: st.global.f32 [%q+4],%a; ret; L: add.f32 %x,%e,%c; @%t bra M;", "fma"},
    {"behind a call",
     "mul.f32 %e,%a,%b; { .param .b32 r; .param .b32 s; st.param.f32 [s],%d; call (r),other,(s); "
     "ld.param.f32 "
     "%d,[r]; } add.f32 %x,%e,%d;",
     "mul add"},
    {"in a loop",
     "mov.f32 %x,0f00000000; mov.u32 %i,0; L: mul.f32 %e,%a,%x; add.f32 %x,%x,%e; add.u32 %i,%i,1; "
     "setp.lt.u32 %t,%i,%n; @%t bra L;",
     "fma"},
    {"in the next round",
     "mov.f32 %x,0f00000000; mov.f32 %e,%c; mov.u32 %i,0; L: add.f32 %x,%x,%e; mul.f32 %e,%e,%b; "
     "add.u32 %i,%i,1; setp.lt.u32 %t,%i,%n; @%t bra L;",
     "add mul"},
    {"constant factor", "mul.f32 %e,%a,0f40490FDB; sub.f32 %x,%c,%e;", "fma"},
    {"a factor changes", "mul.f32 %e,%a,%b; ld.global.f32 %a,[%p+80]; add.f32 %x,%e,%c; mov.f32 %y,%a;",
     "fma"},
    {"the product's register is a factor", "mul.f32 %a,%a,%b; add.f32 %x,%a,%c;", "fma"},
    {"butterfly", "mul.f32 %e,%a,%b; mul.f32 %f,%c,%d; add.f32 %x,%e,%f; sub.f32 %y,%f,%e;", "mul fma fma"},
    {"lost in one of two", "mul.f32 %e,%a,%b; mul.f32 %f,%c,%d; add.f32 %x,%e,%g; add.f32 %y,%f,%e;",
     "mul add fma"},
    {"what nobody reads", "mul.f32 %e,%a,%b; add.f32 %x,%e,%c; mul.f32 %f,%e,%d;", "fma mul"},  // ptxas: fma
    {"f64", "mul.f64 %e,%a,%b; add.f64 %x,%e,%c; sub.f64 %y,%d,%e;", "fma fma", "f64"},
    {"f16", "mul.f16 %e,%a,%b; neg.f16 %e,%e; add.sat.f16 %x,%e,%c;", "fma", "b16"},
    {"f16 rounded", "mul.rn.f16 %e,%a,%b; add.f16 %x,%e,%c;", "mul add", "b16"},
    {"f16x2", "mul.f16x2 %e,%a,%b; sub.f16x2 %x,%c,%e;", "fma", "b32"},
    {"bf16", "mul.bf16 %e,%a,%b; add.bf16 %x,%e,%c;", "fma", "b16"},
    {"bf16x2, stored as well", "mul.bf16x2 %x,%a,%b; add.bf16x2 %y,%x,%c;", "mul add", "b32"},
};

TEST(FuseProducts, AsPtxasDoes) {
  for (const Case& c : kCases) {
    ir::Module module = module_of(kernel(c.body, c.type));
    fuse_products(module);
    EXPECT_EQ(arithmetic(module), c.left) << c.name;
  }
}

TEST(FuseProducts, NotForADebugger) {
  ir::Module module = module_of(kernel(kCases[0].body, "f32", "sm_90, debug"));
  fuse_products(module);
  EXPECT_EQ(arithmetic(module), "mul add");
}

// ---- Random functions
// --------------------------------------------------------------------------------------------

/// Products and sums of each other, some rounded, negated, copied, overwritten, guarded or used otherwise.
/// Each sum %x<k> is stored at 4 k. Loads are of small integers' places: 4 k.
struct RandomFunction {
  std::string text;
  int sums = 0;
};

RandomFunction random_function(uint32_t seed, bool overwrite) {
  std::mt19937 random(seed);
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); };
  const int products = 2 + below(4), sums = 2 + below(6);
  std::vector<std::string> made, leaves = {"%v0", "%v1", "%v2", "%v3"};
  std::string body;
  int copies = 0, done = 0, k = 0;
  auto line = [&](const std::string& text) { body += text + ";\n"; };
  while (done < products || k < sums) {
    if (done < products && (k == sums || made.empty() || below(2) == 0)) {
      const std::string n = std::to_string(done);
      static const char* kKinds[] = {"", "", "", "", "", "", "", ".rn", ".sat", ".ftz"};
      line(std::string("mul") + kKinds[below(10)] + ".f32 %m" + n + ",%A" + n + "," +
           (below(4) ? "%B" + n : "0f40A00000"));
      made.push_back("%m" + n);
      ++done;
      if (below(6) == 0) {
        const std::string copy = "%n" + std::to_string(copies++);
        line(std::string(below(2) ? "neg" : "mov") + ".f32 " + copy + "," + made.back());
        made.push_back(copy);
      }
      if (overwrite && below(3) == 0) line("mov.f32 %A" + n + ",%v" + std::to_string(below(4)));
      if (!overwrite && done == 1 && below(4) == 0) {
        const std::string l = "L" + std::to_string(done);
        line("@%t bra " + l +
             "; st.global.f32 [%q+400],%v0; bar.sync 0; membar.gl; st.global.f32 [%q+404],%v0; " + l +
             ": membar.gl");
      }
    } else {
      auto any = [&] {
        return !made.empty() && below(4) ? made[static_cast<size_t>(below(static_cast<int>(made.size())))]
                                         : leaves[static_cast<size_t>(below(4))];
      };
      static const char* kKinds[] = {"add", "add", "add", "add",    "add",
                                     "sub", "sub", "sub", "add.rn", "add.ftz"};
      const std::string x = any(), y = any(), to = "%x" + std::to_string(k++);
      line(std::string(overwrite && below(5) == 0 ? "@%t " : "") + kKinds[below(10)] + ".f32 " + to + "," +
           x + "," + y);
      if (!overwrite && below(10) == 0) line("max.f32 %y0," + x + "," + y + "; st.global.f32 [%q+408],%y0");
    }
  }
  RandomFunction out;
  out.sums = sums;
  out.text =
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 P, .param .u64 Q, .param "
      ".u32 N) {\n.reg .b64 %p, %q; .reg .u32 %N; .reg .pred %t; .reg .f32 %y<1>, %v<4>, %A<8>, %B<8>, "
      "%m<8>, "
      "%n<8>, %x<8>;\nld.param.u64 %p,[P]; ld.param.u64 %q,[Q]; ld.param.u32 %N,[N]; setp.ne.u32 %t,%N,0;\n";
  int at = 0;
  auto load = [&](const std::string& r) {
    out.text += "ld.global.f32 " + r + ",[%p+" + std::to_string(4 * at++) + "];\n";
  };
  for (int i = 0; i < products; ++i) load("%A" + std::to_string(i)), load("%B" + std::to_string(i));
  for (const auto& leaf : leaves) load(leaf);
  for (int i = 0; i < sums; ++i) out.text += "mov.f32 %x" + std::to_string(i) + ",%v0;\n";
  out.text += body;
  for (int i = 0; i < sums; ++i)
    out.text += "st.global.f32 [%q+" + std::to_string(4 * i) + "],%x" + std::to_string(i) + ";\n";
  out.text += "ret;\n}\n";
  return out;
}

/// What a straight function of the kind above stores, with the guard as given, in float64: exact for small
/// integers.
std::map<int64_t, double> stored(const ir::Module& module, bool guard) {
  const ir::Function& f = module.functions.back();
  std::vector<double> r(f.registers.size());
  std::map<int64_t, double> out;
  auto value = [&](const Operand& o) {
    float constant;
    const auto bits = static_cast<uint32_t>(o.bits);
    std::memcpy(&constant, &bits, sizeof bits);
    return o.kind == Operand::Kind::Immediate ? constant : r[o.reg];
  };
  auto saturated = [](const ir::Instruction& in, double x) {
    return !in.has(ir::Mod::sat) ? x : x > 1 ? 1.0 : x > 0 ? x : 0.0;
  };
  for (const auto& block : f.blocks)
    for (const auto& in : block.instructions) {
      if (in.guard != ir::kNone && guard == in.guard_negated) continue;
      const auto& o = in.operands;
      switch (in.op) {
        case Op::ld:
          if (o[0].reg != ir::kNone) r[o[0].reg] = static_cast<double>(o[1].offset / 4 * 7 % 11 - 5);
          break;
        case Op::st:
          out[o[0].offset] = value(o[1]);
          break;
        case Op::mov:
          r[o[0].reg] = value(o[1]);
          break;
        case Op::neg_f32:
          r[o[0].reg] = -value(o[1]);
          break;
        case Op::mul_f32:
          r[o[0].reg] = saturated(in, value(o[1]) * value(o[2]));
          break;
        case Op::add_f32:
          r[o[0].reg] = saturated(in, value(o[1]) + value(o[2]));
          break;
        case Op::sub_f32:
          r[o[0].reg] = saturated(in, value(o[1]) - value(o[2]));
          break;
        case Op::fma_f32:
          r[o[0].reg] = saturated(in, value(o[1]) * value(o[2]) + value(o[3]));
          break;
        default:
          break;
      }
    }
  return out;
}

TEST(FuseProducts, ChangesNothingButTheRounding) {
  int fused = 0;
  for (uint32_t seed = 1; seed <= 2000; ++seed) {
    const RandomFunction f = random_function(seed, true);
    ir::Module module = module_of(f.text);
    const auto before = stored(module, true), without = stored(module, false);
    const std::string was = arithmetic(module);
    fuse_products(module);
    fused += arithmetic(module) != was;
    ASSERT_EQ(stored(module, true), before) << "seed " << seed << "\n" << f.text << ir::print(module);
    ASSERT_EQ(stored(module, false), without) << "seed " << seed << "\n" << f.text;
  }
  EXPECT_GT(fused, 800);  // about half of them have something to fuse
}

/// What each sum is: "" for an addition, or the place in memory of the first factor of a fused product.
using Sums = std::map<int64_t, std::string>;

Sums sums_of(const ir::Module& module, int sums) {
  const ir::Function& f = module.functions.back();
  std::vector<std::string> r(f.registers.size());
  Sums out;
  for (const auto& block : f.blocks)
    for (const auto& in : block.instructions) {
      const auto& o = in.operands;
      if (in.op == Op::ld) r[o[0].reg] = std::to_string(o[1].offset);
      if (in.op == Op::mov || in.op == Op::neg_f32) r[o[0].reg] = r[o[1].reg];
      if (in.op == Op::add_f32 || in.op == Op::sub_f32) r[o[0].reg].clear();
      if (in.op == Op::fma_f32) r[o[0].reg] = r[o[1].reg];
      if (in.op == Op::st && o[0].offset < 4 * sums) out[o[0].offset] = r[o[1].reg];
    }
  return out;
}

/// The same read from machine code for sm_90: 16 bytes for each instruction, the operation in its low 12
/// bits, registers in bytes 2, 3, 4 and 8, an address's offset from bit 40 on.
Sums sums_of_machine_code(const std::string& elf, int sums) {
  auto word = [&](size_t at) {
    uint64_t v = 0;
    if (at + 8 <= elf.size()) std::memcpy(&v, elf.data() + at, 8);
    return v;
  };
  const size_t table = word(0x28), entries = word(0x3c) & 0xffff, names = word(0x3c) >> 16 & 0xffff;
  const size_t texts = word(table + 64 * names + 0x18);
  std::map<unsigned, std::string> r;
  Sums out;
  for (size_t s = 0; s < entries; ++s) {
    const size_t header = table + 64 * s;
    if (elf.compare(texts + (word(header) & 0xffffffff), 7, ".text.k") != 0) continue;
    for (size_t at = word(header + 0x18), end = at + word(header + 0x20); at < end; at += 16) {
      const uint64_t low = word(at);
      const unsigned to = low >> 16 & 255, a = low >> 24 & 255, b = low >> 32 & 255;
      const auto offset = static_cast<int64_t>(low >> 40);
      switch (low & 0xfff) {
        case 0x981:
          r[to] = std::to_string(offset);
          break;  // LDG
        case 0x986:
          if (offset < 4 * sums) out[offset] = r[b];
          break;  // STG
        case 0x221:
          r[to].clear();
          break;  // FADD
        case 0x223:
        case 0x823:
          r[to] = r[a];
          break;  // FFMA
        case 0x220:
        case 0x820:
        case 0x209:
          r[to] = "?";
          break;  // FMUL, FMNMX
        default:
          break;
      }
    }
  }
  return out;
}

TEST(FuseProducts, RandomFunctionsAsThePtxasHere) {
  const auto ptxas = find_ptxas();
  if (!ptxas.ok()) GTEST_SKIP() << "there is no ptxas";
  const PrivateDirectory directory;
  int compared = 0;
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    const RandomFunction f = random_function(seed, false);
    const std::string file = directory.file("f.ptx"), made = directory.file("f.cubin");
    std::ofstream(file) << f.text;
    auto said = run_process({ptxas->path, "-arch=sm_90", "-o", made, file}, 60);
    ASSERT_TRUE(said.ok() && said->exit_code == 0) << f.text << (said.ok() ? said->errors : "");
    std::stringstream elf;
    elf << std::ifstream(made, std::ios::binary).rdbuf();
    ir::Module module = module_of(f.text);
    fuse_products(module);
    const Sums theirs = sums_of_machine_code(elf.str(), f.sums);
    if (static_cast<int>(theirs.size()) != f.sums) continue;  // stored in another way than the one read here
    ++compared;
    EXPECT_EQ(sums_of(module, f.sums), theirs) << "seed " << seed << "\n" << f.text;
  }
  EXPECT_GT(compared, 40);
}

}  // namespace
}  // namespace ww::ptxas
