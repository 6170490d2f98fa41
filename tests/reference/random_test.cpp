// The engine against the reference on random programs. WW_RANDOM_PROGRAMS: how many (300); WW_RANDOM_SEED:
// the first (1).
#include <gtest/gtest.h>

#include <cstdlib>

#include "compare.h"

namespace ww::reference {
namespace {

uint64_t from_environment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(RandomPrograms, EngineAgreesWithReference) {
  uint64_t first = from_environment("WW_RANDOM_SEED", 1), count = from_environment("WW_RANDOM_PROGRAMS", 300);
  std::vector<std::string> lanes;
  for (const engine::LaneCode* code : engine::all_lane_code())
    if (code->supported()) lanes.push_back(code->name);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    RandomProgram program = random_program(seed, 20 + int(seed % 60));
    // Each seed with one kind of lane code, number of host threads and counting or not; over the seeds all
    // come together.
    for (uint64_t variant = seed % 2; variant < 6; variant += 2) {
      engine::Settings settings;
      settings.memory_limit = 64 << 20;
      settings.threads = 1 + int((seed / 2 + variant) % 3);
      settings.lanes = lanes[(seed + variant / 2) % lanes.size()];
      bool counted = (seed / 3 + variant / 2) % 2 == 0;
      std::string what = difference(program, settings, counted);
      if (what.empty()) continue;
      RandomProgram small = shrunk(program, settings, counted);
      FAIL() << "seed " << seed << ", " << settings.lanes << " lanes, " << settings.threads << " host threads"
             << (counted ? ", counted" : "") << "\n"
             << what << "\ngrid " << program.grid << ", block " << program.block << ", shrunk to ("
             << difference(small, settings, counted) << ")\n"
             << small.text;
    }
  }
}

}  // namespace
}  // namespace ww::reference
