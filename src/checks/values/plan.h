// What each instruction of a program does with undefined bits: its rule, and where its operands lie.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/decode/program.h"

namespace ww::checks {

using u8 = uint8_t;
using u32 = uint32_t;
using u64 = uint64_t;

/// How the undefined bits of a result follow from those of the sources.
enum class Rule : u8 {
  Defined,  ///< the result is always defined
  Copy,     ///< bit by bit
  Any,      ///< one undefined bit makes all of the result undefined
  Halves,   ///< the same for each half of a pair
  Low24,    ///< Any, of the lowest 24 bits
  Smear,    ///< sums and products: from the lowest undefined bit up
  Lookup,   ///< a function of the bits at one place (and, or, xor, not, lop3), given as a table
  IsZero,   ///< cnot
  ShiftLeft,
  ShiftRight,
  FunnelLeft,
  FunnelRight,
  Extract,     ///< bfe
  Insert,      ///< bfi
  Permute,     ///< prmt without a mode
  Reverse,     ///< brev
  Convert,     ///< between integers
  JoinHalves,  ///< two values rounded into one pair
  Compare,     ///< of integers
  CompareAny,
  Select,
  SelectBySign,
  Pieces,  ///< mov with a brace list
  Branch,  ///< the guard or the index decides where to go
  Load,
  Store,
  Atomic,
  Shuffle,
  Vote,
  Ballot,
  Rows,          ///< ldmatrix, stmatrix
  Fragment,      ///< wmma.load, wmma.store
  Product,       ///< mma, wmma.mma, mma.sp
  GroupProduct,  ///< wgmma: its predicate (source[0]) says whether the old sums are read
  AcrossLanes,   ///< match, redux: any lane's undefined bit reaches all
  Texels,        ///< tex, tld4
  Transpose,     ///< movmatrix
};

/// A register, or a constant.
struct Value {
  enum class Kind : u8 { None, Register, Constant } kind = Kind::None;
  u8 stride = 0;  ///< bytes of one lane of the register; 0: a predicate
  u8 bytes = 0;   ///< of the operand's type
  bool negated = false;
  struct InFrame {
    u32 slot;
    u32 origin;  ///< where in the frame it stands where the value came from
  };
  union {
    u64 bits = 0;      ///< of a constant
    InFrame in_frame;  ///< of a register
  };
};

struct Matrices;

struct Plan {
  Rule rule = Rule::Defined;
  bool computes = false;      ///< its result is more than a copy
  bool sign = false;          ///< the sources are signed
  bool sign_result = false;   ///< the result is extended with its sign
  bool table_of_two = false;  ///< Lookup: has two sources
  u8 table = 0;               ///< Lookup: bit 4 a + 2 b + c is the result
  u8 source_bits = 32, result_bits = 32;
  isa::Mod mode = isa::Mod::none;   ///< comparison, kind of shuffle or vote, atomic operation
  isa::Mod logic = isa::Mod::none;  ///< what a comparison's result is combined with
  const engine::FunctionCode* code = nullptr;
  Value guard, result, second;     ///< second: the other predicate that it sets
  Value source[4];                 ///< of a shuffle with a mask, that is the last
  Value address;                   ///< of a memory access
  std::vector<Value> coordinates;  ///< of textures and surfaces; level of detail and steps among them
  std::vector<Value> list;         ///< elements that are loaded, stored, packed or unpacked; else: results
  std::shared_ptr<const Matrices> matrices;
  bool clamp = false;        ///< of shifts: larger amounts count as the width
  bool wide_list = false;    ///< Pieces: the list is the result
  bool transposed = false;   ///< Rows
  bool gathers = false;      ///< Texels: tld4
  bool numbers = false;      ///< Store: of sums and products, whose halves are no values of their own
  bool converts = false;     ///< Store: sust.p, whose channels are those of the array
  bool reads_carry = false;  ///< source[3] is the carry flag
  bool odd_width = false;    ///< of a shuffle: its width may be no power of two
  bool sets_carry = false;   ///< second is the carry flag
  bool subtracts = false;    ///< of these: a - b
};

/// What an instruction does with undefined bits, whatever its operands are.
Rule rule_of(const ir::Instruction& instruction);

/// By instruction.
std::vector<Plan> plans_of(const engine::Program& program);

}  // namespace ww::checks
