// Reductions of a warp, by hand: lanes 0 to 15 and 16 to 31 hold 3 * lane - 40, each half for itself.
// expect: halves -280 488, smallest -40 8, largest 5 53
// expect: unsigned 496, smallest 7, largest 4294967295
// expect: and 0 8, or 7 31, xor 480
// expect: odd lanes 256
#include <cstdio>

__global__ void halves(int* out) {
  const unsigned mask = threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u;
  const int value = 3 * (int)threadIdx.x - 40, half = threadIdx.x / 16;
  const int sum = __reduce_add_sync(mask, value), least = __reduce_min_sync(mask, value);
  const int most = __reduce_max_sync(mask, value);
  out[half] = sum, out[2 + half] = least, out[4 + half] = most;
}

__global__ void bits(unsigned* out) {
  const unsigned lane = threadIdx.x;
  out[0] = __reduce_add_sync(~0u, lane);
  out[1] = __reduce_min_sync(~0u, lane + 7);
  out[2] = __reduce_max_sync(~0u, lane ? lane : ~0u);
  out[3] = __reduce_and_sync(~0u, lane);
  out[4] = __reduce_and_sync(~0u, lane | 8);
  out[5] = __reduce_or_sync(~0u, lane & 7);
  out[6] = __reduce_or_sync(~0u, lane);
  out[7] = __reduce_xor_sync(~0u, 1u << (lane % 9));
  if (lane % 2) out[8] = __reduce_add_sync(0xaaaaaaaau, lane);
}

int main() {
  int* s;
  unsigned* u;
  cudaMallocManaged(&s, 6 * sizeof *s);
  cudaMallocManaged(&u, 9 * sizeof *u);
  halves<<<1, 32>>>(s);
  bits<<<1, 32>>>(u);
  cudaDeviceSynchronize();
  printf("halves %d %d, smallest %d %d, largest %d %d\n", s[0], s[1], s[2], s[3], s[4], s[5]);
  printf("unsigned %u, smallest %u, largest %u\n", u[0], u[1], u[2]);
  printf("and %u %u, or %u %u, xor %u\n", u[3], u[4], u[5], u[6], u[7]);
  printf("odd lanes %u\n", u[8]);
}
