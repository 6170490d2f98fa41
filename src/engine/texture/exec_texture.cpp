// Reading textures: tex, tld4 and the queries.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/half.h"
#include "engine/decode/decode.h"
#include "engine/interpret/handlers.h"
#include "engine/interpret/tell.h"
#include "engine/texture/sample.h"
#include "engine/texture/texture_access.h"

namespace ww::engine {

namespace {

using isa::Mod;

struct TexturePlan {
  TextureOperand object;
  bool integer = false;  ///< coordinates are texel indices
  bool halves = false;   ///< two registers of two f16 each
  int component = -1;    ///< tld4: the channel
  u32 dst[4] = {kSink, kSink, kSink, kSink};
  bool level_given = false;  ///< the level of detail, as an index or a float
  u32 level = 0;             ///< its slot
  int steps = 0;             ///< or, instead, coordinates in each of two steps; their slots
  u32 step_x[3] = {}, step_y[3] = {};
  u32 resident = kSink;  ///< predicate: always true, all memory is resident
  bool heard = false;    ///< a listener wants memory accesses
};

/// Coordinates of one lane, with the layer clamped to those there are.
Coordinates coordinates(Warp& w, const TexturePlan& p, const Texture& t, int lane) {
  Coordinates at;
  at.integer = p.integer;
  int next = 0;
  if (p.object.layered())
    at.slice = static_cast<u32>(
        std::clamp<int64_t>(slot<int32_t>(w, p.object.coordinates[next++])[lane], 0, int64_t{t.layers} - 1));
  for (int k = 0; next < p.object.count; ++k, ++next) {
    at.i[k] = slot<int32_t>(w, p.object.coordinates[next])[lane];
    at.f[k] = slot<float>(w, p.object.coordinates[next])[lane];
  }
  if (p.object.geometry == Mod::tex_1d && axes(t.shape) == 2) at.f[1] = 0.5f;  // the middle of the only row
  if (p.object.geometry == Mod::tex_cube || p.object.geometry == Mod::tex_acube) {
    float s = 0, r = 0;
    int face = cube_face(at.f, s, r);
    at.slice = at.slice * 6 + static_cast<u32>(face);
    at.f[0] = s, at.f[1] = r;
  }
  return at;
}

/// The level of detail that the instruction asks for: 0 where it says nothing.
float wanted_level(Warp& w, const TexturePlan& p, const Texture& t, int lane) {
  if (p.level_given)
    return p.integer ? static_cast<float>(slot<int32_t>(w, p.level)[lane]) : slot<float>(w, p.level)[lane];
  if (!p.steps) return 0;
  float dx[3] = {}, dy[3] = {};
  for (int k = 0; k < p.steps; ++k)
    dx[k] = slot<float>(w, p.step_x[k])[lane], dy[k] = slot<float>(w, p.step_y[k])[lane];
  return level_of(t, dx, dy);
}

void deliver(Warp& w, const TexturePlan& p, Texel v, int lane) {
  if (p.halves) {
    auto half = [&](size_t c) { return u32{to_f16(std::bit_cast<float>(v[c])).bits}; };
    v = {half(0) | half(1) << 16, half(2) | half(3) << 16, 0, 0};
  }
  for (size_t c = 0; c < 4; ++c)
    if (p.dst[c] != kSink) slot<u32>(w, p.dst[c])[lane] = v[c];
}

/// Tells which sectors four lanes touch; forgets the texels.
void tell_of_texels(Warp& w, const Inst* i, const Texture& t, std::vector<events::TexelRead>& texels) {
  constexpr u64 kSector = 32;
  if (texels.empty()) return;  // all beyond a border
  std::vector<u64> sectors;
  for (const events::TexelRead& r : texels)
    for (u64 s = r.address / kSector; s <= (r.address + t.texel_bytes() - 1) / kSector; ++s)
      sectors.push_back(s);
  std::sort(sectors.begin(), sectors.end());
  sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
  const size_t count = std::min<size_t>(kLanes, sectors.size());  // 4 lanes with 4 texels of 16 bytes at most
  int64_t offsets[kLanes] = {};
  for (size_t k = 0; k < count; ++k) offsets[k] = static_cast<int64_t>((sectors[k] - sectors[0]) * kSector);
  events::Memory e;
  e.range = isa::Range::Texels;
  e.path = isa::Path::Texture;
  e.linear = t.shape == TextureShape::Linear || t.shape == TextureShape::Pitch2D;
  e.bytes = kSector;
  e.texels = texels;
  e.texel_bytes = t.texel_bytes();
  const u32 mask = count == kLanes ? kAllLanes : (u32{1} << count) - 1;
  tell(w, i, e, AccessKey::Where::Global, mask, sectors[0] * kSector, offsets);
  texels.clear();
}

const Inst* run_tex(Warp& w, const Inst* i) {
  u32 lanes = active(w, i);
  if (lanes == 0) return i + 1;
  const TexturePlan& p = *static_cast<const TexturePlan*>(i->aux->more);
  TextureLookup lookup(w, i, p.object, false);
  constexpr int kTogether = 4;
  std::vector<events::TexelRead> texels;  // of the lanes since the last that were told of
  std::vector<u64> of_lane;
  const Texture* last = nullptr;
  for (u32 m = lanes; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    const Texture* t = lookup(l);
    if (!t && stopped(w)) return nullptr;
    if (t) {
      std::vector<u64>* touched = p.heard ? &of_lane : nullptr;
      Coordinates at = coordinates(w, p, *t, l);
      if (!t->levels.empty()) at.level = wanted_level(w, p, *t, l);
      deliver(w, p, p.component < 0 ? sample(*t, at, touched) : gather(*t, at, p.component, touched), l);
      if (p.heard) last = t;
      for (const u64 address : of_lane) texels.push_back({address, static_cast<u32>(l)});
      of_lane.clear();
    } else {
      deliver(w, p, Texel{}, l);
    }
    const u32 rest = m & (m - 1);
    if (last && (rest == 0 || __builtin_ctz(rest) / kTogether != l / kTogether))
      tell_of_texels(w, i, *last, texels);
  }
  if (p.resident != kSink) *slot<u32>(w, p.resident) |= lanes;
  return i + 1;
}

/// The operands behind the coordinates: a level, or two steps.
void read_level(FunctionDecoder& d, const ir::Instruction& in, TexturePlan& plan) {
  if (in.op == isa::Op::tex_level) {
    plan.level_given = true;
    plan.level = d.source(in.operands[3], plan.integer ? isa::Type::s32 : isa::Type::f32);
  }
  if (in.op != isa::Op::tex_grad) return;
  auto step = [&](const ir::Operand& operand, u32 slots[3]) {
    const std::vector<ir::Operand> list =
        operand.kind == ir::Operand::Kind::Vector ? operand.elements : std::vector<ir::Operand>{operand};
    const int given = static_cast<int>(std::min<size_t>(3, list.size()));
    for (int k = 0; k < given; ++k) slots[k] = d.source(list[static_cast<size_t>(k)], isa::Type::f32);
    return given;
  };
  plan.steps = std::min(step(in.operands[3], plan.step_x), step(in.operands[4], plan.step_y));
}

void decode_tex(FunctionDecoder& d, const ir::Instruction& in) {
  auto plan = std::make_shared<TexturePlan>();
  bool is_gather = in.op == isa::Op::tld4;
  plan->halves = in.op == isa::Op::tex_half;
  plan->heard = d.hears(events::kMemory);
  plan->integer = !is_gather && in.type(isa::Slot::ctype) == isa::Type::s32;
  Mod geometry = is_gather ? Mod::tex_2d : in.mod(isa::Slot::geom);
  if (plan->integer && (geometry == Mod::tex_cube || geometry == Mod::tex_acube))
    return d.refuse(in, "cubemaps take coordinates of type .f32");
  if (is_gather) {
    constexpr Mod kChannels[] = {Mod::r, Mod::g, Mod::b, Mod::a};
    plan->component = static_cast<int>(
        std::find(std::begin(kChannels), std::end(kChannels), in.mod(isa::Slot::component)) - kChannels);
  }
  const auto& dst = in.operands[0].elements;
  if (dst.size() != (plan->halves ? 2 : 4))
    return d.refuse(in, "the result is a vector of 4 registers (.f16x2: of 2)");
  for (size_t c = 0; c < dst.size(); ++c) {
    if (dst[c].kind == ir::Operand::Kind::Register && isa::bits(d.register_type(dst[c].reg)) != 32)
      return d.refuse(in, "the result registers must have 32 bits");
    plan->dst[c] = d.destination(dst[c]);
  }
  plan->resident = d.destination(in.operands[1]);
  if (!read_texture_operand(d, in, in.operands[2], geometry, plan->integer ? isa::Type::s32 : isa::Type::f32,
                            plan->object))
    return;
  read_level(d, in, *plan);
  Aux& aux = d.new_aux();
  aux.more = plan.get();
  d.program().kept.push_back(plan);
  Inst i = special(run_tex);
  i.aux = &aux;
  d.emit(i);
}

// ---- txq, suq ----

u32 answer(const Texture& t, Mod query) {
  switch (query) {
    case Mod::width:
      return t.width;
    case Mod::height:
      return axes(t.shape) > 1 ? t.height : 0;
    case Mod::depth:
      return axes(t.shape) > 2 ? t.depth : 0;
    case Mod::array_size:
      return t.slices() > 1 || t.layers > 1 ? t.slices() : 0;
    case Mod::num_mipmap_levels:
      return 1 + static_cast<u32>(t.levels.size());
    case Mod::num_samples:
      return 1;
    default:
      return t.normalized_coordinates;
  }
}

template <bool surface>
const Inst* run_query(Warp& w, const Inst* i) {
  for (u32 m = active(w, i); m; m &= m - 1) {
    int l = __builtin_ctz(m);
    const Texture* t = texture_of(w, i, i->src[0], Mod::none, surface, l);
    if (!t && stopped(w)) return nullptr;
    if (t && i->src[1] != kSink) {  // of a level; behind the last there are none
      const u32 level = slot<u32>(w, i->src[1])[l];
      t = level == 0 ? t : level <= t->levels.size() ? &t->levels[level - 1] : nullptr;
    }
    slot<u32>(w, i->dst)[l] = t ? answer(*t, static_cast<Mod>(i->mode)) : 0;
  }
  return i + 1;
}

void decode_query(FunctionDecoder& d, const ir::Instruction& in) {
  bool surface = in.op == isa::Op::suq;
  Inst i = special(surface ? run_query<true> : run_query<false>);
  i.mode = static_cast<u16>(in.mod(surface ? isa::Slot::surfquery : isa::Slot::texquery));
  if (!read_handle(d, in, in.operands[1], i.src[0])) return;
  i.src[1] = in.op == isa::Op::txq_level ? d.source(in.operands[2], isa::Type::s32) : kSink;
  u32 dst = d.destination(in.operands[0]);
  i.dst = dst == kSink ? d.temporary(4) : dst;
  d.emit(i);
}

}  // namespace

SpecialDecoder texture_decoder(isa::Op op) {
  switch (op) {
    case isa::Op::tex:
    case isa::Op::tex_half:
    case isa::Op::tex_base:
    case isa::Op::tex_level:
    case isa::Op::tex_grad:
    case isa::Op::tld4:
      return decode_tex;
    case isa::Op::txq:
    case isa::Op::txq_level:
    case isa::Op::suq:
      return decode_query;
    default:
      return nullptr;
  }
}

}  // namespace ww::engine
