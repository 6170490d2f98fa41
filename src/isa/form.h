// A form: one row of the table of PTX operations, as the parser, the verifier and the engine see it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/type.h"

namespace ww::isa {

/// Every row of the table (chapters.h), by its identifier.
enum class Op : uint16_t {
#define WW_ROW(id) id,
#include "isa/rows.inc"
#undef WW_ROW
  count_,
};
inline constexpr int kOpCount = static_cast<int>(Op::count_);

/// All modifiers with a dot: the types first (same numbers as Type), then modifiers.inc.
enum class Mod : uint16_t {
  none,
#define WW_TYPE(name, bits, klass) type_##name,
  WW_TYPES(WW_TYPE)
#undef WW_TYPE
#define MOD(id, text) id,
#include "isa/modifiers.inc"
#undef MOD
      count_,
};
std::string_view name(Mod mod);     ///< Without the dot.
Mod mod_of(std::string_view text);  ///< Mod::none if there is no such modifier.
Type type_of(Mod mod);              ///< Type::none if it is not a type.
inline Mod mod_of(Type type) { return static_cast<Mod>(type); }

enum class Slot : uint8_t {
  literal,  ///< a modifier that stands for itself
#define SLOT(id, alternatives) id,
#include "isa/slots.inc"
#undef SLOT
  count_,
};

/// Which unit of the machine an operation is for; counters group by it.
enum class Pipe : uint8_t {
  Int,
  Fp32,
  Fp64,
  Half,
  Special,
  Convert,
  Move,
  Predicate,
  Memory,
  Atomic,
  Texture,
  Tensor,
  Warp,
  Sync,
  Control,
};
inline constexpr int kPipeCount = 15;
std::string_view name(Pipe pipe);

struct SlotSpec {
  Slot slot = Slot::literal;
  std::vector<Mod> allowed;
  bool optional = false;
};

enum class OperandKind : uint8_t {
  Value,      ///< a register, or for sources also a constant, a special register or an address
  Vector,     ///< a brace list of values, or one value where the form has no vector
  Memory,     ///< [address]
  Label,      ///< a branch target
  Immediate,  ///< an integer constant
  List,       ///< a brace list whose length the operation knows itself (matrix fragments)
  Object,  ///< [handle, coordinates] of a texture or surface: a list of the two, the coordinates a list again
  Name,    ///< the name of a module-level object (branch-target list, texture, function)
};

struct OperandSpec {
  std::string name;
  OperandKind kind = OperandKind::Value;
  Slot type_slot = Slot::type;  ///< the slot that holds its type (when fixed == none); literal: it has none
  Type fixed = Type::none;      ///< or its type, always the same
  bool twice = false;           ///< of twice the width of the slot's type
  bool wider = false;           ///< the register may be wider than the type (ld, st, cvt)
  bool dest = false;
  bool optional = false;
  bool negatable = false;  ///< a predicate that may be written with '!'
  bool selects = false;    ///< may name bytes or half-words of its register: a.b3210 (video instructions)
};

/// How a row is carried out.
enum class RowKind : uint8_t { Lane, Special, Missing };

struct Form {
  Op op{};
  std::string_view id;  ///< the row's identifier
  RowKind kind = RowKind::Lane;
  std::string mnemonic;       ///< up to the first dot
  std::string_view notation;  ///< as in the manual
  Pipe pipe{};
  std::string_view chapter;
  std::vector<SlotSpec> slots;
  std::vector<OperandSpec> operands;
};

/// One row.
const Form& form(Op op);
/// All rows, in the order of the chapters.
std::span<const Form> forms();
/// The rows whose mnemonic this is, in order of preference; empty if PTX has no such instruction.
std::span<const Op> forms_of(std::string_view mnemonic);
/// All mnemonics, for suggestions.
std::vector<std::string> mnemonics();

/// The modifiers that an instruction chose, one for each slot of its form (none where an optional one is
/// absent).
using Chosen = std::vector<Mod>;

/// Matches the dotted modifiers of an instruction against a form, in order. On failure returns false and, if
/// `matched` is given, how many modifiers fitted before the first that did not.
bool match(const Form& form, std::span<const Mod> modifiers, Chosen& chosen, int* matched = nullptr);

/// The chosen modifier of a slot; none if the form has no such slot or it was left out.
Mod chosen(const Form& form, const Chosen& chosen, Slot slot);
/// Whether a modifier that stands for itself was written.
bool has(const Form& form, const Chosen& chosen, Mod literal);
/// The type of an operand under the chosen modifiers.
Type operand_type(const Form& form, const Chosen& chosen, const OperandSpec& operand);

}  // namespace ww::isa
