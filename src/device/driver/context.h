// The primary context of one GPU: its memory, and its life after a kernel fault.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "device/driver/allocations.h"
#include "device/driver/driver.h"

namespace ww::device::driver {

class Context {
 public:
  /// `name` is how messages call the GPU: "gpu0 (NVIDIA H200)".
  static Result<std::shared_ptr<Context>> create(std::shared_ptr<const Driver> driver, CuDevice device,
                                                 std::string name);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Driver& driver() const { return *driver_; }
  const std::string& name() const { return name_; }
  CuDevice device() const { return device_; }
  CuContext handle() const { return context_; }
  /// Error when [address, address + bytes) is not inside one living allocation.
  Status inside(Address address, uint64_t bytes) const { return allocations_.check(address, bytes); }
  /// Counts the contexts made so far: handles of an earlier generation are dead.
  int generation() const { return generation_; }

  /// Makes the context current in this thread; the error when the GPU is lost.
  Status enter();
  /// Success, or "cannot <doing>: …"; notes a lost GPU.
  Status check(std::string_view doing, CuResult result);

  Result<Address> allocate(uint64_t bytes);
  Status free(Address address);
  Status write(Address to, std::span<const std::byte> from);
  Status read(Address from, std::span<std::byte> to);
  Result<uint64_t> create_texture(const Texture2D& texture);
  Result<TensorMapBytes> create_tensor_map(const TensorMap& map);
  Status destroy_texture(uint64_t handle);

  /// After a kernel fault: drops the dead context and makes a new one. Returns the sentence that says what
  /// that cost. `kernel` is the one that faulted.
  std::string recover(const std::string& kernel);

 private:
  Context(std::shared_ptr<const Driver> driver, CuDevice device, std::string name);
  CuResult retain();

  std::shared_ptr<const Driver> driver_;
  CuDevice device_;
  std::string name_;
  CuContext context_ = nullptr;
  int generation_ = 0;
  Allocations allocations_;
  std::set<uint64_t> textures_;
  Diagnostics lost_;  // why the GPU cannot be used any more; empty while it can
};

}  // namespace ww::device::driver
