// A device for tests: memory is real, launches do nothing, or what the test says.
#pragma once

#include <algorithm>
#include <cassert>
#include <functional>
#include <map>

#include "device/device.h"

namespace ww::device {

class NullDevice : public Device {
 public:
  /// Called in place of each kernel; may use the device's memory through `bytes_at`.
  using Kernel = std::function<Result<LaunchReport>(NullDevice&, const Launch&)>;
  explicit NullDevice(Kernel kernel = {});

  const Info& info() const override { return info_; }
  Info& info() { return info_; }  ///< to try other limits
  /// Knows the names of the text's .entry functions and no more.
  Result<ModuleRef> load(const std::string& name, const std::string& ptx) override;
  /// Errors: more than info().memory in all.
  Result<Address> allocate(uint64_t bytes) override;
  Status free(Address address) override;
  Status write(Address to, std::span<const std::byte> from) override;
  Status read(Address from, std::span<std::byte> to) override;
  Result<LaunchReport> launch(const Launch& launch) override;
  /// Launches once; all times are 0.
  Result<Timing> time(const Launch& launch, const TimingOptions& options) override;

  /// `count` bytes of one allocation, or an empty span.
  std::span<std::byte> bytes_at(Address address, uint64_t count);
  /// The value of argument `index` of a launch; T must have its size.
  template <class T>
  static T argument(const Launch& launch, size_t index) {
    T value;
    const auto& bytes = launch.arguments.at(index).bytes;
    assert(bytes.size() == sizeof(T));
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(&value));
    return value;
  }
  size_t allocations() const { return memory_.size(); }
  const std::vector<Launch>& launches() const { return launches_; }

 private:
  Info info_;
  Kernel kernel_;
  std::map<Address, std::vector<std::byte>> memory_;
  Address next_ = 0x10000;
  uint64_t used_ = 0;
  std::vector<Launch> launches_;
};

}  // namespace ww::device
