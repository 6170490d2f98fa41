// What a real GPU has beyond the device interface: its link to the host's memory and to other GPUs, and work
// in the background.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "device/device.h"

namespace ww::device {

enum class HostKind {
  Pageable,       ///< ordinary memory of the process: the driver copies it through a buffer of its own
  PageLocked,     ///< stays where it is, so that the GPU fetches it by itself; kernels see it too (mapped)
  WriteCombined,  ///< page-locked and not cached by the processor: slow for it to read
  Managed,        ///< moves to whoever touches it
};

/// Freed with the object.
class HostBuffer {
 public:
  virtual ~HostBuffer() = default;
  virtual std::span<std::byte> bytes() const = 0;
  /// Where kernels find it; 0 when they cannot.
  virtual Address address() const = 0;
};

/// What the driver says of an address.
struct Pointer {
  std::string memory;   ///< "device", "host", "managed"; "unknown" when the driver knows nothing of it
  int gpu = -1;         ///< the GPU it belongs to; -1: none
  Address address = 0;  ///< how kernels call it; 0 when they cannot reach it
  uint64_t bytes = 0;   ///< of the allocation that it lies in; 0: not known
};

/// How a GPU reaches another one's memory.
struct PeerPath {
  bool access = false;   ///< at all
  bool atomics = false;  ///< with atomics of the hardware
  int rank = 0;          ///< the driver's order of paths: smaller is faster
};

/// Streams of one GPU, numbered from 0: what is put in one runs in order, streams run beside each other, and
/// nothing here but finish() and ms() waits. Memory that is given must live until the work is finished. The
/// destructor waits for everything.
class Streams {
 public:
  virtual ~Streams() = default;
  virtual Device& device() const = 0;
  /// Copies. Errors: outside an allocation; those of the driver. Pageable memory may make the host wait.
  virtual Status to_device(int stream, Address to, std::span<const std::byte> from) = 0;
  virtual Status to_host(int stream, std::span<std::byte> to, Address from) = 0;
  /// From this GPU's memory to another's: directly where a path is open, else the driver's way.
  virtual Status to_peer(int stream, Device& other, Address to, Address from, uint64_t bytes) = 0;
  virtual Status launch(int stream, const Launch& launch) = 0;
  /// A point in time: when all that is in the stream so far has ended. Its number counts from 0.
  virtual Result<int> mark(int stream) = 0;
  /// What is put into the stream from now on starts after a mark of these streams or of another GPU's.
  virtual Status wait(int stream, const Streams& whose, int mark) = 0;
  /// Waits for all streams and says what went wrong in them. A kernel that faulted costs what launch() says.
  virtual Status finish() = 0;
  /// Milliseconds from one mark to another of these streams, after finish().
  virtual Result<double> ms(int from, int to) = 0;
  /// Forgets all marks, after finish().
  virtual void forget_marks() = 0;
};

class Collective;

/// Asked for with Device::link. Errors as of Device.
class Link {
 public:
  virtual ~Link() = default;
  virtual int ordinal() const = 0;
  /// Of this host.
  virtual int gpu_count() const = 0;
  /// Another GPU, as open_gpu does.
  virtual Result<std::unique_ptr<Device>> open(int ordinal) const = 0;
  /// Error: too little memory, or a kind that this GPU does not have.
  virtual Result<std::unique_ptr<HostBuffer>> host_memory(HostKind kind, uint64_t bytes) = 0;
  virtual Result<Pointer> pointer(Address address) = 0;
  virtual Result<std::unique_ptr<Streams>> streams(int count) = 0;
  /// How this GPU would reach the memory of `other`.
  virtual Result<PeerPath> path_to(Device& other) = 0;
  /// From now on kernels and copies of this GPU use that path. Error: there is none.
  virtual Status reach(Device& other) = 0;
  /// GPUs that work together through NCCL (device/collective.h), one's streams each. They must outlive it.
  /// Error: no NCCL, or one that cannot join them.
  virtual Result<std::unique_ptr<Collective>> join(const std::vector<Streams*>& gpus) = 0;
};

/// "page-locked", …: for people.
std::string_view name(HostKind kind);

}  // namespace ww::device
