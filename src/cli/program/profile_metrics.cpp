#include "cli/program/profile_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/table.h"
#include "base/text.h"
#include "cli/launch/shown.h"
#include "cli/shared/figure_options.h"
#include "counters/metric_names.h"
#include "device/engine_device.h"
#include "device/ncu_metrics.h"
#include "report/catalogue.h"

namespace ww::cli {

namespace {

/// A kernel that has something of everything that is usual: what its launch has, others have too.
constexpr const char* kSample = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry sample(.param .u64 p) {
  .reg .b32 %r<2>;
  .reg .b64 %d<3>;
  .shared .align 4 .b8 s[128];
  ld.param.u64 %d0, [p];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d1, %r0, 4;
  add.s64 %d0, %d0, %d1;
  ld.global.u32 %r1, [%d0];
  st.shared.u32 [s], %r1;
  ld.shared.u32 %r1, [s];
  st.global.u32 [%d0], %r1;
  ret;
}
)";

Result<Table> sample_table(const std::vector<gpus::Gpu>& gpus) {
  const auto device = device::make_engine_device({});
  auto module = device->load("sample", kSample);
  if (!module) return module.error();
  device::Launch launch;
  launch.module = *module;
  launch.kernel = "sample";
  launch.block.x = 32;
  constexpr uint64_t kBytes = 128;
  auto array = device->allocate(kBytes);
  if (!array) return array.error();
  launch.arguments = {device::Argument::of(*array)};
  ask_for(launch, gpus, 0);
  launch.count = true;
  auto report = device->launch(launch);
  if (!report) return report.error();
  Table table = launch_table({shown(launch, *report, gpus, "sample", model::SourceLine())}, gpus, "");
  for (Row& row : table.rows)
    for (const char* tag : {"launch", "process", "grid", "dynamic_shared", "not_modelled", "missing_figures"})
      row.values.push_back({tag, int64_t{0}, "", Provenance::Input, ""});
  launch.module.reset();  // before its device
  module->reset();
  return table;
}

/// Counters of spaces, directions and pipes that the sample has none of: "async_copy_wavefronts",
/// "warp_instructions_sfu", "flop_f16".
bool of_a_family(const std::string& tag, const Table& sample) {
  for (const char* family : {"warp_instructions_", "thread_instructions_", "flop_", "spill_"})
    if (tag.starts_with(family)) return true;
  for (const char* space : {"global", "shared", "local", "constant", "surface", "texture", "async", "bulk"}) {
    if (!tag.starts_with(std::string(space) + "_")) continue;
    for (const Row& row : sample.rows)
      for (const Value& v : row.values)
        for (const char* usual : {"global_load_", "shared_load_"})
          if (v.tag.starts_with(usual) && tag.ends_with(v.tag.substr(std::string_view(usual).size())))
            return true;
  }
  return false;
}

/// What to ask for instead of `tag`, which is none of `known`.
std::string hint_instead_of(const std::string& tag, const std::vector<std::string>& known) {
  const bool nsight = tag.find("__") != tag.npos;  // "dram__bytes.sum": the unit comes first
  std::vector<std::string> names = known;
  if (nsight) {
    names.clear();
    for (const device::NcuMetric& m : device::ncu_metrics()) names.emplace_back(m.metric);
  }
  if (const std::string near = nearest(tag, names); !near.empty())
    return fmt::format("did you mean '{}'?", near);
  return nsight ? "--format ncu-csv shows those of Nsight Compute's that there are"
                : "--metric all shows all of them";
}

}  // namespace

Status check_profile_metrics(const std::vector<std::string>& metrics, const std::vector<gpus::Gpu>& gpus) {
  const report::Catalogue words("en");
  std::vector<std::string> asked;
  for (const std::string& tag : metrics)
    if (tag != "all" && tag.find('|') == tag.npos && !counters::is_particular(tag) &&
        words.text("metric." + tag) == "metric." + tag)
      asked.push_back(tag);
  if (asked.empty()) return {};
  const auto sample = sample_table(gpus);
  if (!sample) return sample.error();
  std::vector<std::string> known;
  for (const Row& row : sample->rows)
    for (const Value& v : row.values) known.push_back(v.tag);
  Diagnostics wrong;
  for (const std::string& tag : asked) {
    if (of_a_family(tag, *sample) || std::find(known.begin(), known.end(), tag) != known.end()) continue;
    wrong.push_back(
        error(fmt::format("there is no metric '{}'", printable(tag)), hint_instead_of(tag, known)));
  }
  if (!wrong.empty()) return wrong;
  return {};
}

}  // namespace ww::cli
