// What a card lets pass: it knows pages of 2 MB, not allocations, so that a kernel which reads or writes a
// little beside an array goes on there, as does one that reads behind constant variables. Under `run` and
// `profile` it goes on here, too, and is told of once.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "base/fault.h"
#include "cuda/core/operation.h"
#include "engine/engine.h"
#include "events/bus.h"

namespace ww::cuda {

class Tolerance : public events::Listener {
 public:
  /// `stop` becomes true when the launch must not go on.
  Tolerance(const KernelCall& call, const engine::GlobalMemory& memory, std::atomic<bool>& stop)
      : call_(call), memory_(memory), stop_(stop) {}
  u32 wants() const override { return events::kFaults | events::kWrongAccesses; }
  void launch_begins(const engine::Program& program, int) override { program_ = &program; }
  void wrong(int worker, const events::Wrong& event) override;

  /// What a card would not let pass; nothing where the launch came to its end.
  const std::optional<Fault>& fault() const { return fault_; }

 private:
  bool passes(const events::Wrong& event) const;
  bool reads_constants(const events::Wrong& event) const;
  std::string told(const events::Wrong& event) const;

  const KernelCall& call_;
  const engine::GlobalMemory& memory_;
  std::atomic<bool>& stop_;
  const engine::Program* program_ = nullptr;
  std::atomic<u32> told_ = 0;  ///< of reads 1, of writes 2
  std::mutex mutex_;
  std::optional<Fault> fault_;
};

}  // namespace ww::cuda
