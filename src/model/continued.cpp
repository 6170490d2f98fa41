#include "model/continued.h"

#include <algorithm>
#include <utility>

namespace ww::model {

namespace {

constexpr double Activity::*kTotals[] = {&Activity::flop,
                                         &Activity::fp32,
                                         &Activity::fp64,
                                         &Activity::int_alu,
                                         &Activity::int_mul,
                                         &Activity::sfu,
                                         &Activity::tensor,
                                         &Activity::load_store,
                                         &Activity::other,
                                         &Activity::tensor_multiplies,
                                         &Activity::shared_load_wavefronts,
                                         &Activity::shared_store_wavefronts,
                                         &Activity::shared_conflicts,
                                         &Activity::global_requests,
                                         &Activity::local_sectors,
                                         &Activity::global_wavefronts,
                                         &Activity::tag_lookups,
                                         &Activity::global_load_sectors,
                                         &Activity::global_store_sectors,
                                         &Activity::l2_read_sectors,
                                         &Activity::l2_write_sectors,
                                         &Activity::constant_passes,
                                         &Activity::texture_requests,
                                         &Activity::bulk_operations,
                                         &Activity::spin_reads};
constexpr double Activity::*kOfAWarp[] = {&Activity::global_rounds, &Activity::shared_rounds,
                                          &Activity::alu_chain, &Activity::barriers, &Activity::fences};
/// A part of another one that the caches let through.
constexpr std::pair<double Activity::*, double Activity::*> kShares[] = {
    {&Activity::l2_read_sectors, &Activity::global_load_sectors},
    {&Activity::rounds_past_l1, &Activity::global_rounds},
    {&Activity::rounds_past_l2, &Activity::global_rounds}};

double squared(int64_t n) { return static_cast<double>(n) * static_cast<double>(n); }

}  // namespace

Activity continued(const Sized& small, const Sized& medium, int64_t n, int64_t blocks, bool stay) {
  const Activity &first = small.activity, &last = medium.activity;
  const bool one_block = first.blocks == 1 && last.blocks == 1;
  constexpr double kWithSquare = 0.75;
  const bool grid_grew = static_cast<double>(last.blocks) * squared(small.n) >=
                         kWithSquare * static_cast<double>(first.blocks) * squared(medium.n);
  const auto results = [&](int64_t of_blocks, int64_t of_n) {
    return stay || !(grid_grew || one_block) ? squared(of_n) : static_cast<double>(of_blocks);
  };
  const auto grown = [&](double before, double now) {
    const double at = now / results(last.blocks, medium.n);
    const double per_step =
        one_block ? at / static_cast<double>(medium.n)
                  : (at - before / results(first.blocks, small.n)) / static_cast<double>(medium.n - small.n);
    return std::max(0.0, at + per_step * static_cast<double>(n - medium.n)) * results(blocks, n);
  };
  Activity out = last;
  out.blocks = blocks;
  for (const auto field : kTotals) out.*field = grown(first.*field, last.*field);
  for (const auto field : kOfAWarp)
    out.*field = grown(first.*field * first.warps(), last.*field * last.warps()) / out.warps();
  for (const auto& [part, all] : kShares)
    if (last.*all > 0) out.*part = out.*all * (last.*part / last.*all);
  const double larger = squared(n) / squared(medium.n);
  out.dram_bytes_read *= larger, out.dram_bytes_written *= larger;
  return out;
}

}  // namespace ww::model
