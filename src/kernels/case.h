// What a case of the laboratory is: a kernel (or its sequential counterpart) with axes, and how to set it up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kernels/plan.h"

namespace ww::kernels {

/// A block side (or, for one-dimensional blocks, its threads) with the tile of results per thread; 0: none.
struct Shape {
  int block = 0, rx = 0, ry = 0;
  bool operator==(const Shape&) const = default;
};

/// One point on a case's axes. 0: the case has no such axis.
struct Config {
  int64_t n = 0;
  Shape shape;
  int r = 0, k = 0;
  uint64_t seed = 1;
  std::vector<std::string> inputs;  ///< files in place of random inputs, in the order of the task's inputs
  bool operator==(const Config&) const = default;
};

struct Axes {
  std::vector<Shape> shapes;     ///< all that it is compiled for; empty on the host
  std::vector<int> r, k;         ///< usual values (others are admitted too); empty: no such axis
  std::vector<int64_t> n;        ///< usual values, all of them admitted by every shape
  std::vector<int64_t> quick_n;  ///< the same for a quick look
  std::vector<Shape> small;      ///< compiled too, for watching: blocks too small to be worth a sweep
};

struct Case {
  std::string name;     ///< "matmul/tiles"
  std::string summary;  ///< one line
  std::string teaches;  ///< what to see in it, a sentence or two
  std::string source;   ///< the published document it comes from; "" when from none
  std::string k_means;  ///< what the axis k is in this case; "" without it
  Axes axes;
  /// Gets configurations within the axes only; use make_plan.
  Result<Plan> (*plan)(const Config&);
  bool needs_gpu = false;  ///< measures a real GPU (Plan::probe): other devices cannot run it

  bool on_host() const { return axes.shapes.empty() && !needs_gpu; }
};

/// Every case, family by family.
const std::vector<Case>& all_cases();
/// Error: unknown name, with the nearest one.
Result<const Case*> find_case(std::string_view name);
/// Error: the configuration is not one of this case's; says what is wrong and which values would be right.
Result<Plan> make_plan(const Case& chosen, const Config& config);

/// "matmul/tiled n=8 block=2": the kernel with those axes that it has.
std::string title(const std::string& kernel, const Config& config);
/// The block side that is taken where none is given: 16 where the case has it, else its first; 0 without
/// blocks.
int usual_block(const Case& chosen);
/// "8, 16, 22", "4x4, 5x6 …": for people.
std::string list_of_blocks(const Case& chosen);
std::string list_of_small_blocks(const Case& chosen);
std::string list_of_tiles(const Case& chosen, int block);

// For the cases' plan functions.

/// Error unless n is a multiple of `of` (which is `what`: "the block side"); names the nearest that are.
Status require_multiple(int64_t n, int64_t of, std::string_view what);
/// Input number `index` of a task: `count` random elements, or the configuration's file.
Result<Input> make_input(const Config& config, size_t index, uint64_t count);

}  // namespace ww::kernels
