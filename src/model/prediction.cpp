#include "model/prediction.h"

#include <fmt/format.h>

#include <algorithm>

namespace ww::model {

namespace {

/// The times of several launches as one.
Time together(const std::vector<Prediction>& launches) {
  Time all = launches[0].time;
  double flop = launches[0].activity.flop, instructions = launches[0].activity.instructions();
  // Shares of the SMs' time weigh by it.
  const auto weigh = [&](double Time::*share, const Time& more) {
    const double sum = all.total + more.total;
    if (sum > 0) all.*share = (all.*share * all.total + more.*share * more.total) / sum;
  };
  for (size_t i = 1; i < launches.size(); ++i) {
    const Time& t = launches[i].time;
    for (auto share : {&Time::achieved_occupancy, &Time::sm_efficiency, &Time::ipc}) weigh(share, t);
    for (const TimePart& part : t.throughput) {
      auto it = std::find_if(all.throughput.begin(), all.throughput.end(),
                             [&](const TimePart& p) { return p.tag == part.tag; });
      if (it == all.throughput.end())
        all.throughput.push_back(part);
      else
        it->ms += part.ms;
    }
    if (t.total > all.total) all.binding = t.binding, all.occupancy = t.occupancy;
    for (auto ms : {&Time::total, &Time::tail, &Time::latency, &Time::barriers, &Time::launch, &Time::waves})
      all.*ms += t.*ms;
    flop += launches[i].activity.flop, instructions += launches[i].activity.instructions();
    all.unmodelled.insert(all.unmodelled.end(), t.unmodelled.begin(), t.unmodelled.end());
    all.missing.insert(all.missing.end(), t.missing.begin(), t.missing.end());
  }
  const auto once = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  once(all.unmodelled), once(all.missing);
  if (all.total > 0) all.gflops = flop / all.total * 1e-6, all.gips = instructions / all.total * 1e-6;
  return all;
}

}  // namespace

Prediction predict(const gpus::Gpu& gpu, Activity activity, Registers registers) {
  Prediction out{gpu.id, std::move(registers), activity, {}, {}};
  out.activity.registers = out.registers.per_thread;
  auto time = predict_time(gpu, out.activity);
  if (time) {
    out.time = std::move(*time);
  } else {
    for (const auto& why : time.error()) out.refused += (out.refused.empty() ? "" : "; ") + why.message;
    if (out.registers.per_thread > 0)
      out.refused += fmt::format(" ({} registers: {})", out.registers.per_thread, out.registers.source);
  }
  return out;
}

std::vector<Value> values_of(const std::vector<Prediction>& launches) {
  std::vector<Value> out;
  const auto heaviest =
      std::max_element(launches.begin(), launches.end(), [](const Prediction& a, const Prediction& b) {
        return a.registers.per_thread < b.registers.per_thread;
      });
  const Registers& r = heaviest->registers;
  out.push_back({"registers_per_thread", r.per_thread, "", r.from, "registers per thread; " + r.source});
  out.push_back({"registers_from", r.source, "", r.from, "where the number of registers is from"});
  if (r.spill_stores + r.spill_loads > 0) {
    out.push_back({"spill_stores", r.spill_stores, "byte", r.from, "per thread, in the code: " + r.source});
    out.push_back({"spill_loads", r.spill_loads, "byte", r.from, "per thread, in the code: " + r.source});
  }
  for (const Prediction& p : launches)
    if (!p.refused.empty()) return out;
  double instructions = 0;
  for (const Prediction& p : launches) instructions += p.activity.instructions();
  out.push_back({"machine_instructions", instructions, "instructions", Provenance::Modelled,
                 "of the GPU's own code, once for each warp (docs/accuracy.md)"});
  std::vector<Value> times = together(launches).values();
  out.insert(out.end(), std::make_move_iterator(times.begin()), std::make_move_iterator(times.end()));
  return out;
}

}  // namespace ww::model
