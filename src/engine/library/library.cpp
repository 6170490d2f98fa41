#include "engine/library/library.h"

#include <fmt/format.h>

#include <cstring>

#include "engine/async/bulk.h"
#include "engine/interpret/handlers.h"
#include "engine/library/library_call.h"
#include "engine/memory/resolve.h"

namespace ww::engine {

u64 argument(Warp& w, const CallPlan& plan, size_t k, int lane) {
  const CallPlan::Move& from = plan.arguments[k];
  u64 value = 0;
  u64 l = static_cast<u64>(lane);
  const u8* at = from.is_register ? w.regs + from.from_slot + l * from.bytes
                                  : w.local + l * w.local_stride + w.stack + from.local_offset;
  std::memcpy(&value, at, from.bytes);
  return value;
}

void set_result(Warp& w, const CallPlan& plan, int lane, u64 value) {
  if (plan.results.empty()) return;
  const CallPlan::Move& to = plan.results[0];
  u64 l = static_cast<u64>(lane);
  u8* at = to.is_register ? w.regs + to.from_slot + l * to.bytes
                          : w.local + l * w.local_stride + w.stack + to.local_offset;
  std::memcpy(at, &value, to.bytes);
  tell_answer(w, lane, to.is_register ? to.from_slot : ~u32{0}, w.stack + to.local_offset, to.bytes);
}

void tell_answer(Warp& w, int lane, u32 slot, u32 to, u32 bytes) {
  if (!hears(w, events::kValues)) return;
  events::Passed e;
  e.block = w.block->number, e.warp = w.id, e.mask = u32{1} << lane;
  e.what = events::Passed::What::Answer;
  e.caller = w.split->function, e.registers = w.regs, e.state = &w;
  e.slot = slot, e.to = to, e.bytes = bytes;
  w.launch->bus->tell(w.block->worker, e);
}

void tell_argument(Warp& w, const Inst* i, const CallPlan& plan, size_t k, const char* name) {
  if (!hears(w, events::kValues)) return;
  const CallPlan::Move& from = plan.arguments[k];
  events::Passed e;
  e.instruction = i->index, e.block = w.block->number, e.warp = w.id, e.mask = active(w, i);
  if (!e.mask) return;
  e.what = events::Passed::What::Used;
  e.caller = w.split->function, e.registers = w.regs, e.state = &w;
  e.slot = from.is_register ? from.from_slot : ~u32{0}, e.from = w.stack + from.local_offset;
  e.bytes = from.bytes;
  e.name = name;
  w.launch->bus->tell(w.block->worker, e);
}

Status free_heap(Warp& w, const Inst* i, int lane, u64 address) {
  if (hears(w, events::kMemory))
    if (const auto a = w.memory->find(address); a && a->base == address && a->heap)
      w.launch->bus->tell(
          w.block->worker,
          events::HeapFree{{i->index, w.block->number, w.id, u32{1} << lane}, address, a->size});
  return w.memory->free_heap(address);
}

bool read_text(Warp& w, u64 address, int lane, u64 most, std::string& text, Resolved& problem) {
  text.clear();
  while (text.size() < most) {
    Resolved r = resolve(w, AccessKey::Where::Generic, address + text.size(), lane, 1, 1, false);
    if (!r.host) {
      problem = std::move(r);
      return false;
    }
    u64 known = 1;  // bytes that are certainly readable from here
    if (r.space == ir::Space::Global)
      if (auto a = w.memory->find(r.address)) known = a->base + a->size - r.address;
    known = std::min<u64>(known, most - text.size());
    size_t length = strnlen(reinterpret_cast<const char*>(r.host), known);
    text.append(reinterpret_cast<const char*>(r.host), length);
    if (length < known) return true;
  }
  return true;
}

namespace {

const CallPlan& plan_of(const Inst* i) { return *static_cast<const CallPlan*>(i->aux->more); }

const Inst* run_malloc(Warp& w, const Inst* i) {
  const CallPlan& plan = plan_of(i);
  tell_argument(w, i, plan, 0, "malloc");
  for (u32 m = active(w, i); m; m &= m - 1) {
    int l = __builtin_ctz(m);
    set_result(w, plan, l, w.memory->allocate_heap(argument(w, plan, 0, l), w.launch->heap_limit));
  }
  return i + 1;
}

const Inst* run_free(Warp& w, const Inst* i) {
  tell_argument(w, i, plan_of(i), 0, "free");
  for (u32 m = active(w, i); m; m &= m - 1) {
    int l = __builtin_ctz(m);
    u64 address = argument(w, plan_of(i), 0, l);
    if (address == 0) continue;
    Status freed = free_heap(w, i, l, address);
    if (!freed)
      return fault(w, i, l, "invalid free",
                   freed.error()[0].message + "; it is " + neighbourhood(*w.memory, address));
  }
  return i + 1;
}

const Inst* run_assertfail(Warp& w, const Inst* i) {
  u32 lanes = active(w, i);
  if (lanes == 0) return i + 1;
  int lane = __builtin_ctz(lanes);
  auto text = [&](size_t k) {
    constexpr u64 kMost = 4096;
    std::string read;
    Resolved problem;
    return read_text(w, argument(w, plan_of(i), k, lane), lane, kMost, read, problem) ? read : "?";
  };
  return fault(w, i, lane, "assertion failed",
               fmt::format("{}:{}: {}: assertion `{}` failed", text(1),
                           static_cast<u32>(argument(w, plan_of(i), 2, lane)), text(3), text(0)));
}

/// A function of the library with the bytes of its parameters and of its result (0: none).
struct LibraryFunction {
  const char* name;
  std::vector<u32> parameters;
  u32 result;
  Handler run;
};

const std::vector<LibraryFunction>& functions() {
  static const std::vector<LibraryFunction> all = {
      {"vprintf", {8, 8}, 4, run_printf},
      {"malloc", {8}, 8, run_malloc},
      {"free", {8}, 0, run_free},
      {"__assertfail", {8, 8, 4, 8, 8}, 0, run_assertfail},
      {"__cudaCDP2GetParameterBufferV2", {8, 12, 12, 4}, 8, run_parameter_buffer},
      {"__cudaCDP2LaunchDeviceV2", {8, 8}, 4, run_launch_device},
      {"__cudaCDP2MemcpyAsync", {8, 8, 8, 4, 8}, 4, run_device_copy},
      {"__cudaCDP2MemsetAsync", {8, 4, 8, 8}, 4, run_device_set},
      {"__cudaCDP2Malloc", {8, 8}, 4, run_device_malloc},
      {"__cudaCDP2Free", {8}, 4, run_device_free},
      {"__cudaCDP2StreamCreateWithFlags", {8, 4}, 4, run_make_handle},
      {"__cudaCDP2StreamDestroy", {8}, 4, run_device_nothing},
      {"__cudaCDP2EventCreateWithFlags", {8, 4}, 4, run_make_handle},
      {"__cudaCDP2EventDestroy", {8}, 4, run_device_nothing},
      {"__cudaCDP2EventRecord", {8, 8}, 4, run_record_event},
      {"__cudaCDP2StreamWaitEvent", {8, 8, 4}, 4, run_wait_for_event},
      {"__cudaCDP2PeekAtLastError", {}, 4, run_device_nothing},
      {"__cudaCDP2GetLastError", {}, 4, run_device_nothing},
      {"__cudaCDP2GetErrorString", {4}, 8, run_error_text},
      {"cudaGraphSetConditional", {8, 4}, 0, run_set_conditional},
  };
  return all;
}

std::string refusal(const std::string& name) {
  std::string why = fmt::format("function {} is declared but not defined", name);
  if (name.starts_with("__nv_"))
    return why + ": it is part of libdevice, which nvcc links in; clang needs it with --cuda-path";
  if (name.starts_with("cuda") || name.starts_with("__cudaCDP2"))
    return why + ": this function of the device runtime (kernels that launch kernels) is not there";
  std::vector<std::string> known;
  for (const auto& f : functions())
    if (!std::string_view(f.name).starts_with("__cuda")) known.push_back(f.name);
  return why + fmt::format("; without a definition there are {}", fmt::join(known, ", "));
}

bool fits(const LibraryFunction& f, const CallPlan& plan) {
  if (plan.arguments.size() != f.parameters.size() || plan.results.size() > (f.result ? 1 : 0)) return false;
  for (size_t k = 0; k < f.parameters.size(); ++k)
    if (plan.arguments[k].bytes > f.parameters[k]) return false;
  return plan.results.empty() || plan.results[0].bytes == f.result;
}

}  // namespace

void decode_library_call(FunctionDecoder& d, const ir::Instruction& in, const ir::Call& call,
                         const CallPlan& plan) {
  const std::string& name = d.module().symbols[call.target].name;
  for (const LibraryFunction& f : functions()) {
    // Code that no CUDA compiler made (libNVVM's) calls the device runtime by its plain names.
    if (f.name != name && !(name.starts_with("cuda") && f.name == "__cudaCDP2" + name.substr(4))) continue;
    if (!fits(f, plan))
      return d.refuse(in, fmt::format("{} is called with other parameters than CUDA's", name));
    Inst i = special(f.run);
    Aux& aux = d.new_aux();
    aux.more = &plan;
    i.aux = &aux;
    return d.emit(i);
  }
  d.refuse(in, refusal(name));
}

}  // namespace ww::engine
