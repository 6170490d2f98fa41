// Kernel launches: what a kernel's fault is called, and the launch itself.
#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <optional>

#include "base/symbol_name.h"
#include "cuda/core/attributes.h"
#include "cuda/core/backlog.h"
#include "cuda/core/checking.h"
#include "cuda/core/code.h"
#include "cuda/core/error_names.h"
#include "cuda/core/host_wait.h"
#include "cuda/core/operation.h"
#include "cuda/core/platform.h"
#include "cuda/core/profile.h"
#include "cuda/core/progress.h"
#include "cuda/core/report.h"
#include "cuda/core/tolerance.h"
#include "engine/schedule/standstill.h"

namespace ww::cuda {

namespace {

/// What the card answers after such a fault (Runtime API manual, cudaError).
Error code_of(const Fault& fault) {
  auto is = [&](std::string_view what) { return fault.kind.find(what) != std::string::npos; };
  if (is("misaligned")) return Error::MisalignedAddress;
  if (is("assertion")) return Error::Assert;
  if (is("stack overflow")) return Error::HardwareStackError;
  if (is("deadlock") || is("limit") || is("endless"))
    return Error::LaunchTimeout;  // a card would hang, or stop after a time-out
  if (is("out-of-bounds") || is("use after free") || is("write to")) return Error::IllegalAddress;
  if (is("call of no function") || is("branch out of its table")) return Error::InvalidPc;
  return Error::LaunchFailure;
}

using Arguments = std::vector<std::vector<u8>>;

/// The memory of the arguments of a launch that has ended, for the next one: programs launch the same kernels
/// again and again. Whoever finds it taken does without.
class SpareArguments {
 public:
  void swap(Arguments& arguments) {
    if (taken_.test_and_set(std::memory_order_acquire)) return;
    spare_.swap(arguments);
    taken_.clear(std::memory_order_release);
  }

