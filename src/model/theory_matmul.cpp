#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/round.h"
#include "model/occupancy.h"
#include "model/theory_sheet.h"

namespace ww::model {

namespace {

constexpr int64_t kFloat = 4;

/// A reduced fraction: "2", "5/6".
std::string fraction(int64_t over, int64_t under) {
  const int64_t common = std::gcd(over, under);
  return under == common ? std::to_string(over / common)
                         : fmt::format("{}/{}", over / common, under / common);
}

/// Lanes whose accesses are served together: half a warp on 1.x.
int64_t request_lanes(const gpus::Gpu& gpu) { return gpu.at_least(2) ? 32 : 16; }

/// Smallest N whose grid of blocks has at least `blocks`.
int64_t side_with_blocks(int64_t blocks, int64_t width, int64_t height) {
  int64_t n = 1, last = 2;
  auto enough = [&](int64_t side) { return divide_up(side, width) * divide_up(side, height) >= blocks; };
  while (!enough(last)) n = last, last *= 2;
  if (enough(n)) return n;
  while (last - n > 1) (enough((n + last) / 2) ? last : n) = (n + last) / 2;
  return last;
}

/// How large a problem must be to fill the GPU.
void saturation(Sheet& s, const Result<Occupancy>& held) {
  const auto& p = s.problem;
  const double n = static_cast<double>(p.n), sms = static_cast<double>(s.gpu.sm_count);
  const int64_t threads = s.gpu.sm_count * s.gpu.max_threads_per_sm;
  s.add("resident_threads", threads, "", "threads that the GPU holds at most", "SMs*threads of an SM");
  const double side = std::sqrt(static_cast<double>(threads * p.rx * p.ry));
  s.add("saturating_n", static_cast<int64_t>(std::ceil(side)), "",
        "smallest N with as many threads as the GPU holds", "ceil(sqrt(resident_threads*Rx*Ry))");
  if (side > n)
    s.add("saturating_work", 100 * (std::pow(std::ceil(side) / n, 3) - 1), "%",
          "more work at that N than at this one", "(saturating_n/N)^3 - 1");
  const double blocks = n / static_cast<double>(p.block * p.rx) * n / static_cast<double>(p.block * p.ry);
  s.add("blocks", blocks, "", "of the grid, before rounding up", "N/(BS*Rx) * N/(BS*Ry)");
  s.add("blocks_per_sm", blocks / sms, "", "to share out", "blocks/SMs");
  if (!held) return;
  s.add("resident_blocks", held->active_blocks, "", "that an SM holds if registers do not limit",
        "see warpwright occupancy");
  s.add("saturating_n_blocks",
        side_with_blocks(s.gpu.sm_count * held->active_blocks, p.block * p.rx, p.block * p.ry), "",
        "smallest N whose grid fills the GPU with these blocks",
        "ceil(N/(BS*Rx))*ceil(N/(BS*Ry)) >= SMs*resident_blocks");
}

}  // namespace

void matmul_grid_theory(Sheet& s) {
  const auto& p = s.problem;
  const double n = static_cast<double>(p.n);
  const double flop = 2 * n * n * n;
  s.add("flop", flop, "flop", "additions and multiplications", "2*N^3");
  s.add("accesses", 2 * n * n * n + n * n, "", "of global memory by the threads", "2*N^3+N^2");
  s.add("accesses_formula", std::string("2*N^3+N^2"), "", "accesses of global memory", "");
  s.add("cgma", 1.0, "flop/access", "compute to global memory access ratio", "1");
  s.add("cgma_formula", std::string("1"), "", "flop per access, N^2 left out", "");
  // Lanes of one row read the same element of A; lanes of one column the same of B.
  const int64_t lanes = std::min(request_lanes(s.gpu), p.block * p.block);
  const int64_t rows = divide_up(lanes, p.block), columns = std::min(lanes, p.block);
  const double per_float = 2.0 * static_cast<double>(lanes) / static_cast<double>(rows + columns);
  s.add("flop_per_float", per_float, "flop/float",
        fmt::format("a {} fetches {} + {} numbers for {} flop", lanes == 16 ? "half-warp" : "warp", rows,
                    columns, 2 * lanes),
        "2*lanes/(rows+columns)");
  Demand demand;
  demand.block_x = demand.block_y = p.block;
  saturation(s, occupancy(s.gpu, demand));
  s.roofline(flop, kFloat * (flop / per_float + n * n), "4*(flop/flop_per_float + N^2)", 3 * kFloat * n * n,
             "12*N^2");
}

void matmul_tiles_theory(Sheet& s, int inputs) {
  const auto& p = s.problem;
  const double n = static_cast<double>(p.n), bs = static_cast<double>(p.block);
  const double rx = static_cast<double>(p.rx), ry = static_cast<double>(p.ry);
  const double flop = 2 * n * n * n, inverse = 1 / rx + 1 / ry;
  s.add("flop", flop, "flop", "additions and multiplications", "2*N^3");
  const int64_t width = p.block * p.rx, height = p.block * p.ry;
  const double padded = 2.0 * static_cast<double>(round_up(p.n, width)) *
                        static_cast<double>(round_up(p.n, height)) *
                        static_cast<double>(round_up(p.n, p.block));
  if (padded > flop)
    s.add("flop_padded", padded, "flop", "executed, with what lies outside the matrices",
          "2*roundup(N,BS*Rx)*roundup(N,BS*Ry)*roundup(N,BS)");
  const double accesses = n * n * n / bs * inverse + n * n;
  s.add("accesses", accesses, "", "of global memory by the threads", "N^3/BS*(1/Rx+1/Ry)+N^2");
  s.add("accesses_formula", fraction(p.rx + p.ry, p.rx * p.ry) + "*N^3/BS+N^2", "",
        "accesses of global memory", "");
  s.add("reduction_percent", 100 * (1 - inverse / 2), "%", "fewer accesses than with one result per thread",
        "1-(1/Rx+1/Ry)/2");
  s.add("cgma", 2 * bs / inverse, "flop/access", "compute to global memory access ratio, N^2 left out",
        "2*BS/(1/Rx+1/Ry)");
  const auto factor = fraction(2 * p.rx * p.ry, p.rx + p.ry);
  s.add("cgma_formula", factor == "1" ? std::string("BS") : factor + "*BS", "",
        "flop per access, N^2 left out", "");
  s.add("cgma_factor", 2 / inverse, "x", "over one result per thread", "2/(1/Rx+1/Ry)");
  const int64_t shared = p.block * p.block * (p.rx + p.ry) * kFloat;
  s.add("shared", shared, "B", "shared memory of a block", "4*BS^2*(Rx+Ry)");
  const int64_t sum = s.gpu.smem_per_block_default / (kFloat * p.block * p.block);
  s.add("max_rx_ry_sum", sum, "", "largest Rx+Ry whose tiles fit",
        "floor(shared memory of a block/(4*BS^2))");
  s.add("max_tile", fmt::format("{0}x{0}", sum / 2), "", "largest square tile that fits", "");
  Demand demand;
  demand.block_x = demand.block_y = p.block;
  demand.static_shared = std::min<int64_t>(shared, s.gpu.smem_per_block_default);
  demand.dynamic_shared = shared - demand.static_shared;
  auto held = occupancy(s.gpu, demand);
  if (!held) {
    std::string why;
    for (const auto& reason : held.error()) why += (why.empty() ? "" : "; ") + reason.message;
    s.add("refused", why, "", "why this cannot be launched", "");
  }
  saturation(s, held);
  s.roofline(flop, kFloat * accesses, "4*accesses", kFloat * (inputs + 1) * n * n,
             fmt::format("{}*N^2", kFloat * (inputs + 1)));
}

void column_conflicts(Sheet& s, int64_t pad) {
  const auto& p = s.problem;
  const int64_t lanes = std::min(request_lanes(s.gpu), p.block * p.block);
  std::map<int64_t, std::set<int64_t>> banks;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    const int64_t word = (lane % p.block) * (p.block + pad);
    banks[word % s.gpu.smem_banks].insert(word);
  }
  size_t degree = 0;
  for (const auto& [bank, words] : banks) degree = std::max(degree, words.size());
  s.add("conflict_degree", static_cast<int64_t>(degree), "way",
        "bank conflict of reading the second tile by columns",
        fmt::format("most of {} lanes' words x*(BS{}) in one of {} banks", lanes, pad ? "+1" : "",
                    s.gpu.smem_banks.value));
}

}  // namespace ww::model
