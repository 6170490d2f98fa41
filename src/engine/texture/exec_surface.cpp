// Surfaces: suld, sust and sured. The first coordinate counts bytes (.b) or texels (.p), the others rows and
// slices.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/decode/decode.h"
#include "engine/interpret/handlers.h"
#include "engine/interpret/tell.h"
#include "engine/memory/resolve.h"
#include "engine/texture/texture_access.h"

namespace ww::engine {

namespace {

using isa::Mod;
using isa::Type;

struct SurfacePlan {
  TextureOperand object;
  Mod clamp{}, op{};
  Type type{};
  bool in_texels = false;       ///< sured.p, sust.p
  u32 bytes = 0, elements = 1;  ///< of one element
  u32 slots[4] = {kSink, kSink, kSink, kSink};
  u32 lane_bytes[4] = {};  ///< of their registers
  const char* verb = "";
  bool heard = false;  ///< a listener wants memory accesses
  events::Memory event;
};

/// Where one lane's access lies on the host. nullptr: beyond the surface, under .zero or told of (stopped()).
u8* locate(Warp& w, const Inst* i, const SurfacePlan& p, const Texture& t, int lane) {
  const TextureOperand& o = p.object;
  int next = 0;
  auto coordinate = [&] {
    return next < o.count ? int64_t{slot<int32_t>(w, o.coordinates[next++])[lane]} : 0;
  };
  int64_t layer = o.layered() ? coordinate() : 0;
  int64_t x = coordinate(), y = coordinate(), z = coordinate();
  if (p.in_texels) x *= t.texel_bytes();
  const bool formatted = p.in_texels && p.op == Mod::none;
  int64_t bytes = formatted ? t.texel_bytes() : int64_t{p.bytes} * p.elements,
          row = int64_t{t.width} * t.texel_bytes();
  struct Axis {
    int64_t& at;
    int64_t last;
    const char* what;
  } axes[] = {{x, row - bytes, "byte"},
              {y, int64_t{t.height} - 1, "row"},
              {z, int64_t{t.depth} - 1, "slice"},
              {layer, int64_t{t.slices()} - 1, "layer"}};
  for (auto& axis : axes) {
    if (axis.at >= 0 && axis.at <= axis.last) continue;
    if (p.clamp == Mod::zero) return nullptr;
    if (p.clamp == Mod::trap || axis.last < 0) {
      (void)goes_on_without(
          w, i, lane, fmt::format("out-of-bounds surface {}", p.verb),
          fmt::format(
              "{} of {} bytes at {} {} of a surface {} of {} x {} x {} texels of {} bytes and {} layers",
              p.verb, bytes, axis.what, axis.at, name(t.shape), t.width, t.height, t.depth, t.texel_bytes(),
              t.slices()));
      return nullptr;
    }
    axis.at = std::clamp<int64_t>(axis.at, 0, axis.last);
    if (&axis == axes) axis.at -= axis.at % bytes;
  }
  if (x % bytes != 0) {
    (void)goes_on_without(w, i, lane, fmt::format("misaligned surface {}", p.verb),
                          fmt::format("byte {} of a row is not a multiple of {}", x, bytes));
    return nullptr;
  }
  u64 line = (static_cast<u64>(layer) * t.depth + static_cast<u64>(z)) * t.height + static_cast<u64>(y);
  return w.memory->host(t.address) + line * t.pitch() + static_cast<u64>(x);
}

/// What the lanes of an access reach, told at its end.
class Reached {
 public:
  Reached(Warp& w, const Inst* i, const SurfacePlan& p) : w_(w), i_(i), p_(p) {}
  ~Reached() {
    if (!mask_) return;
    events::Memory event = p_.event;
    if (bytes_) event.bytes = bytes_;
    tell(w_, i_, event, AccessKey::Where::Global, mask_, first_, offsets_);
  }
  /// `bytes`: of this access; 0: as many as the instruction says.
  void add(const Texture& t, const u8* at, int lane, u32 bytes = 0) {
    if (!p_.heard) return;
    bytes_ = bytes;
    const u64 address = t.address + static_cast<u64>(at - w_.memory->host(t.address));
    if (mask_ == 0) first_ = address;
    offsets_[lane] = static_cast<int64_t>(address - first_);
    mask_ |= u32{1} << lane;
  }

