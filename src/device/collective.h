// Several GPUs that hand each other memory through NCCL, opened at run time.
#pragma once

#include <span>
#include <string>

#include "device/link.h"

namespace ww::device {

/// GPUs are numbered as their streams were given. Everything is put into stream 0 of each GPU and waits for
/// what stands there; nothing here waits on the host. Errors: NCCL's, in its words.
class Collective {
 public:
  struct Transfer {
    int from, to;  ///< GPUs
    Address source, target;
    uint64_t bytes;
  };

  virtual ~Collective() = default;
  /// "NCCL 2.28.9"
  virtual const std::string& library() const = 0;
  /// `bytes` at buffers[root] of GPU `root` to buffers[i] of every GPU i.
  virtual Status broadcast(int root, std::span<const Address> buffers, uint64_t bytes) = 0;
  /// All of them at once.
  virtual Status move(std::span<const Transfer> transfers) = 0;
};

}  // namespace ww::device
