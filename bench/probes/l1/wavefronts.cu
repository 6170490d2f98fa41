// What one warp's access costs on the card that this runs on, for a list of address patterns: a launch of one warp
// each, in the order of the file given. To be run under Nsight Compute; scripts/probe_wavefronts joins its counts
// with the patterns.
//
//   wavefronts PATTERNS
//
// A line of PATTERNS: space (shared, global), op (load, store), bytes of a lane (4, 8, 16), then 32 addresses in
// units of the access; -1 is a lane that does not take part.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

struct Lanes {
  int unit[32];
};

constexpr int kSharedBytes = 48 << 10;

template <class T>
__global__ void shared_load(Lanes lanes, T* out) {
  extern __shared__ __align__(16) char memory[];
  const int unit = lanes.unit[threadIdx.x];
  if (unit < 0) return;
  T value;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + unit * sizeof(T);
  if constexpr (sizeof(T) == 4)
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(at));
  else if constexpr (sizeof(T) == 8)
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(value.x), "=r"(value.y) : "r"(at));
  else
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "r"(at));
  out[threadIdx.x] = value;
}

template <class T>
__global__ void shared_store(Lanes lanes, T value) {
  extern __shared__ __align__(16) char memory[];
  const int unit = lanes.unit[threadIdx.x];
  if (unit < 0) return;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + unit * sizeof(T);
  if constexpr (sizeof(T) == 4)
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(value) : "memory");
  else if constexpr (sizeof(T) == 8)
    asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(at), "r"(value.x), "r"(value.y) : "memory");
  else
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(value.x), "r"(value.y), "r"(value.z),
                 "r"(value.w)
                 : "memory");
}

template <class T>
__global__ void global_load(Lanes lanes, const T* from, T* out) {
  const int unit = lanes.unit[threadIdx.x];
  if (unit < 0) return;
  const T* at = from + unit;
  T value;
  if constexpr (sizeof(T) == 4)
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at));
  else if constexpr (sizeof(T) == 8)
    asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(value.x), "=r"(value.y) : "l"(at));
  else
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "l"(at));
  if (out) out[threadIdx.x] = value;
}

template <class T>
__global__ void global_store(Lanes lanes, T* to, T value) {
  const int unit = lanes.unit[threadIdx.x];
  if (unit >= 0) to[unit] = value;
}

template <class T>
void launch(const std::string& space, const std::string& op, const Lanes& lanes, void* memory, void* out) {
  T value;
  memset(&value, 1, sizeof value);
  if (space == "shared" && op == "load")
    shared_load<T><<<1, 32, kSharedBytes>>>(lanes, static_cast<T*>(out));
  else if (space == "shared")
    shared_store<T><<<1, 32, kSharedBytes>>>(lanes, value);
  else if (op == "load")
    global_load<T><<<1, 32>>>(lanes, static_cast<const T*>(memory), static_cast<T*>(out));
  else
    global_store<T><<<1, 32>>>(lanes, static_cast<T*>(memory), value);
}

int main(int argc, char** argv) {
  std::ifstream in(argc == 2 ? argv[1] : "");
  if (!in) return fprintf(stderr, "usage: wavefronts PATTERNS\n"), 2;
  void *memory = nullptr, *out = nullptr;
  cudaMalloc(&memory, 64 << 20);
  cudaMalloc(&out, 4096);
  cudaMemset(memory, 1, 64 << 20);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string space, op;
    int bytes = 0;
    Lanes lanes;
    words >> space >> op >> bytes;
    for (int& unit : lanes.unit) words >> unit;
    if (!words) return fprintf(stderr, "not a pattern: %s\n", line.c_str()), 2;
    if (bytes == 4) launch<unsigned>(space, op, lanes, memory, out);
    if (bytes == 8) launch<uint2>(space, op, lanes, memory, out);
    if (bytes == 16) launch<uint4>(space, op, lanes, memory, out);
  }
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) return fprintf(stderr, "%s\n", cudaGetErrorString(error)), 1;
}
