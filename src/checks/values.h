// Uninitialised values: carried bit by bit through memory, registers and lanes, and found where they
// matter.
//
// What an undefined bit may do without a finding: be loaded, stored, shuffled, computed with. It is found
// when it decides where a warp goes or whether a guarded store is done, when it is (part of) an address, when
// an atomic operation computes with it, when a value computed from it is stored to global memory, and when
// the host reads a value that a kernel copied there and all bits of which were undefined.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <unordered_map>
#include <unordered_set>

#include "checks/block_bytes.h"
#include "checks/check.h"
#include "checks/host_pages.h"
#include "checks/reach.h"
#include "checks/values/rules.h"
#include "checks/values/uncovered.h"
#include "checks/written_bytes.h"

namespace ww::checks {

struct UndefinedLines;

class Values : public Check {
 public:
  /// `every_load`: only loads of uninitialised global memory are reported, whatever becomes of the
  /// value.
  explicit Values(Findings& findings, bool every_load = false) : Check(findings), every_load_(every_load) {}
  std::string name() const override { return every_load_ ? "unwritten" : "values"; }
  u32 wants() const override {
    return events::kMemory | events::kWarpSyncs | events::kBulk | events::kMbarriers | events::kValues;
  }
  events::Registers registers() const override { return events::Registers::Sometimes; }

  void launch_begins(const engine::Program& program, int workers) override;
  void block_begins(int worker, u64 block) override;
  void memory(int worker, const events::Memory& event) override;
  bool needs_registers(int worker, const events::Memory& event) override;
  void bulk_access(int worker, const events::BulkAccess& event) override;
  void mbarrier(int worker, const events::Mbarrier& event) override;
  void warp_sync(int worker, const events::WarpSync& event) override;
  void step(int worker, const events::Step& event) override;
  void printed(int worker, const events::Memory& event) override;
  void passed(int worker, const events::Passed& event) override;
  void block_ends(int worker, u64 block) override;
  void launch_ends() override;

  void allocated(const events::Allocated& event) override;
  void freed(u64 address) override;
  void host_access(const events::HostAccess& event) override;

  /// How to find out where the host calls from: without it no finding says where it reads.
  void know_caller(std::function<HostTrace()> here) { caller_ = std::move(here); }

 private:
  /// Where an undefined value came from.
  struct Origin {
    enum class Kind : u8 { Register, Memory, Shuffle, Width } kind = Kind::Register;
    u32 instruction = 0;
    u32 warp = 0;
    int lane = 0;
    ir::Space space = ir::Space::None;
    u64 address = 0;  ///< of a shuffle: the lane that it takes from, or its width
    u32 bytes = 0;
  };
  struct Worker;
  struct Block {
    u64 number = 0;
    Worker* worker = nullptr;
    UndefinedBits shared, local;  ///< local: by warp, then lane
    std::vector<Origin> origins;  ///< by number; the first is a register's
    std::unordered_map<u32, u32> by_instruction;
    std::unordered_set<u32> told;  ///< instructions
    // A cp.async whose source is undefined, until its destination is reported.
    u32 copy_instruction = ~u32{0};
    u32 copy_lanes = 0;
    std::array<u64, engine::kLanes> copy_missing{};
    // The source of a linear bulk copy, until its destination is reported.
    u32 bulk_instruction = ~u32{0};
    ir::Space bulk_space = ir::Space::None;
    events::Piece bulk_source;
    bool bulk_undefined = false;  ///< of a tensor: all of the source
  };
  struct Worker {
    std::map<u64, std::unique_ptr<Block>> blocks;
    Block* last = nullptr;
    std::vector<std::unique_ptr<Block>> spare;
    u32 steps = 0;
    events::Site defined;  ///< of this load all is defined, which may be told next
    Reaches reaches;
  };
  /// The plans of a program, kept while it may be launched again.
  struct Planned {
    std::shared_ptr<const ir::Module> module;
    const void* infos = nullptr;
    std::vector<Plan> plans;
    bool shared = false, local = false;  ///< its loads of them can be judged
  };
  /// A store of an undefined value to global memory that was only copied, never computed with.
  struct Stored {
    u64 bytes = 0;
    bool element = false;  ///< the lanes of the store wrote an array element by element
    Finding finding;
  };

