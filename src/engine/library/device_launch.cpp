#include "engine/library/device_launch.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <set>

#include "engine/interpret/handlers.h"
#include "engine/library/library_call.h"
#include "engine/memory/resolve.h"
#include "ir/module.h"

namespace ww::engine {

namespace {

constexpr u64 kSuccess = 0, kInvalidValue = 1;            // cudaError_t
constexpr u64 kTailStream = 3, kFireAndForgetStream = 4;  // cudaStreamTailLaunch, cudaStreamFireAndForget
constexpr u64 kFirstHandle = 16;

}  // namespace

DeviceLaunches::StreamKey DeviceLaunches::key_of(u64 block, u64 stream) {
  return stream < kFirstHandle ? StreamKey{block + 1, 0} : StreamKey{0, stream};
}

u64 DeviceLaunches::add(u64 block, u64 stream, DeviceLaunch launch) {
  static std::atomic<u64> numbers{0};
  launch.number = ++numbers;
  launch.tail = stream == kTailStream;
  std::lock_guard lock(mutex_);
  if (!launch.tail && stream != kFireAndForgetStream) {
    std::vector<u64>& last = last_[key_of(block, stream)];
    launch.behind = last;
    if (launch.kind == DeviceLaunch::Kind::Kernel) last.clear();
    last.push_back(launch.number);
  }
  const u64 number = launch.number;
  of_block_[block].push_back(std::move(launch));
  return number;
}

u64 DeviceLaunches::make_handle() {
  std::lock_guard lock(mutex_);
  return kFirstHandle * ++handles_;
}

void DeviceLaunches::record(u64 event, u64 block, u64 stream) {
  std::lock_guard lock(mutex_);
  recorded_[event] = last_[key_of(block, stream)];
}

void DeviceLaunches::wait(u64 block, u64 stream, u64 event) {
  std::lock_guard lock(mutex_);
  std::vector<u64>& last = last_[key_of(block, stream)];
  for (const u64 number : recorded_[event])
    if (std::find(last.begin(), last.end(), number) == last.end()) last.push_back(number);
}

std::vector<DeviceLaunch> DeviceLaunches::take() {
  if (of_block_.empty()) return {};
  std::vector<DeviceLaunch> all, tails;
  std::map<u64, DeviceLaunch*> waiting;
  for (auto& [block, launches] : of_block_)
    for (DeviceLaunch& launch : launches) waiting[launch.number] = &launch;
  // What a stream puts before a launch may be another block's. It was started earlier, so that this ends.
  const auto put = [&](const auto& self, u64 number) -> void {
    const auto at = waiting.find(number);
    if (at == waiting.end()) return;
    DeviceLaunch& launch = *at->second;
    waiting.erase(at);
    for (const u64 before : launch.behind) self(self, before);
    (launch.tail ? tails : all).push_back(std::move(launch));
  };
  for (auto& [block, launches] : of_block_)
    for (size_t k = 0; k < launches.size(); ++k)
      if (const u64 number = launches[k].number; number) put(put, number);
  of_block_.clear();
  all.insert(all.end(), std::make_move_iterator(tails.begin()), std::make_move_iterator(tails.end()));
  return all;
}

namespace {

/// What stands before the parameters in a buffer of __cudaCDP2GetParameterBufferV2.
struct Header {
  u32 magic = kMagic;
  u32 grid[3], block[3];
  u32 shared = 0;
  u64 function = 0, bytes = 0;
  u64 unused[2] = {};  ///< so that the parameters are aligned
  static constexpr u32 kMagic = 0xcd72cd72;
};
static_assert(sizeof(Header) % 16 == 0);

const CallPlan& call_of(const Inst* i) { return *static_cast<const CallPlan*>(i->aux->more); }

/// Argument k whole, where it is larger than a word.
template <class T>
T whole(Warp& w, const CallPlan& plan, size_t k, int lane) {
  const CallPlan::Move& from = plan.arguments[k];
  T value{};
  const u64 l = static_cast<u64>(lane);
  const u8* at = from.is_register ? w.regs + from.from_slot + l * from.bytes
                                  : w.local + l * w.local_stride + w.stack + from.local_offset;
  std::memcpy(&value, at, std::min<size_t>(sizeof value, from.bytes));
  return value;
}

template <class F>
const Inst* each_lane(Warp& w, const Inst* i, F&& body) {
  for (u32 m = active(w, i); m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    set_result(w, call_of(i), lane, body(call_of(i), lane));
  }
  return i + 1;
}

/// A pointer or handle has been stored where a lane wants it.
void tell_handle(Warp& w, int lane, const Resolved& to) {
  if (to.host && to.space == ir::Space::Local)
    tell_answer(w, lane, ~u32{0}, static_cast<u32>(to.address), sizeof(u64));
}

u8* global(Warp& w, u64 address, u64 bytes) {
  auto a = w.memory->find(address);
  return a && bytes <= a->base + a->size - address ? w.memory->host(address) : nullptr;
}

const ir::Function* kernel_at(Warp& w, u64 address) {
  const ir::Module& module = *w.launch->program->module;
  const u64 number = (address - kCodeWindow) / 16 - 1;
  if (address < kCodeWindow || address % 16 != 0 || number >= module.functions.size()) return nullptr;
  const ir::Function& f = module.functions[number];
  return f.entry && f.defined ? &f : nullptr;
}

u64 parameter_bytes(const ir::Module& module, const ir::Function& f) {
  u64 bytes = 0;
  for (const ir::Param& p : f.params) {
    const ir::Variable& v = module.variable(p.symbol);
    const u64 alignment = std::max<u64>(1, v.alignment);
    bytes = (bytes + alignment - 1) / alignment * alignment + v.bytes;
  }
  return bytes;
}

}  // namespace

// (function, grid, block, bytes of shared memory) -> where to write the parameters; null: no such kernel.
const Inst* run_parameter_buffer(Warp& w, const Inst* i) {
  struct Three {
    u32 v[3];
  };
  return each_lane(w, i, [&](const CallPlan& plan, int lane) -> u64 {
    Header header;
    header.function = argument(w, plan, 0, lane);
    const ir::Function* f = kernel_at(w, header.function);
    if (!f) return 0;
    const Three grid = whole<Three>(w, plan, 1, lane), block = whole<Three>(w, plan, 2, lane);
    std::copy(grid.v, grid.v + 3, header.grid), std::copy(block.v, block.v + 3, header.block);
    header.shared = static_cast<u32>(argument(w, plan, 3, lane));
    header.bytes = parameter_bytes(*w.launch->program->module, *f);
    // It goes when the launch is put down; malloc's limit does not concern it.
    const u64 at = w.memory->allocate_heap(sizeof header + header.bytes + 16, ~u64{0});
    if (!at) return 0;
    std::memcpy(w.memory->host(at), &header, sizeof header);
    return at + sizeof header;
  });
}

// (buffer, stream) -> error.
const Inst* run_launch_device(Warp& w, const Inst* i) {
  return each_lane(w, i, [&](const CallPlan& plan, int lane) -> u64 {
    const u64 at = argument(w, plan, 0, lane);
    const u8* bytes = at >= sizeof(Header) ? global(w, at - sizeof(Header), sizeof(Header)) : nullptr;
    Header header;
    if (bytes) std::memcpy(&header, bytes, sizeof header);
    const ir::Function* f = bytes && header.magic == Header::kMagic ? kernel_at(w, header.function) : nullptr;
    if (!f) return kInvalidValue;
    DeviceLaunch launch;
    launch.kernel = w.launch->program->module->symbols[f->symbol].name;
    std::copy(header.grid, header.grid + 3, launch.grid),
        std::copy(header.block, header.block + 3, launch.block);
    launch.shared = header.shared;
    launch.parameters.assign(bytes + sizeof header, bytes + sizeof header + header.bytes);
    (void)w.memory->free_heap(at - sizeof header);
    events::Grids e;
    e.launch = w.launch->children.add(w.block->number, argument(w, plan, 1, lane), std::move(launch));
    e.instruction = i->index, e.block = w.block->number, e.warp = w.id, e.mask = u32{1} << lane;
    if (w.launch->bus) w.launch->bus->tell(w.block->worker, e);
    return kSuccess;
  });
}

// (to, from, bytes, direction, stream) -> error.
const Inst* run_device_copy(Warp& w, const Inst* i) {
  return each_lane(w, i, [&](const CallPlan& plan, int lane) -> u64 {
    DeviceLaunch copy;
    copy.kind = DeviceLaunch::Kind::Copy;
    copy.to = argument(w, plan, 0, lane), copy.from = argument(w, plan, 1, lane);
    copy.bytes = argument(w, plan, 2, lane);
    if (!global(w, copy.to, copy.bytes) || !global(w, copy.from, copy.bytes)) return kInvalidValue;
    w.launch->children.add(w.block->number, argument(w, plan, 4, lane), std::move(copy));
    return kSuccess;
  });
}
// (to, value, bytes, stream) -> error.
const Inst* run_device_set(Warp& w, const Inst* i) {
  return each_lane(w, i, [&](const CallPlan& plan, int lane) -> u64 {
    DeviceLaunch set;
    set.kind = DeviceLaunch::Kind::Set;
    set.to = argument(w, plan, 0, lane);
    set.value = static_cast<u8>(argument(w, plan, 1, lane));
    set.bytes = argument(w, plan, 2, lane);
    if (!global(w, set.to, set.bytes)) return kInvalidValue;
    w.launch->children.add(w.block->number, argument(w, plan, 3, lane), std::move(set));
    return kSuccess;
  });
}

// (where the pointer goes, bytes) -> error.
const Inst* run_device_malloc(Warp& w, const Inst* i) {
  return each_lane(w, i, [&](const CallPlan& plan, int lane) -> u64 {
    Resolved to = resolve(w, AccessKey::Where::Generic, argument(w, plan, 0, lane), lane, 8, 8, true);
    const u64 at = to.host ? w.memory->allocate_heap(argument(w, plan, 1, lane), w.launch->heap_limit) : 0;
    if (!at) return to.host ? 2 : kInvalidValue;  // cudaErrorMemoryAllocation
    std::memcpy(to.host, &at, sizeof at);
    tell_handle(w, lane, to);
    return kSuccess;
  });
}
const Inst* run_device_free(Warp& w, const Inst* i) {
  return each_lane(w, i, [&](const CallPlan& plan, int lane) -> u64 {
    const u64 at = argument(w, plan, 0, lane);
    return !at || free_heap(w, i, lane, at) ? kSuccess : kInvalidValue;
  });
}

/// Of streams and events.
const Inst* run_make_handle(Warp& w, const Inst* i) {
  return each_lane(w, i, [&](const CallPlan& plan, int lane) -> u64 {
    Resolved to = resolve(w, AccessKey::Where::Generic, argument(w, plan, 0, lane), lane, 8, 8, true);
    const u64 handle = w.launch->children.make_handle();
    if (to.host) std::memcpy(to.host, &handle, sizeof handle);
    tell_handle(w, lane, to);
    return to.host ? kSuccess : kInvalidValue;
  });
}
// (event, stream) -> error.
const Inst* run_record_event(Warp& w, const Inst* i) {
  return each_lane(w, i, [&](const CallPlan& plan, int lane) -> u64 {
    w.launch->children.record(argument(w, plan, 0, lane), w.block->number, argument(w, plan, 1, lane));
    return kSuccess;
  });
}
// (stream, event, flags) -> error.
const Inst* run_wait_for_event(Warp& w, const Inst* i) {
  return each_lane(w, i, [&](const CallPlan& plan, int lane) -> u64 {
    w.launch->children.wait(w.block->number, argument(w, plan, 0, lane), argument(w, plan, 1, lane));
    return kSuccess;
  });
}
const Inst* run_device_nothing(Warp& w, const Inst* i) {
  return each_lane(w, i, [](const CallPlan&, int) -> u64 { return kSuccess; });
}
const Inst* run_set_conditional(Warp& w, const Inst* i) {
  for (u32 m = active(w, i); m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    const u64 at = argument(w, call_of(i), 0, lane);
    const u32 value = static_cast<u32>(argument(w, call_of(i), 1, lane));
    u8* to = at % sizeof value ? nullptr : global(w, at, sizeof value);
    if (!to)
      return fault(w, i, lane, "invalid handle",
                   "cudaGraphSetConditional takes what cudaGraphConditionalHandleCreate gave");
    std::memcpy(to, &value, sizeof value);
  }
  return i + 1;
}
const Inst* run_error_text(Warp& w, const Inst* i) {
  return each_lane(w, i, [&](const CallPlan& plan, int lane) -> u64 {
    const char* text = argument(w, plan, 0, lane) == kSuccess ? "no error" : "error";
    const u64 at = w.memory->allocate_heap(16, ~u64{0});
    if (at) std::strcpy(reinterpret_cast<char*>(w.memory->host(at)), text);
    return at;
  });
}

}  // namespace ww::engine
