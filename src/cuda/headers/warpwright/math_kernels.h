// The mathematical functions of kernels in double precision, for compilers without a CUDA toolkit (math.h
// gives them CUDA's names). Series after the usual reductions of the argument; constants are those of the
// function in two or three parts, the first a double, each next what is left. Errors are measured by
// tests/source/mathematics.cu.
#pragma once

#include "warpwright/math/angles.h"
#include "warpwright/math/bessel.h"
#include "warpwright/math/errors.h"
#include "warpwright/math/exponential.h"
#include "warpwright/math/gamma.h"
#include "warpwright/math/hyperbolic.h"
#include "warpwright/math/parts.h"
#include "warpwright/math/roots.h"
#include "warpwright/math/single.h"