 private:
  Warp& w_;
  const Inst* i_;
  const SurfacePlan& p_;
  u32 mask_ = 0, bytes_ = 0;
  u64 first_ = 0;
  int64_t offsets_[kLanes] = {};
};

/// Calls `access(plan, surface, place, lane)` for each active lane; where `place` is null it reads zeros or
/// writes nothing.
template <class F>
const Inst* each_lane(Warp& w, const Inst* i, F&& access) {
  const SurfacePlan& p = *static_cast<const SurfacePlan*>(i->aux->more);
  const bool formatted = p.in_texels && p.op == Mod::none;
  TextureLookup lookup(w, i, p.object, true);
  Reached reached(w, i, p);
  for (u32 m = active(w, i); m; m &= m - 1) {
    const int l = __builtin_ctz(m);
    const Texture* t = lookup(l);
    u8* place = t ? locate(w, i, p, *t, l) : nullptr;
    if (!place && stopped(w)) return nullptr;
    if (place) reached.add(*t, place, l, formatted ? t->texel_bytes() : 0);
    access(p, t, place, l);
  }
  return i + 1;
}

u8* lane_of(Warp& w, const SurfacePlan& p, u32 element, int lane) {
  return w.regs + p.slots[element] + static_cast<u32>(lane) * p.lane_bytes[element];
}

const Inst* run_load(Warp& w, const Inst* i) {
  return each_lane(w, i, [&](const SurfacePlan& p, const Texture*, const u8* from, int l) {
    u64 v[4] = {};
    for (u32 e = 0; e < p.elements && from; ++e) std::memcpy(&v[e], from + e * p.bytes, p.bytes);
    for (u32 e = 0; e < p.elements; ++e)
      if (p.slots[e] != kSink) std::memcpy(lane_of(w, p, e, l), &v[e], p.lane_bytes[e]);
  });
}

const Inst* run_store(Warp& w, const Inst* i) {
  return each_lane(w, i, [&](const SurfacePlan& p, const Texture*, u8* to, int l) {
    for (u32 e = 0; e < p.elements && to; ++e) std::memcpy(to + e * p.bytes, lane_of(w, p, e, l), p.bytes);
  });
}

/// What sust.p makes of one component: integers are clamped to what the format holds, float32 becomes float16
/// by dropping bits, at most the largest finite number. The manual says "converted" only; an H200 does this
/// (data/measured/h200-ptx/formatted_stores.csv).
u32 in_format(ChannelFormat format, u32 value) {
  const auto number = static_cast<int32_t>(value);
  switch (format) {
    case ChannelFormat::U8:
      return std::min(value, 255u);
    case ChannelFormat::U16:
      return std::min(value, 65535u);
    case ChannelFormat::S8:
      return static_cast<u32>(std::clamp(number, -128, 127));
    case ChannelFormat::S16:
      return static_cast<u32>(std::clamp(number, -32768, 32767));
    case ChannelFormat::F16: {
      const u32 sign = value >> 16 & 0x8000, magnitude = value & 0x7fffffff, kInfinity = 0x7f800000;
      if (magnitude > kInfinity) {  // NaN: the top of the payload stays
        const u32 payload = magnitude >> 13 & 0x3ff;
        return sign | 0x7c00 | (payload ? payload : 1);
      }
      if (magnitude == kInfinity) return sign | 0x7c00;
      const int exponent = static_cast<int>(magnitude >> 23) - 127;
      if (exponent > 15) return sign | 0x7bff;
      if (exponent < -24) return sign;
      const u32 significand = (magnitude & 0x7fffff) | 0x800000;
      if (exponent < -14) return sign | significand >> (-1 - exponent);
      return sign | ((static_cast<u32>(exponent + 14) << 10) + (significand >> 13));
    }
    default:
      return value;
  }
}

/// sust.p: whole texels. Components that the instruction does not give are zero (the manual: unpredictable).
const Inst* run_formatted_store(Warp& w, const Inst* i) {
  return each_lane(w, i, [&](const SurfacePlan& p, const Texture* t, u8* to, int l) {
    if (!to) return;
    const auto bytes = static_cast<u32>(channel_bytes(t->format));
    for (u32 e = 0; e < t->channels; ++e) {
      u32 value = 0;
      if (e < p.elements) std::memcpy(&value, lane_of(w, p, e, l), sizeof value);
      value = in_format(t->format, value);
      std::memcpy(to + e * bytes, &value, bytes);
    }
  });
}

template <class T>
T combined(Mod op, T old, T v) {
  switch (op) {
    case Mod::add:
      return static_cast<T>(static_cast<u64>(old) + static_cast<u64>(v));
    case Mod::min:
      return std::min(old, v);
    case Mod::max:
      return std::max(old, v);
    case Mod::and_:
      return old & v;
    default:
      return old | v;
  }
}
template <class T>
void reduce(Mod op, u8* at, const u8* value) {
  T v;
  std::memcpy(&v, value, sizeof v);
  T* word = reinterpret_cast<T*>(at);
  T old = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &old, combined(op, old, v), true, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED)) {
  }
}

