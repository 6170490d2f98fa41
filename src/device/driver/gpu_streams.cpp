#include "device/driver/gpu_streams.h"

#include <fmt/format.h>

#include "device/driver/gpu_device.h"

namespace ww::device::driver {

GpuStreams::GpuStreams(GpuDevice& device)
    : device_(device), context_(device.context()), generation_(context_->generation()) {}

Result<std::unique_ptr<Streams>> GpuStreams::create(GpuDevice& device, int count) {
  std::unique_ptr<GpuStreams> streams(new GpuStreams(device));
  if (auto ok = streams->enter(); !ok) return ok.error();
  for (int i = 0; i < count; ++i) {
    CuStream stream = nullptr;
    // Non-blocking: the default stream neither waits for them nor holds them up.
    auto ok = streams->check("make a stream",
                             streams->context_->driver().stream_create(&stream, kStreamNonBlocking));
    if (!ok) return ok.error();
    streams->streams_.push_back(stream);
  }
  return std::unique_ptr<Streams>(std::move(streams));
}

// What belonged to a context that died with a fault died with it.
GpuStreams::~GpuStreams() {
  if (!alive() || !context_->enter()) return;
  const Driver& driver = context_->driver();
  for (CuStream stream : streams_) driver.stream_synchronize(stream);
  for (const auto* events : {&marks_, &spare_})
    for (CuEvent event : *events) driver.event_destroy(event);
  for (CuStream stream : streams_) driver.stream_destroy(stream);
}

Device& GpuStreams::device() const { return device_; }

Status GpuStreams::enter() {
  if (auto ok = context_->enter(); !ok) return ok;
  if (alive()) return {};
  return error(fmt::format("the streams of {} were lost when a kernel faulted", context_->name()));
}

Status GpuStreams::check(std::string_view doing, CuResult result) {
  if (trouble(result) != Trouble::KernelFault) return context_->check(doing, result);
  const std::string words = context_->driver().words(result);
  const std::string cost = alive() ? context_->recover(kernel_) : "";
  return error(fmt::format("kernel '{}' faulted on {}: {}", kernel_, context_->name(), words), cost);
}

Status GpuStreams::to_device(int stream, Address to, std::span<const std::byte> from) {
  if (auto ok = enter(); !ok) return ok;
  if (auto ok = context_->inside(to, from.size()); !ok || from.empty()) return ok;
  return check(fmt::format("copy {} bytes to {:#x}", from.size(), to),
               context_->driver().write_async(to, from.data(), from.size(), handle(stream)));
}

Status GpuStreams::to_host(int stream, std::span<std::byte> to, Address from) {
  if (auto ok = enter(); !ok) return ok;
  if (auto ok = context_->inside(from, to.size()); !ok || to.empty()) return ok;
  return check(fmt::format("copy {} bytes from {:#x}", to.size(), from),
               context_->driver().read_async(to.data(), from, to.size(), handle(stream)));
}

Status GpuStreams::to_peer(int stream, Device& other, Address to, Address from, uint64_t bytes) {
  auto* peer = dynamic_cast<GpuDevice*>(&other);
  if (!peer) return error(fmt::format("{} is no GPU", other.info().name));
  if (auto ok = enter(); !ok) return ok;
  if (auto ok = context_->inside(from, bytes); !ok) return ok;
  if (auto ok = peer->context()->inside(to, bytes); !ok) return ok;
  return check(fmt::format("copy {} bytes from {} to {}", bytes, context_->name(), peer->context()->name()),
               context_->driver().copy_peer_async(to, peer->context()->handle(), from, context_->handle(),
                                                  bytes, handle(stream)));
}

Status GpuStreams::launch(int stream, const Launch& launch) {
  if (auto ok = enter(); !ok) return ok;
  kernel_ = launch.kernel;
  auto result = device_.put(launch, handle(stream));
  if (!result) return result.error();
  return check(fmt::format("launch kernel '{}'", launch.kernel), *result);
}

Result<int> GpuStreams::mark(int stream) {
  if (auto ok = enter(); !ok) return ok.error();
  CuEvent event = nullptr;
  if (!spare_.empty()) {
    event = spare_.back();
    spare_.pop_back();
  } else if (auto ok = check("make an event", context_->driver().event_create(&event, 0)); !ok) {
    return ok.error();
  }
  marks_.push_back(event);
  if (auto ok = check("record an event", context_->driver().event_record(event, handle(stream))); !ok)
    return ok.error();
  return static_cast<int>(marks_.size()) - 1;
}

Status GpuStreams::wait(int stream, const Streams& whose, int mark) {
  auto* theirs = dynamic_cast<const GpuStreams*>(&whose);
  if (!theirs) return error("a GPU waits for marks of GPUs only");
  if (auto ok = enter(); !ok) return ok;
  return check("wait for an event",
               context_->driver().stream_wait(handle(stream), theirs->marks_[static_cast<size_t>(mark)], 0));
}

Status GpuStreams::finish() {
  if (auto ok = enter(); !ok) return ok;
  for (CuStream stream : streams_)
    if (auto ok = check("wait for a stream", context_->driver().stream_synchronize(stream)); !ok) return ok;
  return {};
}

Result<double> GpuStreams::ms(int from, int to) {
  if (auto ok = enter(); !ok) return ok.error();
  float elapsed = 0;
  auto ok =
      check("take a time", context_->driver().event_elapsed_ms(&elapsed, marks_[static_cast<size_t>(from)],
                                                               marks_[static_cast<size_t>(to)]));
  if (!ok) return ok.error();
  return static_cast<double>(elapsed);
}

void GpuStreams::forget_marks() {
  spare_.insert(spare_.end(), marks_.begin(), marks_.end());
  marks_.clear();
}

}  // namespace ww::device::driver
