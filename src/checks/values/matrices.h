// Undefined bits of matrices that the lanes of a warp hold together.
#pragma once

#include <bitset>

#include "checks/values/rules.h"
#include "engine/matrix/fragment.h"

namespace ww::checks {

/// Where a matrix instruction's elements lie in the lanes' registers, and how its operands lie in memory.
struct Matrices {
  engine::Fragments of;                       ///< of products
  std::vector<Value> factors[3];              ///< these: a, b, and c, which is added; those in registers
  engine::Fragment moved;                     ///< of wmma.load and wmma.store
  bool by_columns = false;                    ///< these: a line in memory is a column
  Value stride;                               ///< these: elements from line to line; None: without gaps
  u64 offset = 0;                             ///< these: added to the address
  Value a, b;                                 ///< descriptors of wgmma
  Value metadata;                             ///< of mma.sp
  bool a_by_rows = false, b_by_rows = false;  ///< of wgmma: as its .imm-trans says
  int lines() const;                          ///< of the moved matrix in memory
  int line_elements() const;
};

/// Rows of A and columns of B that hold an undefined element; of mma.m8n8k4.f16 those of four products, one
/// behind the other.
struct UndefinedLines {
  static constexpr size_t kMost = 256;
  std::bitset<kMost> rows, columns;
  u32 origin = 0;
};

/// Carries the undefined bits of rows of 16 bytes into the registers of ldmatrix; whether there are any.
bool carry_rows(const Plan& plan, const Frame& frame, const u8 (*rows)[16]);
/// The same back, for stmatrix; returns where the first came from (0: all are defined).
u32 carry_to_rows(const Plan& plan, const Frame& frame, u8 (*rows)[16]);

/// Adds what is undefined in the factors that lie in registers.
void see_factors(const Plan& plan, const Frame& frame, UndefinedLines& lines);
/// An element of the result is undefined if its row of A or its column of B holds an undefined element, or
/// what is added to it is undefined (`adds`: something is). Whether there are any.
bool carry_product(const Plan& plan, const Frame& frame, const UndefinedLines& lines, bool adds);

constexpr u32 kMostLines = 32, kLineBytes = 128;  // of a matrix of wmma
using MatrixLines = u8[kMostLines][kLineBytes];
/// The undefined bits of a matrix in memory into the registers of its fragment (wmma.load), and back
/// (wmma.store): returns where the first came from; 0: all are defined.
void carry_from_lines(const Plan& plan, const Frame& frame, const MatrixLines& lines);

u32 carry_to_lines(const Plan& plan, const Frame& frame, MatrixLines& lines);

}  // namespace ww::checks
