// Which blocks of a grid stand for the others.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "engine/engine.h"
#include "events/bus.h"

namespace ww::sampling {

using engine::u32;
using engine::u64;

/// Notes where each warp of a block first accesses global memory, by instruction.
class Probe : public events::Listener {
 public:
  u32 wants() const override { return events::kMemory; }
  bool takes_notes() const override { return true; }
  void memory(int worker, const events::Memory& event) override;

 private:
  friend u32 period(const Probe& here, const Probe& there);
  struct Seen {
    u64 first = 0;
    u32 bytes = 0;
  };
  std::map<std::pair<u32, u32>, Seen> seen_;  // by instruction and warp
};

/// After how many blocks the addresses are aligned alike again, from one block and its neighbour: a power of
/// two.
u32 period(const Probe& here, const Probe& there);

/// Sorts the blocks of a grid by what can make them different: the first and the last of a row or column, and
/// among the inner ones the alignment of their addresses.
class Sampler {
 public:
  explicit Sampler(engine::Extent3 grid);

  u64 inner_block() const { return number({inner(0), inner(1), inner(2)}); }
  /// The inner block's next one in a dimension that has inner blocks to choose from.
  std::optional<u64> neighbour(size_t dimension) const;
  /// Blocks by how many of the grid each stands for, itself included.
  std::map<u64, std::vector<u64>> groups(const std::array<u32, 3>& periods) const;
  /// An inner block that inner_block() stands for, as far away as can be.
  u64 far_block(const std::array<u32, 3>& periods) const;

  /// The block's index in each dimension, and back.
  std::array<u32, 3> place(u64 block) const;
  u64 number(const std::array<u32, 3>& at) const {
    return at[0] + u64{size_[0]} * (at[1] + u64{size_[1]} * at[2]);
  }
  /// The block of groups() that stands for the one at this place.
  std::array<u32, 3> representative(const std::array<u32, 3>& at, const std::array<u32, 3>& periods) const;

 private:
  u32 inner(size_t d) const { return sampled(d) ? 1 : 0; }
  bool sampled(size_t d) const { return size_[d] >= 4; }
  /// Blocks 1 to n - 2 of a dimension repeat after the period.
  bool repeats(size_t d, const std::array<u32, 3>& periods) const {
    return sampled(d) && periods[d] < size_[d] - 2;
  }

  std::array<u32, 3> size_;
};

/// False if a thread uses what an atomic operation returns: then what blocks do depends on other blocks.
bool independent_blocks(const engine::Program& program);

}  // namespace ww::sampling
