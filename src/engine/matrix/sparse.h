// A of mma.sp: half of its elements are stored, and metadata says where in the whole matrix they stand.
#pragma once

#include "engine/matrix/fragment.h"

namespace ww::engine {

/// PTX ISA, "Sparse matrix storage": of each chunk of elements of a row half are stored, and four bits of
/// metadata say which. Which lane holds the four bits of which chunk the manual shows in figures; an H200
/// agrees (data/measured/h200-ptx, bench/probes/ptx/sparse_metadata.cu).
struct Sparsity {
  int chunk = 4;        ///< elements of A that share four bits
  int together = 1;     ///< neighbours that are stored or not as one: pairs of 4-bit integers
  bool narrow = false;  ///< elements of 8 and 4 bits: a lane's metadata belongs to one row, else to two
  int lanes = 1;        ///< of four neighbouring lanes, how many hold metadata
  int first = 0;        ///< the first of them
  u32 metadata = 0;     ///< slot, 32 bits
};

/// What mma.sp of these types and this k has; chunk 0: there is no such shape.
Sparsity sparsity_of(isa::Type type, int k);

/// Spreads the stored elements (16 x k/2) over `whole` (16 x k), zeros elsewhere. Where metadata names one
/// place twice, which the manual calls undefined, the later element stays.
void spread(Warp& w, const Sparsity& sparsity, int k, const double* stored, double* whole);

}  // namespace ww::engine
