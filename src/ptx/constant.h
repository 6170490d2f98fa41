// Constants: number literals and constant expressions, and what they are as bits of a type.
#pragma once

#include <cstdint>
#include <optional>

#include "ptx/reader.h"

namespace ww::ptx {

struct Constant {
  enum class Kind : uint8_t { Signed, Unsigned, Float, Bits32, Bits64 };  ///< Bits…: written 0f… or 0d…
  Kind kind = Kind::Signed;
  uint64_t integer = 0;  ///< also the IEEE bits of Bits32 and Bits64
  double real = 0;       ///< value of the floating kinds

  bool is_integer() const { return kind <= Kind::Unsigned; }
  int64_t as_signed() const { return static_cast<int64_t>(integer); }
};

/// One number token; reports and returns nothing when it is not a number of PTX.
std::optional<Constant> read_number(Reader& in);
/// An expression with the operators of C (PTX ISA, "Constant Expressions").
std::optional<Constant> read_constant(Reader& in);
/// The same, reaching only over one literal or parentheses: for places where '<' and '>' are brackets.
std::optional<Constant> read_primary(Reader& in);
/// An integer not below 0 and at most `most`; `what` names it in messages.
std::optional<uint64_t> read_count(Reader& in, std::string_view what, uint64_t most);

/// The bits that an operand or variable of this type gets: integers cut to its width and sign-extended for
/// signed types, floating constants rounded to its format. Nothing if PTX does not convert this constant to
/// the type.
std::optional<uint64_t> bits_of(const Constant& constant, ir::Type type);

}  // namespace ww::ptx
