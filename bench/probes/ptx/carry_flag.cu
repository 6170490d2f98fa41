// What the carry flag is to an instruction of another kind than the one that wrote it (the manual speaks of
// carry and of borrow): writer, its operands, reader, the reader's result for zeros, as CSV. nvcc -arch=sm_90
// carry_flag.cu && ./a.out
#include <cstdio>

#define PAIR(type, T, c, writer, more, reader, rest)                                              \
  {                                                                                               \
    T r;                                                                                          \
    asm volatile("{ .reg ." #type " t; " writer "." #type " t, %1, %2" more "; " reader "." #type \
                 " %0, %3, %3" rest "; }"                                                         \
                 : "=" #c(r)                                                                      \
                 : #c(a), #c(b), #c(zero), #c(one));                                              \
    printf("%s.%s,0x%llx,0x%llx,%s.%s,0x%llx\n", writer, #type, (unsigned long long)a,            \
           (unsigned long long)b, reader, #type, (unsigned long long)r);                          \
  }
#define READERS(type, T, c, writer, more)           \
  PAIR(type, T, c, writer, more, "addc", "")        \
  PAIR(type, T, c, writer, more, "addc.cc", "")     \
  PAIR(type, T, c, writer, more, "subc", "")        \
  PAIR(type, T, c, writer, more, "subc.cc", "")     \
  PAIR(type, T, c, writer, more, "madc.lo", ", %3") \
  PAIR(type, T, c, writer, more, "madc.hi", ", %3")
#define KERNEL(type, T, c)                                   \
  __global__ void probe_##type(T a, T b, T zero, T one) {    \
    READERS(type, T, c, "add.cc", "")                        \
    READERS(type, T, c, "sub.cc", "")                        \
    READERS(type, T, c, "mad.lo.cc", ", %2") /* a * b + b */ \
    READERS(type, T, c, "mad.hi.cc", ", %2")                 \
  }
KERNEL(u32, unsigned, r)
KERNEL(s32, int, r)
KERNEL(u64, unsigned long long, l)

int main() {
  std::puts("writer,a,b,reader,result");
  const long long values[][2] = {{1, 2}, {2, 1}, {1, 1}, {-1, 1}, {1, -1}, {0, 0}, {-1, -1}};
  for (auto& v : values) {
    probe_u32<<<1, 1>>>(v[0], v[1], 0, 1);
    probe_s32<<<1, 1>>>(v[0], v[1], 0, 1);
    probe_u64<<<1, 1>>>(v[0], v[1], 0, 1);
    cudaDeviceSynchronize();
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
