// Sees the host touch memory of the device (cudaMalloc), which with a GPU ends the program.
#pragma once

#include <functional>

#include "checks/finding.h"
#include "cuda/core/host_trace.h"
#include "cuda/core/memory_map.h"
#include "engine/engine.h"
#include "events/bus.h"

namespace ww::cuda {

/// While it lives, this thread may touch memory of the device: a system call that does raises no signal, but
/// fails.
class DeviceRights {
 public:
  DeviceRights();
  ~DeviceRights();
  DeviceRights(const DeviceRights&) = delete;
  DeviceRights& operator=(const DeviceRights&) = delete;
};

/// Puts such memory under a protection key of the processor, to which the program's threads have no right but
/// while they work for this library. That costs nothing per operation, unlike rights of pages. Where the
/// processor or Linux has no such keys, nothing is seen.
class DeviceGuard : public events::Listener {
 public:
  using Report = std::function<void(checks::Finding finding, const RawTrace& trace)>;
  /// Lives as long as the process.
  DeviceGuard(const engine::GlobalMemory& memory, Report report);

  /// New memory; of other kinds than the device's it is left alone.
  void keeps(const Block& block);

  u32 wants() const override { return 0; }
  void stream_order(const events::StreamOrder& event) override;

  /// A signal said that this thread has no right to the address. The thread has it from now on, until it has
  /// done some work.
  bool touched(u64 address, int key, void* context);

 private:
  friend DeviceRights;
  void begin_work() const;
  void end_work() const;

  const engine::GlobalMemory& memory_;
  Report report_;
  int key_ = -1;
};

}  // namespace ww::cuda