  Block& block(int worker, u64 number);
  /// The undefined bits of `bytes` bytes of shared memory from this address on, in the block or another one
  /// of its cluster; nullptr where there are none. `all`: bytes of a block's shared memory.
  u8* shared_bits(Block& block, u64 address, u64 bytes, u64 all);
  static Frame frame_of(const Plan& plan, engine::Warp& warp) { return {warp.regs, plan.code->shadow}; }
  static u32& flag(const Plan& plan, engine::Warp& warp) {
    return *reinterpret_cast<u32*>(warp.regs + plan.code->undefined_flag);
  }
  u8* bits(Block& block, const events::Memory& event, ir::Space space, u64 address, u32 lane, u64 bytes);
  /// The undefined bits of up to 64 bytes, a byte for each; whether there are any.
  bool fetch(Block& block, const events::Memory& event, u64 address, u32 lane, u32 bytes, u8* out);
  static constexpr u32 kChunk = 64;  // bytes of a bulk copy that are looked at together
  void put_global(u64 address, u32 bytes, const u8* in);
  void bits_of(Block& block, ir::Space space, u64 address, u32 count, u8* bytes);
  bool carry_bulk(Block& block, const events::BulkAccess& event);
  bool wholly_undefined(Block& block, ir::Space space, const events::Piece& piece);
  bool carry_tensor(Block& block, const events::BulkAccess& event);
  void put(Block& block, const events::Memory& event, u64 address, u32 lane, u32 bytes, const u8* in);
  /// The undefined bits that the first address of shared or local memory has in lane 0, and how much further
  /// those of the next lane lie. nullptr where they are not followed.
  u8* lanes_base(const Reach& reach, Block& block, const events::Memory& event, u64 first, size_t& stride);
  bool any_undefined(Worker& worker, Block& block, const events::Memory& event);
  /// Where the local memory of a lane begins in that of its block.
  static u64 local_at(u32 warp, u32 lane, const engine::Warp& state);
  void enter(Block& block, const events::Passed& event);
  void carry_passed(Block& block, const events::Passed& event);
  void define_memory(Worker& worker, Block& block, const events::Memory& event);
  void store_converted(Worker& worker, Block& block, const events::Memory& event, const Plan& plan);
  void store_later(Block& block, const events::BulkAccess& event);
  void used(Block& block, const events::Passed& event);
  /// Lanes that the guard lets through, or may let through; reports a guard that decides.
  u32 guarded(Block& block, const events::Site& site, const Plan& plan, const Frame& frame, u32 mask,
              u32& unsure);
  void load(Worker& worker, Block& block, const events::Memory& event, const Plan& plan);
  void store(Worker& worker, Block& block, const events::Memory& event, const Plan& plan);
  void fragment(Block& block, const events::WarpSync& event, const Plan& plan);
  /// A matrix in shared memory: 16 rows of A, or B, whose columns it takes as rows.
  struct SharedMatrix {
    int element_bits, rows, first, depth;
    bool by_rows, of_a;
  };
  void see_shared(Block& block, const events::WarpSync& event, const SharedMatrix& matrix, u64 descriptor,
                  UndefinedLines& lines);
  void product(Block& block, const events::WarpSync& event, const Plan& plan);
  void update(Worker& worker, Block& block, const events::Memory& event, const Plan& plan);
  void copy(Worker& worker, Block& block, const events::Memory& event);
  void texels(Worker& worker, Block& block, const events::Memory& event, const Plan& plan);
  void gathered(Block& block, const events::Memory& event, const Plan& plan);
  void see_coordinates(Block& block, const events::Site& site, const Plan& plan, const Frame& frame,
                       u32 mask);
  void matrix_rows(Worker& worker, Block& block, const events::Memory& event, const Plan& plan);
  void shuffle(Block& block, const events::Site& site, const Plan& plan, engine::Warp& warp);
  void transpose(const Plan& plan, engine::Warp& warp);
  void across(Block& block, const events::Site& site, const Plan& plan, engine::Warp& warp);
  void rest(Worker& worker, const Plan& plan, engine::Warp& warp);

  bool may_be_padding(u64 address) const;
  void tell_elements(std::vector<std::pair<u64, Stored>> elements, u64 bytes);
  /// With the place where the host reads.
  void tell_read(Finding finding);
  static bool writes_array(Worker& worker, const events::Memory& event, const Plan& plan);
  u32 origin_at(Block& block, const events::Site& site, Origin origin);
  void tell_load(Block& block, const events::Memory& event);
  /// Once for each instruction and block.
  void tell(Block& block, const events::Site& site, int lane, const char* message, std::string what,
            u32 origin);
  Finding finding(const Block& block, const events::Site& site, int lane, const char* message,
                  std::string what, u32 origin) const;
  std::string place_name(ir::Space space, u64 address) const;
  /// Base of the allocation that holds the address; 0 outside of global memory.
  u64 allocation_at(ir::Space space, u64 address) const;

  const bool every_load_;
  const engine::Program* program_ = nullptr;
  std::map<const engine::Program*, Planned> planned_;
  const Planned* now_ = nullptr;
  engine::Extent3 cluster_;  ///< blocks of a cluster
  std::vector<std::unique_ptr<Worker>> workers_;

  /// What the host has touched of its own accord counts as written. `waits`: and all that it may touch while
  /// a kernel waits.
  void see_managed(bool waits);

  WrittenBytes written_;
  Uncovered uncovered_{written_};
  std::function<HostTrace()> caller_;
  std::shared_mutex host_mutex_;
  HostPages managed_;  ///< that nobody has touched
  std::map<u64, u64> allocations_;
  std::map<u64, Stored> stored_;  ///< by address
  std::atomic<size_t> stored_count_{0};
};

/// As compute-sanitizer's initcheck: every load of uninitialised global memory.
class Unwritten : public Values {
 public:
  explicit Unwritten(Findings& findings) : Values(findings, true) {}
};

}  // namespace ww::checks
