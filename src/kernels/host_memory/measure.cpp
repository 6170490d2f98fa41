#include "kernels/host_memory/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/round.h"
#include "device/timing.h"
#include "kernels/embedded.h"
#include "kernels/input.h"
#include "kernels/run.h"

namespace ww::kernels {

namespace {

constexpr double kMostSeconds = 0.3;  // of one measurement: a study has many of them
constexpr std::byte kPoisonByte{0xa5};
constexpr uint64_t kChunk = 1 << 24;  // bytes that pass through the host's memory at a time
constexpr uint32_t kCopyThreads = 256;

}  // namespace

Value measured(std::string tag, double value, std::string unit, std::string description) {
  return {std::move(tag), value, std::move(unit), Provenance::Measured, std::move(description)};
}

Value verified(bool good, std::string description) {
  return {"verified", int64_t{good}, "", Provenance::Measured, std::move(description)};
}

double gigabytes_per_second(double bytes, double ms) { return bytes / ms * 1e-6; }

Result<device::Timing> time_in(device::Streams& streams, const device::TimingOptions& given,
                               const std::function<Status()>& work) {
  device::TimingOptions options = given;
  options.max_seconds = std::min(options.max_seconds, kMostSeconds);
  device::Repeats repeats(options);
  for (int run = -options.warm_ups; run < 0 || !repeats.enough(); ++run) {
    streams.forget_marks();
    auto begin = streams.mark(0);
    if (!begin) return begin.error();
    if (auto ok = work(); !ok) return ok.error();
    auto end = streams.mark(0);
    if (!end) return end.error();
    if (auto ok = streams.finish(); !ok) return ok.error();
    auto ms = streams.ms(*begin, *end);
    if (!ms) return ms.error();
    if (run >= 0) repeats.add(*ms);
  }
  return repeats.timing();
}

Result<DeviceMemory> DeviceMemory::create(device::Device& device, uint64_t bytes) {
  auto address = device.allocate(bytes);
  if (!address) return address.error();
  return DeviceMemory(device, *address);
}
DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : device_(std::exchange(other.device_, nullptr)), address_(other.address_) {}
DeviceMemory::~DeviceMemory() {
  // A lost device says so on the next call as well.
  if (device_) (void)device_->free(address_);
}

std::vector<float> pattern(int64_t n, uint64_t seed) {
  std::vector<float> elements(static_cast<size_t>(n));
  Input(seed, 0).read(0, elements);
  return elements;
}

void poison(std::span<std::byte> bytes) { std::memset(bytes.data(), int(kPoisonByte), bytes.size()); }

Status poison(device::Device& device, device::Address address, uint64_t bytes) {
  const std::vector<std::byte> chunk(std::min(bytes, kChunk), kPoisonByte);
  for (uint64_t first = 0; first < bytes; first += kChunk)
    if (auto ok = device.write(address + first, {chunk.data(), std::min(kChunk, bytes - first)}); !ok)
      return ok;
  return {};
}

Result<bool> holds(device::Device& device, device::Address address, std::span<const float> expected) {
  const auto bytes = std::as_bytes(expected);
  std::vector<std::byte> chunk(std::min<uint64_t>(bytes.size(), kChunk));
  for (uint64_t first = 0; first < bytes.size(); first += kChunk) {
    const uint64_t count = std::min(kChunk, bytes.size() - first);
    if (auto ok = device.read(address + first, {chunk.data(), count}); !ok) return ok.error();
    if (std::memcmp(chunk.data(), bytes.data() + first, count) != 0) return false;
  }
  return true;
}

Result<device::Launch> copy_launch(device::Device& device, device::Address to, device::Address from,
                                   uint64_t bytes) {
  constexpr const char* kModule = "calibrate/bandwidth";
  auto module = device.load(kModule, std::string(embedded_ptx(kModule)));
  if (!module) return module.error();
  device::Launch launch;
  launch.module = *module;
  launch.kernel = "calibrate_copy";
  const uint64_t elements = bytes / 16;
  launch.grid.x = static_cast<uint32_t>(std::max<uint64_t>(1, divide_up(elements, uint64_t{kCopyThreads})));
  launch.block.x = kCopyThreads;
  launch.arguments = {device::Argument::of(to), device::Argument::of(from), device::Argument::of(elements)};
  return launch;
}

std::string pointer_words(const device::Pointer& pointer, device::Address asked) {
  std::string text = pointer.memory;
  if (pointer.memory == "unknown") return text + " to the driver";
  if (pointer.gpu >= 0) text += fmt::format(", gpu{}", pointer.gpu);
  if (pointer.address != 0)
    text += pointer.address == asked ? ", same address in kernels" : ", another address in kernels";
  return text;
}

Status add_pointer(Row& row, device::Link& link, const device::HostBuffer& buffer) {
  const auto address = reinterpret_cast<device::Address>(buffer.bytes().data());
  auto pointer = link.pointer(address);
  if (!pointer) return pointer.error();
  row.values.push_back({"pointer", pointer_words(*pointer, address), "", Provenance::Measured,
                        "what the driver says of an address in this memory"});
  return {};
}

Row row_of(Row row, const std::function<Status(Row&)>& fill) {
  if (auto ok = fill(row); !ok) row.refused = one_line(ok.error());
  return row;
}

}  // namespace ww::kernels
