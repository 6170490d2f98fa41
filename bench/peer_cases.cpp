#include "peer_cases.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "arrays.h"

namespace ww::bench {

namespace {

Case product(const char* name, uint32_t n) {
  return {name,
          "matmul",
          "n=" + std::to_string(n),
          {n / 16, n / 16},
          {16, 16},
          {floats(n * n, -1, 1), floats(n * n, -1, 1), results(n * n), static_cast<int32_t>(n)}};
}
Case on_grid(const char* name, uint32_t n, uint32_t bx, uint32_t by, uint32_t rows_per_block) {
  return {name,
          "stencil",
          std::to_string(n) + "^2",
          {n / bx, n / rows_per_block},
          {bx, by},
          {floats(n * n, -1, 1), results(n * n), static_cast<int32_t>(n)}};
}
Case nbody() {
  constexpr uint32_t n = 4096;
  return {"nbody",   "nbody", "4096",
          {n / 256}, {256},   {floats(4 * n, 0, 1), results(3 * n), static_cast<int32_t>(n)}};
}
Case histogram() {
  constexpr uint32_t n = 1 << 22;
  return {"histogram", "histogram", "4M",
          {256},       {256},       {keys(n), results(256, false), static_cast<int32_t>(n)}};
}
Case saxpy() {
  constexpr uint32_t n = 1 << 23;
  return {"saxpy", "vectors",
          "8M",    {n / 256},
          {256},   {floats(n, -1, 1), changed(floats(n, -1, 1)), 1e-3f, static_cast<int32_t>(n)}};
}
Case sum() {
  constexpr uint32_t n = 1 << 22;
  return {"sum",      "vectors", "4M",
          {n / 2048}, {256},     {floats(n, 0, 1), results(n / 2048), static_cast<int32_t>(n)}};
}
Case scan() {
  constexpr uint32_t n = 1 << 20;
  return {"scan", "vectors", "1M", {n / 512}, {512}, {floats(n, 0, 1), results(n), static_cast<int32_t>(n)}};
}
Case black_scholes() {
  constexpr uint32_t n = 1 << 20;
  return {"black_scholes",
          "vectors",
          "1M",
          {n / 256},
          {256},
          {floats(n, 5, 30), floats(n, 1, 100), floats(n, 0.25f, 10), results(n), results(n), 0.02f, 0.3f,
           static_cast<int32_t>(n)}};
}
Case spmv() {
  constexpr uint32_t rows = 1 << 16;
  std::mt19937 generator(kSeed);
  std::vector<uint32_t> start{0};
  for (uint32_t r = 0; r < rows; ++r) start.push_back(start.back() + 8 + generator() % 17);
  const uint32_t entries = start.back();
  Array columns = array_of(entries, [&](size_t) { return static_cast<uint32_t>(generator() % rows); });
  return {"spmv",
          "irregular",
          "64K rows",
          {rows / 256},
          {256},
          {Array{start, false}, columns, floats(entries, -1, 1), floats(rows, -1, 1), results(rows),
           static_cast<int32_t>(rows)}};
}
Case bitonic() {
  constexpr uint32_t n = 1 << 20;
  return {"bitonic", "irregular", "1M", {n / 512}, {256}, {keys(n), results(n, false)}};
}
Case fft() {
  constexpr uint32_t n = 1 << 20;
  Array roots = array_of(256, [](size_t i) {
    const double angle = -std::numbers::pi * static_cast<double>(i / 2) / 128;
    return static_cast<float>(i % 2 ? std::sin(angle) : std::cos(angle));
  });
  return {"fft", "irregular", "4096x256", {n / 256}, {128}, {floats(2 * n, -1, 1), results(2 * n), roots}};
}

Case on_image(const char* name, uint32_t n, std::vector<Argument> arguments) {
  return {name, "others", "", {n / 32, n / 8}, {32, 8}, std::move(arguments)};
}
Case in_rows(const char* name, uint32_t rows, uint32_t n, uint32_t block, bool by_vector) {
  Case c{name, "others", "", {rows}, {block}, {floats(rows * n, -1, 1)}};
  if (by_vector) c.arguments.push_back(floats(n, -1, 1));
  c.arguments.push_back(results(by_vector ? rows : rows * n));
  c.arguments.push_back(static_cast<int32_t>(n));
  return c;
}
Case search() {
  constexpr uint32_t n = 1 << 20, numbers = 1 << 16;
  std::vector<uint32_t> sorted = keys(numbers).words, wanted = keys(n).words;
  for (auto* list : {&sorted, &wanted})
    for (uint32_t& word : *list) word >>= 1;
  std::sort(sorted.begin(), sorted.end());
  return {"search",  "others", "1M",
          {n / 256}, {256},    {Array{sorted}, Array{wanted}, results(n, false), static_cast<int32_t>(n)}};
}

constexpr CaseEntry kEntries[] = {
    {"tiled", "n=512", [] { return product("tiled", 512); }},
    {"tiled", "n=1024", [] { return product("tiled", 1024); }},
    {"nbody", "4096", nbody},
    {"histogram", "4M", histogram},
    {"naive", "n=352", [] { return product("naive", 352); }},
    {"naive", "n=512", [] { return product("naive", 512); }},
    {"stencil", "2048^2", [] { return on_grid("stencil", 2048, 32, 8, 8); }},
    {"saxpy", "8M", saxpy},
    {"box_sum", "1024^2", [] { return on_grid("box_sum", 1024, 16, 16, 16); }},
    {"sum", "4M", sum},
    {"bitonic", "1M", bitonic},
    {"transpose", "2048^2", [] { return on_grid("transpose", 2048, 32, 8, 32); }},
    {"black_scholes", "1M", black_scholes},
    {"fft", "4096x256", fft},
    {"spmv", "64K rows", spmv},
    {"scan", "1M", scan},
    {"mandelbrot", "1024^2",
     [] {
       return on_image("mandelbrot", 1024, {results(1 << 20, false), 1024});
     }},
    {"products", "4M",
     [] {
       return Case{"products", "others", "",
                   {1024},     {256},    {floats(1 << 22, -1, 1), floats(1 << 22, 0, 1), results(1024)}};
     }},
    {"gemv", "2048^2", [] { return in_rows("gemv", 2048, 2048, 128, true); }},
    {"softmax", "1024x2048", [] { return in_rows("softmax", 1024, 2048, 256, false); }},
    {"life", "1024^2",
     [] {
       Array cells = keys(1 << 20);
       for (uint32_t& word : cells.words) word >>= 31;
       return on_image("life", 1024, {cells, results(1 << 20, false), 1024});
     }},
    {"circle", "256K threads",
     [] { return Case{"circle", "others", "", {1024}, {256}, {results(1 << 18, false)}}; }},
    {"nearest", "1M",
     [] {
       return Case{"nearest", "others",
                   "",        {4096},
                   {256},     {floats(1 << 21, 0, 1), floats(128, 0, 1), results(1 << 20, false), 1 << 20}};
     }},
    {"search", "1M", search},
};

}  // namespace

std::vector<CaseEntry> case_entries() {
  std::vector<CaseEntry> out(std::begin(kEntries), std::end(kEntries));
  for (const auto& more : {unseen_cases(), mixed_cases()}) out.insert(out.end(), more.begin(), more.end());
  return out;
}

Case make_case(const CaseEntry& entry) {
  Case c = entry.make();
  c.name = entry.name;
  c.size = entry.size;
  for (uint32_t* extent : {c.grid, c.block})
    extent[1] = std::max(1u, extent[1]);  // written out only where it is not 1
  return c;
}

}  // namespace ww::bench
