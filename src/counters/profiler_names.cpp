#include "counters/profiler_names.h"

namespace ww::counters {

namespace {

constexpr ProfilerName kNames[] = {
    // Compute Visual Profiler
    {"gld_32b", "global_load_transactions_32", 12, 13},
    {"gld_64b", "global_load_transactions_64", 12, 13},
    {"gld_128b", "global_load_transactions_128", 12, 13},
    {"gst_32b", "global_store_transactions_32", 12, 13},
    {"gst_64b", "global_store_transactions_64", 12, 13},
    {"gst_128b", "global_store_transactions_128", 12, 13},
    {"warp_serialize", "shared_load_bank_conflicts", 10, 13},
    {"cgma", "cgma", 10, 62},
    // nvprof
    {"gld_request", "global_load_requests", 20, 62},
    {"gst_request", "global_store_requests", 20, 62},
    {"shared_load", "shared_load_requests", 20, 62},
    {"shared_store", "shared_store_requests", 20, 62},
    {"local_load", "local_load_requests", 20, 62},
    {"local_store", "local_store_requests", 20, 62},
    {"gld_transactions", "global_load_transactions", 20, 62},
    {"gst_transactions", "global_store_transactions", 20, 62},
    {"shared_load_transactions", "shared_load_wavefronts", 20, 62},
    {"shared_store_transactions", "shared_store_wavefronts", 20, 62},
    {"l2_read_transactions", "l2_read_sectors", 20, 62},
    {"l2_write_transactions", "l2_write_sectors", 20, 62},
    {"l2_tex_hit_rate", "l2_hit_rate", 50, 62},
    {"dram_read_transactions", "dram_sectors_read", 20, 62},
    {"dram_write_transactions", "dram_sectors_written", 20, 62},
    {"dram_read_bytes", "dram_bytes_read", 20, 62},
    {"dram_write_bytes", "dram_bytes_written", 20, 62},
    {"intensity", "intensity", 20, 62},
    {"flop_count_sp", "flop_f32", 20, 62},
    {"flop_count_dp", "flop_f64", 20, 62},
    {"CGMA", "cgma", 20, 62},
};

}  // namespace

std::span<const ProfilerName> profiler_names() { return kNames; }

}  // namespace ww::counters
