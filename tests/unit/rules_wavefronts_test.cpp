// The rules of wavefronts against what an H200 counted, pattern by pattern.
#include <gtest/gtest.h>

#include <sstream>
#include <tuple>

#include "base/csv.h"
#include "base/file.h"
#include "rules/rules.h"

namespace ww::rules {
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

// data/measured/h200-async: asynchronous copies of 4, 8 and 16 bytes at many distances from lane to lane on
// either side, by all lanes and by the first 1, 8, 16 and 24.
TEST(Wavefronts, AsynchronousCopiesAreExact) {
  const std::string name = WW_MEASURED "h200-async/patterns.csv";
  auto text = read_file(name);
  auto csv = parse_csv(name, text ? *text : "");
  ASSERT_TRUE(csv) << render(csv.error());
  size_t compared = 0;
  for (size_t i = 0; i < csv->rows.size(); ++i) {
    const std::string& pattern = csv->at(i, "pattern");
    if (!pattern.starts_with("copy")) continue;
    const std::string& lanes = csv->at(i, "lanes");
    Access from, to;
    from.bytes = to.bytes = static_cast<u32>(std::stoul(pattern.substr(4)));
    from.mask = to.mask = lanes.empty() ? ~u32{0} : (u32{1} << std::stoul(lanes)) - 1;
    for (int64_t lane = 0; lane < 32; ++lane) {
      from.address[static_cast<size_t>(lane)] = lane * std::stoll(csv->at(i, "gs"));
      to.address[static_cast<size_t>(lane)] = lane * std::stoll(csv->at(i, "ss"));
    }
    EXPECT_EQ(copy_cost(90, from, to, pattern.ends_with("ca")).wavefronts,
              std::stoull(csv->at(i, "ldgsts_wavefronts")))
        << pattern << ": " << csv->at(i, "gs") << " and " << csv->at(i, "ss") << " bytes apart, lanes "
        << lanes;
    ++compared;
  }
  EXPECT_EQ(compared, 62u);
}

// data/measured/h200-async: ldmatrix and stmatrix of 1, 2 and 4 matrices with rows of 16 bytes at many
// distances, plain and swizzled.
TEST(Wavefronts, RowsOfMatricesAreExact) {
  const std::string name = WW_MEASURED "h200-async/patterns.csv";
  auto text = read_file(name);
  auto csv = parse_csv(name, text ? *text : "");
  ASSERT_TRUE(csv) << render(csv.error());
  size_t compared = 0;
  for (size_t i = 0; i < csv->rows.size(); ++i) {
    const std::string& pattern = csv->at(i, "pattern");
    const bool load = pattern.starts_with("ldmatrix");
    if (!load && !pattern.starts_with("stmatrix")) continue;
    const int matrices = pattern.back() - '0', distance = std::stoi(csv->at(i, "rs"));
    Access rows;
    rows.mask = matrices == 4 ? ~u32{0} : (u32{1} << 8 * matrices) - 1;
    rows.bytes = 16;
    for (int row = 0; row < 8 * matrices; ++row)
      rows.address[static_cast<size_t>(row)] =
          (row * distance) ^ (csv->at(i, "xor") == "1" ? row % 8 * 16 : 0);
    EXPECT_EQ(shared_cost(90, rows, !load).wavefronts,
              std::stoull(csv->at(i, load ? "shared_load_wavefronts" : "shared_store_wavefronts")))
        << pattern << ", rows " << distance << " bytes apart, swizzled: " << csv->at(i, "xor");
    ++compared;
  }
  EXPECT_EQ(compared, 108u);
}

TEST(Wavefronts, LookupsOfTagsAreExact) {
  size_t compared = 0;
  for (const Measured& m : measured()) {
    if (m.shared) continue;
    EXPECT_EQ(tag_lookups(m.access), m.tag_wavefronts)
        << (m.store ? "store " : "load ") << m.access.bytes << ": " << m.units;
    ++compared;
  }
  EXPECT_EQ(compared, 266u);
}

/// Accesses that took a lookup for each of their four lines. The bits of the base that the other file's
/// buffer lay at: 0x7f56c8000000.
TEST(Wavefronts, LinesOfOneBankMeet) {
  const std::tuple<const char*, int64_t, size_t> files[] = {{"h200-l1/one_bank.csv", 0, 921},
                                                            {"h200-l1/one_bank_far.csv", 0xc8000000, 904}};
  for (const auto& [file, base, rows] : files) {
    const std::string name = std::string(WW_MEASURED) + file;
    auto text = read_file(name);
    auto csv = parse_csv(name, text ? *text : "");
    ASSERT_TRUE(csv);
    ASSERT_EQ(csv->rows.size(), rows);
    for (size_t i = 0; i < rows; ++i) {
      Access a;
      a.mask = 0xf;
      for (size_t k = 0; k < 4; ++k)
        a.address[k] = base + 128 * std::stoll(csv->at(i, "line_" + std::to_string(k)));
      EXPECT_EQ(tag_lookups(a), 4u) << file << " " << i;
    }
  }
}

/// One line takes one lookup wherever it lies; two that follow one another meet at some places.
TEST(Wavefronts, LookupsAtAllPlaces) {
  Access row;
  row.mask = ~u32{0};
  for (size_t lane = 0; lane < 32; ++lane) row.address[lane] = static_cast<int64_t>(4 * lane);
  EXPECT_EQ(l1_passes(90, row, global_cost(90, row, false), false), (L1Passes{1, kPlaces}));
  EXPECT_EQ(l1_passes(61, row, global_cost(61, row, false), false), (L1Passes{1, 0}));
  // Lines 15 and 16 of 32 meet, as all do whose numbers differ in the last four bits and more: an H200 counts
  // 1.07 lookups for rows that begin anywhere (box sums with blocks of 32,
  // data/measured/h200-l1/kernels.csv).
  for (auto& address : row.address) address += 64;
  const L1Passes two = l1_passes(90, row, global_cost(90, row, false), false);
  EXPECT_EQ(two.data, 1u);
  EXPECT_GE(two.lookups, kPlaces);
  EXPECT_LE(two.lookups, kPlaces + 2);
}

}  // namespace
}  // namespace ww::rules
