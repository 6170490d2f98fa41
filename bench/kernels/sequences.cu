// Sequences of words and letters: kernels that nothing was tuned on when they were added (2026-11-24).

// Each block of 256 sorts its keys by their lowest four bits, bit by bit (a pass of a radix sort).
extern "C" __global__ void radix(const unsigned* in, unsigned* out) {
  __shared__ unsigned key[256];
  __shared__ int zeros[256];
  int t = threadIdx.x;
  unsigned mine = in[blockIdx.x * 256 + t];
  for (int bit = 0; bit < 4; ++bit) {
    int zero = 1 - ((mine >> bit) & 1);
    zeros[t] = zero;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
      int before = t >= step ? zeros[t - step] : 0;
      __syncthreads();
      zeros[t] += before;
      __syncthreads();
    }
    int to = zero ? zeros[t] - 1 : zeros[255] + t - zeros[t];
    key[to] = mine;
    __syncthreads();
    mine = key[t];
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = mine;
}

// Prefix sums of blocks of 256: within warps by shuffles, then over the warps.
extern "C" __global__ void warp_scan(const int* in, int* out, int n) {
  __shared__ int of_warp[8];
  int t = threadIdx.x, i = blockIdx.x * 256 + t, lane = t % 32, v = i < n ? in[i] : 0;
  for (int step = 1; step < 32; step *= 2) {
    int before = __shfl_up_sync(0xffffffff, v, step);
    if (lane >= step) v += before;
  }
  if (lane == 31) of_warp[t / 32] = v;
  __syncthreads();
  for (int w = 0; w < t / 32; ++w) v += of_warp[w];
  if (i < n) out[i] = v;
}

// Where a text holds a word of eight letters.
extern "C" __global__ void find_word(const char* text, const char* word, int* found, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 8) return;
  int k = 0;
  while (k < 8 && text[i + k] == word[k]) ++k;
  found[i] = k == 8;
}

// 64 rounds of a hash of four words.
extern "C" __global__ void hash(const uint4* in, uint4* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 m = in[i];
  unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
  for (int k = 0; k < 64; k += 4) {
    unsigned f = ((b & c) | (~b & d)) + a + m.x + k;
    a = b + ((f << 7) | (f >> 25));
    f = ((a & b) | (~a & c)) + d + m.y + k;
    d = a + ((f << 12) | (f >> 20));
    f = ((d & a) | (~d & b)) + c + m.z + k;
    c = d + ((f << 17) | (f >> 15));
    f = ((c & d) | (~c & a)) + b + m.w + k;
    b = c + ((f << 22) | (f >> 10));
  }
  out[i] = make_uint4(a, b, c, d);
}

// How far two words of 24 letters are from each other (Levenshtein): each thread a pair, its row in local memory.
extern "C" __global__ void edits(const unsigned char* a, const unsigned char* b, int* distance) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, row[25];
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
