// What GPUs of one compute capability have in common: the tables in src/gpus/data and data/published.
#pragma once

#include "gpus/gpu.h"

namespace ww::gpus {

/// Fills in the figures that the compute capability "6.1" determines, each with its source, and cc_major,
/// cc_minor, registers_by_block, smem_carveouts. False (and nothing changed) for one that the tables do not
/// have.
bool apply_capability(Gpu& gpu, std::string_view capability);

/// "1.0", "1.1", … in ascending order.
std::vector<std::string> known_capabilities();

}  // namespace ww::gpus
