// The table of one CPU's code: tries the chapters in turn.
#include "engine/lanes/lanes.h"

namespace ww::lane::WW_TARGET {

using engine::Handler;
using engine::LaneKey;

#define WW_CHAPTERS(X) X(integer) X(extended) X(floating) X(half) X(comparison) X(logic) X(conversion)

#define WW_DECLARE(chapter) Handler find_##chapter(const LaneKey& key);
WW_CHAPTERS(WW_DECLARE)
#undef WW_DECLARE
#define WW_DECLARE(chapter) extern const engine::HandlerTable find_##chapter##_table;
WW_CHAPTERS(WW_DECLARE)
#undef WW_DECLARE
extern const engine::HandlerTable access_table, steps_table;
extern const engine::Steps steps;
engine::Access find_access(const engine::AccessKey& key);
extern const engine::Access sum_access;
Handler fuse(const engine::Inst* i, int count);
bool uniform(const engine::u64* lanes);
bool learn(engine::Warp& w, const engine::Inst* i, engine::AddressShape& s, engine::u32 mask);
void products(double* sums, const double* a, const double* b, int rows, int columns, int depth, bool exact);
void elements(double* to, const void* lanes, isa::Type type);
void accumulators(void* lanes, const double* from, isa::Type type, bool saturate);
engine::u32 equal32(const engine::u32* lanes, engine::u32 value);
engine::u32 equal64(const engine::u64* lanes, engine::u64 value);
engine::u32 shuffle(engine::u32* to, const engine::u32* from, const engine::u32* by,
                    const engine::u32* bounds, isa::Mod way);
void texel_corners(const engine::TextureView& t, const engine::TexturePoints& points, bool weigh,
                   engine::TexelCorners& out);
void fetch_texels(const engine::TextureView& t, const int64_t* offsets, engine::u32 (*out)[engine::kLanes]);
void sample_texels(const engine::TextureView& t, const engine::TexelCorners& corners,
                   engine::u32 (*out)[engine::kLanes]);
void blend(engine::u8* dst, const engine::u8* from, engine::u32 mask, int bytes);

static Handler find_lane(const LaneKey& key) {
  Handler found = nullptr;
#define WW_TRY(chapter) \
  if (!found) found = find_##chapter(key);
  WW_CHAPTERS(WW_TRY)
#undef WW_TRY
  return found;
}

static void leave() {
#if defined(__AVX__)
  __builtin_ia32_vzeroupper();
#endif
}

static bool supported() {
#if defined(__AVX512F__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("fma");
#elif defined(__AVX2__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
  return true;
#endif
}

#define WW_TEXT2(x) #x
#define WW_TEXT(x) WW_TEXT2(x)
/// By chapter; the names are those of the files that the bitcode is made from.
static std::span<const engine::HandlerTable> tables() {
#define WW_NAME(chapter) find_##chapter##_table,
  static const engine::HandlerTable kTables[] = {WW_CHAPTERS(WW_NAME) access_table, steps_table};
#undef WW_NAME
  return kTables;
}

extern const engine::LaneCode code;
const engine::LaneCode code{WW_TEXT(WW_TARGET),
                            supported,
                            find_lane,
                            find_access,
                            fuse,
                            sum_access,
                            learn,
                            blend,
                            products,
                            elements,
                            accumulators,
                            equal32,
                            equal64,
                            shuffle,
                            texel_corners,
                            fetch_texels,
                            sample_texels,
                            uniform,
                            steps,
                            tables(),
                            leave};

}  // namespace ww::lane::WW_TARGET
