#include "study/study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "study/studies.h"

namespace ww::study {

const std::vector<Study>& all_studies() {
  static const std::vector<Study> kAll = {matmul_ladder(), matmul_tiles(), aat(), box_sum(), sum()};
  return kAll;
}

const std::vector<std::string>& headline_metrics() {
  static const std::vector<std::string> kAll = {"verified",
                                                "error_of_bound",
                                                "time|wall_time",
                                                "warp_instructions|",
                                                "flop|",
                                                "global_load_requests|",
                                                "global_store_requests|",
                                                "shared_load_requests|",
                                                "shared_store_requests|"};
  return kAll;
}

Result<const Study*> find_study(std::string_view name) {
  std::vector<std::string> names;
  for (const Study& study : all_studies()) {
    if (study.name == name) return &study;
    names.push_back(study.name);
  }
  const std::string near = nearest(name, names);
  return error(fmt::format("there is no study \"{}\"", name),
               near.empty() ? fmt::format("the studies are {}", fmt::join(names, ", "))
                            : fmt::format("did you mean \"{}\"?", near));
}

std::vector<kernels::Shape> shapes_with_block(const std::string& kernel, int block) {
  std::vector<kernels::Shape> shapes = (*kernels::find_case(kernel))->axes.shapes;
  std::erase_if(shapes, [&](const kernels::Shape& s) { return s.block != block; });
  return shapes;
}

}  // namespace ww::study
