// What the published documents call GPUs and the laboratory's kernels (data/published/README.md).
#pragma once

#include <string>

#include "gpus/gpu.h"
#include "kernels/case.h"

namespace ww::study {

/// The kernel of that name, a document's or ours; null: none.
const kernels::Case* case_of_document(const std::string& name);

/// The GPU by id, or by a part of its name, as documents have it: "RTX 4070 SUPER"; null: none.
const gpus::Gpu* gpu_of_document(const std::string& name);

}  // namespace ww::study
