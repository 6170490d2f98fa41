#include "cli/launch/block_guess.h"

#include <algorithm>

namespace ww::cli {

namespace {

constexpr uint64_t kMostThreads = 1024;

/// The side of a square of so many elements, its rows padded by up to two; 0 if it is none.
uint64_t side_of(uint64_t elements) {
  for (const uint64_t side : {64, 32, 16, 8, 4})
    for (const uint64_t pad : {0, 1, 2})
      if (elements == side * (side + pad)) return side;
  return 0;
}

/// Rows of threads: by the sides of its shared arrays, or as long as these.
std::vector<BlockLayout> rows_of_threads(const KernelShape& shape) {
  const bool plane = shape.grid > 1;
  std::vector<BlockLayout> out;
  if (shape.tile[0] > 0 && !plane)  // several elements for each thread
    for (uint64_t threads = shape.tile[0]; threads >= 32; threads /= 2)
      out.push_back({threads, 1, 1, threads});
  for (const uint64_t elements : shape.shared_elements) {
    const uint64_t side = side_of(elements);
    if (plane && side > 0)
      for (uint64_t rows = side; rows > 0; rows /= 2) out.push_back({side * rows, 1, 1, side, side});
    if (elements >= 32 && elements % 32 == 0) out.push_back({elements, 1, 1, elements, 1});
  }
  for (const uint64_t threads : {256, 128, 64, 32, 1024, 512}) out.push_back({threads, 1, 1, threads});
  return out;
}

std::vector<BlockLayout> planes_of_threads(const KernelShape& shape) {
  std::vector<BlockLayout> out;
  const auto sides = [&](uint64_t wide, uint64_t high) {
    for (uint64_t rows = high; rows > 0; rows /= 2) out.push_back({wide, rows, 1, wide, high});
  };
  if (shape.tile[0] > 0 && shape.tile[1] > 0) sides(shape.tile[0], shape.tile[1]);
  for (const uint64_t elements : shape.shared_elements)
    if (const uint64_t side = side_of(elements)) sides(side, side);
  for (const BlockLayout& l : {BlockLayout{16, 16, 1, 16, 16},
                               {32, 32, 1, 32, 32},
                               {32, 8, 1, 32, 8},
                               {8, 8, 1, 8, 8},
                               {32, 4, 1, 32, 4},
                               {64, 4, 1, 64, 4}})
    out.push_back(l);
  // No block covers more than the constants that its number is multiplied by.
  std::erase_if(out, [&](const BlockLayout& l) {
    return (shape.tile[0] > 0 && l.x > shape.tile[0]) || (shape.tile[1] > 0 && l.y > shape.tile[1]);
  });
  return out;
}

}  // namespace

uint64_t thread_directions(const KernelShape& shape) {
  return shape.threads == 3 && shape.grid < 3 ? 1 : shape.threads;
}

void cover(BlockLayout& l, const KernelShape& shape) {
  l.wide = shape.tile[0] > 0 ? shape.tile[0] : l.wide * shape.per_thread[0];
  l.high = shape.tile[1] > 0 ? shape.tile[1] : l.high * shape.per_thread[1];
  l.deep = shape.tile[2] > 0 ? shape.tile[2] : l.deep * shape.per_thread[2];
}

std::vector<BlockLayout> block_layouts(const KernelShape& shape) {
  std::vector<BlockLayout> all;
  const uint64_t directions = thread_directions(shape);
  if (directions == 1) all = rows_of_threads(shape);
  if (directions == 2) all = planes_of_threads(shape);
  if (const uint64_t wide = shape.row_threads; wide > 0 && directions < 3) {
    const uint64_t high = directions == 1 ? 1 : std::max<uint64_t>(256 / wide, 1);
    all.insert(all.begin(), {wide, high, 1, wide, high});
  }
  if (directions == 3)
    all = {{8, 8, 4, 8, 8, 4}, {8, 8, 8, 8, 8, 8}, {32, 4, 4, 32, 4, 4}, {4, 4, 4, 4, 4, 4}};
  const uint64_t most = shape.most_threads > 0 ? std::min(shape.most_threads, kMostThreads) : kMostThreads;
  if (shape.most_threads > 0 && most < kMostThreads && directions == 1)
    all.insert(all.begin(), {most, 1, 1, most});
  // As many threads as __launch_bounds__ says are what it was written for.
  if (shape.most_threads > 0 && most < kMostThreads)  // which any block has
    std::stable_partition(all.begin(), all.end(),
                          [&](const BlockLayout& l) { return l.x * l.y * l.z == most; });
  std::vector<BlockLayout> out;
  for (BlockLayout l : all) {
    if (l.x * l.y * l.z > most) continue;
    cover(l, shape);
    // A row of threads in a grid of several rows of blocks: each covers as many rows as columns, or one.
    if (std::find(out.begin(), out.end(), l) == out.end()) out.push_back(l);
  }
  if (out.empty()) out.push_back({most, 1, 1, most, 1, 1});
  return out;
}

}  // namespace ww::cli
