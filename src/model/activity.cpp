#include "model/activity.h"

namespace ww::model {

namespace {

#define WW_COUNT(member, unit) \
  { #member, unit, nullptr, &Activity::member }
#define WW_NUMBER(member, unit) \
  { #member, unit, &Activity::member, nullptr }

constexpr ActivityField kFields[] = {
    WW_COUNT(blocks, ""),
    WW_COUNT(threads_per_block, ""),
    WW_COUNT(registers, ""),
    WW_COUNT(shared, "B"),
    WW_COUNT(parameters, "B"),
    WW_NUMBER(flop, "flop"),
    WW_NUMBER(fp32, "inst"),
    WW_NUMBER(fp64, "inst"),
    WW_NUMBER(int_alu, "inst"),
    WW_NUMBER(int_mul, "inst"),
    WW_NUMBER(sfu, "inst"),
    WW_NUMBER(tensor, "inst"),
    WW_NUMBER(load_store, "inst"),
    WW_NUMBER(other, "inst"),
    WW_NUMBER(tensor_multiplies, "multiply-add"),
    WW_NUMBER(shared_load_wavefronts, "wavefront"),
    WW_NUMBER(shared_store_wavefronts, "wavefront"),
    WW_NUMBER(shared_conflicts, "wavefront"),
    WW_NUMBER(global_requests, "request"),
    WW_NUMBER(local_sectors, "sector"),
    WW_NUMBER(global_wavefronts, "wavefront"),
    WW_NUMBER(tag_lookups, "lookup"),
    WW_NUMBER(global_load_sectors, "sector"),
    WW_NUMBER(global_store_sectors, "sector"),
    WW_NUMBER(l2_read_sectors, "sector"),
    WW_NUMBER(l2_write_sectors, "sector"),
    WW_NUMBER(dram_bytes_read, "B"),
    WW_NUMBER(dram_bytes_written, "B"),
    WW_NUMBER(constant_passes, "pass"),
    WW_NUMBER(atomic_passes, "pass"),
    WW_NUMBER(texture_requests, "request"),
    WW_NUMBER(bulk_operations, "inst"),
    WW_NUMBER(spin_reads, "inst"),
    WW_NUMBER(global_rounds, "round"),
    WW_NUMBER(rounds_past_l1, "round"),
    WW_NUMBER(rounds_past_l2, "round"),
    WW_NUMBER(shared_rounds, "round"),
    WW_NUMBER(alu_chain, "inst"),
    WW_NUMBER(barriers, "barrier"),
    WW_NUMBER(fences, "fence"),
    WW_NUMBER(alone, "clock"),
    WW_NUMBER(overlap, ""),
};

#undef WW_COUNT
#undef WW_NUMBER

}  // namespace

std::span<const ActivityField> activity_fields() { return kFields; }

}  // namespace ww::model
