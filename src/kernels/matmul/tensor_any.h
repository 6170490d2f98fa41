// Products on tensor cores in one launch, of matrices that lie anyhow (`mma`, GPUs from cc 8.0): threads read
// element by element, split what is float32, and put pairs along k into shared memory. For products that take
// less time than the launches that would lay their operands and place their results.
//
// bf16 elements have one part, float32 ones three bf16 parts, of which six products are taken (thirds.h).
#pragma once

#include "kernels/matmul/halves.h"

/// Elements from a row to the next, and from a column to the next: one of them is 1.
struct AnySteps {
  long long row, column;
};

__device__ __forceinline__ float float_of_bits(unsigned bits) {
  float v;
  asm("mov.b32 %0, %1;" : "=f"(v) : "r"(bits));
  return v;
}

/// ROWS × COLUMNS results of a block of 256 threads, in steps of DEPTH along k.
template <class IN, class OUT, int ROWS, int COLUMNS, int DEPTH>
struct AnyTile {
  using In = IN;
  using Out = OUT;
  static constexpr int kRows = ROWS, kColumns = COLUMNS, kDepth = DEPTH;
  static constexpr int kParts = sizeof(IN) == 4 ? 3 : 1;
  static constexpr int kAcross = ROWS >= 128 ? 2 : 4, kDown = 8 / kAcross;  ///< warps
  static constexpr int kWarpRows = ROWS / kDown, kWarpColumns = COLUMNS / kAcross;
  static constexpr int kM = kWarpRows / 16, kN = kWarpColumns / 8;  ///< products of 16 × 8 of a warp
  /// Words from a line (a row of A, a column of B) to the next in shared memory, a pair along k each: eight
  /// lines' fours lie in all banks.
  static constexpr int kPitch = DEPTH / 2 + 4;
  static constexpr int kPart = (ROWS + COLUMNS) * kPitch, kStage = kParts * kPart;
  static constexpr int kResultPitch = COLUMNS + 8;
};

/// Bits of an element, or of two in an aligned word; 0 where it is not `inside`, without a branch: all loads
/// of a step are under way together.
template <class WORD>
__device__ __forceinline__ unsigned load_bits(const void* from, bool inside);
template <>
__device__ __forceinline__ unsigned load_bits<unsigned>(const void* from, bool inside) {
  unsigned bits;
  asm volatile("{ .reg .pred p;\n setp.ne.u32 p, %2, 0;\n mov.u32 %0, 0;\n @p ld.global.u32 %0, [%1]; }"
               : "=r"(bits)
               : "l"(from), "r"(static_cast<unsigned>(inside))
               : "memory");
  return bits;
}
template <>
__device__ __forceinline__ unsigned load_bits<unsigned short>(const void* from, bool inside) {
  unsigned bits;
  asm volatile("{ .reg .pred p;\n setp.ne.u32 p, %2, 0;\n mov.u32 %0, 0;\n @p ld.global.u16 %0, [%1]; }"
               : "=r"(bits)
               : "l"(from), "r"(static_cast<unsigned>(inside))
               : "memory");
  return bits;
}
template <>
__device__ __forceinline__ unsigned load_bits<float>(const void* from, bool inside) {
  return load_bits<unsigned>(from, inside);
}

/// Lines of one operand on their way to shared memory: this thread's pairs of elements along k. What is
/// beyond the operand is 0.
template <class T, int LINES>
struct AnyLines {
  using In = typename T::In;
  static constexpr int kSets = T::kDepth / 32, kEach = LINES / 16, kPairs = kSets * kEach;
  const In* from;  ///< what the thread reads next
  long long line_step, k_step;
  int lines, k;  ///< that are left from there on
  int to;        ///< its place in a stage
  bool paired;   ///< pairs lie in aligned words
  unsigned first[kPairs], second[kPairs];

