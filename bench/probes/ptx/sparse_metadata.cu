// mma.sp: which two bits of which lane's metadata place which element of A. The manual shows it in figures
// only.
//
// Each index of the metadata is changed alone, from "first two of four" to "last two of four" (tf32 and its
// kin: from the first to the second of two); the row of D that changes, and by which column of B, says what
// it placed. Output: type,k,selector,lane,nibble,row,chunk (-1: nothing changed, or more than one place did).
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

// Registers of A are all ones; the metadata of all lanes is given.
template <int FORM, int F>
__device__ void multiply(const uint32_t* x, const uint32_t* y, uint32_t e, float* fr, int* ir) {
#define F_SMALL(TEXT)                                                     \
  asm volatile("mma.sp::ordered_metadata.sync.aligned." TEXT              \
               " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3}, %8, %9;" \
               : "+f"(fr[0]), "+f"(fr[1]), "+f"(fr[2]), "+f"(fr[3])       \
               : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(e), "n"(F))
#define F_LARGE(TEXT)                                                                                    \
  asm volatile("mma.sp::ordered_metadata.sync.aligned." TEXT                                             \
               " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, %13;"                \
               : "+f"(fr[0]), "+f"(fr[1]), "+f"(fr[2]), "+f"(fr[3])                                      \
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), \
                 "r"(e), "n"(F))
#define I_SMALL(TEXT)                                                     \
  asm volatile("mma.sp::ordered_metadata.sync.aligned." TEXT              \
               " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3}, %8, %9;" \
               : "+r"(ir[0]), "+r"(ir[1]), "+r"(ir[2]), "+r"(ir[3])       \
               : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(e), "n"(F))
#define I_LARGE(TEXT)                                                                                    \
  asm volatile("mma.sp::ordered_metadata.sync.aligned." TEXT                                             \
               " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, %13;"                \
               : "+r"(ir[0]), "+r"(ir[1]), "+r"(ir[2]), "+r"(ir[3])                                      \
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), \
                 "r"(e), "n"(F))
  if constexpr (FORM == 0) F_SMALL("m16n8k16.row.col.f32.f16.f16.f32");
  if constexpr (FORM == 1) F_LARGE("m16n8k32.row.col.f32.f16.f16.f32");
  if constexpr (FORM == 2) F_SMALL("m16n8k8.row.col.f32.tf32.tf32.f32");
  if constexpr (FORM == 3) F_LARGE("m16n8k16.row.col.f32.tf32.tf32.f32");
  if constexpr (FORM == 4) I_SMALL("m16n8k32.row.col.s32.s8.s8.s32");
  if constexpr (FORM == 5) I_LARGE("m16n8k64.row.col.s32.s8.s8.s32");
  if constexpr (FORM == 6) I_SMALL("m16n8k64.row.col.s32.s4.s4.s32");
  if constexpr (FORM == 7) I_LARGE("m16n8k128.row.col.s32.s4.s4.s32");
  if constexpr (FORM == 8) F_LARGE("m16n8k64.row.col.f32.e4m3.e4m3.f32");
}
template <int FORM, int F>
__global__ void run(const uint32_t* a, const uint32_t* b, const uint32_t* e, double* d) {
  int l = threadIdx.x;
  float fr[4] = {};
  int ir[4] = {};
  multiply<FORM, F>(a + l * 4, b + l * 4, e[l], fr, ir);
  for (int i = 0; i < 4; ++i) d[((l >> 2) + i / 2 * 8) * 8 + l % 4 * 2 + i % 2] = double(fr[i]) + ir[i];
}

struct Form {
  const char* type;
  int bits, k, chunk, group, selectors;  // `chunk` elements share a nibble; `group` neighbours move together
};
const Form kForms[] = {{"f16", 16, 16, 4, 1, 4},  {"f16", 16, 32, 4, 1, 2}, {"tf32", 32, 8, 2, 1, 4},
                       {"tf32", 32, 16, 2, 1, 2}, {"s8", 8, 32, 4, 1, 2},   {"s8", 8, 64, 4, 1, 1},
                       {"s4", 4, 64, 8, 2, 2},    {"s4", 4, 128, 8, 2, 1},  {"e4m3", 8, 64, 4, 1, 1}};

