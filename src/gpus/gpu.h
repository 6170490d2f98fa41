// What is known of a GPU: typed figures, each with its source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ww::gpus {

// What every NVIDIA GPU has had so far.
inline constexpr int64_t kWarp = 32;    ///< threads of a warp
inline constexpr int64_t kSector = 32;  ///< bytes: the least that L2 and DRAM move (2.0 and later)

/// A number and where it is printed or how it was measured. Reads like the number itself.
template <class T>
struct Figure {
  T value{};
  std::string source;
  operator const T&() const { return value; }
};
using Count = Figure<int64_t>;
using Rate = Figure<double>;
/// A figure that public sources do not give for every GPU. Never guessed.
template <class F>
using Maybe = std::optional<F>;

/// One GPU. Units, ranges and descriptions of the figures: fields.cpp, which also drives reading and
/// printing. The first group is the card's own; the others are those of its compute capability unless its
/// file says otherwise.
struct Gpu {
  std::string id;           ///< "gtx1080": what --gpu takes
  std::string name;         ///< "GeForce GTX 1080"
  std::string chip;         ///< "GP104"; may be empty
  std::string driver_name;  ///< "NVIDIA GeForce GTX 1080": as drivers say it; may be empty
  int cc_major = 0, cc_minor = 0;

  Maybe<Count> launch_year;
  Count sm_count;
  Maybe<Rate> base_clock;               ///< MHz, of the SMs (before Kepler: the processor clock)
  Rate boost_clock;                     ///< MHz, as base_clock
  Rate dram_bandwidth;                  ///< GB/s (10^9 bytes)
  Maybe<Rate> dram_bandwidth_measured;  ///< GB/s read plus written by a large copy
  Maybe<Count> dram_bus;                ///< bits
  Maybe<Rate> dram_data_rate;           ///< Gbit/s per pin
  Maybe<Count> dram_bytes;
  Maybe<Count> l2_bytes;  ///< absent: no L2 for data (1.x)
  Maybe<Count> l2_parts;  ///< halves that each cache what the SMs next to them use; absent: one
  Maybe<Count> gpcs;      ///< clusters of SMs
  /// SMs of one cluster that get their blocks apart from the others', behind so many turns of the other
  /// clusters; absent: none.
  Maybe<Count> sms_apart, apart_every;
  /// SM clocks for which a read that L2 has takes in those of the same sector that other SMs of its cluster
  /// make; absent: it never does.
  Maybe<Rate> l2_join;
  Maybe<Count> l2_join_most;  ///< reads that become one, at most
  /// SM clocks by which L2 answers the nearest and the farthest SM of a cluster sooner and later.
  Maybe<Rate> l2_latency_spread;
  Maybe<Rate> peak_fp32;         ///< GFLOP/s as printed; for checking the others
  Maybe<Rate> measured_fp32;     ///< GFLOP/s that a loop of multiply-adds reaches
  Maybe<Rate> measured_tensor;   ///< GFLOP/s that a large product of FP16 or BF16 reaches with FP32 sums
  Maybe<Rate> shared_latency;    ///< SM clocks, load to use, no conflict
  Maybe<Rate> l1_latency;        ///< SM clocks, hit
  Maybe<Rate> l2_latency;        ///< SM clocks, hit
  Maybe<Rate> dram_latency;      ///< SM clocks, miss in all caches
  Maybe<Rate> l2_bandwidth;      ///< bytes per SM clock that L2 delivers to all SMs together
  Maybe<Rate> l2_read_port;      ///< bytes per clock that one SM reads from L2
  Maybe<Rate> l2_write_port;     ///< and writes to it; one SM does not do both at a time
  Maybe<Rate> fence_latency;     ///< clocks of a fence for all blocks behind a store
  Maybe<Rate> atomic_pass;       ///< clocks between atomics of one line of global memory, in L2
  Maybe<Rate> constant_pass;     ///< clocks of each further word that a warp reads of constant memory
  Maybe<Rate> barrier_latency;   ///< clocks of a barrier, besides
  Maybe<Rate> barrier_per_warp;  ///< those for each warp of the block
  Maybe<Rate> block_interval;    ///< nanoseconds from the begin of one block to the next one's, on all SMs
  Maybe<Rate> block_latency;     ///< nanoseconds from the end of a block to the begin of the one in its place
  Maybe<Rate> launch_overhead;   ///< microseconds that an empty kernel takes

  // Results per clock and SM (lanes, not warps).
  Rate fp32;              ///< add, multiply, multiply-add
  Maybe<Rate> fp64;       ///< absent: none
  Maybe<Rate> int32;      ///< add, compare
  Maybe<Rate> int32_mul;  ///< absent: several instructions (Maxwell, Pascal)
  Maybe<Rate> sfu;        ///< reciprocal, square root, sine, exponential
  Maybe<Rate>
      alu_latency;  ///< SM clocks from issue of an arithmetic instruction to the issue of a dependent one

  // How an SM is built.
  Maybe<Rate> warp_schedulers;
  Maybe<Rate> issue_per_scheduler;    ///< warp instructions per SM clock
  Maybe<Rate> load_store_lanes;       ///< lanes whose address is taken per clock
  Maybe<Rate> tensor_fp16;            ///< multiply-adds per clock, dense, FP16 accumulation
  Maybe<Rate> tensor_f32_sums;        ///< part of that rate with FP32 sums; absent: all
  Maybe<Rate> tensor_mma;             ///< part of that rate by instructions of one warp; absent: all
  Maybe<Rate> shared_bank_bandwidth;  ///< bytes per clock and bank
  Maybe<Count> l1_bytes;              ///< cache apart from shared memory
  Maybe<Count> l1_shared_bytes;       ///< storage that L1 and shared memory divide between them

  // Limits of a launch and of what is resident on an SM.
  Count max_threads_per_block, max_warps_per_sm, max_threads_per_sm, max_blocks_per_sm;
  Count regs_per_sm, max_regs_per_block, max_regs_per_thread;
  Count reg_alloc_unit;   ///< registers
  Count warp_alloc_gran;  ///< warps
  Count smem_per_sm, smem_per_block_default;
  Maybe<Count>
      smem_per_block_optin;  ///< dynamic shared memory that a kernel may ask for explicitly (7.0 and later)
  Count smem_alloc_unit, reserved_smem_per_block;
  Count smem_banks;
  bool registers_by_block = false;      ///< 1.x: registers are dealt to blocks, later to warps
  std::vector<int64_t> smem_carveouts;  ///< bytes, ascending: sizes that the shared part of an SM can take

  std::string compute_capability() const { return std::to_string(cc_major) + "." + std::to_string(cc_minor); }
  bool at_least(int major, int minor = 0) const {
    return cc_major > major || (cc_major == major && cc_minor >= minor);
  }
};

/// One figure of a GPU, for printing.
struct Entry {
  std::string_view key, unit, description;
  std::variant<int64_t, double> value;
  std::string_view source;
};

/// Every figure that the GPU has, in the order of the struct. Valid as long as the GPU.
std::vector<Entry> entries(const Gpu& gpu);

}  // namespace ww::gpus
