// What a kernel did in one launch on one GPU: the input of the time model. Totals of the whole launch unless
// said otherwise.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ww::model {

struct Activity {
  // The launch.
  int64_t blocks = 0;
  int64_t threads_per_block = 0;
  int64_t registers = 0;   ///< per thread
  int64_t shared = 0;      ///< bytes per block, static and dynamic
  int64_t parameters = 0;  ///< bytes of kernel parameters; they take room on 1.x only

  double flop = 0;  ///< as counters/flop.cpp counts, all types together; only for the rate

  // Warp instructions executed, each in one of these classes. Packed half arithmetic is fp32: it runs there.
  double fp32 = 0, fp64 = 0, int_alu = 0, int_mul = 0;
  double sfu = 0;                ///< special functions and conversions between types
  double tensor = 0;             ///< matrix multiply-adds
  double load_store = 0;         ///< loads, stores and atomics of every space
  double other = 0;              ///< moves, predicates, branches, barriers: issue slots only
  double tensor_multiplies = 0;  ///< FP16-equivalent multiply-adds of them (tensor_work.h)

  // Shared memory: passes through its banks.
  double shared_load_wavefronts = 0, shared_store_wavefronts = 0;
  /// Of them, those beyond what the same requests would take without bank conflicts.
  double shared_conflicts = 0;

  double global_requests = 0;  ///< warp instructions on global and local memory: loads, stores and atomics
  double local_sectors = 0;    ///< of local memory, loads and stores, before the caches; without spills

  // Global and local memory, before the caches. Wavefronts: passes through the L1 data banks, that is, per
  // request the most distinct words of one bank (word address modulo the banks), as in shared memory.
  double global_wavefronts = 0;     ///< loads, stores and atomics
  double tag_lookups = 0;           ///< in L1, of four lines at once; from 7.0 on
  double global_load_sectors = 0;   ///< 32 bytes each; local loads too
  double global_store_sectors = 0;  ///< stores and atomics, local stores too
  double l2_read_sectors = 0;       ///< loads that L1 did not answer
  double l2_write_sectors = 0;      ///< stores and atomics
  double dram_bytes_read = 0;       ///< 1.x: bytes of the transactions, as there is no cache
  double dram_bytes_written = 0;

  double constant_passes = 0;  ///< of constant memory beyond one for each request
  double atomic_passes = 0;    ///< through the line of global memory that atomics change most
  double texture_requests = 0;
  double bulk_operations =
      0;  ///< warp instructions: bulk and tensor copies whose way through the caches is not known
  /// Warp instructions that read memory again until another thread lets them go on, as the engine ran them
  /// (analysis/spin_reads.h).
  double spin_reads = 0;

  // How a warp waits, mean over the warps. A chain is what must be passed one after another: within every
  // executed basic block the longest path through its dependences, summed over the executed blocks. Loads of
  // one basic block that do not depend on one another are in flight together and make one round.
  double global_rounds = 0;  ///< loads and atomics of global and local memory on the chain
  /// Of these rounds, those of which a load goes past L1, and past L2 (caches/waits.h).
  double rounds_past_l1 = 0, rounds_past_l2 = 0;
  double shared_rounds = 0;  ///< loads from shared memory on the chain
  double alu_chain = 0;      ///< arithmetic instructions on the chain
  double barriers = 0;       ///< block-wide barriers that a warp passes
  double fences = 0;  ///< fences for other blocks that a warp passes, or waits at a barrier for another's
  double alone = 0;   ///< clocks that one block's last steps take when all others are done
  /// Between 0 and 1: the part of its global rounds that a warp can spend beside computing of its own block,
  /// because no barrier keeps them apart: of all warp instructions, those in barrier intervals in which the
  /// warp has a load of global memory under way. 1 for a kernel without barriers and near it for one that
  /// prefetches, near 0 when one interval only loads and the next only computes.
  double overlap = 1;

  /// Of a block, and of the launch.
  double warps_per_block() const { return static_cast<double>((threads_per_block + 31) / 32); }
  double warps() const { return static_cast<double>(blocks) * warps_per_block(); }
  double instructions() const { return fp32 + fp64 + int_alu + int_mul + sfu + tensor + load_store + other; }
};

/// A number of an Activity by name, for reading and printing.
struct ActivityField {
  std::string_view key, unit;
  double Activity::*number = nullptr;
  int64_t Activity::*count = nullptr;
};
std::span<const ActivityField> activity_fields();

}  // namespace ww::model
