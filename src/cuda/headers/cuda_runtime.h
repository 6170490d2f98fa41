// CUDA's runtime for programs that clang compiles without a CUDA toolkit (`warpwright run FILE.cu`). All of
// it was written from the manuals; it is CUDA 12's interface as far as src/cuda implements it.
#pragma once

// Programs ask for these to see which headers there are.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 9

#if defined(__clang__) && defined(__CUDA__)
#include "warpwright/device.h"
#include "warpwright/dot_products.h"
#ifdef WARPWRIGHT_TEXTURE_REFERENCES
#include "warpwright/texture_references.h"
#endif
#define __CUDACC__
#else
#include "warpwright/runtime_calls.h"
#endif
