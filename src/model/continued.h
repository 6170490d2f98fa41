// What a product's kernel does at a larger size, from what it did at smaller ones.
#pragma once

#include "model/activity.h"

namespace ww::model {

/// A launch at size n.
struct Sized {
  int64_t n = 0;
  Activity activity;
};

/// The launch of the same kernel at size `n`, in `blocks` blocks. It must have n × n results and loops of n
/// steps: what all its warps do together is then the number of blocks times a line in n, and two sizes give
/// that line (through zero where one block holds both of them, whose tile is larger than the matrices). It is
/// n² times a line where the blocks `stay` and take tile after tile, and where the grid did not grow with n²
/// from one size to the other, as some of its blocks were mostly empty. What is an answer of the caches is
/// taken from the larger run in proportion: the part of the sectors and rounds that go past a cache stays,
/// traffic of DRAM grows with n², as if L2 held all that is read again. `alone` and `overlap` are those of
/// the larger run.
Activity continued(const Sized& small, const Sized& medium, int64_t n, int64_t blocks, bool stay);

}  // namespace ww::model
