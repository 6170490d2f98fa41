// Streams and events of one GPU (device/link.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/driver/context.h"
#include "device/link.h"

namespace ww::device::driver {

class GpuDevice;

class GpuStreams : public Streams {
 public:
  static Result<std::unique_ptr<Streams>> create(GpuDevice& device, int count);
  ~GpuStreams() override;

  Device& device() const override;
  Status to_device(int stream, Address to, std::span<const std::byte> from) override;
  Status to_host(int stream, std::span<std::byte> to, Address from) override;
  Status to_peer(int stream, Device& other, Address to, Address from, uint64_t bytes) override;
  Status launch(int stream, const Launch& launch) override;
  Result<int> mark(int stream) override;
  Status wait(int stream, const Streams& whose, int mark) override;
  Status finish() override;
  Result<double> ms(int from, int to) override;
  void forget_marks() override;

  CuStream handle(int stream) const { return streams_[static_cast<size_t>(stream)]; }
  /// Success, or what went wrong; recovers from a kernel fault. For what other libraries put in, too.
  Status check(std::string_view doing, CuResult result);
  /// Makes the context current. Error: it is not the one that the streams were made in.
  Status enter();

 private:
  explicit GpuStreams(GpuDevice& device);
  bool alive() const { return generation_ == context_->generation(); }

  GpuDevice& device_;
  std::shared_ptr<Context> context_;
  const int generation_;
  std::vector<CuStream> streams_;
  std::vector<CuEvent> marks_, spare_;
  std::string kernel_;  // that was launched last
};

}  // namespace ww::device::driver
