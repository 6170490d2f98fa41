// The requests of a whole grid: as recorded, or derived from those of a few blocks.
#pragma once

#include <mutex>

#include "caches/replay.h"
#include "sampling/sample.h"

namespace ww::sampling {

using engine::u32;
using engine::u64;

/// Blocks as they ran.
class RecordedGrid : public caches::GridTrace {
 public:
  RecordedGrid(u64 blocks, std::map<u64, caches::BlockTrace> traces)
      : blocks_(blocks), traces_(std::move(traces)) {}
  u64 blocks() const override { return blocks_; }
  caches::BlockTrace block(u64 number) const override;
  std::optional<caches::TraceDigest> digest() const override;

 private:
  u64 blocks_;
  std::map<u64, caches::BlockTrace> traces_;
  mutable std::once_flag told_;  // of the digest, which few ask for
  mutable caches::TraceDigest digest_;
};

/// Blocks that stand for others (Sampler). The others' requests are theirs, moved: the first address of an
/// instruction moves by the same distance with every step along a dimension of the grid.
class TranslatedGrid : public caches::GridTrace {
 public:
  /// `traces`: of the inner block, its neighbours and the representatives.
  TranslatedGrid(engine::Extent3 grid, const Sampler& sampler, const std::array<u32, 3>& periods,
                 std::map<u64, caches::BlockTrace> traces);
  u64 blocks() const override { return grid_.count(); }
  caches::BlockTrace block(u64 number) const override;
  /// Whether that is what this block did when it ran.
  bool predicts(u64 number, const caches::BlockTrace& ran) const;

 private:
  engine::Extent3 grid_;
  Sampler sampler_;
  std::array<u32, 3> periods_;
  std::map<u64, caches::BlockTrace> traces_;
  std::array<std::map<u32, u64>, 3> steps_;  // by dimension and instruction
};

}  // namespace ww::sampling
