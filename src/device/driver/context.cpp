#include "device/driver/context.h"

#include <fmt/format.h>

namespace ww::device::driver {

Context::Context(std::shared_ptr<const Driver> driver, CuDevice device, std::string name)
    : driver_(std::move(driver)), device_(device), name_(std::move(name)) {}

Result<std::shared_ptr<Context>> Context::create(std::shared_ptr<const Driver> driver, CuDevice device,
                                                 std::string name) {
  std::shared_ptr<Context> context(new Context(std::move(driver), device, std::move(name)));
  if (auto ok = context->check("use " + context->name_, context->retain()); !ok) return ok.error();
  return context;
}

Context::~Context() {
  if (!context_) return;
  driver_->set_current(context_);
  for (const auto& [address, bytes] : allocations_.live()) driver_->free(address);
  driver_->primary_release(device_);
}

// The primary context is used because the toolkit's libraries (cuBLAS, NCCL) work in it as well.
CuResult Context::retain() {
  if (CuResult result = driver_->primary_retain(&context_, device_); result != kSuccess) {
    context_ = nullptr;
    return result;
  }
  ++generation_;
  return driver_->set_current(context_);
}

Status Context::enter() {
  if (!lost_.empty()) return lost_;
  return check("use " + name_, driver_->set_current(context_));
}

Status Context::check(std::string_view doing, CuResult result) {
  if (result == kSuccess) return {};
  if (trouble(result) == Trouble::DeviceLost) {
    allocations_.lose("the GPU was lost");
    lost_ = {error(fmt::format("{} is lost: {} (while trying to {})", name_, driver_->words(result), doing),
                   "nothing more can run on it in this process; nvidia-smi may say more")};
    return lost_;
  }
  return driver_->failure(doing, result);
}

Result<Address> Context::allocate(uint64_t bytes) {
  if (auto ok = enter(); !ok) return ok.error();
  if (bytes == 0) return error("an allocation of 0 bytes");
  CuAddress address = 0;
  CuResult result = driver_->allocate(&address, bytes);
  if (trouble(result) == Trouble::OutOfMemory) {
    size_t free = 0, total = 0;
    driver_->memory_info(&free, &total);
    return error(fmt::format("out of memory on {}: {} bytes wanted, {} of {} bytes are free", name_, bytes,
                             free, total));
  }
  if (auto ok = check(fmt::format("allocate {} bytes", bytes), result); !ok) return ok.error();
  allocations_.add(address, bytes);
  return Address{address};
}

Status Context::free(Address address) {
  auto live = allocations_.remove(address);
  if (!live) return live.error();
  if (!*live) return {};
  if (auto ok = enter(); !ok) return ok;
  return check(fmt::format("free {:#x}", address), driver_->free(address));
}

Status Context::write(Address to, std::span<const std::byte> from) {
  if (auto ok = enter(); !ok) return ok;
  if (auto ok = allocations_.check(to, from.size()); !ok || from.empty()) return ok;
  return check(fmt::format("write {} bytes to {:#x}", from.size(), to),
               driver_->write(to, from.data(), from.size()));
}

Status Context::read(Address from, std::span<std::byte> to) {
  if (auto ok = enter(); !ok) return ok;
  if (auto ok = allocations_.check(from, to.size()); !ok || to.empty()) return ok;
  return check(fmt::format("read {} bytes from {:#x}", to.size(), from),
               driver_->read(to.data(), from, to.size()));
}

Result<uint64_t> Context::create_texture(const Texture2D& texture) {
  if (auto ok = enter(); !ok) return ok.error();
  const uint64_t row_bytes = uint64_t{texture.width} * sizeof(float);
  if (auto ok = allocations_.check(texture.address, row_bytes * texture.height); !ok) return ok.error();
  CuTextureResource resource{};
  resource.kind = kResourcePitch2D;
  resource.address = texture.address;
  resource.format = kFormatFloat, resource.channels = 1;
  resource.width = texture.width, resource.height = texture.height, resource.row_bytes = row_bytes;
  CuTextureReading reading{};
  for (int& mode : reading.address_mode) mode = texture.wrap ? kAddressWrap : kAddressClamp;
  reading.filter = texture.linear ? kFilterLinear : kFilterPoint;
  reading.flags = kNormalizedCoordinates;
  CuTexture handle = 0;
  auto ok = check(fmt::format("make a texture of {} x {} texels", texture.width, texture.height),
                  driver_->texture_create(&handle, &resource, &reading, nullptr));
  if (!ok) return ok.error();
  textures_.insert(handle);
  return uint64_t{handle};
}

Result<TensorMapBytes> Context::create_tensor_map(const TensorMap& map) {
  if (!driver_->tensor_map_encode)
    return error("the driver makes no tensor maps", "CUDA 12 (driver 525) and later do");
  const size_t rank = map.size.size();
  if (rank < 1 || rank > 5 || map.stride.size() + 1 != rank || map.box.size() != rank)
    return error("a tensor map has one to five sizes, as many boxes, and a stride less");
  if (auto ok = enter(); !ok) return ok.error();
  const int type = map.type == TensorMap::Type::F16    ? kTensorF16
                   : map.type == TensorMap::Type::Bf16 ? kTensorBf16
                                                       : kTensorF32;
  const std::array<uint32_t, 5> steps{1, 1, 1, 1, 1};
  alignas(64) TensorMapBytes bytes{};
  auto ok = check(
      fmt::format("make a tensor map of {} dimensions", rank),
      driver_->tensor_map_encode(bytes.data(), type, static_cast<unsigned>(rank),
                                 reinterpret_cast<void*>(map.address), map.size.data(), map.stride.data(),
                                 map.box.data(), steps.data(), 0, kTensorSwizzle128, kTensorPromote256, 0));
  if (!ok) return ok.error();
  return bytes;
}

Status Context::destroy_texture(uint64_t handle) {
  if (textures_.erase(handle) == 0) return {};  // lost with the context it was made in
  if (auto ok = enter(); !ok) return ok;
  return check("destroy a texture", driver_->texture_destroy(handle));
}

std::string Context::recover(const std::string& kernel) {
  allocations_.lose(fmt::format("kernel '{}' faulted", kernel));
  textures_.clear();
  // Reset and not only release: another library of this process may hold the same dead context.
  driver_->primary_reset(device_);
  driver_->primary_release(device_);
  CuResult result = retain();
  // A context that is still dead says so when it is used.
  CuAddress probe = 0;
  if (result == kSuccess) result = driver_->allocate(&probe, 256);
  if (result == kSuccess) result = driver_->free(probe);
  if (result == kSuccess) result = driver_->synchronize();
  if (result == kSuccess) return "The context was made anew; everything that was in device memory is lost.";
  lost_ = {error(fmt::format("{} cannot be used any more since kernel '{}' faulted: {}", name_, kernel,
                             driver_->words(result)),
                 "the driver wants the process to be started again")};
  return "A new context could not be made: this process cannot use the GPU any more.";
}

}  // namespace ww::device::driver
