// How far predicted times lie from measured ones, by kind of kernel and GPU, and the band that this gives a
// prediction.
#pragma once

#include <span>

#include "base/table.h"
#include "gpus/gpu.h"
#include "study/published.h"

namespace ww::study {

/// What `verify-published --what times --bands` says: for each kind of kernel ("matmul") on each GPU, each
/// kind, each GPU, and all: how many times were compared, and the first and the last decile of
/// predicted / published - 1 in %. Of the cells, those that were counted and are times.
Table error_bands(const std::vector<Cell>& cells);

/// The table of it that is built in (data/accuracy/time_errors.csv).
std::span<const PublishedFile> band_files();

/// A group of fewer compared times says nothing of deciles: the next larger one is taken instead.
inline constexpr int64_t kFewestTimes = 8;

/// Puts `time_low` and `time_high` behind each predicted time: eight of ten kernels of its kind on its GPU
/// took that long, seen from what was predicted for them. Kinds or GPUs without measured times have the band
/// of all. A GPU of unknown launch overhead may add as much as the largest one known. Rows of which something
/// is not modelled have none. `gpus`: those that are not built in.
void add_bands(Table& table, std::span<const gpus::Gpu> gpus);

}  // namespace ww::study
