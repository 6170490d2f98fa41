// How long a launch takes on a GPU, predicted from what the kernel did and from figures of the GPU alone.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/table.h"
#include "gpus/gpu.h"
#include "model/activity.h"
#include "model/occupancy.h"
#include "model/unmodelled.h"

namespace ww::model {

/// A part of the prediction.
struct TimePart {
  std::string_view tag;  ///< "time_issue"
  double ms = 0;
  std::string_view description;
};

/// The model, in clocks of the busiest SM:
///
/// 1. Throughput. Each resource needs work / rate: `throughput` holds what it would take alone, spread over
/// all SMs evenly. An SM's
///    resources that run in step (issue slots and the arithmetic pipes; shared memory, L1 and the load/store
///    unit, which are one data path) are one station each, as slow as the slowest of them; L2 and DRAM are
///    two more, shared by all SMs, and so is what begins blocks. What the power of the whole GPU allows is no
///    station, only a bound.
/// 2. Latency. The resident warps are customers of these stations, and the chain of a warp (Activity) times
/// the GPU's latencies is
///    what it waits besides: mean value analysis (queue.h) says how much of that the other warps hide.
/// 3. Barriers. Global latency that a barrier keeps apart from the computing of its own block can only be
/// hidden by
///    the other resident blocks: the same analysis again, with blocks as customers of the SM.
/// 4. What one block alone does when all others are done (Activity::alone) comes behind them.
/// 5. Waves. An SM gets its blocks in rounds of as many as are resident, the last round with the rest.
/// 6. Launch: the measured time of an empty kernel, where the GPU has that figure.
///
/// A figure that the GPU lacks leaves its part out, and `missing` names it.
struct Time {
  double total = 0;                  ///< ms
  std::vector<TimePart> throughput;  ///< alone, none adds up: the largest of them counts
  double tail = 0;                   ///< ms more because the SMs do not all get the same number of blocks
  double latency = 0;                ///< ms more because the resident warps do not hide their waiting
  double barriers = 0;               ///< ms more because barriers keep waiting and computing apart
  double launch = 0;                 ///< ms
  std::string_view binding;          ///< tag of the largest part

  double waves = 0;               ///< blocks / (SMs · resident blocks)
  double achieved_occupancy = 0;  ///< %, mean over the time that an SM has work
  double sm_efficiency = 0;       ///< %, of the SMs' time in which they have work
  double ipc = 0;                 ///< warp instructions per clock of an SM that has work
  double clock_ghz = 0;           ///< of the SMs
  double gflops = 0, gips = 0;    ///< 10^9 per second, whole GPU; gips: warp instructions
  Occupancy occupancy;
  std::vector<Unmodelled> unmodelled;     ///< what it did that is not in these times: they are too short
  std::vector<std::string_view> missing;  ///< keys of the GPU's figures that were wanted

  /// The part of `throughput` with this tag; 0: the launch does not use it.
  double part(std::string_view tag) const;
  /// The largest of `throughput`.
  double busiest() const;
  /// Everything as tagged values, provenance modelled.
  std::vector<Value> values() const;
};

/// Errors: a launch that the GPU refuses (see occupancy()), or one without blocks or threads.
Result<Time> predict_time(const gpus::Gpu& gpu, const Activity& activity);

}  // namespace ww::model
