// Reading textures: tex, tld4 and the queries.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "base/half.h"
#include "engine/decode/decode.h"
#include "engine/interpret/handlers.h"
#include "engine/interpret/tell.h"
#include "engine/texture/levels.h"
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

/// The face of a cube that a direction meets (0 to 5), with coordinates in it (normalized): Programming
/// Guide, "Cubemap Textures".
int cube_face(const float d[3], float& s, float& t) {
  float x = std::fabs(d[0]), y = std::fabs(d[1]), z = std::fabs(d[2]);
  int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
  bool negative = std::signbit(d[axis]);
  float m = axis == 0 ? x : axis == 1 ? y : z;
  switch (axis) {
    case 0:
      s = negative ? d[2] : -d[2], t = -d[1];
      break;
    case 1:
      s = d[0], t = negative ? -d[2] : d[2];
      break;
    default:
      s = negative ? -d[0] : d[0], t = -d[1];
      break;
  }
  s = (s / m + 1) / 2;
  t = (t / m + 1) / 2;
  return 2 * axis + negative;
}

/// Where all lanes read, with the layer clamped to those there are. (Lanes that are not active read
/// something.)
void find_points(Warp& w, const TexturePlan& p, const Texture& t, TexturePoints& out) {
  out.integer = p.integer;
  int next = 0;
  if (p.object.layered()) {
    const auto* layer = slot<int32_t>(w, p.object.coordinates[next++]);
    for (int l = 0; l < kLanes; ++l)
      out.slice[l] = static_cast<u32>(std::clamp<int64_t>(layer[l], 0, int64_t{t.layers} - 1));
  }
  for (int k = 0; next < p.object.count; ++k, ++next) {
    const u32 from = p.object.coordinates[next];
    if (p.integer)
      std::memcpy(out.index[k], slot<int32_t>(w, from), sizeof out.index[k]);
    else
      std::memcpy(out.at[k], slot<float>(w, from), sizeof out.at[k]);
  }
  if (p.object.geometry == Mod::tex_1d && t.view.axes == 2)
    std::fill_n(out.at[1], kLanes, 0.0f);  // the edge of the only row, as an H200 reads it
  if (p.object.geometry == Mod::tex_cube || p.object.geometry == Mod::tex_acube)
    for (int l = 0; l < kLanes; ++l) {
      const float direction[3] = {out.at[0][l], out.at[1][l], out.at[2][l]};
      const int face = cube_face(direction, out.at[0][l], out.at[1][l]);
      out.slice[l] = out.slice[l] * 6 + static_cast<u32>(face);
    }
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

using Channels = u32[4][kLanes];

/// Writes what these lanes have read.
void deliver(Warp& w, const TexturePlan& p, Channels& v, u32 lanes) {
  if (p.halves)
    for (int c = 0; c < 2; ++c)
      for (int l = 0; l < kLanes; ++l) {
        const auto half = [&](int from) { return u32{to_f16(std::bit_cast<float>(v[from][l])).bits}; };
        v[c][l] = half(2 * c) | half(2 * c + 1) << 16;
      }
  for (int c = 0; c < (p.halves ? 2 : 4); ++c) {
    if (p.dst[c] == kSink) continue;
    u32* to = slot<u32>(w, p.dst[c]);
    if (lanes == kAllLanes)
      std::memcpy(to, v[c], sizeof v[c]);
    else
      for (u32 m = lanes; m; m &= m - 1) to[__builtin_ctz(m)] = v[c][__builtin_ctz(m)];
  }
}

/// Tells which sectors four lanes touch; false: none, all are beyond a border. `goes_on`: it has told of
/// other lanes.
bool tell_of_texels(Warp& w, const Inst* i, const Texture& t, std::span<const events::TexelRead> texels,
                    bool goes_on) {
  constexpr u64 kSector = 32;
  if (texels.empty()) return false;
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
  e.elements = t.channels;
  e.goes_on = goes_on;
  const u32 mask = count == kLanes ? kAllLanes : (u32{1} << count) - 1;
  tell(w, i, e, AccessKey::Where::Global, mask, sectors[0] * kSector, offsets);
  return true;
}

/// What a lane has touched, for listeners.
struct Touched {
  const Texture* texture = nullptr;
  std::vector<events::TexelRead> texels;
};

/// Reads one level of a texture where all lanes point to. `touched` gets what these lanes touch.
void read_level(Warp& w, const TexturePlan& p, const Texture& t, const TexturePoints& points, u32 lanes,
                Channels& read, Touched* touched) {
  const LaneCode& code = *w.launch->lanes;
  const bool gathers = p.component >= 0;
  TexelCorners corners;
  code.texel_corners(t.view, points, gathers || t.view.linear, corners);
  if (gathers) {
    // In the order of tld4 (PTX ISA, tld4): (0,1), (1,1), (1,0), (0,0) as (x,y) offsets from the first.
    constexpr int kOrder[4] = {2, 3, 1, 0};
    for (int k = 0; k < 4; ++k) {
      alignas(64) Channels texels;
      code.fetch_texels(t.view, corners.offset[kOrder[k]], texels);
      std::memcpy(read[k], texels[p.component], sizeof read[k]);
    }
  } else {
    code.sample_texels(t.view, corners, read);
  }
  code.leave();
  if (!touched) return;
  for (u32 m = lanes; m; m &= m - 1) {
    const int l = __builtin_ctz(m);
    touched[l].texture = &t;
    for (int c = 0; c < corners.count; ++c)
      if (corners.offset[c][l] != kOutside && (gathers || corners.weight[c][l] != 0))
        touched[l].texels.push_back(
            {t.address + static_cast<u64>(corners.offset[c][l]), static_cast<u32>(l)});
  }
}

/// The same for a mipmap: each lane has levels of its own.
void read_levels(Warp& w, const TexturePlan& p, const Texture& t, const TexturePoints& points, u32 lanes,
                 Channels& read, Touched* touched) {
  LevelWeight of[kLanes];
  for (u32 m = lanes; m; m &= m - 1) {
    const int l = __builtin_ctz(m);
    of[l] = weighed_level(t, wanted_level(w, p, t, l), p.integer);
  }
  while (lanes) {
    const size_t first = of[__builtin_ctz(lanes)].level;
    u32 these = 0, between = 0;
    for (u32 m = lanes; m; m &= m - 1) {
      const int l = __builtin_ctz(m);
      these |= u32{of[l].level == first} << l;
      between |= u32{of[l].level == first && of[l].next != 0} << l;
    }
    lanes &= ~these;
    alignas(64) Channels here, next;
    read_level(w, p, level(t, first), points, these, here, touched);
    if (between) read_level(w, p, level(t, first + 1), points, between, next, touched);
    for (u32 m = these; m; m &= m - 1) {
      const int l = __builtin_ctz(m);
      const double a = of[l].next;
      for (int c = 0; c < 4; ++c) {
        if (a == 0)
          read[c][l] = here[c][l];
        else if (!t.gives_float())
          read[c][l] = a < 0.5 ? here[c][l] : next[c][l];
        else
          read[c][l] = std::bit_cast<u32>(static_cast<float>((1 - a) * std::bit_cast<float>(here[c][l]) +
                                                             a * std::bit_cast<float>(next[c][l])));
      }
    }
  }
}

const Inst* run_tex(Warp& w, const Inst* i) {
  const u32 lanes = active(w, i);
  if (lanes == 0) return i + 1;
  const TexturePlan& p = *static_cast<const TexturePlan*>(i->aux->more);
  const u64* handles = slot<u64>(w, p.object.handle);
  std::vector<Touched> touched(p.heard ? kLanes : 0);
  for (u32 rest = lanes; rest;) {
    const int first = __builtin_ctz(rest);
    u32 these = rest & w.launch->lanes->equal64(handles, handles[first]);
    const Texture* t = texture_of(w, i, p.object.handle, p.object.geometry, false, first);
    if (!t && stopped(w)) return nullptr;
    alignas(64) Channels read = {};
    if (t) {
      TexturePoints points;
      find_points(w, p, *t, points);
      const bool one = t->levels.empty() || p.component >= 0;
      (one ? read_level : read_levels)(w, p, *t, points, these, read, p.heard ? touched.data() : nullptr);
    } else {
      these = u32{1} << first;  // each is told of
    }
    deliver(w, p, read, these);
    rest &= ~these;
  }
  constexpr size_t kTogether = 4;
  bool told = false;
  for (size_t l = 0; l < touched.size(); l += kTogether) {
    const Texture* t = nullptr;
    std::vector<events::TexelRead> texels;
    for (size_t k = l; k < l + kTogether; ++k) {
      if (touched[k].texture) t = touched[k].texture;
      texels.insert(texels.end(), touched[k].texels.begin(), touched[k].texels.end());
    }
    if (t) told |= tell_of_texels(w, i, *t, texels, told);
  }
  if (p.resident != kSink) *slot<u32>(w, p.resident) |= lanes;
  return i + 1;
}

/// The operands behind the coordinates: a level, or two steps.
void read_detail(FunctionDecoder& d, const ir::Instruction& in, TexturePlan& plan) {
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
  read_detail(d, in, *plan);
  d.emit(special(run_tex), plan);
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
