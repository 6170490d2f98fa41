#include "model/theory_sheet.h"

#include <algorithm>

namespace ww::model {

void Sheet::add(std::string_view tag, std::variant<double, int64_t, std::string> value, std::string_view unit,
                std::string_view meaning, std::string formula) {
  lines.push_back(
      {{std::string(tag), std::move(value), std::string(unit), Provenance::Theory, std::string(meaning)},
       std::move(formula)});
}

void Sheet::roofline(double flop, double moved, const std::string& moved_formula, double compulsory,
                     const std::string& compulsory_formula) {
  const double bandwidth = gpu.dram_bandwidth;                                                // 10^9 B/s
  const double peak = 2e-3 * static_cast<double>(gpu.sm_count) * gpu.fp32 * gpu.boost_clock;  // GFlop/s
  add("float_rate", bandwidth / 4, "Gfloat/s", "single-precision numbers that the memory delivers", "B/4");
  add("compute_bound", peak, "GFlop/s", "all lanes multiply and add at every clock", "F = SMs*lanes*2*clock");
  add("memory_bytes", moved, "B", "asked of memory when no cache helps", moved_formula);
  add("compulsory_bytes", compulsory, "B", "every input read and every output written once",
      compulsory_formula);
  add("bandwidth_bound", bandwidth * flop / moved, "GFlop/s", "as fast as memory delivers what is asked",
      "B*flop/memory_bytes");
  const double intensity = flop / compulsory;
  add("intensity", intensity, "flop/B", "of the problem: the most that any kernel can have",
      "flop/compulsory_bytes");
  add("ridge", peak / bandwidth, "flop/B", "intensity from which on arithmetic limits", "F/B");
  const double roof = std::min(peak, bandwidth * intensity);
  add("roofline_bound", roof, "GFlop/s", "no kernel for this problem is faster", "min(F, B*intensity)");
  const double compute_ms = 1e-6 * flop / peak, memory_ms = 1e-6 * moved / bandwidth;
  add("time_compute_bound", compute_ms, "ms", "arithmetic alone", "flop/F");
  add("time_bandwidth_bound", memory_ms, "ms", "memory alone, no cache", "memory_bytes/B");
  add("time_compulsory", 1e-6 * compulsory / bandwidth, "ms", "memory alone, perfect caches",
      "compulsory_bytes/B");
  add("time_roofline", 1e-6 * flop / roof, "ms", "no kernel for this problem is faster",
      "flop/roofline_bound");
  add("bound_by", compute_ms >= memory_ms ? std::string("compute") : std::string("bandwidth"), "",
      "this kernel, if no cache helps", "larger of time_compute_bound, time_bandwidth_bound");
}

}  // namespace ww::model
