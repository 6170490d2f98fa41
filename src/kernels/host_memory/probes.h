// What the cases of host memory and peers measure (cases.cpp says it for people). Every function gives the
// rows of one configuration; what cannot be measured is a row that says why.
#pragma once

#include <cstdint>
#include <vector>

#include "base/table.h"
#include "device/link.h"
#include "kernels/plan.h"

namespace ww::kernels {

/// n float32 elements to the device and back from memory of this kind.
std::vector<Row> probe_copies(const ProbeRun& run, int64_t n, device::HostKind kind);
/// A kernel that reads and writes n elements of page-locked memory where they lie.
std::vector<Row> probe_mapped(const ProbeRun& run, int64_t n);
/// Which memory a pointer belongs to, as the driver says.
std::vector<Row> probe_unified(const ProbeRun& run, int64_t n);
/// n elements in pieces through `streams` streams: a row for the whole, and one for each piece.
std::vector<Row> probe_overlap(const ProbeRun& run, int64_t n, int streams);
/// Between every two GPUs of the host: copies, a kernel's own access, and copies by way of the host.
std::vector<Row> probe_peer_copy(const ProbeRun& run, int64_t n);
std::vector<Row> probe_peer_access(const ProbeRun& run, int64_t n);
std::vector<Row> probe_peer_staged(const ProbeRun& run, int64_t n);

}  // namespace ww::kernels
