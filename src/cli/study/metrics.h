// --metric is refused before a study runs, not after it.
#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "base/table.h"
#include "cli/study/options.h"
#include "gpus/gpu.h"
#include "study/study.h"

namespace ww::cli {

/// The tags of --metric that some row must have: what a GPU does not have is another matter
/// (resolve_metrics).
std::vector<std::string> named_metrics(const StudyOptions& o, const std::vector<gpus::Gpu>& gpus);

/// Refuses a tag of --metric that no row will have. Columns that the study shows anyway, and those that only
/// some rows have, pass; for others `sample` runs the smallest configurations, which say what there is.
Status check_before(const StudyOptions& o, const study::Study& study, const std::vector<gpus::Gpu>& gpus,
                    const std::function<Table()>& sample);

/// Of each kernel among the items the one with the smallest n, at the study's quick sizes where it has some.
std::vector<study::Item> smallest_items(const study::Study& study, const study::Selection& selection,
                                        const std::vector<study::Item>& items);

}  // namespace ww::cli
