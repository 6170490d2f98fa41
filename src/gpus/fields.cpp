#include "gpus/fields.h"

namespace ww::gpus {

namespace {

#define WW_FIELD(member, unit, description, min, max)                                   \
  Field {                                                                               \
#member, unit, description, min, max, [](Gpu & gpu) -> Slot { return &gpu.member; } \
  }

constexpr double kTera = 1e12;

constexpr Field kFields[] = {
    WW_FIELD(launch_year, "", "year in which it was launched", 2006, 2100),
    WW_FIELD(sm_count, "", "streaming multiprocessors that are enabled", 1, 4096),
    WW_FIELD(base_clock, "MHz", "base clock of the SMs (before Kepler: processor clock)", 50, 10000),
    WW_FIELD(boost_clock, "MHz", "highest advertised clock of the SMs (before Kepler: processor clock)", 50,
             10000),
    WW_FIELD(dram_bandwidth, "GB/s", "bandwidth of the device memory as advertised", 0.1, 1e6),
    WW_FIELD(dram_bandwidth_measured, "GB/s", "bytes read plus written per second by a large copy", 0.1, 1e6),
    WW_FIELD(dram_bus, "bit", "width of the memory interface", 8, 65536),
    WW_FIELD(dram_data_rate, "Gbit/s", "data rate of one pin of the memory interface", 0.1, 1000),
    WW_FIELD(dram_bytes, "B", "size of the device memory", 1 << 20, 1e15),
    WW_FIELD(l2_bytes, "B", "size of the L2 cache", 1 << 10, kTera),
    WW_FIELD(l2_parts, "", "parts of L2, each caching what the SMs next to it use", 1, 16),
    WW_FIELD(gpcs, "", "clusters of SMs, whose reads of L2 are coalesced", 1, 64),
    WW_FIELD(sms_apart, "", "SMs of one cluster that get their blocks apart from the others", 1, 1024),
    WW_FIELD(apart_every, "", "turns of the other clusters between theirs", 1, 1024),
    WW_FIELD(l2_join, "clocks", "for which a read that L2 has takes in those of other SMs of its cluster", 1,
             1e4),
    WW_FIELD(l2_join_most, "", "reads of a cluster's SMs that become one, at most", 2, 1024),
    WW_FIELD(l2_latency_spread, "clocks",
             "by which L2 answers the nearest and the farthest SM of a cluster sooner and later", 0, 1e3),
    WW_FIELD(peak_fp32, "GFLOP/s", "single-precision rate as advertised, tensor cores apart", 0.1, 1e9),
    WW_FIELD(measured_fp32, "GFLOP/s", "single-precision rate that a loop of multiply-adds reaches", 0.1,
             1e9),
    WW_FIELD(measured_tensor, "GFLOP/s", "rate that a large product of FP16 or BF16 with FP32 sums reaches",
             1, 1e8),
    WW_FIELD(shared_latency, "clocks",
             "load from shared memory without conflict, until its result can be used", 1, 1e4),
    WW_FIELD(l1_latency, "clocks", "load that hits in L1", 1, 1e4),
    WW_FIELD(l2_latency, "clocks", "load that hits in L2", 1, 1e5),
    WW_FIELD(dram_latency, "clocks", "load that misses in all caches", 1, 1e5),
    WW_FIELD(l2_bandwidth, "B/clock", "bytes that L2 delivers to all SMs together", 1, 1e6),
    WW_FIELD(l2_read_port, "B/clock", "bytes that one SM reads from L2", 1, 1e4),
    WW_FIELD(l2_write_port, "B/clock", "bytes that one SM writes to L2", 1, 1e4),
    WW_FIELD(fence_latency, "clocks", "a store that all blocks can see, with its fence", 1, 1e5),
    WW_FIELD(atomic_pass, "clocks", "each pass of atomics through a line of L2", 0.1, 1e4),
    WW_FIELD(constant_pass, "clocks", "each further word that a warp reads of constant memory", 0.1, 1e3),
    WW_FIELD(barrier_latency, "clocks", "a barrier of a block, besides its warps", 0.1, 1e4),
    WW_FIELD(barrier_per_warp, "clocks", "more for each warp of the block", 0.01, 1e3),
    WW_FIELD(block_latency, "ns", "from the end of a block to the begin of the next one in its place", 1,
             1e5),
    WW_FIELD(block_interval, "ns", "from the begin of a block to the next one's, all SMs together", 0.001,
             1e4),
    WW_FIELD(launch_overhead, "us", "an empty kernel, by events", 0.01, 1e4),

    WW_FIELD(fp32, "1/clock", "single-precision additions, multiplications or multiply-adds of an SM", 1,
             4096),
    WW_FIELD(fp64, "1/clock", "double-precision additions, multiplications or multiply-adds of an SM", 0.1,
             4096),
    WW_FIELD(int32, "1/clock", "32-bit integer additions of an SM", 1, 4096),
    WW_FIELD(int32_mul, "1/clock", "32-bit integer multiplications of an SM", 0.1, 4096),
    WW_FIELD(sfu, "1/clock", "reciprocals, square roots, sines, exponentials of an SM", 0.1, 4096),
    WW_FIELD(alu_latency, "clocks", "from an arithmetic instruction to one that needs its result", 1, 1000),

    WW_FIELD(warp_schedulers, "", "warp schedulers of an SM", 1, 64),
    WW_FIELD(issue_per_scheduler, "1/clock", "warp instructions that a scheduler issues per SM clock", 0.01,
             16),
    WW_FIELD(load_store_lanes, "1/clock", "lanes of loads and stores that an SM takes", 1, 1024),
    WW_FIELD(tensor_fp16, "1/clock", "multiply-adds of an SM's tensor cores: FP16, FP16 sums, dense", 1, 1e6),
    WW_FIELD(tensor_f32_sums, "", "part of tensor_fp16 that is reached with FP32 sums", 0.1, 1),
    WW_FIELD(tensor_mma, "", "part of tensor_fp16 that mma and wmma reach, which one warp executes", 0.1, 1),
    WW_FIELD(shared_bank_bandwidth, "B/clock", "bytes that a shared-memory bank delivers", 1, 64),
    WW_FIELD(l1_bytes, "B", "L1 cache of an SM that is apart from shared memory", 1 << 10, 1 << 24),
    WW_FIELD(l1_shared_bytes, "B", "storage of an SM that L1 and shared memory divide between them", 1 << 10,
             1 << 24),

    WW_FIELD(max_threads_per_block, "", "threads of a block", 32, 65536),
    WW_FIELD(max_warps_per_sm, "", "warps resident on an SM", 1, 1024),
    WW_FIELD(max_threads_per_sm, "", "threads resident on an SM", 32, 32768),
    WW_FIELD(max_blocks_per_sm, "", "blocks resident on an SM", 1, 1024),
    WW_FIELD(regs_per_sm, "", "32-bit registers of an SM", 1024, 1 << 24),
    WW_FIELD(max_regs_per_block, "", "32-bit registers that a block may have", 1024, 1 << 24),
    WW_FIELD(max_regs_per_thread, "", "32-bit registers that a thread may have", 16, 1024),
    WW_FIELD(reg_alloc_unit, "",
             "registers are allocated in multiples of this (1.x: for a block, later: for a warp)", 1, 65536),
    WW_FIELD(warp_alloc_gran, "", "warps are allocated registers in multiples of this", 1, 64),
    WW_FIELD(smem_per_sm, "B", "largest shared memory of an SM", 1 << 10, 1 << 24),
    WW_FIELD(smem_per_block_default, "B", "shared memory that a block may have without asking for more",
             1 << 10, 1 << 24),
    WW_FIELD(smem_per_block_optin, "B", "shared memory that a block may have when its kernel asks for it",
             1 << 10, 1 << 24),
    WW_FIELD(smem_alloc_unit, "B", "shared memory is allocated in multiples of this", 1, 65536),
    WW_FIELD(reserved_smem_per_block, "B", "shared memory of each block that the system keeps for itself", 0,
             65536),
    WW_FIELD(smem_banks, "", "banks of shared memory", 1, 1024),
};

#undef WW_FIELD

template <class F>
constexpr bool is_maybe(const Maybe<F>*) {
  return true;
}
template <class F>
constexpr bool is_maybe(const F*) {
  return false;
}

Gpu& writable(const Gpu& gpu) { return const_cast<Gpu&>(gpu); }  // slots only hand out places

}  // namespace

std::span<const Field> fields() { return kFields; }

const Field* find_field(std::string_view key) {
  for (const auto& field : kFields)
    if (field.key == key) return &field;
  return nullptr;
}

void set(Gpu& gpu, const Field& field, double value, std::string source) {
  std::visit(
      [&](auto* place) {
        auto fill = [&](auto& figure) {
          figure.value = static_cast<decltype(figure.value)>(value);
          figure.source = std::move(source);
        };
        if constexpr (requires { place->emplace(); })
          fill(place->emplace());
        else
          fill(*place);
      },
      field.slot(gpu));
}

bool has(const Gpu& gpu, const Field& field) {
  return std::visit(
      [](auto* place) {
        if constexpr (requires { place->has_value(); })
          return place->has_value();
        else
          return !place->source.empty();
      },
      field.slot(writable(gpu)));
}

bool is_count(const Field& field) {
  static Gpu any;
  Slot slot = field.slot(any);
  return std::holds_alternative<Count*>(slot) || std::holds_alternative<Maybe<Count>*>(slot);
}

bool is_required(const Field& field) {
  static Gpu any;
  return std::visit([](auto* place) { return !is_maybe(place); }, field.slot(any));
}

std::vector<Entry> entries(const Gpu& gpu) {
  std::vector<Entry> out;
  for (const auto& field : kFields) {
    if (!has(gpu, field)) continue;
    std::visit(
        [&](auto* place) {
          auto add = [&](const auto& figure) {
            out.push_back({field.key, field.unit, field.description, figure.value, figure.source});
          };
          if constexpr (requires { place->value(); })
            add(place->value());
          else
            add(*place);
        },
        field.slot(writable(gpu)));
  }
  return out;
}

}  // namespace ww::gpus
