#include "device/ncu_metrics.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ww::device {

namespace {

constexpr NcuMetric kMetrics[] = {
    {"gpu__time_duration.sum", "time", "ms", 1e-6, "duration of the kernel"},
    {"smsp__inst_executed.sum", "warp_instructions", "inst", 1, "instructions executed, counted per warp"},
    {"smsp__thread_inst_executed.sum", "thread_instructions", "inst", 1,
     "instructions executed, counted per thread"},
    {"sm__inst_executed.avg.per_cycle_active", "ipc", "inst/cycle", 1,
     "warp instructions per cycle and active multiprocessor"},
    {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "thread_fadd", "inst", 1,
     "float32 additions, counted per thread"},
    {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "thread_fmul", "inst", 1,
     "float32 multiplications, counted per thread"},
    {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "thread_ffma", "inst", 1,
     "float32 fused multiply-adds, counted per thread"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global_load_requests", "request", 1,
     "warp-wide loads from global memory"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global_store_requests", "request", 1,
     "warp-wide stores to global memory"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "global_load_sectors", "sector", 1,
     "32-byte sectors of global loads"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "global_store_sectors", "sector", 1,
     "32-byte sectors of global stores"},
    {"smsp__inst_executed_op_shared_ld.sum", "shared_load_requests", "request", 1,
     "warp-wide loads from shared memory"},
    {"smsp__inst_executed_op_shared_st.sum", "shared_store_requests", "request", 1,
     "warp-wide stores to shared memory"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "shared_load_wavefronts", "wavefront", 1,
     "passes through shared memory for loads"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "shared_store_wavefronts", "wavefront", 1,
     "passes through shared memory for stores"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "shared_load_bank_conflicts", "wavefront", 1,
     "passes of shared loads beyond the conflict-free number"},
    {"lts__t_sectors_op_read.sum", "l2_read_sectors", "sector", 1, "32-byte sectors read from L2"},
    {"lts__t_sectors_op_write.sum", "l2_write_sectors", "sector", 1, "32-byte sectors written to L2"},
    {"dram__bytes_read.sum", "dram_bytes_read", "byte", 1, "bytes read from device memory"},
    {"dram__bytes_write.sum", "dram_bytes_written", "byte", 1, "bytes written to device memory"},
    {"sm__maximum_warps_per_active_cycle_pct", "occupancy_theoretical", "%", 1,
     "resident warps the launch allows, of the most possible"},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "occupancy_achieved", "%", 1,
     "resident warps there were, of the most possible"},
    {"launch__registers_per_thread", "registers_per_thread", "register/thread", 1, "registers allocated"},
};

const Value* find(const std::vector<Value>& values, std::string_view tag) {
  auto it = std::find_if(values.begin(), values.end(), [&](const Value& v) { return v.tag == tag; });
  return it == values.end() ? nullptr : &*it;
}

void add(Value& sum, const Value& more) {
  auto* a = std::get_if<int64_t>(&sum.value);
  const auto* b = std::get_if<int64_t>(&more.value);
  if (a && b)
    *a += *b;
  else
    sum.value = sum.number() + more.number();
}

}  // namespace

std::span<const NcuMetric> ncu_metrics() { return kMetrics; }

std::vector<Value> neutral_values(const std::vector<Value>& ncu_values) {
  Row row;
  for (const NcuMetric& m : kMetrics)
    for (const Value& v : ncu_values) {
      if (v.tag != m.metric || std::isnan(v.number())) continue;
      Value renamed{std::string(m.tag), v.value, std::string(m.unit), v.provenance,
                    std::string(m.description)};
      if (m.factor != 1) renamed.value = v.number() * m.factor;
      row.values.push_back(std::move(renamed));
      break;
    }
  const Value *add = row.find("thread_fadd"), *mul = row.find("thread_fmul"), *fma = row.find("thread_ffma");
  if (!add || !mul || !fma) return row.values;
  double flop = add->number() + mul->number() + 2 * fma->number();
  const Value* time = row.find("time");
  double seconds = time ? time->number() * 1e-3 : 0;
  row.values.push_back({"flop", static_cast<int64_t>(flop), "flop", Provenance::Measured,
                        "float32 operations: additions + multiplications + 2 x multiply-adds"});
  if (seconds > 0)
    row.values.push_back({"gflops", flop / seconds / 1e9, "GFlop/s", Provenance::Measured, "flop over time"});
  return row.values;
}

std::vector<Value> total_of(std::span<const ProfiledKernel> launches) {
  if (launches.empty()) return {};
  const auto duration = [](const ProfiledKernel& kernel) {
    const Value* time = find(kernel.values, "gpu__time_duration.sum");
    return time ? time->number() : 0;
  };
  const auto longest = std::max_element(launches.begin(), launches.end(), [&](const auto& a, const auto& b) {
    return duration(a) < duration(b);
  });
  std::vector<Value> total = longest->values;
  for (Value& value : total) {
    if (!value.tag.ends_with(".sum")) continue;
    for (auto other = launches.begin(); other != launches.end(); ++other)
      if (const Value* more = find(other->values, value.tag); more && &*other != &*longest) add(value, *more);
  }
  return total;
}

}  // namespace ww::device
