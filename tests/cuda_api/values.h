// Values put on the device, and what lies there as text.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <string>
#include <vector>

template <class T>
static T* put(std::vector<T> v) {
  T* at;
  cudaMalloc(&at, v.size() * sizeof(T));
  cudaMemcpy(at, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  return at;
}
template <class T>
static std::vector<T> get(const T* at, int n) {
  std::vector<T> v(n);
  cudaMemcpy(v.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost);
  return v;
}
/// " a b c", each as %g writes it.
template <class T>
static std::string text(const T* at, int n) {
  std::string all;
  for (T x : get(at, n)) {
    char one[32];
    snprintf(one, sizeof one, " %g", double(float(x)));
    all += one;
  }
  return all;
}
