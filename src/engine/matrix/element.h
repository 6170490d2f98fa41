// The elements of matrices as double, in which every type that the matrix instructions multiply is exact.
// As isa/lane.h in an unnamed namespace, because it is compiled for several CPUs.
#pragma once

#include <bit>

#include "engine/machine.h"
#include "isa/lane.h"
#include "isa/lane_fp8.h"
#include "isa/type.h"

namespace ww::engine {
namespace {

/// Element `e` of a register's bits, or of so many consecutive bytes; `bits`: of an element.
template <int bits, class F>
struct Element {
  static constexpr int kBits = bits;
  static constexpr int kPerRegister = bits == 64 ? 1 : 32 / bits;
  F read;
  double operator()(u64 from, int e) const { return read(from >> (bits * e % 64)); }
};

/// Calls what(element), an Element of `type`.
template <class F>
decltype(auto) with_element(isa::Type type, F&& what) {
  using isa::Type;
  const auto as = [&]<int bits>(auto read) -> decltype(auto) {
    return what(Element<bits, decltype(read)>{read});
  };
  switch (type) {
    case Type::f16:
      return as.template operator()<16>([](u64 v) -> double { return to_float(f16{static_cast<u16>(v)}); });
    case Type::bf16:
      return as.template operator()<16>([](u64 v) -> double { return to_float(bf16{static_cast<u16>(v)}); });
    case Type::tf32:  // the multiplier reads 10 bits of the mantissa; what lies below is ignored
      return as.template operator()<32>(
          [](u64 v) -> double { return std::bit_cast<float>(static_cast<u32>(v) & 0xffffe000u); });
    case Type::e4m3:
      return as.template operator()<8>(
          [](u64 v) -> double { return lane::to_float(lane::e4m3{static_cast<u8>(v)}); });
    case Type::e5m2:
      return as.template operator()<8>(
          [](u64 v) -> double { return lane::to_float(lane::e5m2{static_cast<u8>(v)}); });
    case Type::s8:
      return as.template operator()<8>([](u64 v) -> double { return static_cast<int8_t>(v); });
    case Type::u8:
      return as.template operator()<8>([](u64 v) -> double { return static_cast<u8>(v); });
    case Type::s4:
      return as.template operator()<4>([](u64 v) -> double { return static_cast<int8_t>(v << 4) >> 4; });
    case Type::u4:
      return as.template operator()<4>([](u64 v) { return static_cast<double>(v & 15); });
    case Type::b1:
      return as.template operator()<1>([](u64 v) { return static_cast<double>(v & 1); });
    case Type::s32:
      return as.template operator()<32>([](u64 v) -> double { return static_cast<int32_t>(v); });
    case Type::f32:
      return as.template operator()<32>(
          [](u64 v) -> double { return std::bit_cast<float>(static_cast<u32>(v)); });
    default:
      return as.template operator()<64>([](u64 v) { return std::bit_cast<double>(v); });
  }
}

}  // namespace
}  // namespace ww::engine
