// What `study` does beyond running where a real GPU is among the devices.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "cli/shared/progress.h"
#include "device/device.h"
#include "gpus/gpu.h"
#include "study/study.h"

namespace ww::cli {

/// The first real GPU, or null.
device::Device* real_gpu(const std::vector<std::unique_ptr<device::Device>>& devices);

/// "h200": the catalogue's id of this GPU, else the name the driver gives it.
std::string gpu_id(const device::Info& info);

/// Fills the column gpu of the rows measured on this GPU.
void name_gpu(Table& table, const device::Info& info);

/// Hardware counters for the rows of this GPU, by this program as a child of Nsight Compute.
void count_on_gpu(Table& table, const std::vector<study::Item>& items, const study::Selection& selection,
                  const device::Info& info, const std::atomic<bool>& stop);

/// cuBLAS and others beside our kernels. Without the plug-in: a note when `wanted`, else nothing.
void add_peers_on_gpu(Table& table, const study::Study& study, const std::vector<study::Item>& items,
                      device::Device& gpu, bool wanted, const std::atomic<bool>& stop);

/// Metrics that the user names, as tags: names of profilers become ours. What a GPU does not have becomes a
/// note in `notes` that says which GPUs have it, and what this one has instead.
std::vector<std::string> resolve_metrics(const std::vector<std::string>& metrics,
                                         const std::vector<gpus::Gpu>& gpus, std::vector<std::string>& notes);

}  // namespace ww::cli
