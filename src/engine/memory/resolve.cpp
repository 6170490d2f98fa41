#include "engine/memory/resolve.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

#include "base/symbol_name.h"
#include "ir/print.h"

namespace ww::engine {

namespace {

using Where = AccessKey::Where;

std::string plain_name(const Program& program, const SharedVariable& v) {
  return demangled(program.module->symbols[v.symbol].name);
}

/// The array of the block's shared memory that an address behind it was probably meant for: the last that
/// begins before. "" where there is none.
std::string array_before(const Program& program, u64 address, u64 shared_bytes) {
  const SharedVariable* last = nullptr;
  for (const SharedVariable& v : program.shared)
    if (v.offset <= address && (!last || v.offset >= last->offset)) last = &v;
  if (!last) return {};
  if (!last->bytes && shared_bytes == last->offset)
    return fmt::format(": {} is dynamic shared memory, and the launch gives it none (--shared, <<<…>>>)",
                       plain_name(program, *last));
  std::string text = ", behind " + plain_name(program, *last);
  if (last->bytes) return text + fmt::format(" ({} bytes)", last->bytes);
  return text + " (dynamic)";
}

bool in_window(u64 address, u64 window) { return address - window < kWindowBytes; }

}  // namespace

bool of_the_host(const GlobalMemory& memory, u64 address) {
  if (!memory.unified() || (address >= kMemoryBase && address - kMemoryBase < u64{1} << 44)) return false;
  // What was the kernels' until it was freed is still called so.
  if (const auto near = memory.nearest(address); near && address - near->base < near->size) return false;
  static const u64 page = static_cast<u64>(sysconf(_SC_PAGESIZE));
  unsigned char there = 0;
  return mincore(reinterpret_cast<void*>(address / page * page), 1, &there) == 0;
}

namespace {

/// What an address is that kernels cannot use though the process has mapped something there.
const char* host_place(u64 address) {
  char byte = 0;
  const iovec into{&byte, 1}, from{reinterpret_cast<void*>(address), 1};
  // Nobody may read what cuMemAddressReserve has set aside.
  if (process_vm_readv(getpid(), &into, 1, &from, 1, 0) < 0 && errno == EFAULT)
    return "reserved addresses to which no memory is mapped that kernels may use (cuMemMap, cuMemSetAccess)";
  return "a pointer to the host's memory, which kernels cannot use";
}

}  // namespace

std::string shared_place(const Program& program, u64 address) {
  for (const SharedVariable& v : program.shared)
    if (address >= v.offset && (v.bytes == 0 || address < v.offset + v.bytes)) {
      const std::string name = plain_name(program, v);
      return address == v.offset ? name : fmt::format("at byte {} of {}", address - v.offset, name);
    }
  return fmt::format("at shared address 0x{:x}", address);
}

ir::Space space_of(Where where, u64& address) {
  switch (where) {
    case Where::Global:
      return ir::Space::Global;
    case Where::Shared:
      return ir::Space::Shared;
    case Where::Local:
      return ir::Space::Local;
    case Where::Const:
      return ir::Space::Const;
    case Where::Param:
      return ir::Space::Param;
    default:
      break;
  }
  const std::pair<u64, ir::Space> windows[] = {{kSharedWindow, ir::Space::Shared},
                                               {kLocalWindow, ir::Space::Local},
                                               {kConstWindow, ir::Space::Const},
                                               {kParamWindow, ir::Space::Param}};
  for (auto [base, space] : windows)
    if (in_window(address, base)) {
      address -= base;
      return space;
    }
  return ir::Space::Global;
}

Resolved resolve(Warp& w, Where where, u64 address, int lane, u32 bytes, u32 alignment, bool store) {
  Resolved r;
  r.address = address;
  r.space = space_of(where, r.address);
  auto wrong = [&](std::string_view kind, auto near) {
    r.host = nullptr;
    r.kind = kind;
    r.problem = [near, store, bytes, space = r.space, at = r.address] {
      return fmt::format("{} of {} bytes at {} address 0x{:x}: {}", store ? "write" : "read", bytes,
                         ir::plain_name(space), at, near());
    };
    return std::move(r);
  };
  const std::string_view outside = store ? "out-of-bounds write" : "out-of-bounds read";
  auto within = [&](u8* base, u64 size, std::string_view what, auto more) {
    if (r.address <= size && bytes <= size - r.address) {
      r.host = base + r.address;
      return std::move(r);
    }
    return wrong(outside, [size, what, more, bytes, space = r.space, at = r.address] {
      if (size == 0) return fmt::format("there is no {} memory here", ir::plain_name(space)) + more();
      const auto text = at >= size ? fmt::format("{} bytes past the end of", at - size)
                                   : fmt::format("it ends {} bytes past", at + bytes - size);
      return fmt::format("{} the {} bytes of {}{}", text, size, what, more());
    });
  };
  const auto text = [](auto what) { return [what] { return what; }; };
  const auto no_more = text("");
  if (address % alignment != 0)
    return wrong(store ? "misaligned write" : "misaligned read",
                 [alignment] { return fmt::format("the address must be a multiple of {}", alignment); });
  switch (r.space) {
    case ir::Space::Shared:
      if (r.address >= kClusterStep) {
        u64 rank = r.address / kClusterStep - 1;
        const BlockState* block =
            rank < w.block->cluster->blocks.size() ? w.block->cluster->blocks[rank] : nullptr;
        if (!block || block->ended)
          return wrong(
              store ? "write of another block's shared memory" : "read of another block's shared memory",
              [block, rank] {
                return block ? fmt::format("block {} of the cluster has ended", rank)
                             : fmt::format("the cluster has no block {}", rank);
              });
        r.address %= kClusterStep;
        return within(block->shared.get(), block->shared_bytes, "the other block's shared memory", no_more);
      }
      return within(w.shared, w.shared_bytes, "the block's shared memory",
                    [&w, at = r.address] { return array_before(*w.launch->program, at, w.shared_bytes); });
    case ir::Space::Local:
      return within(w.local + u64(lane) * w.local_stride, w.local_bytes, "the thread's local memory",
                    no_more);
    case ir::Space::Const:
      if (store)
        return wrong("write to constant memory", text("constant memory cannot be written by a kernel"));
      return within(w.constants, w.constants_bytes, "constant memory", no_more);
    case ir::Space::Param:
      if (store) return wrong("write to the kernel's parameters", text("parameters cannot be written"));
      return within(const_cast<u8*>(w.params), w.params_bytes, "the kernel's parameters", no_more);
    default:
      break;
  }
  const auto allocation = w.allocations->find(address);
  if (allocation.size != 0 && bytes <= allocation.size - (address - allocation.base)) {
    r.host = w.memory->host(address);
    return r;
  }
  const auto near = w.memory->nearest(address);
  const bool freed = near && near->freed && address - near->base < near->size;
  return wrong(!freed  ? outside
               : store ? "use after free (write)"
                       : "use after free (read)",
               [&memory = *w.memory, address]() -> std::string {
                 if (address < 4096) return "a null pointer";
                 return of_the_host(memory, address) ? host_place(address) : neighbourhood(memory, address);
               });
}

}  // namespace ww::engine
