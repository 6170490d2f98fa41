#include "cli/launch/block_guess.h"

#include <algorithm>

namespace ww::cli {

namespace {

/// Elements of the shared arrays that a kernel has a size for, as far as their alignment is an element's.
std::vector<uint64_t> shared_arrays(const ir::Module& module, int kernel) {
  std::vector<uint64_t> out;
  for (const ir::Variable& v : module.variables)
    if (v.space == ir::Space::Shared && v.bytes > 0 && (v.owner < 0 || v.owner == kernel))
      out.push_back(v.bytes / std::max(v.alignment, 1u));
  return out;
}

/// The side of a square of so many elements, its rows padded by up to two; 0 if it is none.
uint64_t side_of(uint64_t elements) {
  for (const uint64_t side : {64, 32, 16, 8, 4})
    for (const uint64_t pad : {0, 1, 2})
      if (elements == side * (side + pad)) return side;
  return 0;
}

}  // namespace

std::vector<BlockLayout> block_layouts(const ir::Module& module, int kernel, bool plane,
                                       bool threads_in_plane) {
  const ir::Function& f = module.functions[static_cast<size_t>(kernel)];
  uint64_t most = 1024;
  if (f.max_threads[0] > 0)
    most = uint64_t{f.max_threads[0]} * std::max(f.max_threads[1], 1u) * std::max(f.max_threads[2], 1u);
  std::vector<BlockLayout> all;
  for (const uint64_t elements : shared_arrays(module, kernel)) {
    const uint64_t side = side_of(elements);
    if (threads_in_plane && side > 0)
      for (uint64_t rows = side; rows > 0; rows /= 2) all.push_back({side, rows, side, side, true});
    else if (plane && side > 0)
      for (uint64_t rows = side; rows > 0; rows /= 2) all.push_back({side * rows, 1, side, side, true});
    else if (!plane && elements >= 32 && elements % 32 == 0)
      all.push_back({elements, 1, elements, 1, true});
  }
  if (threads_in_plane)
    all.insert(all.end(), {{16, 16, 16, 16}, {32, 32, 32, 32}, {32, 8, 32, 8}, {8, 8, 8, 8}});
  else
    for (const uint64_t threads : {256, 128, 64, 32, 1024}) all.push_back({threads, 1, threads, 1});
  std::vector<BlockLayout> out;
  for (const BlockLayout& l : all)
    if (l.x * l.y <= std::min<uint64_t>(most, 1024)) out.push_back(l);
  if (out.empty()) out.push_back({most, 1, most, 1, true});
  return out;
}

}  // namespace ww::cli
