// Memory of the CUDA device of this process, through the driver API: the stand-in's under `warpwright run`,
// else a real GPU's. The tests need no CUDA toolkit.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "warpwright/kernels.h"

namespace device {

using Address = unsigned long long;

/// A function of libcuda.so.1.
template <class F>
F* entry(const char* name) {
  static void* library = dlopen("libcuda.so.1", RTLD_NOW);
  void* found = library ? dlsym(library, name) : nullptr;
  if (!found) {
    std::fprintf(stderr, "no %s: run this under `warpwright run`, or on a machine with a GPU\n", name);
    std::exit(2);
  }
  return reinterpret_cast<F*>(found);
}

/// Makes the first device's context current.
inline int start() {
  void* context = nullptr;
  const int failed = entry<int(unsigned)>("cuInit")(0) ||
                     entry<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context, 0) ||
                     entry<int(void*)>("cuCtxSetCurrent")(context);
  return failed ? 2 : 0;
}
inline int compute_capability() {
  int major = 0, minor = 0;
  entry<int(int*, int, int)>("cuDeviceGetAttribute")(&major, 75, 0);
  entry<int(int*, int, int)>("cuDeviceGetAttribute")(&minor, 76, 0);
  return 10 * major + minor;
}
inline void wait() { ASSERT_EQ(entry<int()>("cuCtxSynchronize")(), 0); }

/// count elements, `ahead` elements behind an address that is aligned to 256 bytes.
template <class T>
class Array {
 public:
  explicit Array(const std::vector<T>& values, size_t ahead = 0) : Array(values.size(), ahead) {
    write(values);
  }
  explicit Array(size_t count, size_t ahead = 0) : count_(count), ahead_(ahead) {
    const int failed = entry<int(Address*, size_t)>("cuMemAlloc_v2")(&base_, (count + ahead + 1) * sizeof(T));
    EXPECT_EQ(failed, 0);
  }
  ~Array() { entry<int(Address)>("cuMemFree_v2")(base_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  T* data() const { return reinterpret_cast<T*>(base_) + ahead_; }
  void write(const std::vector<T>& values) const {
    const int failed = entry<int(Address, const void*, size_t)>("cuMemcpyHtoD_v2")(
        reinterpret_cast<Address>(data()), values.data(), count_ * sizeof(T));
    EXPECT_EQ(failed, 0);
  }
  std::vector<T> read() const {
    std::vector<T> values(count_);
    const int failed = entry<int(void*, Address, size_t)>("cuMemcpyDtoH_v2")(
        values.data(), reinterpret_cast<Address>(data()), count_ * sizeof(T));
    EXPECT_EQ(failed, 0);
    return values;
  }

 private:
  Address base_ = 0;
  size_t count_, ahead_;
};

/// A workspace of `bytes`, filled with ones: nothing may depend on its content.
class Room {
 public:
  explicit Room(size_t bytes) : bytes_(bytes), memory_(std::vector<uint8_t>(bytes + 1, 0xff)) {}
  operator warpwright::Workspace() const { return {bytes_ ? memory_.data() : nullptr, bytes_}; }

 private:
  size_t bytes_;
  Array<uint8_t> memory_;
};

/// A matrix on the host that is laid out in memory as the library takes it.
template <class T>
struct HostMatrix {
  int64_t rows, columns, stride;
  warpwright::Layout layout;
  std::vector<T> values;

  HostMatrix(int64_t rows, int64_t columns, warpwright::Layout layout, int64_t padding = 0)
      : rows(rows),
        columns(columns),
        stride((layout == warpwright::Layout::by_rows ? columns : rows) + padding),
        layout(layout),
        values(static_cast<size_t>((layout == warpwright::Layout::by_rows ? rows : columns) * stride)) {}
  T& at(int64_t row, int64_t column) {
    return values[static_cast<size_t>(layout == warpwright::Layout::by_rows ? row * stride + column
                                                                            : column * stride + row)];
  }
  const T& at(int64_t row, int64_t column) const { return const_cast<HostMatrix*>(this)->at(row, column); }
  warpwright::Matrix<const T> seen(const Array<T>& array) const {
    return {array.data(), rows, columns, stride, layout};
  }
  warpwright::Matrix<T> written(const Array<T>& array) const {
    return {array.data(), rows, columns, stride, layout};
  }
};

/// Normal values of both signs; what pads the rows is NaN, which nothing may read.
inline void fill(HostMatrix<float>& m, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  for (float& v : m.values) v = std::nanf("");
  for (int64_t r = 0; r < m.rows; ++r)
    for (int64_t c = 0; c < m.columns; ++c) m.at(r, c) = normal(random);
}

}  // namespace device