  /// `line0`: of the operand's `count`; `place`: of its lines in a stage, words.
  __device__ __forceinline__ AnyLines(const In* data, long long line_step_, long long k_step_, int line0,
                                      int count, int k_, int place)
      : line_step(line_step_), k_step(k_step_) {
    const int t = threadIdx.x;
    // Neighbouring threads read what lies side by side.
    const int pair = k_step == 1 ? t % 16 : t / 16, line = k_step == 1 ? t / 16 : t % 16;
    from = data + (line0 + line) * line_step + 2 * pair * k_step;
    lines = count - line0 - line, k = k_ - 2 * pair;
    to = place + line * T::kPitch + pair;
    paired = sizeof(In) == 2 && k_step == 1 && line_step % 2 == 0 && k_ % 2 == 0 &&
             reinterpret_cast<size_t>(data) % 4 == 0;
  }
  __device__ __forceinline__ void load() {
#pragma unroll
    for (int set = 0; set < kSets; ++set) {
      const In* at = from + 32 * set * k_step;
      const int has = k > 32 * set ? lines : 0, has_second = k > 32 * set + 1 ? lines : 0;
#pragma unroll
      for (int i = 0; i < kEach; ++i, at += 16 * line_step) {
        const int n = set * kEach + i;
        if (paired) {
          first[n] = load_bits<unsigned>(at, has > 16 * i);
          second[n] = 0;
        } else {
          first[n] = load_bits<In>(at, has > 16 * i);
          second[n] = load_bits<In>(at + k_step, has_second > 16 * i);
        }
      }
    }
    from += T::kDepth * k_step, k -= T::kDepth;
  }
  /// What was loaded last.
  __device__ __forceinline__ void put(unsigned* stage) const {
#pragma unroll
    for (int n = 0; n < kPairs; ++n) {
      unsigned* const at = stage + to + n % kEach * 16 * T::kPitch + n / kEach * 16;
      if constexpr (T::kParts == 1) {
        *at = first[n] | second[n] << 16;
      } else {
        float a = float_of_bits(first[n]), b = float_of_bits(second[n]);
#pragma unroll
        for (int part = 0; part < T::kParts; ++part) at[part * T::kPart] = take_part<Bf16>(a, b);
      }
    }
  }
};