 private:
  std::atomic_flag taken_;
  Arguments spare_;
};
SpareArguments& spare_arguments() {
  static auto* spare = new SpareArguments;  // programs launch until their last destructor
  return *spare;
}

/// What the launch before took memory for, likewise. Under Platform::launch_mutex.
struct SpareRequest {
  std::string kernel;
  std::vector<events::Listener*> listeners;
  void swap(engine::LaunchRequest& request) {
    kernel.swap(request.kernel);
    listeners.swap(request.listeners);
  }
};
SpareRequest& spare_request() {
  static auto* spare = new SpareRequest;
  return *spare;
}

}  // namespace

Error gather_arguments(DeviceContext& device, Function& function, void** pointers, void** extra,
                       std::vector<std::vector<u8>>& arguments) {
  const LoadedKernel* kernel = nullptr;
  if (Error e = loaded_kernel(device, function, kernel); e != Error::Success) return e;
  const std::vector<Parameter>& parameters = kernel->parameters;
  const u8* buffer = nullptr;
  size_t bytes = 0;
  // A list of pairs that ends with CU_LAUNCH_PARAM_END (0): 1 is the buffer, 2 points to its size.
  if (!pointers && extra)
    for (void** p = extra; *p; p += 2) {
      if (reinterpret_cast<u64>(p[0]) == 1) buffer = static_cast<const u8*>(p[1]);
      if (reinterpret_cast<u64>(p[0]) == 2) bytes = *static_cast<size_t*>(p[1]);
    }
  if (!parameters.empty() && !pointers && !buffer) return Error::InvalidValue;
  spare_arguments().swap(arguments);
  arguments.resize(parameters.size());
  for (size_t k = 0; k < parameters.size(); ++k) {
    const Parameter& p = parameters[k];
    if (!pointers && p.offset + p.bytes > bytes) return Error::InvalidValue;
    const u8* from = pointers ? static_cast<const u8*>(pointers[k]) : buffer + p.offset;
    if (!from) return Error::InvalidValue;
    arguments[k].assign(from, from + p.bytes);
  }
  return Error::Success;
}

namespace {

/// What a kernel started itself, one after the other, each with what it starts in turn. Depth is not limited,
/// as since CUDA 12.
void run_children(DeviceContext& device, CodeModule& module, std::vector<engine::DeviceLaunch> children) {
  engine::GlobalMemory& memory = Platform::get().engine().memory();
  for (engine::DeviceLaunch& child : children) {
    if (device.sticky != Error::Success) return;
    if (child.kind == engine::DeviceLaunch::Kind::Copy) {
      std::memmove(memory.host(child.to), memory.host(child.from), child.bytes);
      memory.host_events().tell(events::HostAccess{child.to, child.bytes, isa::Direction::Write, child.from});
      continue;
    }
    if (child.kind == engine::DeviceLaunch::Kind::Set) {
      std::memset(memory.host(child.to), child.value, child.bytes);
      memory.host_events().tell(events::HostAccess{child.to, child.bytes, isa::Direction::Write});
      continue;
    }
    KernelCall call;
    call.function = module.declare_function(child.kernel);
    call.grid = {child.grid[0], child.grid[1], child.grid[2]};
    call.block = {child.block[0], child.block[1], child.block[2]};
    call.shared = child.shared;
    call.device = &device;
    const LoadedKernel* kernel = nullptr;
    if (loaded_kernel(device, *call.function, kernel) != Error::Success) return;
    for (const Parameter& p : kernel->parameters) {
      const auto from = child.parameters.begin() + static_cast<ptrdiff_t>(p.offset);
      call.arguments.emplace_back(from, from + static_cast<ptrdiff_t>(p.bytes));
    }
    checks::Start start;
    start.how = checks::Start::How::Child;
    start.tail = child.tail, start.number = child.number, start.behind = child.behind;
    const Error e = launch(device, std::move(call), start);
    if (e == Error::Success) continue;
    if (Checking* checking = Checking::get())
      checking->refused_child(name_for_people(child.kernel), e);
    else
      say_once("child " + child.kernel,
               fmt::format("kernel {}, which a kernel started, cannot be launched: {}",
                           short_name_for_people(child.kernel), error_name(static_cast<int>(e))->runtime));
  }
}

}  // namespace

Error launch(DeviceContext& device, KernelCall call) {
  checks::Start start;
  if (call.early) start.how = checks::Start::How::Early;
  return launch(device, std::move(call), start);
}

Error launch(DeviceContext& device, KernelCall call, const checks::Start& start) {
  if (Error e = check_launch(device, call); e != Error::Success) return e;
  const LoadedKernel* kernel = nullptr;
  if (Error e = loaded_kernel(device, *call.function, kernel); e != Error::Success) return e;
  const LoadedCode* code = kernel->code;
  Platform& platform = Platform::get();
  engine::LaunchRequest request;
  request.grid = {call.grid.x, call.grid.y, call.grid.z};
  request.block = {call.block.x, call.block.y, call.block.z};
  if (call.cluster.count() > 1) request.cluster = {call.cluster.x, call.cluster.y, call.cluster.z};
  request.dynamic_shared = call.shared;
  request.heap_limit = device.limits[2];  // cudaLimitMallocHeapSize
  request.cooperative = call.cooperative;
  request.arguments = std::move(call.arguments);
  platform.flush_printed();  // a launch is one of the points at which the manual says the buffer is written
  std::unique_lock one(platform.launch_mutex());
  spare_request().swap(request);
  request.kernel = call.function->name;
  request.listeners.clear();
  Profile* profile = Profile::get();
  Checking* checking = Checking::get();
  platform.stop_launch() = false;
  Tolerance tolerance(call, platform.engine().memory(), platform.stop_launch());
  const bool counted = profile && profile->wants(request.kernel);
  if (!checking) request.listeners.push_back(&tolerance);
  std::optional<Progress::Launch> shown;
  if (Progress* progress = Progress::get())
    request.listeners.push_back(&shown.emplace(*progress, request.kernel, call.grid.count()));
  std::optional<HostWait> host_wait;
  if (!checking)  // which has its own message
    if (!kernel->polls_at.empty() && HostWait::reaches_host(request.arguments))
      request.listeners.push_back(&host_wait.emplace(request.kernel, kernel->polls_at, call.grid.count()));
  if (Fidelity* fidelity = Fidelity::get()) fidelity->launched(request.kernel, *code->loaded->module);
  const engine::BesideHost beside(Backlog::waiting());
  auto run = counted ? profile->run(platform.engine(), *code->loaded, request, code->ptx)
             : checking
                 ? checking->run(platform.engine(), *code->loaded, request, *device.gpu, code->ptx, start)
                 : platform.engine().run(*code->loaded, request);
  shown.reset();
  host_wait.reset();
  if (!run) {
    const std::string& why = run.error()[0].message;
    if (call.cooperative && why.find("cooperative launch of") != std::string::npos)
      return Error::CooperativeLaunchTooLarge;
    if (why.find("bytes of shared memory per block") != std::string::npos) return Error::LaunchOutOfResources;
    say_once("launch " + call.function->name,
             fmt::format("kernel {} cannot run here:\n{}", short_name_for_people(call.function->name),
                         render(run.error(), code->ptx)));
    if (Fidelity* fidelity = Fidelity::get()) fidelity->refused("kernel " + call.function->name, why);
    return Error::NotSupported;
  }
  if (Fidelity* fidelity = Fidelity::get()) fidelity->ran(request.kernel, name(run->ran));
  platform.add_printed(std::move(run->printed));
  if (!run->absent.empty())
    say_once(
        "absent " + request.kernel,
        fmt::format("kernel {} waits for lanes of a warp that do not arrive; it went on without them, a GPU "
                    "may wait for ever:\n  {}",
                    short_name_for_people(request.kernel), run->absent));
  if (tolerance.fault()) run->faults.insert(run->faults.begin(), *tolerance.fault());
  if (!run->faults.empty()) {
    const Fault& fault = run->faults[0];
    if (!checking) say(readable_message(fault.message, request.kernel));
    device.sticky = code_of(fault);
  }
  spare_request().swap(request);
  one.unlock();
  spare_arguments().swap(request.arguments);
  run_children(device, *call.function->module, std::move(run->children));
  return Error::Success;
}

}  // namespace ww::cuda
