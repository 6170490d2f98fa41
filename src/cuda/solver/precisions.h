// The pairs of precisions that cuSOLVER has functions for. The second letter is the one that it factors in,
// to refine the result afterwards; ours is computed in the first.
#pragma once

// clang-format off
#define WW_PRECISIONS(X) \
  X(SS, float) X(SH, float) X(SB, float) X(SX, float) \
  X(DD, double) X(DS, double) X(DH, double) X(DB, double) X(DX, double) \
  X(CC, std::complex<float>) X(CK, std::complex<float>) X(CE, std::complex<float>) X(CY, std::complex<float>) \
  X(ZZ, std::complex<double>) X(ZC, std::complex<double>) X(ZK, std::complex<double>) \
  X(ZE, std::complex<double>) X(ZY, std::complex<double>)
// clang-format on
