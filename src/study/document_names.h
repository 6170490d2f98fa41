// What the published documents call GPUs and the laboratory's kernels (data/published/README.md).
#pragma once

#include <string>

#include "base/csv.h"
#include "gpus/gpu.h"
#include "kernels/case.h"

namespace ww::study {

/// The kernel of that name, a document's or ours; null: none.
const kernels::Case* case_of_document(const std::string& name);

/// What a row of a published table was run with; a book's chapter that names no block has 32.
kernels::Config config_of_document(const Csv& csv, size_t row);

/// The GPU by id, or by a part of its name, as documents have it: "RTX 4070 SUPER"; null: none.
const gpus::Gpu* gpu_of_document(const std::string& name);

}  // namespace ww::study
