// Barriers across which, in this run, no thread depends on another: hints.
#pragma once

#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "checks/check.h"

namespace ww::checks {

/// For each word the threads are kept that accessed it since the last two barriers of the block. A barrier is
/// needed where a thread meets, behind it, a word that another had before it, one of them writing; also where
/// atomics, volatile accesses or fences on either side may publish to other blocks what was done before it.
/// Once all barriers of a kernel are known to be needed, nothing is looked at any more.
class Barriers : public Check {
 public:
  explicit Barriers(Findings& findings) : Check(findings) {}
  std::string name() const override { return "hints"; }
  u32 wants() const override {
    return events::kMemory | events::kBarriers | events::kFences | events::kWarpSyncs | events::kCopyGroups |
           events::kBulk | events::kMbarriers;
  }

  void launch_begins(const engine::Program& program, int workers) override;
  void block_begins(int worker, u64 block) override;
  void memory(int worker, const events::Memory& event) override;
  void barrier_arrival(int worker, const events::BarrierArrival& event) override;
  void barrier_release(int worker, const events::BarrierRelease& event) override;
  void fence(int worker, const events::Fence& event) override;
  void copy_groups(int, const events::CopyGroups&) override { give_up(); }
  void bulk_access(int, const events::BulkAccess&) override { give_up(); }
  void mbarrier(int, const events::Mbarrier&) override { give_up(); }
  void cluster_barrier(int, const events::ClusterBarrier&) override { give_up(); }
  void block_ends(int worker, u64 block) override;
  void launch_ends() override;

 private:
  enum class Need : uint8_t { None, Warp, Block };  ///< who depends on whom across a barrier
  struct Static {
    Need need = Need::None;
    u64 met = 0;
    bool seen = false;
    events::Site first;
  };
  static constexpr u32 kNobody = ~0u, kSeveral = ~0u - 1;
  struct Who {
    u32 thread = kNobody, warp = kNobody;
    void add(u32 of, u32 its_warp) {
      thread = thread == kNobody || thread == of ? of : kSeveral;
      warp = warp == kNobody || warp == its_warp ? its_warp : kSeveral;
    }
  };
  /// Who accessed a word between two barriers.
  struct Access {
    u32 epoch = 0;
    Who writer, reader;
  };
  struct Word {
    Access now, before;
  };
  struct Block {
    u32 epoch = 1;
    std::vector<u32> arrived;  ///< instructions at the present barrier
    std::vector<u32> passed;   ///< at the last one
    bool publishes = false;    ///< since the last barrier: something that other blocks may wait for
    std::unordered_map<u64, Word> words;
  };
  void give_up() { open_ = 0; }
  void needs(const Block& block, Need need);
  void published(Block& block);
  void touch(Block& block, Word& word, u32 thread, bool write);

  const engine::Program* program_ = nullptr;
  std::map<u32, Static> barriers_;  ///< by instruction
  std::map<u32, u32>
      stands_for_;  ///< of those of one line (an unrolled loop's copies) the first, by instruction
  u32 open_ = 0;    ///< barriers of the program that are not known to be needed; 0: do not look
  std::unordered_map<u64, Block> blocks_;
};

}  // namespace ww::checks
