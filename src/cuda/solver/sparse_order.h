// Orders in which a sparse matrix is factored, so that few zeros become numbers.
#pragma once

#include "cuda/solver/sparse_matrix.h"

namespace ww::solver {

/// Reverse Cuthill–McKee: a narrow band. Of A + Aᵀ; p[i] is the row of A that comes at place i.
std::vector<int> cuthill_mckee(const Pattern& a);
/// Minimum degree with approximate degrees, by quotient graph (Amestoy, Davis and Duff 1996, without
/// supervariables). Of A + Aᵀ.
std::vector<int> minimum_degree(const Pattern& a);

}  // namespace ww::solver
