// Host memory, pointers and peers of a GPU (device/link.h).
#include <fmt/format.h>

#include <new>

#include "device/driver/gpu_device.h"
#include "device/driver/gpu_streams.h"
#include "device/driver/nccl.h"

namespace ww::device {

std::string_view name(HostKind kind) {
  switch (kind) {
    case HostKind::Pageable:
      return "pageable";
    case HostKind::PageLocked:
      return "page-locked";
    case HostKind::WriteCombined:
      return "write-combined";
    case HostKind::Managed:
      return "managed";
  }
  return "";
}

namespace driver {

namespace {

constexpr std::align_val_t kPage{4096};

class PageableBuffer : public HostBuffer {
 public:
  explicit PageableBuffer(uint64_t bytes)
      : bytes_(bytes), data_(static_cast<std::byte*>(::operator new(bytes, kPage, std::nothrow))) {}
  ~PageableBuffer() override { ::operator delete(data_, kPage); }
  std::span<std::byte> bytes() const override { return {data_, data_ ? bytes_ : 0}; }
  Address address() const override { return 0; }

 private:
  uint64_t bytes_;
  std::byte* data_;
};

class DriverBuffer : public HostBuffer {
 public:
  DriverBuffer(std::shared_ptr<Context> context, HostKind kind, uint64_t bytes)
      : context_(std::move(context)), generation_(context_->generation()), kind_(kind), bytes_(bytes) {}
  ~DriverBuffer() override {
    if (!data_ || generation_ != context_->generation() || !context_->enter()) return;
    if (kind_ == HostKind::Managed)
      context_->driver().free(address_);
    else
      context_->driver().host_free(data_);
  }
  CuResult allocate() {
    const Driver& driver = context_->driver();
    if (kind_ == HostKind::Managed) {
      const CuResult result = driver.managed_allocate(&address_, bytes_, kManagedGlobal);
      if (result == kSuccess) data_ = reinterpret_cast<void*>(address_);
      return result;
    }
    // Portable: all GPUs may copy from and to it.
    unsigned flags = kHostPortable | kHostMapped;
    if (kind_ == HostKind::WriteCombined) flags |= kHostWriteCombined;
    const CuResult result = driver.host_allocate(&data_, bytes_, flags);
    return result == kSuccess ? driver.host_address(&address_, data_, 0) : result;
  }
  std::span<std::byte> bytes() const override { return {static_cast<std::byte*>(data_), bytes_}; }
  Address address() const override { return address_; }

 private:
  std::shared_ptr<Context> context_;
  const int generation_;
  HostKind kind_;
  uint64_t bytes_;
  void* data_ = nullptr;
  CuAddress address_ = 0;
};

Result<GpuDevice*> as_gpu(Device& device) {
  if (auto* gpu = dynamic_cast<GpuDevice*>(&device)) return gpu;
  return error(fmt::format("{} is no GPU", device.info().name));
}

}  // namespace

int GpuDevice::gpu_count() const {
  int count = 0;
  return driver_->device_count(&count) == kSuccess ? count : 1;
}

Result<std::unique_ptr<Device>> GpuDevice::open(int ordinal) const {
  return open(driver_, ordinal, options_);
}

Result<std::unique_ptr<HostBuffer>> GpuDevice::host_memory(HostKind kind, uint64_t bytes) {
  if (bytes == 0) return error("an allocation of 0 bytes");
  const auto too_little = [&] {
    return error(fmt::format("out of {} host memory: {} bytes wanted", name(kind), bytes));
  };
  if (kind == HostKind::Pageable) {
    auto buffer = std::make_unique<PageableBuffer>(bytes);
    if (buffer->bytes().empty()) return too_little();
    return std::unique_ptr<HostBuffer>(std::move(buffer));
  }
  if (auto ok = context_->enter(); !ok) return ok.error();
  if (kind == HostKind::Managed) {
    int supported = 0;
    auto ok = context_->check("ask for managed memory",
                              driver_->device_attribute(&supported, kManagedMemory, context_->device()));
    if (!ok) return ok.error();
    if (!supported) return error(fmt::format("{} has no managed memory", context_->name()));
  }
  auto buffer = std::make_unique<DriverBuffer>(context_, kind, bytes);
  const CuResult result = buffer->allocate();
  if (trouble(result) == Trouble::OutOfMemory) return too_little();
  auto ok = context_->check(fmt::format("allocate {} bytes of {} host memory", bytes, name(kind)), result);
  if (!ok) return ok.error();
  return std::unique_ptr<HostBuffer>(std::move(buffer));
}

Result<Pointer> GpuDevice::pointer(Address address) {
  if (auto ok = context_->enter(); !ok) return ok.error();
  const auto ask = [&](CuPointerAttribute attribute, auto& value) {
    return driver_->pointer_attribute(&value, attribute, address);
  };
  Pointer found{"unknown"};
  unsigned type = 0, managed = 0;
  const CuResult result = ask(kPointerMemoryType, type);
  if (result == kInvalidValue) return found;  // an address that the driver did not hand out
  if (auto ok = context_->check(fmt::format("ask what {:#x} is", address), result); !ok) return ok.error();
  // An attribute that a kind of memory does not have leaves what stands in the Pointer.
  ask(kPointerIsManaged, managed);
  ask(kPointerDeviceOrdinal, found.gpu);
  CuAddress seen = 0;
  size_t bytes = 0;
  if (ask(kPointerDeviceAddress, seen) == kSuccess) found.address = seen;
  if (ask(kPointerRangeBytes, bytes) == kSuccess) found.bytes = bytes;
  if (type == kMemoryDevice || type == kMemoryHost) found.memory = type == kMemoryDevice ? "device" : "host";
  if (managed) found.memory = "managed";
  return found;
}

Result<std::unique_ptr<Streams>> GpuDevice::streams(int count) { return GpuStreams::create(*this, count); }

Result<PeerPath> GpuDevice::path_to(Device& other) {
  auto peer = as_gpu(other);
  if (!peer) return peer.error();
  PeerPath path;
  int access = 0, atomics = 0;
  const CuDevice mine = context_->device(), theirs = (*peer)->context_->device();
  auto ok = context_->check(fmt::format("ask for a path from {} to {}", info_.id, other.info().id),
                            driver_->can_access_peer(&access, mine, theirs));
  if (!ok) return ok.error();
  path.access = access != 0;
  if (!path.access) return path;
  if (driver_->peer_attribute(&atomics, kPeerAtomics, mine, theirs) == kSuccess) path.atomics = atomics != 0;
  driver_->peer_attribute(&path.rank, kPeerRank, mine, theirs);
  return path;
}

Status GpuDevice::reach(Device& other) {
  auto path = path_to(other);
  if (!path) return path.error();
  if (!path->access)
    return error(fmt::format("there is no peer path from {} to {}: copies between them go through the host",
                             info_.id, other.info().id));
  auto peer = as_gpu(other);
  if (auto ok = (*peer)->context_->enter(); !ok) return ok;
  if (auto ok = context_->enter(); !ok) return ok;
  const CuResult result = driver_->enable_peer((*peer)->context_->handle(), 0);
  if (result == kPeerAlreadyEnabled) return {};
  return context_->check(fmt::format("open the path from {} to {}", info_.id, other.info().id), result);
}

Result<std::unique_ptr<Collective>> GpuDevice::join(const std::vector<Streams*>& gpus) {
  return open_nccl(gpus, options_.nccl);
}

}  // namespace driver

}  // namespace ww::device
