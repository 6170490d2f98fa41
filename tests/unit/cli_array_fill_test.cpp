// Random arrays: the same numbers however many threads make them.
#include "cli/launch/array_fill.h"

#include <gtest/gtest.h>

#include <cstring>

#include "kernels/random.h"

namespace ww::cli {
namespace {

TEST(ArrayFill, LargeArraysHoldTheNumbersOfTheirPlaces) {
  for (const uint64_t count : {uint64_t{1}, uint64_t{1025}, uint64_t{1} << 19, (uint64_t{3} << 18) + 7}) {
    npy::Array array;
    array.dtype = npy::Dtype::F8;
    array.shape = {count};
    array.bytes.resize(8 * count);
    fill_random(array, 7, 3);
    uint64_t wrong = 0;
    for (uint64_t k = 0; k < count; ++k) {
      double value = 0;
      std::memcpy(&value, array.bytes.data() + 8 * k, 8);
      wrong += value != kernels::random_value(7, 3, k);
    }
    EXPECT_EQ(wrong, 0u) << count;
  }
}

}  // namespace
}  // namespace ww::cli
