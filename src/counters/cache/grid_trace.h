// The requests of a whole grid: as recorded, or derived from those of a few blocks.
#pragma once

#include "counters/cache/replay.h"
#include "counters/sample.h"

namespace ww::counters {

/// Blocks as they ran.
class RecordedGrid : public GridTrace {
 public:
  RecordedGrid(u64 blocks, std::map<u64, BlockTrace> traces) : blocks_(blocks), traces_(std::move(traces)) {}
  u64 blocks() const override { return blocks_; }
  BlockTrace block(u64 number) const override;

 private:
  u64 blocks_;
  std::map<u64, BlockTrace> traces_;
};

/// Blocks that stand for others (Sampler). The others' requests are theirs, moved: the first address of an
/// instruction moves by the same distance with every step along a dimension of the grid.
class TranslatedGrid : public GridTrace {
 public:
  /// `traces`: of the inner block, its neighbours and the representatives.
  TranslatedGrid(engine::Extent3 grid, const Sampler& sampler, const std::array<u32, 3>& periods,
                 std::map<u64, BlockTrace> traces);
  u64 blocks() const override { return grid_.count(); }
  BlockTrace block(u64 number) const override;
  /// Whether that is what this block did when it ran.
  bool predicts(u64 number, const BlockTrace& ran) const;

 private:
  engine::Extent3 grid_;
  Sampler sampler_;
  std::array<u32, 3> periods_;
  std::map<u64, BlockTrace> traces_;
  std::array<std::map<u32, u64>, 3> steps_;  // by dimension and instruction
};

}  // namespace ww::counters