uint32_t code(const char* type, int v) {  // 0 … 15 in the type's bits
  if (type[0] == 's') return v;
  float f = float(v);
  uint32_t w;
  memcpy(&w, &f, 4);
  if (!strcmp(type, "tf32")) return w;
  if (v == 0) return 0;
  int exponent = int(w >> 23) - 127;
  if (!strcmp(type, "f16")) return (exponent + 15) << 10 | (w >> 13 & 0x3ff);
  return (exponent + 7) << 3 | (w >> 20 & 7);  // e4m3: 0 … 15 are exact
}

template <int FORM, int F>
void probe() {
  const Form& f = kForms[FORM];
  int per = f.bits == 32 ? 1 : 32 / f.bits, registers = f.k * 8 / 32 / per;
  std::vector<uint32_t> a(128), b(128), e(32, 0x44444444u);
  for (auto& w : a)
    for (int i = 0; i < per; ++i) w |= code(f.type, 1) << (f.bits * i % 32);
  // Column n of B is zero but for the chunks c with c % 8 = n; there it says how far into the chunk a row
  // lies, times 1, 2 or 4 by c / 8.
  for (int l = 0; l < 32; ++l)
    for (int r = 0; r < registers; ++r)
      for (int i = 0; i < per; ++i) {
        int k = r * 4 * per + l % 4 * per + i, n = l >> 2, c = k / f.chunk;
        int v = c % 8 == n ? k % f.chunk / f.group * (c / 8 ? 2 : 1) : 0;
        b[l * 4 + r] |= code(f.type, v) << (f.bits * i % 32);
      }
  uint32_t *da, *db, *de;
  double* dd;
  cudaMalloc(&da, 512), cudaMalloc(&db, 512), cudaMalloc(&de, 128), cudaMalloc(&dd, 1024);
  cudaMemcpy(da, a.data(), 512, cudaMemcpyDefault), cudaMemcpy(db, b.data(), 512, cudaMemcpyDefault);
  auto result = [&] {
    std::vector<double> d(128);
    cudaMemcpy(de, e.data(), 128, cudaMemcpyDefault);
    run<FORM, F><<<1, 32>>>(da, db, de, dd);
    cudaMemcpy(d.data(), dd, 1024, cudaMemcpyDefault);
    return d;
  };
  auto base = result();
  for (int lane = 0; lane < 32; ++lane)
    for (int nibble = 0; nibble < 8; ++nibble) {
      uint32_t before = e[lane];
      e[lane] = (before & ~(15u << (4 * nibble))) | 14u << (4 * nibble);
      auto d = result();
      e[lane] = before;
      int row = -1, chunk = -1, places = 0;
      for (int i = 0; i < 128; ++i)
        if (d[i] != base[i]) {
          // A chunk moves by 4 (two elements by 2 each), pairs by 8, one of two by 1; twice that in the
          // second eight.
          double once = f.chunk == 2 ? 1 : 4.0 * f.group;
          ++places, row = i / 8, chunk = i % 8 + (d[i] - base[i] > once ? 8 : 0);
        }
      if (places != 1) row = chunk = -1;
      if (places) printf("%s,%d,%d,%d,%d,%d,%d\n", f.type, f.k, F, lane, nibble, row, chunk);
    }
}

int main() {
  puts("type,k,selector,lane,nibble,row,chunk");
  probe<0, 0>(), probe<0, 1>(), probe<0, 2>(), probe<0, 3>(), probe<1, 0>(), probe<1, 1>();
  probe<2, 0>(), probe<2, 1>(), probe<2, 2>(), probe<2, 3>(), probe<3, 0>(), probe<3, 1>();
  probe<4, 0>(), probe<4, 1>(), probe<5, 0>(), probe<6, 0>(), probe<6, 1>(), probe<7, 0>(), probe<8, 0>();
  return cudaDeviceSynchronize() != cudaSuccess;
}
