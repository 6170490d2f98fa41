// Kernels of many kinds that nothing was tuned on when they were added (2026-11-24).
#include <algorithm>
#include <cstring>

#include "arrays.h"

namespace ww::bench {

namespace {

/// Bytes below `values`, four to a word.
Array bytes(size_t count, uint32_t values) {
  std::mt19937 generator(kSeed);
  Array a;
  a.floats = false;
  a.words.resize(count / 4);
  for (uint32_t& word : a.words)
    for (int k = 0; k < 4; ++k) word = word << 8 | generator() % values;
  return a;
}
Array numbers(size_t count, uint32_t below) {
  Array a = keys(count);
  a.floats = false;
  for (uint32_t& word : a.words) word %= below;
  return a;
}
/// Numbers of float64 between 0 and 1.
Array doubles(size_t count) {
  std::mt19937 generator(kSeed);
  Array a;
  a.doubles = true;
  a.words.resize(2 * count);
  for (size_t k = 0; k < count; ++k) {
    const double v = generator() * 0x1p-32;
    std::memcpy(&a.words[2 * k], &v, sizeof v);
  }
  return a;
}

/// Compressed rows: where each begins, and what is in them.
struct Rows {
  Array start, entries;
};
Rows rows_of(uint32_t rows, uint32_t least, uint32_t most) {
  std::mt19937 generator(kSeed);
  Rows out;
  out.start.words.push_back(0);
  for (uint32_t r = 0; r < rows; ++r)
    out.start.words.push_back(out.start.words.back() + least + generator() % (most - least + 1));
  out.entries =
      array_of(out.start.words.back(), [&](size_t) { return static_cast<uint32_t>(generator() % rows); });
  return out;
}

Case floyd() {
  return {"floyd", "graphs", "", {32, 128}, {32, 8}, {changed(numbers(1 << 20, 1000)), 1024, 500}};
}
/// A tenth of the nodes are the frontier, a third has not been reached.
Case bfs() {
  constexpr uint32_t n = 1 << 18;
  Rows graph = rows_of(n, 1, 15);
  Array level = numbers(n, 30);
  for (uint32_t& l : level.words) l = l < 3 ? 4 : l < 13 ? ~0u : l % 4;
  return {"bfs", "graphs",
          "",    {n / 256},
          {256}, {graph.start, graph.entries, level, changed(level), static_cast<int32_t>(n), 4}};
}
Case spmv_warps() {
  constexpr uint32_t rows = 1 << 14;
  Rows matrix = rows_of(rows, 16, 144);
  const size_t entries = matrix.entries.words.size();
  return {"spmv_warps",
          "graphs",
          "",
          {rows / 8},
          {256},
          {matrix.start, matrix.entries, floats(entries, -1, 1), floats(rows, -1, 1), results(rows),
           static_cast<int32_t>(rows)}};
}
Case image(const char* name, uint32_t n, std::vector<Argument> arguments, uint32_t bx = 32, uint32_t by = 8) {
  arguments.push_back(static_cast<int32_t>(n));
  return {name, "images", "", {n / bx, n / by}, {bx, by}, std::move(arguments)};
}
Case count_values() {
  return {"count_values", "images", "", {256}, {256}, {bytes(1 << 22, 256), results(256, false), 1 << 22}};
}
Case kmeans() {
  constexpr uint32_t n = 1 << 17;
  return {"kmeans", "learning",
          "",       {n / 256},
          {256},    {floats(16 * n, 0, 1), floats(256, 0, 1), results(n, false), static_cast<int32_t>(n)}};
}
/// The cells are compared after one launch.
Case lstm() {
  constexpr uint32_t n = 1 << 20;
  return {"lstm", "learning",
          "",     {n / 256},
          {256},  {floats(4 * n, -2, 2), changed(floats(n, -1, 1)), results(n), static_cast<int32_t>(n)}};
}
Case layer_norm() {
  constexpr uint32_t rows = 1 << 12;
  return {"layer_norm",
          "learning",
          "",
          {rows / 8},
          {256},
          {floats(512 * rows, -1, 1), floats(512, 0, 1), results(512 * rows), static_cast<int32_t>(rows)}};
}
Case small_products() {
  constexpr uint32_t n = 1 << 14;
  return {"small_products", "learning", "",
          {n / 4},          {8, 32},    {floats(64 * n, -1, 1), floats(64 * n, -1, 1), results(64 * n)}};
}
Case stencil3d() {
  return {"stencil3d", "fields", "", {4, 16}, {32, 8}, {floats(1 << 21, -1, 1), results(1 << 21), 128}};
}
Case lattice() {
  return {"lattice", "fields", "", {16, 64}, {32, 8}, {floats(9 << 18, 0.5f, 1), results(9 << 18), 512}};
}
Case eliminate() {
  return {"eliminate", "fields", "",
          {32, 64},    {32, 16}, {changed(floats(1 << 20, -1, 1)), floats(1 << 10, -1, 1), 1024, 50}};
}
Case forces() {
  constexpr uint32_t n = 1 << 11;
  return {
      "forces", "fields",
      "",       {n / 128},
      {128},    {doubles(n), doubles(n), changed(doubles(n)), changed(doubles(n)), static_cast<int32_t>(n)}};
}
Case radix() {
  constexpr uint32_t n = 1 << 18;
  return {"radix", "sequences", "", {n / 256}, {256}, {keys(n), results(n, false)}};
}
Case warp_scan() {
  constexpr uint32_t n = 1 << 21;
  return {"warp_scan", "sequences", "",
          {n / 256},   {256},       {numbers(n, 100), results(n, false), static_cast<int32_t>(n)}};
}
Case find_word() {
  constexpr uint32_t n = 1 << 21;
  return {"find_word", "sequences", "",
          {n / 256},   {256},       {bytes(n, 3), bytes(8, 3), results(n, false), static_cast<int32_t>(n)}};
}
Case hash() {
  constexpr uint32_t n = 1 << 18;
  return {"hash", "sequences", "", {n / 256}, {256}, {keys(4 * n), results(4 * n, false)}};
}
Case edits() {
  constexpr uint32_t n = 1 << 14;
  return {"edits",   "sequences", "",
          {n / 128}, {128},       {bytes(24 * n, 4), bytes(24 * n, 3), results(n, false)}};
}

constexpr CaseEntry kEntries[] = {
    {"floyd", "1024", floyd},
    {"bfs", "256K nodes", bfs},
    {"spmv_warps", "16K rows", spmv_warps},
    {"sobel", "2048^2",
     [] {
       return image("sobel", 2048, {bytes(1 << 22, 256), changed(bytes(1 << 22, 1))});
     }},
    {"bilateral", "512^2",
     [] {
       return image("bilateral", 512, {floats(1 << 18, 0, 1), results(1 << 18)});
     }},
    {"conv2d", "1024^2",
     [] {
       return image("conv2d", 1024, {floats(1 << 20, 0, 1), floats(25, -1, 1), results(1 << 20)}, 16, 16);
     }},
    {"count_values", "4M", count_values},
    {"kmeans", "128K", kmeans},
    {"lstm", "1M", lstm},
    {"layer_norm", "4096x512", layer_norm},
    {"small_products", "16K of 8^2", small_products},
    {"stencil3d", "128^3", stencil3d},
    {"lattice", "512^2", lattice},
    {"eliminate", "1024", eliminate},
    {"forces", "2048", forces},
    {"radix", "256K", radix},
    {"warp_scan", "2M", warp_scan},
    {"find_word", "2M", find_word},
    {"hash", "256K", hash},
    {"edits", "16K pairs", edits},
};

}  // namespace

std::span<const CaseEntry> unseen_cases() { return kEntries; }

}  // namespace ww::bench