/// Four matrices of 8 × 8 elements, whose rows lie at the lanes' addresses.
__device__ __forceinline__ void load_matrices(unsigned (&to)[4], const unsigned* from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(from))
               : "memory");
}
/// 16 × 8 sums += 16 × 16 elements of A · 16 × 8 of B.
__device__ __forceinline__ void add_product(float (&sum)[4], const unsigned (&a)[4], unsigned b0,
                                            unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// A warp's sums of a tile.
template <class T>
using AnySums = float[T::kM][T::kN][4];

/// A warp's elements of 16 k of a step, of one part of A and of B.
template <class T>
struct AnyOperands {
  unsigned a[T::kM][4], b[T::kN / 2][4];

  /// From the warp's first lines in a stage.
  __device__ __forceinline__ void load_a(const unsigned* from, int part, int k) {
    const int lane = threadIdx.x % 32;
    from += part * T::kPart + lane % 16 * T::kPitch + lane / 16 * 4 + k / 2;
#pragma unroll
    for (int i = 0; i < T::kM; ++i) load_matrices(a[i], from + 16 * i * T::kPitch);
  }
  __device__ __forceinline__ void load_b(const unsigned* from, int part, int k) {
    const int lane = threadIdx.x % 32;
    from += part * T::kPart + (lane % 8 + lane / 16 * 8) * T::kPitch + lane / 8 % 2 * 4 + k / 2;
#pragma unroll
    for (int j = 0; j < T::kN / 2; ++j) load_matrices(b[j], from + 16 * j * T::kPitch);
  }
};
template <class T>
__device__ __forceinline__ void add_products(AnySums<T>& sums, const unsigned (&a)[T::kM][4],
                                             const unsigned (&b)[T::kN / 2][4]) {
#pragma unroll
  for (int i = 0; i < T::kM; ++i)
#pragma unroll
    for (int j = 0; j < T::kN; ++j)
      add_product(sums[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
}

/// With three parts: the small products first, so that the large ones do not cut them off; then this step's
/// sums are added to those of all, to nearest.
template <class T>
__device__ __forceinline__ void multiply_step(AnySums<T>& sums, const unsigned* of_a, const unsigned* of_b) {
  AnyOperands<T> parts[T::kParts];
  if constexpr (T::kParts == 1) {
#pragma unroll
    for (int k = 0; k < T::kDepth; k += 16) {
      parts[0].load_a(of_a, 0, k), parts[0].load_b(of_b, 0, k);
      add_products<T>(sums, parts[0].a, parts[0].b);
    }
  } else {
    AnySums<T> step = {};
#pragma unroll
    for (int k = 0; k < T::kDepth; k += 16) {
#pragma unroll
      for (int part = 0; part < T::kParts; ++part)
        parts[part].load_a(of_a, part, k), parts[part].load_b(of_b, part, k);
#pragma unroll
      for (int a = 2; a >= 0; --a) add_products<T>(step, parts[a].a, parts[2 - a].b);
#pragma unroll
      for (int a = 1; a >= 0; --a) add_products<T>(step, parts[a].a, parts[1 - a].b);
    }
#pragma unroll
    for (int k = 0; k < T::kDepth; k += 16) {
      parts[0].load_a(of_a, 0, k), parts[0].load_b(of_b, 0, k);
      add_products<T>(step, parts[0].a, parts[0].b);
    }
#pragma unroll
    for (int i = 0; i < T::kM; ++i)
#pragma unroll
      for (int j = 0; j < T::kN; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) sums[i][j][e] += step[i][j][e];
  }
}

__device__ __forceinline__ void put_result(float* to, float v) { *to = v; }
__device__ __forceinline__ void put_result(unsigned short* to, float v) {
  *to = static_cast<unsigned short>(pack_bf16(v, 0) & 0xffff);
}

/// C = A·B, C by rows. A: m × k, B: k × n. A block for each tile, 256 threads, two stages of dynamic shared
/// memory or a tile's results, whichever is larger. Further blocks of the grid's y have the next `piece` of k
/// each, and their results lie behind one another.
template <class T>
__device__ __forceinline__ void multiply_any(const typename T::In* a, AnySteps of_a, const typename T::In* b,
                                             AnySteps of_b, typename T::Out* c, long long stride, int m,
                                             int n, int k, int piece) {
  extern __shared__ __align__(16) unsigned any_words[];
  const int first = blockIdx.y * piece;
  a += first * of_a.column, b += first * of_b.row, c += blockIdx.y * m * stride, k = min(k - first, piece);
  const int across = (n + T::kColumns - 1) / T::kColumns;
  const int row0 = blockIdx.x / across * T::kRows, column0 = blockIdx.x % across * T::kColumns;
  AnyLines<T, T::kRows> rows(a, of_a.row, of_a.column, row0, m, k, 0);
  AnyLines<T, T::kColumns> columns(b, of_b.column, of_b.row, column0, n, k, T::kRows * T::kPitch);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int warp_row = warp / T::kAcross * T::kWarpRows, warp_column = warp % T::kAcross * T::kWarpColumns;
  AnySums<T> sums = {};
  rows.load(), columns.load();
  const int steps = (k + T::kDepth - 1) / T::kDepth;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    unsigned* const stage = any_words + step % 2 * T::kStage;
    rows.put(stage), columns.put(stage);
    if (step + 1 < steps) rows.load(), columns.load();
    __syncthreads();
    multiply_step<T>(sums, stage + warp_row * T::kPitch, stage + (T::kRows + warp_column) * T::kPitch);
  }
  __syncthreads();
  // Through shared memory, so that lanes store what lies side by side.
  float* const results = reinterpret_cast<float*>(any_words);
#pragma unroll
  for (int i = 0; i < T::kM; ++i)
#pragma unroll
    for (int j = 0; j < T::kN; ++j)
#pragma unroll
      for (int h = 0; h < 2; ++h)
        *reinterpret_cast<float2*>(results + (warp_row + 16 * i + 8 * h + lane / 4) * T::kResultPitch +
                                   warp_column + 8 * j + lane % 4 * 2) =
            make_float2(sums[i][j][2 * h], sums[i][j][2 * h + 1]);
  __syncthreads();
  const int height = min(T::kRows, m - row0);
  typename T::Out* to = c + row0 * stride + column0;
#pragma unroll 4
  for (int r = warp; r < height; r += 8)
#pragma unroll
    for (int x = 0; x < T::kColumns; x += 32)
      if (column0 + x + lane < n)
        put_result(to + r * stride + x + lane, results[r * T::kResultPitch + x + lane]);
}
