// What every call of cuSOLVER's sparse part does before its body.
#pragma once

#include "cuda/solver/sparse_matrix.h"

WW_LIBRARY_API ww::solver::Status cusolverDnCreate(ww::solver::Handle** handle);
WW_LIBRARY_API ww::solver::Status cusolverDnDestroy(ww::solver::Handle* handle);
WW_LIBRARY_API ww::solver::Status cusolverDnSetStream(ww::solver::Handle* handle, void* stream);
WW_LIBRARY_API ww::solver::Status cusolverDnGetStream(ww::solver::Handle* handle, void** stream);

namespace ww::solver {

/// Success where the matrix may be read.
Status taken(Handle* h, int rows, int columns, int count, const Description* d, const int* offsets,
             const int* inner);

/// `reorder` 1: reverse Cuthill–McKee; 2 and 3: minimum degree.
std::vector<int> order_of(int reorder, const Pattern& a);

}  // namespace ww::solver
