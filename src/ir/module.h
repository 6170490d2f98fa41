// The intermediate form: a PTX module as functions of blocks of instructions, each a row of isa/ with its
// operands. It says what the program means; it knows nothing of how it is run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "isa/form.h"

namespace ww::ir {

using isa::Mod;
using isa::Op;
using isa::Slot;
using isa::Type;

using RegId = uint32_t;     ///< index into Function::registers
using BlockId = uint32_t;   ///< index into Function::blocks
using SymbolId = uint32_t;  ///< index into Module::symbols
inline constexpr uint32_t kNone = ~0u;

/// A place in the program text: the PTX line, and the CUDA source line that `.loc` gave it.
struct Place {
  int ptx_line = 0, ptx_column = 0;
  int file = -1;  ///< index into Module::files; -1 when there is no .loc
  int line = 0;
  /// Where the code was inlined: index into Function::inlined_at, or -1.
  int inlined_at = -1;
};

struct Register {
  std::string name;
  Type type = Type::none;
};

/// The special registers of the PTX manual, by name without '%' ("tid.x", "laneid", "clock64", …).
struct SpecialRegister {
  std::string name;
  Type type = Type::u32;
  bool implemented = true;  ///< else the parser refuses it by name
};
/// All special registers known; those that need what the engine has not yet are refused by the parser by
/// name.
const std::vector<SpecialRegister>& special_registers();

/// The parts of a register that an operand names: .b0, .h1, .b3210, in the order written.
struct Selector {
  uint8_t count = 0;    ///< 0: none is named
  bool halves = false;  ///< half-words, else bytes
  uint8_t part[4] = {};
};

struct Operand {
  enum class Kind : uint8_t {
    None,       ///< an optional operand left out, or the sink '_'
    Register,   ///< reg (negated: written with '!')
    Immediate,  ///< bits, as the operand's type wants them (f32 constants as IEEE bits, sign-extended
                ///< integers)
    Special,    ///< special register: index into special_registers()
    Address,    ///< the address of a symbol (a variable or a function) plus offset
    Memory,  ///< [base register + offset], or [symbol + offset] (reg == kNone), or [offset] alone (symbol ==
             ///< kNone too)
    Vector,  ///< elements
    Label,   ///< block
  };
  Kind kind = Kind::None;
  bool negated = false;
  RegId reg = kNone;
  SymbolId symbol = kNone;
  BlockId block = kNone;
  uint32_t special = 0;
  int64_t offset = 0;
  uint64_t bits = 0;
  Selector selector;  ///< of a register in a video instruction
  std::vector<Operand> elements;
};

/// What a call instruction calls, and with what.
struct Call {
  SymbolId target = kNone;        ///< a function, or kNone for an indirect call
  RegId target_register = kNone;  ///< indirect: the register with the function's address
  std::vector<Operand>
      results;  ///< one for each result of the callee: .param variables (Address) or registers
  std::vector<Operand> arguments;
  std::vector<SymbolId> possible;  ///< indirect: .calltargets, if given
};

struct Instruction {
  Op op{};
  isa::Chosen chosen;             ///< one modifier for each slot of the form
  RegId guard = kNone;            ///< @p
  bool guard_negated = false;     ///< @!p
  std::vector<Operand> operands;  ///< one for each operand of the form
  Place place;
  std::vector<BlockId> targets;  ///< brx.idx: the branch targets in order
  int call = -1;                 ///< call: index into Function::calls

  const isa::Form& form() const { return isa::form(op); }
  Mod mod(Slot slot) const { return isa::chosen(form(), chosen, slot); }
  bool has(Mod literal) const { return isa::has(form(), chosen, literal); }
  Type type(Slot slot = Slot::type) const { return isa::type_of(mod(slot)); }
  Type operand_type(size_t i) const { return isa::operand_type(form(), chosen, form().operands[i]); }
};

/// Straight-line code. Only its last instruction may leave it (bra, brx, ret, exit, trap); after a guarded
/// one, or none, control falls through to the next block in order.
struct Block {
  std::string label;  ///< "" if it has none
  std::vector<Instruction> instructions;
};

enum class Space : uint8_t { None, Reg, Global, Const, Shared, Local, Param };

enum class Linkage : uint8_t { Internal, Visible, Weak, Extern, Common };

/// A pointer to another symbol inside an initialiser.
struct Relocation {
  uint64_t offset = 0;  ///< in bytes from the start of the variable
  int bytes = 8;
  SymbolId symbol = kNone;
  int64_t addend = 0;
  bool generic = false;  ///< written generic(x): the generic address is wanted
};

struct Variable {
  Space space = Space::None;
  Type type = Type::b8;  ///< element type
  uint64_t bytes = 0;    ///< of the whole variable; 0 for extern arrays without a size
  uint32_t alignment = 1;
  bool managed = false;          ///< .attribute(.managed): the host may use it, too
  std::vector<uint8_t> initial;  ///< empty: zeros (global, const)
  std::vector<Relocation> relocations;
  int owner = -1;  ///< index of the function it is declared in; -1 at module scope
};

struct Param {
  SymbolId symbol = kNone;  ///< its Variable (space Param), or kNone for a register parameter
  RegId reg = kNone;        ///< a .reg parameter or result (PTX before 2.0 style)
};

struct Function {
  SymbolId symbol = kNone;
  bool entry = false;
  bool defined = false;  ///< has a body
  bool noreturn = false;
  /// Why it cannot run: instructions that are not known or not implemented. Its body is then an empty one.
  Diagnostics refused;
  std::vector<Param> results, params;
  std::vector<Register> registers;
  std::vector<SymbolId> variables;  ///< declared in its body (any space)
  std::vector<Block> blocks;
  std::vector<Call> calls;
  std::vector<Place> inlined_at;
  uint32_t max_threads[3] = {0, 0, 0};       ///< .maxntid; 0: not given
  uint32_t required_threads[3] = {0, 0, 0};  ///< .reqntid
  uint32_t min_blocks = 0;                   ///< .minnctapersm
  uint32_t max_registers = 0;                ///< .maxnreg
  uint32_t cluster[3] = {0, 0, 0};           ///< .reqnctapercluster; 0: not given
  uint32_t max_cluster = 0;                  ///< .maxclusterrank; 0: not given
  Place place;
};

/// A named object of the module: a variable or a function.
struct Symbol {
  std::string name;
  Linkage linkage = Linkage::Internal;
  int variable = -1;  ///< index into Module::variables
  int function = -1;  ///< index into Module::functions
  Place place;
};

struct Module {
  std::string name;  ///< file name for diagnostics
  int version_major = 0, version_minor = 0;
  std::string target;  ///< "sm_75"
  bool debug = false;  ///< .target …, debug: ptxas compiles it without optimisation
  int address_bits = 64;
  std::map<int, std::string> files;  ///< .file
  std::vector<Symbol> symbols;
  std::vector<Variable> variables;
  std::vector<Function> functions;

  const Function* find_function(const std::string& name) const;
  const Variable& variable(SymbolId id) const { return variables[symbols[id].variable]; }
  const Function& function(SymbolId id) const { return functions[symbols[id].function]; }
  bool is_function(SymbolId id) const { return symbols[id].function >= 0; }
};

/// Which space a memory instruction names; None for generic addressing.
Space space_of(const Instruction& instruction);
Space space_of(Mod mod);

/// "file.cu:12" when known, else "file.ptx:34".
Location location(const Module& module, const Place& place);

}  // namespace ww::ir
