// Cases of a gallery: one for each word on the command line.
#pragma once

#include <cstdio>
#include <cstring>

struct Case {
  const char* name;
  void (*run)();
};

/// Device memory of `count` elements, all bytes 0.
template <class T>
T* zeros(int count) {
  T* p = nullptr;
  cudaMalloc(&p, count * sizeof(T));
  cudaMemset(p, 0, count * sizeof(T));
  return p;
}
/// As the compiler does not know it.
inline int hidden(int value) {
  static volatile int copy;
  copy = value;
  return copy;
}

/// A function of the driver. Asked for by name: then nothing of it is linked, and the program can name its
/// cases without it.
template <class F>
F* driver(const char* name) {
  void* found = nullptr;
  cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault);
  return reinterpret_cast<F*>(found);
}

template <int N>
int run_case(const Case (&cases)[N], int argc, char** argv) {
  for (const Case& c : cases)
    if (argc > 1 && !std::strcmp(argv[1], c.name)) {
      c.run();
      cudaDeviceSynchronize();
      return 0;
    }
  for (const Case& c : cases) std::printf("%s\n", c.name);
  return 2;
}
