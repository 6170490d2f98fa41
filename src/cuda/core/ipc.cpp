#include "cuda/core/ipc.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <mutex>
#include <tuple>

#include "cuda/core/backlog.h"
#include "cuda/core/device_guard.h"
#include "cuda/core/platform.h"
#include "cuda/core/pool.h"
#include "cuda/core/stream.h"
#include "cuda/core/virtual_memory.h"

namespace ww::cuda {

namespace {

constexpr u32 kIpcMemory = 0x4d435049, kIpcEvent = 0x45435049, kIpcPool = 0x50435049;
constexpr int kIpcFile = 1;  // of export_memory, import_memory
constexpr u64 kIpcPage = 4096;

struct IpcOpened {
  u64 start = 0, bytes = 0, memory = 0;
  int uses = 0;
  bool of_pool = false;
};
struct IpcGiven {
  u64 block = 0;  ///< Block::id: another allocation may come to lie there
  IpcHandle handle{};
};
struct IpcShared {
  std::mutex mutex;
  std::map<u64, IpcGiven> given;                       ///< by the allocation's address
  std::map<u64, IpcOpened> opened;                     ///< by the address that the program has
  std::map<std::tuple<int, int, u64>, u64> addresses;  ///< by process, file and offset
};
IpcShared& ipc_shared() {
  static auto* all = new IpcShared;
  return *all;
}

/// Puts the pages from `begin` to `end` into a file that lies at the same addresses from now on. -1: no.
int make_ipc_file(u64 begin, u64 end, int device) {
  // Named as import_memory() wants it.
  const int file = ::memfd_create(fmt::format("warpwright-{}", device).c_str(), MFD_CLOEXEC);
  if (file < 0) return -1;
  const u64 bytes = (end - begin + kGranularity - 1) / kGranularity * kGranularity;
  char* at = reinterpret_cast<char*>(begin);
  bool good = ::ftruncate(file, static_cast<off_t>(bytes)) == 0;
  for (u64 done = 0; good && done < end - begin;) {
    const ssize_t n = ::pwrite(file, at + done, end - begin - done, static_cast<off_t>(done));
    good = n > 0;
    done += good ? static_cast<u64>(n) : 0;
  }
  good =
      good && ::mmap(at, end - begin, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
  if (!good) ::close(file);
  return good ? file : -1;
}

Error map_ipc_file(int file, IpcOpened& o) {
  if (Error e = import_memory(file, kIpcFile, o.memory); e != Error::Success) return e;
  o.bytes = static_cast<u64>(::lseek(file, 0, SEEK_END));
  Error e = reserve_addresses(o.bytes, 0, 0, o.start);
  if (e == Error::Success && (e = map_memory(o.start, o.bytes, 0, o.memory)) != Error::Success)
    (void)free_addresses(o.start, o.bytes);
  if (e == Error::Success) return set_access(o.start, o.bytes, 3);
  (void)release_memory(o.memory);
  return e;
}

Error share_block(const Block& block, u32 kind, u64 pool, IpcHandle& handle) {
  if (!Platform::get().engine().memory().unified()) return Error::NotSupported;
  std::lock_guard lock(ipc_shared().mutex);
  const auto at = ipc_shared().given.try_emplace(block.base).first;
  if (at->second.block != block.id) {
    if (at->second.block) ::close(at->second.handle.file);
    Backlog::get().wait_for_all();  // a kernel may write there
    const u64 begin = block.base / kIpcPage * kIpcPage,
              end = (block.base + block.bytes + kIpcPage - 1) / kIpcPage * kIpcPage;
    const DeviceRights rights;
    const int file = make_ipc_file(begin, end, block.device);
    if (file < 0) {
      ipc_shared().given.erase(at);
      return Error::MemoryAllocation;
    }
    at->second = {block.id, {kind, ::getpid(), file, block.device, block.base - begin, pool, {}}};
  }
  handle = at->second.handle;
  return Error::Success;
}

Error open_block(const IpcHandle& h, u64& address) {
  std::lock_guard lock(ipc_shared().mutex);
  auto [known, fresh] = ipc_shared().addresses.try_emplace({h.process, h.file, h.offset}, 0);
  if (fresh) {
    IpcOpened o;
    const int file = ::open(fmt::format("/proc/{}/fd/{}", h.process, h.file).c_str(), O_RDWR | O_CLOEXEC);
    const Error e = file < 0 ? Error::InvalidResourceHandle : map_ipc_file(file, o);
    if (file >= 0) ::close(file);
    if (e != Error::Success) {
      ipc_shared().addresses.erase(known);
      return e;
    }
    o.of_pool = h.kind == kIpcPool;
    known->second = o.start + h.offset;
    ipc_shared().opened[known->second] = o;
  }
  address = known->second;
  ++ipc_shared().opened[address].uses;
  return Error::Success;
}

Error close_block(u64 address, bool of_pool) {
  std::lock_guard lock(ipc_shared().mutex);
  const auto at = ipc_shared().opened.find(address);
  if (at == ipc_shared().opened.end() || at->second.of_pool != of_pool) return Error::InvalidValue;
  if (--at->second.uses) return Error::Success;
  Backlog::get().wait_for_all();
  (void)unmap_memory(at->second.start, at->second.bytes);
  (void)free_addresses(at->second.start, at->second.bytes);
  (void)release_memory(at->second.memory);
  ipc_shared().opened.erase(at);
  std::erase_if(ipc_shared().addresses, [&](const auto& a) { return a.second == address; });
  return Error::Success;
}

}  // namespace

Error share_memory(u64 address, IpcHandle& handle) {
  const auto block = Platform::get().memory().find(address);
  if (!block || block->kind != BlockKind::Device || block->pool) return Error::InvalidValue;
  return share_block(*block, kIpcMemory, 0, handle);
}
Error share_pool_memory(u64 address, IpcHandle& handle) {
  const auto block = Platform::get().memory().find(address);
  if (!block || !block->pool || !block->pool->shared) return Error::InvalidValue;
  return share_block(*block, kIpcPool, block->pool->id, handle);
}
Error open_shared_memory(const IpcHandle& h, u64& address) {
  if (h.kind != kIpcMemory) return Error::InvalidValue;
  return h.process == ::getpid() ? Error::DeviceUninitialized : open_block(h, address);
}
Error open_pool_memory(const IpcHandle& h, const Pool& pool, u64& address) {
  return h.kind == kIpcPool && h.pool == pool.id ? open_block(h, address) : Error::InvalidValue;
}
Error close_shared_memory(u64 address) { return close_block(address, false); }
Error close_pool_memory(u64 address) { return close_block(address, true); }

namespace {
constexpr const char* kPoolFile = "warpwright-pool-";
}
Error export_pool(const Pool& pool, int type, int& file) {
  if (type != kIpcFile || !pool.shared) return Error::InvalidValue;
  file = ::memfd_create(fmt::format("{}{}-{}", kPoolFile, pool.device->number, pool.id).c_str(), MFD_CLOEXEC);
  return file < 0 ? Error::OperatingSystem : Error::Success;
}
Error import_pool(int file, int type, Pool*& pool) {
  char name[64] = {};
  int number = -1;
  unsigned long long id = 0;
  if (type != kIpcFile ||
      ::readlink(fmt::format("/proc/self/fd/{}", file).c_str(), name, sizeof name - 1) < 0 ||
      std::sscanf(name, fmt::format("/memfd:{}%d-%llu", kPoolFile).c_str(), &number, &id) != 2)
    return Error::InvalidValue;
  DeviceContext* device = Platform::get().device(number);
  if (!device) return Error::InvalidDevice;
  pool = make_pool(*device);
  pool->imported = true;
  pool->id = id;
  return Error::Success;
}

void share_event(IpcHandle& handle) { handle = {kIpcEvent, ::getpid(), -1, 0, 0, 0, {}}; }

Error open_shared_event(DeviceContext& device, const IpcHandle& h, Event*& event) {
  if (h.kind != kIpcEvent) return Error::InvalidValue;
  event = make_event(device, kEventNoTiming | kEventInterprocess);
  return Error::Success;
}

}  // namespace ww::cuda
