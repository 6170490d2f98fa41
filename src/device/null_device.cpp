#include "device/null_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace ww::device {

namespace {

class NullModule final : public Module {
 public:
  explicit NullModule(const std::string& ptx) {
    constexpr std::string_view kEntry = ".entry";
    for (size_t at = ptx.find(kEntry); at != ptx.npos; at = ptx.find(kEntry, at)) {
      at = std::min(ptx.find_first_not_of(" \t", at + kEntry.size()), ptx.size());
      const auto named = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '$'; };
      size_t end = at;
      while (end < ptx.size() && named(ptx[end])) ++end;
      if (end > at) kernels_.push_back(ptx.substr(at, end - at));
    }
  }
  std::vector<std::string> kernels() const override { return kernels_; }

 private:
  std::vector<std::string> kernels_;
};

Diagnostic no_memory_at(Address address, uint64_t count) {
  return error(fmt::format("{} bytes at {:#x} are not all in one allocation", count, address));
}

}  // namespace

NullDevice::NullDevice(Kernel kernel) : kernel_(std::move(kernel)) {
  info_.id = "null";
  info_.name = "a device that runs nothing";
  info_.memory = uint64_t{1} << 36;
  info_.multiprocessors = 1;
}

Result<ModuleRef> NullDevice::load(const std::string&, const std::string& ptx) {
  return ModuleRef(std::make_shared<NullModule>(ptx));
}

Result<Address> NullDevice::allocate(uint64_t bytes) {
  if (bytes > info_.memory - used_)
    return error(fmt::format("out of memory: {} bytes asked for, {} free", bytes, info_.memory - used_));
  const Address address = next_;
  memory_[address].resize(bytes);
  used_ += bytes;
  next_ += (bytes + 0xfff) / 0x1000 * 0x1000 + 0x1000;
  return address;
}

Status NullDevice::free(Address address) {
  auto it = memory_.find(address);
  if (it == memory_.end()) return error(fmt::format("{:#x} is not the start of an allocation", address));
  used_ -= it->second.size();
  memory_.erase(it);
  return {};
}

std::span<std::byte> NullDevice::bytes_at(Address address, uint64_t count) {
  auto it = memory_.upper_bound(address);
  if (it == memory_.begin()) return {};
  --it;
  const uint64_t offset = address - it->first, size = it->second.size();
  if (offset > size || count > size - offset) return {};
  return std::span(it->second).subspan(offset, count);
}

Status NullDevice::write(Address to, std::span<const std::byte> from) {
  const auto bytes = bytes_at(to, from.size());
  if (bytes.size() != from.size()) return no_memory_at(to, from.size());
  std::copy(from.begin(), from.end(), bytes.begin());
  return {};
}

Status NullDevice::read(Address from, std::span<std::byte> to) {
  const auto bytes = bytes_at(from, to.size());
  if (bytes.size() != to.size()) return no_memory_at(from, to.size());
  std::copy(bytes.begin(), bytes.end(), to.begin());
  return {};
}

Result<LaunchReport> NullDevice::launch(const Launch& launch) {
  if (auto ok = check_launch(info_, launch); !ok) return ok.error();
  const auto kernels = launch.module->kernels();
  if (std::find(kernels.begin(), kernels.end(), launch.kernel) == kernels.end()) {
    const std::string near = nearest(launch.kernel, kernels);
    return error(fmt::format("the module has no kernel \"{}\"", launch.kernel),
                 near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
  }
  launches_.push_back(launch);
  return kernel_ ? kernel_(*this, launch) : LaunchReport{};
}

Result<Timing> NullDevice::time(const Launch& launch, const TimingOptions&) {
  auto report = this->launch(launch);
  if (!report) return report.error();
  return Timing{0, 0, 0, 1, {}};
}

}  // namespace ww::device
