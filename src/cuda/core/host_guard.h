// Sees the host touch managed, page-locked and registered memory while kernels or copies that it has not
// waited for may still use it.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "checks/streams.h"
#include "cuda/core/host_trace.h"
#include "cuda/core/memory_map.h"

namespace ww::cuda {

/// While it lives, this thread runs a function of the program that was put into a stream: called from here,
/// but it touches memory as other code of the host does.
class HostFunction {
 public:
  HostFunction();
  ~HostFunction();
  /// Whether this thread runs one.
  static bool runs();
  HostFunction(const HostFunction&) = delete;
  HostFunction& operator=(const HostFunction&) = delete;
};

/// Takes the host's right to such pages away between the end of an operation, which here comes before its
/// call returns, and the wait for it. The signal that an access then raises is answered with a finding, if
/// the very byte is meant, and with the right to the page. What the library itself does is let through; so
/// are other threads of the host while an operation runs. A system call on such a page fails with EFAULT.
class HostGuard : public events::Listener {
 public:
  using Report = std::function<void(checks::Finding finding, const RawTrace& trace)>;
  /// Lives as long as the process.
  HostGuard(checks::Streams& streams, Report report);

  void host_gets(const Block& block);
  void host_loses(const Block& block);

  u32 wants() const override { return 0; }
  void stream_order(const events::StreamOrder& event) override;

  /// Who is to hear of the order of streams before the check does, which then forgets operations.
  events::Listener& first() { return first_; }

  /// A signal said that the host may not touch this address; false: none of ours.
  bool touched(u64 address, bool writes);

 private:
  struct Range {
    u64 begin = 0, end = 0;
    int rights = 0;           ///< as for mprotect
    bool registered = false;  ///< of `known_`: the program's own memory, which it may unmap
    bool operator==(const Range&) const = default;
  };
  class First : public events::Listener {
   public:
    explicit First(HostGuard& guard) : guard_(guard) {}
    u32 wants() const override { return 0; }
    void stream_order(const events::StreamOrder&) override { guard_.look_for_lost(); }

   private:
    HostGuard& guard_;
  };
  void close();
  void open();
  void calls_cuda();
  /// Registered memory whose pages are no longer as close() has left them: free() or munmap() took them back.
  void look_for_lost();

  First first_{*this};
  checks::Streams& streams_;
  Report report_;
  std::mutex mutex_;
  std::vector<Range> closed_;
  std::map<u64, Range> known_;  ///< memory that the host can touch, by the block's address
  std::atomic<int> working_{0};
};

}  // namespace ww::cuda
