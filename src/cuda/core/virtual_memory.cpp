#include "cuda/core/virtual_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <map>

namespace ww::cuda {

namespace {

struct Memory {
  int file = -1;
  u64 bytes = 0;
  MemAllocationProp props{};
  int uses = 1;  ///< handles and mappings
  u64 handle = 0;
};
struct Mapping {
  u64 bytes = 0, offset = 0;
  Memory* memory = nullptr;
  int access = 0;
};
struct VirtualMemory {
  std::mutex mutex;
  std::map<u64, u64> reserved;  ///< address, bytes
  std::map<u64, std::unique_ptr<Memory>> memory;
  std::map<u64, Mapping> mapped;
  u64 next = 1;
};
VirtualMemory& all() {
  static auto* v = new VirtualMemory;
  return *v;
}

constexpr int kFileDescriptor = 1;  // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

void* pointer(u64 address) { return reinterpret_cast<void*>(address); }

void drop(Memory* m) {
  if (--m->uses) return;
  ::close(m->file);
  Platform::get().device(m->props.location.id)->allocated -= m->bytes;
  all().memory.erase(m->handle);
}

u64 keep(int file, u64 bytes, const MemAllocationProp& props) {
  std::lock_guard lock(all().mutex);
  const u64 handle = all().next++;
  auto& m = all().memory[handle];
  m = std::make_unique<Memory>();
  m->file = file, m->bytes = bytes, m->props = props, m->handle = handle;
  return handle;
}

/// The range within one reservation.
bool is_reserved(u64 address, u64 bytes) {
  auto it = all().reserved.upper_bound(address);
  if (it == all().reserved.begin()) return false;
  --it;
  return address - it->first <= it->second && bytes <= it->second - (address - it->first);
}

/// Whether mappings fill the range exactly; `visit` gets each.
template <class F>
bool for_each_mapping(u64 address, u64 bytes, F visit) {
  const u64 end = address + bytes;
  auto first = all().mapped.find(address);
  u64 at = address;
  for (auto it = first; it != all().mapped.end() && it->first == at && at < end; ++it) at += it->second.bytes;
  if (at != end || !bytes) return false;
  for (auto it = first; it != all().mapped.end() && it->first < end; ++it) visit(it->first, it->second);
  return true;
}

}  // namespace

Error reserve_addresses(u64 bytes, u64 alignment, u64 wanted, u64& address) {
  if (!bytes || bytes % kGranularity || (alignment & (alignment - 1))) return Error::InvalidValue;
  if (!Platform::get().engine().memory().unified()) return Error::NotSupported;
  const u64 align = std::max(alignment, kGranularity);
  constexpr int kHow = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  // The address asked for is a wish.
  void* got = MAP_FAILED;
  if (wanted && wanted % align == 0)
    got = ::mmap(pointer(wanted), bytes, PROT_NONE, kHow | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) {
    got = ::mmap(nullptr, bytes + align, PROT_NONE, kHow, -1, 0);
    if (got == MAP_FAILED) return Error::MemoryAllocation;
    const u64 begin = reinterpret_cast<u64>(got), at = (begin + align - 1) / align * align;
    if (at > begin) ::munmap(got, at - begin);
    if (begin + align > at) ::munmap(pointer(at + bytes), begin + align - at);
    got = pointer(at);
  }
  address = reinterpret_cast<u64>(got);
  std::lock_guard lock(all().mutex);
  all().reserved[address] = bytes;
  return Error::Success;
}

bool is_reserved_address(u64 address) {
  std::lock_guard lock(all().mutex);
  return is_reserved(address, 1);
}

Error free_addresses(u64 address, u64 bytes) {
  std::lock_guard lock(all().mutex);
  auto it = all().reserved.find(address);
  if (it == all().reserved.end() || it->second != bytes) return Error::InvalidValue;
  auto inside = all().mapped.lower_bound(address);
  if (inside != all().mapped.end() && inside->first < address + bytes) return Error::InvalidValue;
  ::munmap(pointer(address), bytes);
  all().reserved.erase(it);
  return Error::Success;
}

Error create_memory(const MemAllocationProp& props, u64 bytes, u64& handle) {
  if (props.type != 1 || !bytes || bytes % kGranularity) return Error::InvalidValue;
  if (props.location.type != 1 || (props.handle_types & ~kFileDescriptor)) return Error::NotSupported;
  DeviceContext* device = Platform::get().device(props.location.id);
  if (!device) return Error::InvalidDevice;
  u64 had = device->allocated.fetch_add(bytes);
  int file = -1;
  if (bytes > device->memory_bytes || had > device->memory_bytes - bytes ||
      // Its name tells who imports it whose memory it is.
      (file = ::memfd_create(fmt::format("warpwright-{}", props.location.id).c_str(), MFD_CLOEXEC)) < 0 ||
      ::ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    if (file >= 0) ::close(file);
    device->allocated -= bytes;
    return Error::MemoryAllocation;
  }
  handle = keep(file, bytes, props);
  return Error::Success;
}

Error export_memory(u64 handle, int type, int& file) {
  if (type != kFileDescriptor) return Error::NotSupported;
  std::lock_guard lock(all().mutex);
  auto it = all().memory.find(handle);
  if (it == all().memory.end() || !(it->second->props.handle_types & type)) return Error::InvalidValue;
  file = ::dup(it->second->file);
  return file < 0 ? Error::OperatingSystem : Error::Success;
}

Error import_memory(int file, int type, u64& handle) {
  if (type != kFileDescriptor) return Error::NotSupported;
  char name[64] = {};
  struct stat is {};
  MemAllocationProp props{};
  if (::readlink(fmt::format("/proc/self/fd/{}", file).c_str(), name, sizeof name - 1) < 0 ||
      std::sscanf(name, "/memfd:warpwright-%d", &props.location.id) != 1 || ::fstat(file, &is) != 0)
    return Error::InvalidValue;
  DeviceContext* device = Platform::get().device(props.location.id);
  if (!device) return Error::InvalidDevice;
  const int ours = ::dup(file);
  if (ours < 0) return Error::OperatingSystem;
  props.type = 1, props.handle_types = type, props.location.type = 1;
  const u64 bytes = static_cast<u64>(is.st_size);
  device->allocated += bytes;
  handle = keep(ours, bytes, props);
  return Error::Success;
}

Error release_memory(u64 handle) {
  std::lock_guard lock(all().mutex);
  auto it = all().memory.find(handle);
  if (it == all().memory.end()) return Error::InvalidValue;
  drop(it->second.get());
  return Error::Success;
}

Error map_memory(u64 address, u64 bytes, u64 offset, u64 handle) {
  std::lock_guard lock(all().mutex);
  auto it = all().memory.find(handle);
  if (it == all().memory.end() || address % kGranularity || !bytes || bytes % kGranularity ||
      offset % kGranularity || offset > it->second->bytes || bytes > it->second->bytes - offset ||
      !is_reserved(address, bytes))
    return Error::InvalidValue;
  auto next = all().mapped.lower_bound(address);
  if (next != all().mapped.end() && next->first < address + bytes) return Error::InvalidValue;
  if (next != all().mapped.begin() && std::prev(next)->first + std::prev(next)->second.bytes > address)
    return Error::InvalidValue;
  Memory* m = it->second.get();
  void* got =
      ::mmap(pointer(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, m->file, static_cast<off_t>(offset));
  if (got == MAP_FAILED) return Error::MemoryAllocation;
  ++m->uses;
  all().mapped[address] = {bytes, offset, m, 0};
  return Error::Success;
}

Error set_access(u64 address, u64 bytes, int flags) {
  if (flags != 0 && flags != 1 && flags != 3) return Error::InvalidValue;
  std::lock_guard lock(all().mutex);
  Error e = Error::Success;
  bool all_mapped = for_each_mapping(address, bytes, [&](u64 at, Mapping& m) {
    MemoryMap& memory = Platform::get().memory();
    if (e != Error::Success || m.access == flags) return;
    if (m.access) e = memory.disown(at, BlockKind::Mapped);
    m.access = flags;
    ::mprotect(pointer(at), m.bytes, flags == 0 ? PROT_NONE : PROT_READ | PROT_WRITE);
    if (flags)
      e = memory.adopt(at, m.bytes, *Platform::get().device(m.memory->props.location.id), 0,
                       BlockKind::Mapped);
  });
  return all_mapped ? e : Error::InvalidValue;
}

Error access_of(u64 address, u64& flags) {
  std::lock_guard lock(all().mutex);
  auto it = all().mapped.upper_bound(address);
  if (it == all().mapped.begin()) return Error::InvalidValue;
  --it;
  if (address - it->first >= it->second.bytes) return Error::InvalidValue;
  flags = static_cast<u64>(it->second.access);
  return Error::Success;
}

Error unmap_memory(u64 address, u64 bytes) {
  std::lock_guard lock(all().mutex);
  bool all_mapped = for_each_mapping(address, bytes, [&](u64 at, Mapping& m) {
    if (m.access) (void)Platform::get().memory().disown(at, BlockKind::Mapped);
    // The addresses stay reserved.
    ::mmap(pointer(at), m.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    drop(m.memory);
  });
  if (!all_mapped) return Error::InvalidValue;
  all().mapped.erase(all().mapped.find(address), all().mapped.lower_bound(address + bytes));
  return Error::Success;
}

Error properties_of(u64 handle, MemAllocationProp& props) {
  std::lock_guard lock(all().mutex);
  auto it = all().memory.find(handle);
  if (it == all().memory.end()) return Error::InvalidValue;
  props = it->second->props;
  return Error::Success;
}

Error retain_memory(u64 address, u64& handle) {
  std::lock_guard lock(all().mutex);
  auto it = all().mapped.upper_bound(address);
  if (it == all().mapped.begin()) return Error::InvalidValue;
  --it;
  if (address - it->first >= it->second.bytes) return Error::InvalidValue;
  ++it->second.memory->uses;
  handle = it->second.memory->handle;
  return Error::Success;
}

}  // namespace ww::cuda
