// Elements of matrices between registers and doubles, for the matrix instructions.
#include "engine/lanes/lanes.h"
#include "isa/lane.h"
#include "isa/lane_convert.h"

#include "engine/matrix/element.h"

namespace ww::lane::WW_TARGET {

using engine::kLanes;

void elements(double* to, const void* lanes, isa::Type type);
void accumulators(void* lanes, const double* from, isa::Type type, bool saturate);

namespace {

/// The bits that a lane's register takes when the sum is written there.
template <class Bits, class F>
void write_sums(void* lanes, const double* from, F&& encode) {
  constexpr int kCount = kLanes * 4 / (sizeof(Bits) > 4 ? 4 : sizeof(Bits));
  Bits* to = static_cast<Bits*>(lanes);
  WW_LANE_LOOP
  for (int n = 0; n < kCount; ++n) to[n] = encode(from[n]);
}

}  // namespace

/// The elements in 32 lanes of a register, lane by lane.
void elements(double* to, const void* lanes, isa::Type type) {
  engine::with_element(type, [&](auto decode) {
    constexpr int kBits = decode.kBits, kPer = decode.kPerRegister;
    if constexpr (kBits >= 8) {
      using Bits =
          std::conditional_t<kBits == 64, u64,
                             std::conditional_t<kBits == 32, u32, std::conditional_t<kBits == 16, u16, u8>>>;
      const Bits* from = static_cast<const Bits*>(lanes);
      WW_LANE_LOOP
      for (int n = 0; n < kLanes * kPer; ++n) to[n] = decode(from[n], 0);
    } else {
      const u32* from = static_cast<const u32*>(lanes);
      for (int l = 0; l < kLanes; ++l) {
        WW_LANE_LOOP
        for (int e = 0; e < kPer; ++e) to[l * kPer + e] = decode(from[l], e);
      }
    }
  });
}

/// The inverse for accumulators, rounding once to their type; `saturate`: integers are clamped instead of
/// wrapped.
void accumulators(void* lanes, const double* from, isa::Type type, bool saturate) {
  switch (type) {
    case isa::Type::f16:
      return write_sums<u16>(lanes, from, [](double v) { return to_f16(odd_float(v)).bits; });
    case isa::Type::f32:
      return write_sums<u32>(lanes, from,
                             [](double v) { return std::bit_cast<u32>(canonical(static_cast<float>(v))); });
    case isa::Type::s32:
      return write_sums<u32>(lanes, from, [saturate](double v) {
        s64 wide = static_cast<s64>(v);
        if (saturate) wide = wide < INT32_MIN ? INT32_MIN : wide > INT32_MAX ? INT32_MAX : wide;
        return static_cast<u32>(wide);
      });
    default:
      return write_sums<u64>(lanes, from, [](double v) { return std::bit_cast<u64>(v); });
  }
}

}  // namespace ww::lane::WW_TARGET
