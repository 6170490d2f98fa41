// Six further kernels that nothing was tuned on when they were added (2026-11-24, evening).
#include <algorithm>

#include "arrays.h"

namespace ww::bench {

namespace {

/// LU needs no pivots where the diagonal outweighs the rest of its row.
Case small_lu() {
  constexpr uint32_t n = 1 << 14;
  Array a = floats(64 * n, -1, 1);
  for (size_t k = 0; k < 64; k += 9)
    for (size_t t = 0; t < n; ++t) a.words[k * n + t] = std::bit_cast<uint32_t>(16.0f);
  return {"small_lu", "mixed", "", {n / 128}, {128}, {a, results(64 * n), static_cast<int32_t>(n)}};
}
Case conv_channels() {
  constexpr uint32_t n = 128;
  return {"conv_channels",
          "mixed",
          "",
          {n / 32, 16 * n / 8},
          {32, 8},
          {floats(16 * n * n, -1, 1), floats(16 * 16 * 9, -1, 1), results(16 * n * n), 128}};
}
Case noise() {
  constexpr uint32_t n = 1024;
  Array table = keys(513);
  table.floats = false;
  for (uint32_t& word : table.words) word %= 256;
  return {"noise", "mixed", "", {n / 32, n / 8}, {32, 8}, {table, results(n * n), static_cast<int32_t>(n)}};
}
Case median() {
  constexpr uint32_t n = 1024;
  Array in = keys(n * n / 4);
  in.floats = false;
  return {"median",        "mixed", "",
          {n / 32, n / 8}, {32, 8}, {in, results(n * n / 4, false), static_cast<int32_t>(n)}};
}
Case merge() {
  constexpr uint32_t n = 1 << 20;
  Array all = keys(2 * n), a, b;
  a.words.assign(all.words.begin(), all.words.begin() + n);
  b.words.assign(all.words.begin() + n, all.words.end());
  for (Array* list : {&a, &b}) std::sort(list->words.begin(), list->words.end());
  return {"merge",           "mixed", "",
          {2 * n / 8 / 256}, {256},   {a, b, results(2 * n, false), static_cast<int32_t>(n)}};
}
Case cheapest() {
  constexpr uint32_t n = 224 * 1024;
  Array cost = keys(16 * n), before = keys(n);
  for (Array* list : {&cost, &before})
    for (uint32_t& word : list->words) word %= 1000;
  return {"cheapest", "mixed", "",
          {n / 224},  {256},   {cost, before, results(n, false), static_cast<int32_t>(n)}};
}

constexpr CaseEntry kEntries[] = {
    {"small_lu", "16K of 8^2", small_lu},
    {"conv_channels", "16x128^2", conv_channels},
    {"noise", "1024^2", noise},
    {"median", "1024^2", median},
    {"merge", "2x1M", merge},
    {"cheapest", "16x224K", cheapest},
};

}  // namespace

std::span<const CaseEntry> mixed_cases() { return kEntries; }

}  // namespace ww::bench
