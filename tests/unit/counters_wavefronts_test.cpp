// The rules of wavefronts against what an H200 counted, pattern by pattern.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "base/csv.h"
#include "base/file.h"
#include "counters/rules/rules.h"

namespace ww::counters {
namespace {

struct Measured {
  bool shared, store;
  u64 wavefronts, tag_wavefronts;
  Access access;
  std::string units;
};

std::vector<Measured> measured() {
  const std::string name = WW_MEASURED "h200-l1/wavefronts.csv";
  auto text = read_file(name);
  auto csv = parse_csv(name, text ? *text : "");
  if (!csv) {
    ADD_FAILURE() << render(csv.error());
    return {};
  }
  std::vector<Measured> out;
  for (size_t i = 0; i < csv->rows.size(); ++i) {
    const auto at = [&](const char* column) { return std::string(csv->at(i, column)); };
    Measured m{
        at("space") == "shared", at("op") == "store", std::stoull(at("wavefronts")), 0, {}, at("units")};
    if (!m.shared) m.tag_wavefronts = std::stoull(at("tag_wavefronts"));
    m.access.mask = 0;
    m.access.bytes = static_cast<u32>(std::stoul(at("bytes")));
    std::istringstream words(m.units);
    std::string word;
    for (u32 lane = 0; words >> word; ++lane) {
      if (word == "-") continue;
      m.access.mask |= u32{1} << lane;
      m.access.address[lane] = std::stoll(word) * m.access.bytes;
    }
    out.push_back(std::move(m));
  }
  return out;
}

TEST(Wavefronts, SharedMemoryIsExact) {
  size_t compared = 0;
  for (const Measured& m : measured()) {
    if (!m.shared) continue;
    EXPECT_EQ(shared_cost(90, m.access, m.store).wavefronts, m.wavefronts)
        << (m.store ? "store " : "load ") << m.access.bytes << ": " << m.units;
    ++compared;
  }
  EXPECT_EQ(compared, 470u);
}

/// Whether each lane's line is new and behind all before, or one that another lane had.
bool lines_ascend(const Access& a) {
  std::set<int64_t> seen;
  for (u32 lane = 0; lane < 32; ++lane) {
    if (!a.active(static_cast<int>(lane))) continue;
    const int64_t line = a.address[lane] >> 7;
    if (!seen.empty() && line < *seen.rbegin() && !seen.contains(line)) return false;
    seen.insert(line);
  }
  return true;
}

/// Loads that L1 looks up four lines at a time, none of which meet in its hash. Which lines go together is
/// known where they ascend.
TEST(Wavefronts, GlobalLoadsWithoutMeetingLines) {
  size_t compared = 0;
  for (const Measured& m : measured()) {
    if (m.shared || m.store || m.access.bytes != 4) continue;
    const Cost lines = global_cost(90, m.access, false);
    if ((lines.lines + 3) / 4 != m.tag_wavefronts || (lines.lines > 4 && !lines_ascend(m.access))) continue;
    EXPECT_EQ(l1_wavefronts(90, m.access, lines, false), m.wavefronts) << m.units;
    ++compared;
  }
  EXPECT_GE(compared, 80u);
}

}  // namespace
}  // namespace ww::counters
