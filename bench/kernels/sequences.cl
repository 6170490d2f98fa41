// Sequences of words and letters: kernels that nothing was tuned on when they were added (2026-11-24).

// Each block of 256 sorts its keys by their lowest four bits, bit by bit (a pass of a radix sort).
__kernel void radix(__global const uint* in, __global uint* out) {
  __local uint key[256];
  __local int zeros[256];
  int t = get_local_id(0);
  uint mine = in[get_group_id(0) * 256 + t];
  for (int bit = 0; bit < 4; ++bit) {
    int zero = 1 - ((mine >> bit) & 1);
    zeros[t] = zero;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < 256; step *= 2) {
      int before = t >= step ? zeros[t - step] : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      zeros[t] += before;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    int to = zero ? zeros[t] - 1 : zeros[255] + t - zeros[t];
    key[to] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    mine = key[t];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_group_id(0) * 256 + t] = mine;
}

// Prefix sums of blocks of 256: within 32 work items, then over those groups; without shuffles in local memory.
__kernel void warp_scan(__global const int* in, __global int* out, int n) {
  __local int of_warp[8], part[256];
  int t = get_local_id(0), i = get_global_id(0), lane = t % 32, v = i < n ? in[i] : 0;
  for (int step = 1; step < 32; step *= 2) {
    part[t] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane >= step) v += part[t - step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 31) of_warp[t / 32] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int w = 0; w < t / 32; ++w) v += of_warp[w];
  if (i < n) out[i] = v;
}

// Where a text holds a word of eight letters.
__kernel void find_word(__global const char* text, __global const char* word, __global int* found, int n) {
  int i = get_global_id(0);
  if (i >= n - 8) return;
  int k = 0;
  while (k < 8 && text[i + k] == word[k]) ++k;
  found[i] = k == 8;
}

// 64 rounds of a hash of four words.
__kernel void hash(__global const uint4* in, __global uint4* out) {
  int i = get_global_id(0);
  uint4 m = in[i];
  uint a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
  for (int k = 0; k < 64; k += 4) {
    uint f = ((b & c) | (~b & d)) + a + m.x + k;
    a = b + ((f << 7) | (f >> 25));
    f = ((a & b) | (~a & c)) + d + m.y + k;
    d = a + ((f << 12) | (f >> 20));
    f = ((d & a) | (~d & b)) + c + m.z + k;
    c = d + ((f << 17) | (f >> 15));
    f = ((c & d) | (~c & a)) + b + m.w + k;
    b = c + ((f << 22) | (f >> 10));
  }
  out[i] = (uint4)(a, b, c, d);
}

// How far two words of 24 letters are from each other (Levenshtein): each work item a pair, its row in private memory.
__kernel void edits(__global const uchar* a, __global const uchar* b, __global int* distance) {
  int i = get_global_id(0), row[25];
  for (int k = 0; k <= 24; ++k) row[k] = k;
  for (int y = 0; y < 24; ++y) {
    int corner = row[0], letter = b[i * 24 + y];
    row[0] = y + 1;
    for (int x = 0; x < 24; ++x) {
      int v = min(min(row[x], row[x + 1]) + 1, corner + (a[i * 24 + x] != letter));
      corner = row[x + 1];
      row[x + 1] = v;
    }
  }
  distance[i] = row[24];
}
