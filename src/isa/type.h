// The types of PTX (PTX ISA, "Types") and what is known of each.
#pragma once

#include <cstdint>
#include <string_view>

namespace ww::isa {

enum class TypeClass : uint8_t { None, Pred, Bits, Unsigned, Signed, Float };

// name, bits, class. Packed types count as Float/Unsigned/Signed of their whole width.
// clang-format off
#define WW_TYPES(X)                                                                                         \
  X(pred, 1, Pred)                                                                                          \
  X(b8, 8, Bits) X(b16, 16, Bits) X(b32, 32, Bits) X(b64, 64, Bits) X(b128, 128, Bits)                      \
  X(u8, 8, Unsigned) X(u16, 16, Unsigned) X(u32, 32, Unsigned) X(u64, 64, Unsigned)                         \
  X(s8, 8, Signed) X(s16, 16, Signed) X(s32, 32, Signed) X(s64, 64, Signed)                                 \
  X(f16, 16, Float) X(bf16, 16, Float) X(f32, 32, Float) X(f64, 64, Float) X(tf32, 32, Float)               \
  X(u16x2, 32, Unsigned) X(s16x2, 32, Signed) X(f16x2, 32, Float) X(bf16x2, 32, Float) X(f32x2, 64, Float)  \
  X(e4m3, 8, Float) X(e5m2, 8, Float) X(e4m3x2, 16, Float) X(e5m2x2, 16, Float)                             \
  X(e2m1x2, 8, Bits) X(e2m3x2, 16, Bits) X(e3m2x2, 16, Bits) X(ue8m0x2, 16, Bits)                           \
  X(u4, 4, Unsigned) X(s4, 4, Signed) X(b1, 1, Bits)                                                        \
  X(texref, 64, Bits) X(samplerref, 64, Bits) X(surfref, 64, Bits)
// clang-format on

enum class Type : uint8_t {
  none,
#define WW_TYPE(name, bits, klass) name,
  WW_TYPES(WW_TYPE)
#undef WW_TYPE
};

/// Width in bits; 0 for none.
int bits(Type type);
TypeClass type_class(Type type);
std::string_view name(Type type);

/// Bytes one value takes in memory (predicates and sub-byte types: 1).
inline int bytes(Type type) { return (bits(type) + 7) / 8; }
inline bool is_float(Type type) { return type_class(type) == TypeClass::Float; }
inline bool is_signed(Type type) { return type_class(type) == TypeClass::Signed; }

/// The type of twice the width and the same class (u16 → u32, s32 → s64, f32 → f64); none if there is none.
Type twice(Type type);

}  // namespace ww::isa