const Inst* run_reduce(Warp& w, const Inst* i) {
  return each_lane(w, i, [&](const SurfacePlan& p, const Texture* t, u8* at, int l) {
    if (!at) return;
    const u8* value = lane_of(w, p, 0, l);
    // .b32 is the unsigned or signed integer that the surface's format is.
    const bool is_signed = isa::is_signed(p.type) || (p.in_texels && t->format == ChannelFormat::S32);
    if (p.bytes == 4)
      is_signed ? reduce<int32_t>(p.op, at, value) : reduce<u32>(p.op, at, value);
    else
      is_signed ? reduce<int64_t>(p.op, at, value) : reduce<u64>(p.op, at, value);
  });
}

void decode_surface(FunctionDecoder& d, const ir::Instruction& in) {
  auto plan = std::make_shared<SurfacePlan>();
  bool load = in.op == isa::Op::suld,
       reduction = in.op == isa::Op::sured || in.op == isa::Op::sured_formatted;
  plan->heard = d.hears(events::kMemory);
  plan->event = event_of(in, ir::accesses_of(in).at(0));
  plan->event.linear = false;
  plan->verb = load ? "read" : "write";
  plan->clamp = in.mod(isa::Slot::sclamp);
  plan->op = in.mod(isa::Slot::surfaceop);
  plan->type = in.type();
  plan->bytes = static_cast<u32>(isa::bytes(plan->type));
  const bool formatted_store = in.op == isa::Op::sust_formatted;
  plan->in_texels = formatted_store || in.op == isa::Op::sured_formatted;
  bool bitwise = plan->op == Mod::and_ || plan->op == Mod::or_;
  if (reduction && !plan->in_texels && bitwise != (plan->type == Type::b32))
    return d.refuse(
        in, fmt::format("sured.{} does not exist for .{}", isa::name(plan->op), isa::name(plan->type)));
  const ir::Operand& value = in.operands[load ? 0 : 1];
  std::vector<ir::Operand> list =
      value.kind == ir::Operand::Kind::Vector ? value.elements : std::vector<ir::Operand>{value};
  Mod vec = reduction ? Mod::none : in.mod(isa::Slot::vec);
  plan->elements = vec == Mod::v4 ? 4 : vec == Mod::v2 ? 2 : 1;
  if (list.size() != plan->elements || vec == Mod::v8 || plan->elements * plan->bytes > 16)
    return d.refuse(
        in, fmt::format("{} moves 1, 2 or 4 elements of together at most 16 bytes", in.form().mnemonic));
  for (size_t e = 0; e < list.size(); ++e) {
    Type type = list[e].kind == ir::Operand::Kind::Register ? d.register_type(list[e].reg)
                : plan->bytes == 1                          ? Type::b16
                                                            : plan->type;
    plan->lane_bytes[e] = static_cast<u32>(std::max(2, isa::bytes(type)));
    if (plan->lane_bytes[e] < plan->bytes || (reduction && plan->lane_bytes[e] != plan->bytes))
      return d.refuse(in,
                      fmt::format("a register of {} bits for .{}", isa::bits(type), isa::name(plan->type)));
    plan->slots[e] = load ? d.destination(list[e]) : d.source(list[e], type);
  }
  if (!read_texture_operand(d, in, in.operands[load ? 1 : 0], in.mod(isa::Slot::sgeom), Type::s32,
                            plan->object))
    return;
  d.emit(special(load              ? run_load
                 : reduction       ? run_reduce
                 : formatted_store ? run_formatted_store
                                   : run_store),
         plan);
}

}  // namespace

SpecialDecoder surface_decoder(isa::Op op) {
  switch (op) {
    case isa::Op::suld:
    case isa::Op::sust:
    case isa::Op::sust_formatted:
    case isa::Op::sured:
    case isa::Op::sured_formatted:
      return decode_surface;
    default:
      return nullptr;
  }
}

}  // namespace ww::engine
