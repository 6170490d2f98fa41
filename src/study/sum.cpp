// Three ways for the blocks of a grid to come to one sum.
#include "study/studies.h"

namespace ww::study {

Study sum() {
  std::vector<int64_t> n;
  for (int power = 10; power <= 28; power += 2) n.push_back(int64_t{1} << power);
  const std::vector<int64_t> quick = {1 << 10, 1 << 16, 1 << 20};
  const char* const kNames[] = {"sum/last_block", "sum/two_launches", "sum/atomic"};
  Study study = {"sum", "The sum of a vector: how blocks hand their parts over", {}, {}};
  study.full.push_back({"sum/sequential", {}, n, {}, {}});
  study.quick.push_back({"sum/sequential", {}, quick, {}, {}});
  for (const char* name : kNames) {
    study.full.push_back({name, {{256}}, n, {}, {}});
    study.quick.push_back({name, {{128}, {256}, {512}}, quick, {}, {}});
  }
  return study;
}

}  // namespace ww::study
