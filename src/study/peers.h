// Rows of what a user would call instead of our kernels: cuBLAS, CUB, NPP, copies.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "device/peers.h"
#include "study/study.h"

namespace ww::study {

struct PeerContext {
  device::Device* gpu = nullptr;
  device::TimingOptions timing;
  std::function<void(const std::string& what)> progress;
  const std::atomic<bool>* stop = nullptr;
};

/// For every task among the items, a row for each peer that solves it ("cublas/sgemm" for A·B), verified and
/// timed as our kernels are; for every size a copy of the task's (first) input; and once the rate of
/// multiply-adds. Rows of our kernels on the same GPU get `ratio_to_peer`: their speed as a part of the
/// peer's that computes the same in float32. What cannot run is a row that says why.
void add_peers(Table& table, const Study& study, const std::vector<Item>& items, const device::Peers& peers,
               const PeerContext& context);

}  // namespace ww::study
