// Adds closed formulas and published numbers to the rows of counted values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/table.h"
#include "gpus/gpu.h"
#include "study/published.h"

namespace ww::study {

/// Adds these values of model/theory.h to every row that has a GPU (one of `gpus`, or a known one) and whose
/// kernel has a theory. A tag that the kernel does not have is left out.
void add_theory(Table& table, const std::vector<std::string>& tags, std::span<const gpus::Gpu> gpus);

/// Every cell of the built-in published tables that has a tag of ours. A cell whose config.n is 0 holds for
/// any size.
const std::vector<Cell>& published_cells();

/// To every row with a GPU, what is published of its kernel, configuration and GPU: under the same tag, with
/// provenance published. For each value of ours with that tag a TAG_of_published, ours / published, with the
/// provenance of ours. Cells of other rows, and with the tag published already, are passed over.
void add_published(Table& table, const std::vector<Cell>& cells);

}  // namespace ww::study
