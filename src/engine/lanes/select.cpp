// Chooses the lane code for the CPU we run on.
#include <cstring>

#include "engine/lanes/lanes.h"

namespace ww::lane {
#ifdef WW_HAVE_avx512
namespace avx512 {
extern const engine::LaneCode code;
}
#endif
#ifdef WW_HAVE_avx2
namespace avx2 {
extern const engine::LaneCode code;
}
#endif
#ifdef WW_HAVE_neon
namespace neon {
extern const engine::LaneCode code;
}
#endif
#ifdef WW_HAVE_plain
namespace plain {
extern const engine::LaneCode code;
}
#endif
}  // namespace ww::lane

namespace ww::engine {

std::span<const LaneCode* const> all_lane_code() {
  static const LaneCode* const kAll[] = {
#ifdef WW_HAVE_avx512
      &lane::avx512::code,
#endif
#ifdef WW_HAVE_avx2
      &lane::avx2::code,
#endif
#ifdef WW_HAVE_neon
      &lane::neon::code,
#endif
#ifdef WW_HAVE_plain
      &lane::plain::code,
#endif
  };
  return kAll;
}

const LaneCode* lane_code(const char* name) {
  for (const LaneCode* code : all_lane_code())
    if (code->supported() && (*name == '\0' || std::strcmp(code->name, name) == 0)) return code;
  return nullptr;
}

}  // namespace ww::engine
