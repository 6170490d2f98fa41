// What kernels may call without defining it, and functions through pointers. Compiled: nvcc -O2 -arch=sm_75 -ptx library.cu
#include <cassert>
#include <cstdio>

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float a;
  __device__ explicit Square(float a) : a(a) {}
  __device__ float area() const override { return a * a; }
};
struct Box : Shape {
  float a, b;
  __device__ Box(float a, float b) : a(a), b(b) {}
  __device__ float area() const override { return a * b; }
};

// Objects made by one kernel and used by another: their tables of virtual functions lie in memory between the launches.
extern "C" __global__ void make_shapes(Shape** shapes) {
  int t = threadIdx.x;
  shapes[t] = t % 3 ? static_cast<Shape*>(new Square(t)) : new Box(t, 2);
}
extern "C" __global__ void use_shapes(Shape** shapes, float* areas) {
  areas[threadIdx.x] = shapes[threadIdx.x]->area();
  delete shapes[threadIdx.x];
}

typedef float (*Function)(float);
__device__ __noinline__ float next(float x) { return x + 1; }
__device__ __noinline__ float twice(float x) { return x * 2; }
__device__ Function table[2] = {next, twice};
__constant__ Function constant_table[2] = {twice, next};
extern "C" __global__ void by_table(float* out) {
  int t = threadIdx.x;
  out[t] = table[t & 1](t) + constant_table[t >> 1 & 1](t);
}
extern "C" __global__ void give_pointer(Function* out) { *out = twice; }
extern "C" __global__ void use_pointer(Function* in, float* out) { out[threadIdx.x] = (*in)(threadIdx.x); }

struct Node {
  int value;
  Node* next;
};
__device__ Node* prepend(Node* list, int value) {
  Node* n = static_cast<Node*>(malloc(sizeof(Node)));
  if (!n) return list;
  n->value = value;
  n->next = list;
  return n;
}
__device__ __noinline__ int sum(const Node* n) { return n ? n->value + sum(n->next) : 0; }
extern "C" __global__ void lists(int* out, int count) {
  Node* list = nullptr;
  for (int k = 1; k <= count + (int)threadIdx.x; ++k) list = prepend(list, k);
  out[threadIdx.x] = sum(list);
  while (list) {
    Node* rest = list->next;
    free(list);
    list = rest;
  }
}
extern "C" __global__ void exhaust(int* got, long long bytes) {
  int n = 0;
  while (malloc(bytes)) ++n;
  *got = n;
}
extern "C" __global__ void free_twice() {
  void* p = malloc(16);
  free(p);
  free(p);
}
extern "C" __global__ void free_inside() { free(static_cast<char*>(malloc(16)) + 4); }
extern "C" __global__ void free_given(void* p) { free(p); }
extern "C" __global__ void use_after_free(int* out, int rounds) {
  for (int k = 0; k < rounds; ++k) {
    int* p = static_cast<int*>(malloc(64));
    *p = k;
    if (k == rounds - 1) free(p);
    *out = *reinterpret_cast<volatile int*>(p);
    if (k != rounds - 1) free(p);
  }
}

extern "C" __global__ void assertion(int n) { assert(threadIdx.x != n && "out of luck"); }

extern "C" __global__ void print_integers(int* counts, int i, unsigned u, long l, long long ll, size_t z, short s) {
  counts[0] = printf("%d|%i|%5d|%-5d|%05d|%+d|% d|%.3d\n", i, -i, i, i, i, i, i, i);
  counts[1] = printf("%u|%x|%X|%#x|%o|%#o\n", u, u, u, u, u, u);
  counts[2] = printf("%ld|%lld|%lx|%zu|%hd|%hhd|%llu\n", l, ll, l, z, s, i, ~0ull);
  counts[3] = printf("%*d|%-*d|%.*d|%*.*d\n", 7, i, 7, i, 4, i, 8, 3, i);
  counts[4] = printf("100%% and nothing\n");
}
extern "C" __global__ void print_floats(double d, float f) {
  printf("%f|%e|%g|%a|%10.3f|%-10.2e|%+g|%G|%.0f|%#.0f\n", d, d, d, d, d, d, d, d * 1e-9, d, d);
  printf("%f|%d|%.1f\n", f, 7, f);
}
extern "C" __global__ void print_text(const char* text, void* p) {
  printf("%s|%10s|%-10s|%.2s|%c%c|%p\n", text, text, text, text, 'o', 'k', p);
}
extern "C" __global__ void print_lanes() { printf("block %d thread %d\n", blockIdx.x, threadIdx.x); }
extern "C" __global__ void print_hostile(const char* format) { printf(format, 1, 2, 3); }
extern "C" __global__ void print_much() {
  for (int k = 0; k < 64; ++k) printf("%1023d\n", k);
}

// Every thread takes another amount from its stack, in a function that is called twice.
__device__ __noinline__ int scratch(const int* in, int n) {
  int* p = static_cast<int*>(alloca(n * sizeof(int)));
  for (int k = 0; k < n; ++k) p[k] = in[k];
  int s = 0;
  for (int k = 0; k < n; ++k) s += (k + 1) * p[in[k] % n];
  return s;
}
extern "C" __global__ void on_stack(const int* in, int* out, int n) {
  int t = threadIdx.x;
  int* p = static_cast<int*>(alloca((t + 1) * sizeof(int)));
  for (int k = 0; k <= t; ++k) p[k] = k;
  int s = 0;
  for (int k = 0; k < 200; ++k) s += scratch(in, n + (t + k) % 32);  // given back on every return
  out[t] = s + p[in[t] % (t + 1)];
}
