// What blocks asked of global and local memory, request by request, so that it can be replayed through the
// caches of any GPU.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "rules/access_totals.h"
#include "rules/patterns.h"

namespace ww::caches {

using engine::u32;
using engine::u64;

/// One warp instruction.
struct TraceEvent {
  int64_t address = 0;  ///< of its first active lane: global, from the slot's first address; local, in the
                        ///< lane's own memory
  u32 pattern = 0;      ///< index into BlockShape::patterns
  uint16_t slot = 0;    ///< index into BlockShape::slots
  uint8_t warp = 0;
  bool local = false;
  bool operator==(const TraceEvent&) const = default;
};

/// An instruction that accesses memory.
struct TraceSlot {
  u32 instruction = 0;  ///< index into Program::infos
  rules::AccessKind kind = rules::AccessKind::Load;
  bool bulk = false;       ///< a bulk copy's: past L1, and not among what warps load and store
  bool read_only = false;  ///< through the read-only (texture) cache where a GPU has one: ld.global.nc
  bool past_l1 = false;    ///< a load of global memory that L1 never answers
  bool operator==(const TraceSlot&) const = default;
};

/// Requests of one warp that follow one another, events [begin, end). Warps of a block run side by side
/// within a phase and meet between phases (at barriers).
struct TraceSegment {
  u32 phase = 0, begin = 0, end = 0;
};

/// The requests of a block up to where its addresses begin: blocks that do alike share one shape.
struct BlockShape {
  std::vector<TraceSlot> slots;
  std::vector<rules::Pattern> patterns;
  std::vector<TraceEvent> events;
  std::vector<TraceSegment> segments;
  u64 hash = 0;
  bool complete = true;  ///< false: only the first part of the block's requests is here

  u64 bytes() const;
  bool same(const BlockShape& other) const;
};

struct BlockTrace {
  std::shared_ptr<const BlockShape> shape;
  std::vector<u64> first;  ///< by slot: the first global address of the block's instruction
};

/// The number of the line that a replay counts from, of its grid's first block: near the lowest first
/// address, so that a run in other buffers gives the same.
u64 origin_of(const BlockTrace& block);

/// How much a recorder keeps.
struct TraceLimits {
  u64 block_bytes = u64{24} << 20;  ///< of one block's shape; behind that its requests are not recorded
  u64 bytes = u64{128} << 20;       ///< of all shapes and blocks
  u64 events = ~u64{0};             ///< of all blocks, as soon as there are `blocks` of them
  u64 blocks = 0;
};

/// Records the requests of the blocks with the lowest numbers, as many as the limits allow: which ones these
/// are depends neither on the order in which blocks run nor on how many threads run them.
class TraceRecorder : public events::Listener {
 public:
  explicit TraceRecorder(TraceLimits limits = {});
  ~TraceRecorder() override;
  u32 wants() const override { return events::kMemory | events::kBarriers | events::kBulk; }
  bool takes_notes() const override { return true; }

  void launch_begins(const engine::Program& program, int workers) override;
  void block_begins(int worker, u64 block) override;
  void memory(int worker, const events::Memory& event) override;
  void bulk_access(int worker, const events::BulkAccess& event) override;
  void barrier_release(int worker, const events::BarrierRelease& event) override;
  void block_ends(int worker, u64 block) override;

  /// What was recorded, by block number.
  std::map<u64, BlockTrace> take();

 private:
  struct Building;
  struct Worker;
  Building* building(Worker& worker, u64 block) const;
  void keep(u64 block, const BlockShape& shape, std::vector<u64> first);

  TraceLimits limits_;
  std::vector<TraceSlot> slots_;  // by instruction
  std::vector<std::unique_ptr<Worker>> workers_;

  std::mutex mutex_;  // of the rest
  std::map<u64, BlockTrace> kept_;
  std::unordered_multimap<u64, std::weak_ptr<const BlockShape>> shapes_;
  u64 events_ = 0, bytes_ = 0;
  std::atomic<u64> end_{~u64{0}};  // blocks from here on are not kept
};

}  // namespace ww::caches
