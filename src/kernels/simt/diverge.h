// Work that comes in `ways` variants: each thread goes one way, and the ways differ in their multiplier.
#pragma once

// A chain of multiply-adds: x = x·a + 1, this many times.
#define WW_DIVERGE_ROUNDS 32

// Every thread does the chain once. Lanes of a warp that go different ways do it one way after another.
__device__ inline float diverge(float x, int way, int ways) {
#pragma unroll 1
  for (int w = 0; w < ways; ++w) {
    if (way == w) {
      const float a = 0.5f + static_cast<float>(w) / 64.0f;
#pragma unroll
      for (int i = 0; i < WW_DIVERGE_ROUNDS; ++i) x = x * a + 1.0f;
    }
  }
  return x;
}
