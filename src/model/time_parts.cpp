#include "model/time_parts.h"

#include <algorithm>

namespace ww::model {

namespace {

/// Whether integer arithmetic has lanes of its own (V100, A100 and H100 whitepapers) or takes those of fp32
/// (earlier; GA102, Ada: half of the fp32 lanes; RTX Blackwell: all).
bool integers_apart(const gpus::Gpu& gpu) {
  return gpu.cc_major == 7 || (gpu.cc_major == 8 && gpu.cc_minor == 0) || gpu.cc_major == 9 ||
         gpu.cc_major == 10;
}

/// A 32-bit multiplication where the GPU has none is three 16-bit ones (XMAD on Maxwell and Pascal).
constexpr double kMultiplySteps = 3;

/// Before Maxwell a bank conflict issues the instruction again (CUDA Profiler User's Guide:
/// shared_load_replay). On 1.x a wavefront serves half a warp, and an issue slot two of them.
double replays(const gpus::Gpu& gpu, const Activity& a) {
  if (gpu.at_least(5)) return 0;
  return gpu.at_least(2) ? a.shared_conflicts : a.shared_conflicts / 2;
}

}  // namespace

std::vector<Work> work(const gpus::Gpu& gpu, const Activity& a, std::vector<std::string_view>& missing) {
  std::vector<Work> out;
  auto add = [&](std::string_view tag, Station station, double amount, double per_clock,
                 std::string_view what) {
    if (amount > 0) out.push_back({tag, what, station, amount / per_clock});
  };
  auto add_known = [&](std::string_view tag, Station station, double amount,
                       const gpus::Maybe<gpus::Rate>& rate, std::string_view key, std::string_view what) {
    if (amount <= 0) return;
    if (rate)
      add(tag, station, amount, rate->value, what);
    else
      missing.push_back(key);
  };
  const double clock = gpu.boost_clock * 1e6;

  if (gpu.warp_schedulers && gpu.issue_per_scheduler)
    add("time_issue", Station::Core, a.instructions() + replays(gpu, a),
        *gpu.warp_schedulers * *gpu.issue_per_scheduler, "issue slots of the warp schedulers");
  else
    missing.push_back("warp_schedulers");
  double fp32 = gpu.fp32;
  if (gpu.measured_fp32) fp32 = std::min(fp32, *gpu.measured_fp32 * 1e9 / (2 * clock * gpu.sm_count));
  const double int_rate = gpu.int32 ? gpu.int32->value : gpu.fp32.value;
  const double mul_rate = gpu.int32_mul ? gpu.int32_mul->value : int_rate / kMultiplySteps;
  const double int_alu = gpus::kWarp * a.int_alu, int_mul = gpus::kWarp * a.int_mul;
  add("time_fp32", Station::Core, gpus::kWarp * a.fp32 + (integers_apart(gpu) ? 0 : int_alu + int_mul), fp32,
      integers_apart(gpu) ? "single-precision lanes" : "lanes of single-precision and integer arithmetic");
  if (a.int_alu + a.int_mul > 0)
    out.push_back({"time_int", "integer lanes", Station::Core, int_alu / int_rate + int_mul / mul_rate});
  add_known("time_fp64", Station::Core, gpus::kWarp * a.fp64, gpu.fp64, "fp64", "double-precision lanes");
  add_known("time_sfu", Station::Core, gpus::kWarp * a.sfu, gpu.sfu, "sfu",
            "special functions and conversions");
  add_known("time_tensor", Station::Core, a.tensor_multiplies, gpu.tensor_fp16, "tensor_fp16",
            "tensor cores");
  // What a large product reaches is less, as its power lowers the clock of all SMs.
  if (gpu.tensor_fp16 && gpu.measured_tensor)
    add("time_tensor_power", Station::Power, a.tensor_multiplies, *gpu.measured_tensor * 1e9 / (2 * clock),
        "tensor cores of all SMs, as fast as their power lets a large product be");

  if (gpu.constant_pass)
    add("time_constant", Station::Core, a.constant_passes * *gpu.constant_pass, 1,
        "further words that warps read of constant memory");

  // A wavefront takes one word of each bank (8-byte banks: one of theirs).
  const double bank = gpu.shared_bank_bandwidth ? std::min(1.0, *gpu.shared_bank_bandwidth / 4) : 1;
  add("time_shared", Station::DataPath, a.shared_load_wavefronts + a.shared_store_wavefronts, bank,
      "wavefronts of shared memory");
  if (gpu.at_least(2)) {
    add("time_l1", Station::DataPath, a.global_wavefronts, 1, "wavefronts of global and local memory in L1");
    add("time_l1_tags", Station::DataPath, a.tag_lookups, 1, "lookups of L1's tags, four lines at once");
    // Where it was not measured what a further word of constant memory takes, it is a request of its own.
    const double words = gpu.constant_pass ? 0 : a.constant_passes;
    add_known("time_load_store", Station::DataPath, gpus::kWarp * (a.load_store + words),
              gpu.load_store_lanes, "load_store_lanes", "addresses taken by the load/store units");
    add_known("time_l2", Station::L2, gpus::kSector * (a.l2_read_sectors + a.l2_write_sectors),
              gpu.l2_bandwidth, "l2_bandwidth", "sectors between the SMs and L2");
    if (gpu.l2_read_port && gpu.l2_write_port)
      add("time_l2_port", Station::DataPath,
          gpus::kSector *
              (a.l2_read_sectors / *gpu.l2_read_port + a.global_store_sectors / *gpu.l2_write_port),
          1, "sectors at each SM's own port to L2");
  }
  // However many SMs ask: one line is in one place.
  if (gpu.atomic_pass && a.atomic_passes > 1)
    add("time_atomics", Station::L2, a.atomic_passes * *gpu.atomic_pass, 1,
        "atomics of one line (128 bytes) of global memory, one after another");
  const double dram = gpu.dram_bandwidth_measured ? *gpu.dram_bandwidth_measured : gpu.dram_bandwidth.value;
  add("time_dram", Station::Dram, a.dram_bytes_read + a.dram_bytes_written, dram * 1e9 / clock,
      "bytes between the GPU and its memory");
  if (gpu.block_interval)
    add("time_blocks", Station::Blocks, static_cast<double>(a.blocks) * *gpu.block_interval * 1e-9 * clock, 1,
        "blocks that begin one after another");
  return out;
}

double station_clocks(const std::vector<Work>& work, Station station) {
  double slowest = 0, banks = 0;
  for (const auto& w : work) {
    if (w.station != station) continue;
    slowest = std::max(slowest, w.clocks);
    if (w.tag == "time_shared" || w.tag == "time_l1") banks += w.clocks;
  }
  return std::max(slowest, banks);
}

Wait wait(const gpus::Gpu& gpu, const Activity& a, std::vector<std::string_view>& missing) {
  Wait out;
  if (a.global_rounds > 0) {
    // The nearer level stands in for a farther one that has no figure: too short rather than invented.
    const auto& far = gpu.dram_latency ? gpu.dram_latency : gpu.l2_latency ? gpu.l2_latency : gpu.l1_latency;
    if (!gpu.dram_latency) missing.push_back("dram_latency");
    const double dram = far ? far->value : 0;
    const double l2 = gpu.l2_latency ? gpu.l2_latency->value : dram;
    const double l1 = gpu.l1_latency ? gpu.l1_latency->value : l2;
    out.global = (a.global_rounds - a.rounds_past_l1) * l1 + (a.rounds_past_l1 - a.rounds_past_l2) * l2 +
                 a.rounds_past_l2 * dram;
    out.first = out.global / std::max(1.0, a.global_rounds);
  }
  if (a.shared_rounds > 0) {
    if (gpu.shared_latency)
      out.own += a.shared_rounds * *gpu.shared_latency;
    else
      missing.push_back("shared_latency");
  }
  if (gpu.block_latency) out.begin = *gpu.block_latency * gpu.boost_clock * 1e-3;
  if (a.barriers > 0 && gpu.barrier_latency && gpu.barrier_per_warp)
    out.own += a.barriers * (*gpu.barrier_latency + *gpu.barrier_per_warp * a.warps_per_block());
  if (a.fences > 0) {
    if (gpu.fence_latency)
      out.own += a.fences * *gpu.fence_latency;
    else
      missing.push_back("fence_latency");
  }
  // A warp alone issues to one scheduler, and its chain takes the pipe's latency at every step, whichever is
  // longer; what it occupies of the SM meanwhile is counted as service.
  const double warps = a.warps();
  const double instructions = a.instructions() / warps;
  const double per_clock = gpu.issue_per_scheduler ? std::min(1.0, gpu.issue_per_scheduler->value) : 1;
  const double schedulers = gpu.warp_schedulers ? gpu.warp_schedulers->value : 1;
  const double chain = a.alu_chain * (gpu.alu_latency ? gpu.alu_latency->value : 1 / per_clock);
  if (!gpu.alu_latency && a.alu_chain > 0) missing.push_back("alu_latency");
  out.own +=
      std::max(0.0, std::max(chain, instructions / per_clock) - instructions / (per_clock * schedulers));
  return out;
}

}  // namespace ww::model
