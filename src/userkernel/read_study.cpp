// A study of own kernels from its file: strict, every complaint with its place.
#include "base/json_reader.h"
#include "study/read_shown.h"
#include "study/read_sweep.h"
#include "userkernel/read_kernel.h"

namespace ww::userkernel {

namespace {

/// What a table shows unless the file says otherwise.
const std::vector<std::string> kMainColumns = {"verified|",
                                               "time|wall_time",
                                               "achieved_occupancy|",
                                               "warp_instructions",
                                               "global_load_sectors|global_load_transactions|",
                                               "global_store_sectors|global_store_transactions|",
                                               "shared_load_bank_conflicts|",
                                               "shared_store_bank_conflicts|",
                                               "l2_hit_rate|",
                                               "dram_bytes_read|"};

}  // namespace

bool is_own_study(const Json& root) { return root.find("kernels") != nullptr; }

Result<OwnStudy> read_own_study(const std::string& file, const Json& root) {
  JsonReader reader(file);
  AxesReader axes(reader);
  KernelReader kernels(reader, root, axes);
  OwnStudy out;
  std::vector<std::string> keys = study::shown_keys();
  keys.insert(keys.end(), {"axes", "quick", "kernels", "laboratory"});
  keys.insert(keys.end(), launch_keys().begin(), launch_keys().end());
  if (!reader.members(root, "a study file", keys)) return reader.errors;
  axes.read(root);
  for (const Json& kernel : reader.list(root, "kernels")) kernels.read(kernel);
  if (kernels.kernels().empty() && reader.errors.empty())
    reader.complain(*root.find("kernels"), "'kernels' is empty", "for example [\"mine.cu:kernel\"]");
  if (const Json* laboratory = root.find("laboratory"))
    out.study.full = out.study.quick = study::read_sweeps(*laboratory, "laboratory", reader);
  axes.finish(kernels.kernels());
  std::vector<AxisInfo> infos;
  for (const StudyAxis& axis : axes.axes()) infos.push_back(axis.info);
  study::read_shown(root, infos, reader, out.study);
  if (out.study.metrics.empty()) out.study.metrics = kMainColumns;
  if (!reader.errors.empty()) return reader.errors;
  out.axes = std::move(axes.axes());
  out.kernels = std::move(kernels.kernels());
  return out;
}

}  // namespace ww::userkernel
