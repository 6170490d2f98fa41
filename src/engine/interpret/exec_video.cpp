// Video instructions: arithmetic on parts of registers, one at a time (vadd) or two or four (vadd2, vadd4).
// As the PTX manual's pseudo-code has it ("Scalar Video Instructions", "SIMD Video Instructions").
#include <fmt/format.h>

#include <algorithm>

#include "engine/decode/decode.h"
#include "engine/interpret/handlers.h"

namespace ww::engine {

namespace {

using isa::Mod;
using isa::Op;
using i64 = int64_t;

enum class VideoOp : u8 { Add, Sub, AbsDiff, Min, Max, Shl, Shr, Mad, Set, Average };

struct VideoPlan {
  VideoOp op{};
  int parts = 1;  ///< 2, 4: SIMD
  bool d_signed = false, a_signed = false, b_signed = false;
  bool saturate = false, wrap = false, plus_one = false;
  Mod fold = Mod::none, cmp = Mod::none;
  int scale = 0;
  ir::Selector d, a, b;
  u32 dst = 0, slot_a = 0, slot_b = 0, slot_c = 0;
};

i64 extend_part(u64 value, int bits, bool sign) {
  if (bits == 64) return static_cast<i64>(value);
  value &= (u64{1} << bits) - 1;
  return sign && value >> (bits - 1) & 1 ? static_cast<i64>(value) - (i64{1} << bits)
                                         : static_cast<i64>(value);
}

i64 clamp_part(i64 value, int bits, bool sign) {
  i64 low = sign ? -(i64{1} << (bits - 1)) : 0, high = (i64{1} << (sign ? bits - 1 : bits)) - 1;
  return std::clamp(value, low, high);
}

bool compare_parts(Mod cmp, i64 a, i64 b) {
  switch (cmp) {
    case Mod::eq:
      return a == b;
    case Mod::ne:
      return a != b;
    case Mod::lt:
    case Mod::lo:
      return a < b;
    case Mod::le:
    case Mod::ls:
      return a <= b;
    case Mod::gt:
    case Mod::hi:
      return a > b;
    default:
      return a >= b;
  }
}

i64 combine_parts(const VideoPlan& p, i64 a, i64 b) {
  switch (p.op) {
    case VideoOp::Add:
      return a + b;
    case VideoOp::Sub:
      return a - b;
    case VideoOp::AbsDiff:
      return a < b ? b - a : a - b;
    case VideoOp::Min:
      return std::min(a, b);
    case VideoOp::Max:
      return std::max(a, b);
    case VideoOp::Shl:
    case VideoOp::Shr: {
      i64 by = p.wrap ? b & 31 : std::min<i64>(b, 32);
      return p.op == VideoOp::Shl ? static_cast<i64>(static_cast<u64>(a) << by) : a >> by;
    }
    case VideoOp::Average:  // of the sum's two halves the one away from zero
      return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    default:
      return compare_parts(p.cmp, a, b);
  }
}

/// A part of a register: all of it, a half-word or a byte.
i64 part_of(u32 value, const ir::Selector& s, bool sign) {
  if (s.count == 0) return extend_part(value, 32, sign);
  int bits = s.halves ? 16 : 8;
  return extend_part(value >> (bits * s.part[0]), bits, sign);
}

u32 scalar(const VideoPlan& p, u32 a, u32 b, u32 c) {
  i64 x = part_of(a, p.a, p.a_signed), y = part_of(b, p.b, p.b_signed);
  int bits = p.d.count == 0 ? 32 : p.d.halves ? 16 : 8;
  if (p.op == VideoOp::Mad) {
    bool sign = p.a_signed || p.b_signed;
    __int128 sum = static_cast<__int128>(x) * y + extend_part(c, 32, sign) + p.plus_one;
    sum >>= p.scale;
    if (p.saturate) {
      __int128 low = sign ? -(__int128{1} << 31) : 0, high = (__int128{1} << (sign ? 31 : 32)) - 1;
      sum = std::clamp(sum, low, high);
    }
    return static_cast<u32>(sum);
  }
  i64 r = combine_parts(p, x, y);
  if (p.saturate) r = clamp_part(r, bits, p.d_signed);
  i64 third = extend_part(c, 32, p.d_signed);
  switch (p.fold) {
    case Mod::add:
      return static_cast<u32>(r + third);
    case Mod::min:
      return static_cast<u32>(std::min(extend_part(static_cast<u64>(r), 32, p.d_signed), third));
    case Mod::max:
      return static_cast<u32>(std::max(extend_part(static_cast<u64>(r), 32, p.d_signed), third));
    default:
      break;
  }
  if (p.d.count == 0) return static_cast<u32>(r);
  u32 mask = ((u32{1} << bits) - 1) << (bits * p.d.part[0]);
  return (c & ~mask) | (static_cast<u32>(r) << (bits * p.d.part[0]) & mask);
}

u32 simd(const VideoPlan& p, u32 a, u32 b, u32 c) {
  int bits = 32 / p.parts;
  u64 both = u64{b} << 32 | a;  // parts are counted through {b, a}
  u32 sum = c, merged = c;
  for (int k = 0; k < p.parts; ++k) {
    auto operand = [&](const ir::Selector& s, int first, bool sign) {
      int which =
          s.count == 0 ? first + k : s.part[s.count - 1 - k];  // written from the highest to the lowest
      return extend_part(both >> (bits * which), bits, sign);
    };
    i64 r = combine_parts(p, operand(p.a, 0, p.a_signed), operand(p.b, p.parts, p.b_signed));
    if (p.saturate) r = clamp_part(r, bits, p.d_signed);
    bool wanted = p.d.count == 0 || std::find(p.d.part, p.d.part + p.d.count, k) != p.d.part + p.d.count;
    if (!wanted) continue;
    u32 mask = ((u32{1} << bits) - 1) << (bits * k);
    merged = (merged & ~mask) | (static_cast<u32>(r) << (bits * k) & mask);
    sum += static_cast<u32>(r);
  }
  return p.fold == Mod::add ? sum : merged;
}

const Inst* run_video(Warp& w, const Inst* i) {
  const VideoPlan& p = *static_cast<const VideoPlan*>(i->aux->more);
  const u32 *a = slot<u32>(w, p.slot_a), *b = slot<u32>(w, p.slot_b), *c = slot<u32>(w, p.slot_c);
  u32* d = slot<u32>(w, p.dst);
  for (u32 m = active(w, i); m; m &= m - 1) {
    int l = __builtin_ctz(m);
    d[l] = p.parts == 1 ? scalar(p, a[l], b[l], c[l]) : simd(p, a[l], b[l], c[l]);
  }
  return i + 1;
}

VideoOp operation_of(std::string_view mnemonic) {
  static constexpr std::pair<std::string_view, VideoOp> kNames[] = {
      {"vadd", VideoOp::Add},     {"vsub", VideoOp::Sub}, {"vabsdiff", VideoOp::AbsDiff},
      {"vmin", VideoOp::Min},     {"vmax", VideoOp::Max}, {"vshl", VideoOp::Shl},
      {"vshr", VideoOp::Shr},     {"vmad", VideoOp::Mad}, {"vset", VideoOp::Set},
      {"vavrg", VideoOp::Average}};
  if (mnemonic.back() == '2' || mnemonic.back() == '4') mnemonic.remove_suffix(1);
  for (auto [name, op] : kNames)
    if (name == mnemonic) return op;
  return VideoOp::Add;
}

/// What is wrong with the parts that an operand names; "" if nothing.
std::string wrong_parts(const ir::Selector& s, int parts, bool dest) {
  if (s.count == 0) return {};
  if (parts == 1)
    return s.count == 1 && s.part[0] < (s.halves ? 2 : 4) ? "" : "one part of a register is wanted";
  if (s.halves != (parts == 2)) return parts == 2 ? "half-words are wanted" : "bytes are wanted";
  if (!dest) return s.count == parts ? "" : "as many parts as the instruction works on are wanted";
  for (int k = 0; k < s.count; ++k)
    if (s.part[k] >= parts || (k > 0 && s.part[k] >= s.part[k - 1])) return "parts go from high to low";
  return {};
}

void decode_video(FunctionDecoder& d, const ir::Instruction& in) {
  auto plan = std::make_shared<VideoPlan>();
  VideoPlan& p = *plan;
  const std::string& name = in.form().mnemonic;
  p.op = operation_of(name);
  p.parts = name.back() == '2' ? 2 : name.back() == '4' ? 4 : 1;
  p.d_signed = in.type(isa::Slot::dtype) == isa::Type::s32;
  p.a_signed = in.type(isa::Slot::atype) == isa::Type::s32;
  p.b_signed = in.type(isa::Slot::btype) == isa::Type::s32;
  p.saturate = in.has(Mod::sat);
  p.wrap = in.mod(isa::Slot::edge) == Mod::wrap;
  p.plus_one = in.has(Mod::po);
  p.fold = in.mod(isa::Slot::vop);
  if (in.has(Mod::add)) p.fold = Mod::add;
  p.cmp = in.mod(isa::Slot::icmp);
  Mod scale = in.mod(isa::Slot::vscale);
  p.scale = scale == Mod::shr7 ? 7 : scale == Mod::shr15 ? 15 : 0;
  p.d = in.operands[0].selector, p.a = in.operands[1].selector, p.b = in.operands[2].selector;
  for (size_t k = 0; k < 3; ++k)
    if (std::string wrong = wrong_parts(in.operands[k].selector, p.parts, k == 0); !wrong.empty())
      return d.refuse(in, fmt::format("operand '{}' of {}: {}", in.form().operands[k].name, name, wrong));
  bool third = in.operands[3].kind != ir::Operand::Kind::None;
  bool merges = p.d.count != 0 || p.fold != Mod::none;
  if (p.parts == 1 && p.op != VideoOp::Mad && third != merges)
    return d.refuse(in, third ? "a third operand is for a second operation or to be merged into"
                              : "a third operand is wanted");
  if (p.parts == 1 && p.d.count != 0 && p.fold != Mod::none)
    return d.refuse(in, "a second operation writes the whole register");
  u32 dst = d.destination(in.operands[0]);
  p.dst = dst == kSink ? d.temporary(4) : dst;
  p.slot_a = d.source(in.operands[1], isa::Type::u32);
  p.slot_b = d.source(in.operands[2], isa::Type::u32);
  p.slot_c = third ? d.source(in.operands[3], isa::Type::u32) : d.constant(0, 4);
  d.emit(special(run_video), plan);
}

}  // namespace

SpecialDecoder video_decoder(Op op) { return op >= Op::vadd && op <= Op::vset4 ? decode_video : nullptr; }

}  // namespace ww::engine
