#include "cuda/core/checking.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/round.h"
#include "base/words.h"
#include "checks/all.h"
#include "checks/json.h"
#include "checks/launch_facts.h"
#include "checks/values.h"
#include "counters/gpu_counters.h"
#include "cuda/core/append.h"
#include "cuda/core/error_names.h"
#include "cuda/core/operation.h"
#include "cuda/core/report.h"
#include "forecast/hints.h"
#include "forecast/registers.h"
#include "ptxas/pressure.h"
#include "sampling/counted_run.h"

namespace ww::cuda {

namespace {

constexpr size_t kFreedKept = 100000;  // allocations whose end is remembered

/// This thread has just said what is wrong with the call that will return an error.
thread_local bool just_told = false;

std::string wanted(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

Checking* Checking::get() {
  static Checking* checking = []() -> Checking* {
    if (wanted("WARPWRIGHT_CHECK").empty()) return nullptr;
    auto* asked = new Checking;  // never destroyed: it is wanted when the program's own destructors have run
    std::string why;
    if (asked->read(why)) return asked;
    say(why + "; nothing is checked");
    return nullptr;
  }();
  return checking;
}

bool Checking::read(std::string& why) {
  file_ = wanted("WARPWRIGHT_CHECK");
  process_ = ::getpid();
  token_ = fmt::format("{:x}", std::chrono::steady_clock::now().time_since_epoch().count());
  leaks_ = !wanted("WARPWRIGHT_CHECK_LEAKS").empty();
  const std::string text = wanted("WARPWRIGHT_CHECK_NAMES");
  auto names = checks::names_in(text.empty() ? "all" : text);
  if (!names) return why = "WARPWRIGHT_CHECK_NAMES: " + names.error()[0].message, false;
  for (const std::string& name : *names) host_ |= name == "memory";
  if (std::string pattern = wanted("WARPWRIGHT_CHECK_KERNEL"); !pattern.empty()) try {
      kernel_.emplace(pattern);
    } catch (const std::regex_error&) {
      return why = "WARPWRIGHT_CHECK_KERNEL is not a regular expression: " + pattern, false;
    }
  checks_ = checks::make(*names, findings_);
  hints_ = std::find(names->begin(), names->end(), "hints") != names->end();
  findings_.when_new([this] { flush(); });
  return true;
}

void Checking::watch(engine::Engine& engine) {
  engine_ = &engine;
  if (host_) engine.memory().host_events().listen(results_);
  const auto report = [this](checks::Finding finding, const RawTrace& trace) {
    finding.launched = frames_of(trace);
    findings_.add(std::move(finding));
  };
  if (host_ && engine.memory().unified()) {
    device_guard_ = std::make_unique<DeviceGuard>(engine.memory(), report);
    engine.memory().host_events().listen(*device_guard_);
  }
  for (auto& check : checks_) {
    if (auto* s = dynamic_cast<checks::Streams*>(check.get())) streams_ = s;
    if (auto* v = dynamic_cast<checks::Values*>(check.get()))
      v->know_caller([] { return frames_of(raw_trace()); });
  }
  if (streams_ && engine.memory().unified()) {
    guard_ = std::make_unique<HostGuard>(*streams_, report);
    engine.memory().host_events().listen(guard_->first());
  }
  for (auto& check : checks_) engine.memory().host_events().listen(*check);
  if (streams_)
    streams_->know_callers({[this] { return trace_here(); },
                            [this](size_t number) {
                              std::lock_guard lock(mutex_);
                              return frames_of(traces_[number]);
                            }});
  if (guard_) engine.memory().host_events().listen(*guard_);
}

Result<engine::RunResult> Checking::run(engine::Engine& engine, engine::LoadedModule& module,
                                        const engine::LaunchRequest& request, const gpus::Gpu& gpu,
                                        const std::string& ptx, const checks::Start& start) {
  const size_t trace = trace_here();
  u64 number = 0;
  std::vector<checks::Pitched> pitched;
  {
    std::lock_guard lock(mutex_);
    number = launches_.size();
    launches_.push_back(trace);
    if (any_pitched_)
      for (const auto& [base, k] : known_)
        if (k.live && k.pitch) pitched.push_back({base, k.bytes, k.pitch, k.width});
  }
  checks::LaunchFacts facts = checks::facts_of(request, number, engine.memory());
  facts.start = start;
  facts.pitched = std::move(pitched);
  facts.arguments = &request.arguments;
  engine::LaunchRequest checked = request;
  for (auto& check : checks_) {
    check->prepare(facts);
    checked.listeners.push_back(check.get());
  }
  look_at_registers(module, request, gpu, ptx, facts);
  auto run = hints_ ? run_counted(engine, module, checked, gpu, ptx, facts) : engine.run(module, checked);
  if (run && !run->faults.empty()) facts.shared_with_host = reaches_host(request);
  if (run)
    for (const Fault& fault : run->faults)
      if (auto finding = checks::of_no_warp(fault, facts)) findings_.add(std::move(*finding));
  flush();
  return run;
}

void Checking::look_at_registers(const engine::LoadedModule& module, const engine::LaunchRequest& request,
                                 const gpus::Gpu& gpu, const std::string& ptx,
                                 const checks::LaunchFacts& launch) {
  const auto threads = static_cast<int64_t>(request.block.count());
  const int64_t most = gpu.max_regs_per_block;
  if (!host_ || threads * int64_t{gpu.max_regs_per_thread} <= most) return;
  const ir::Function* kernel = module.module->find_function(request.kernel);
  // With .maxntid compilers keep to what there is for so many threads.
  if (!kernel || kernel->max_threads[0]) return;
  {
    std::lock_guard lock(mutex_);
    if (!known_registers_.insert({request.kernel, static_cast<u64>(threads)}).second) return;
  }
  const int least = ptxas::estimate_registers(*module.module, *kernel, 10 * gpu.cc_major + gpu.cc_minor, {});
  if (least * threads * 2 <= most) return;  // no compiler takes twice as many
  const model::Registers r = forecast::registers_of(ptx, *module.module, *kernel, gpu, {});
  const auto per_warp = round_up<int64_t>(r.per_thread * 32, gpu.reg_alloc_unit);
  const int64_t all = per_warp * ((threads + 31) / 32);
  if (all <= most) return;
  checks::Finding f;
  f.kind = "too many registers";
  if (r.from == Provenance::Modelled) f.severity = checks::Severity::Hint;
  f.kernel = launch.kernel;
  f.message = fmt::format(
      "{} threads of {} registers each need {}, and a block of {} has {}: the launch returns "
      "cudaErrorLaunchOutOfResources there",
      threads, r.per_thread, all, gpu.id, most);
  f.more = {
      "registers: " + r.source,
      fmt::format("use fewer threads, or __launch_bounds__({}), so that the compiler uses fewer registers",
                  threads)};
  f.launched = frames_of(raw_trace());
  findings_.add(std::move(f));
}

Result<engine::RunResult> Checking::run_counted(engine::Engine& engine, engine::LoadedModule& module,
                                                engine::LaunchRequest& request, const gpus::Gpu& gpu,
                                                const std::string& ptx, const checks::LaunchFacts& launch) {
  const std::vector<const gpus::Gpu*> gpus = {&gpu};
  const forecast::LaunchShape shape(request);
  forecast::SharedAccesses shared;
  request.counted = true;
  request.listeners.push_back(&shared);
  auto counted = sampling::run_counted(engine, module, request, forecast::plan_for(gpus, shape, false));
  if (!counted) return counted.error();
  if (!counted->run.faults.empty() || counted->run.cancelled) return std::move(counted->run);
  const forecast::Facts facts{
      request.kernel, ptx, shape, {}, forecast::buffer_bytes(engine, request.arguments), &shared};
  const auto figures = forecast::of_each(*counted, gpus, facts, engine.settings().threads);
  const Table lines = counters::line_table(counted->run, counted->of(rules::capability(gpu)), gpu);
  for (forecast::Hint& hint : forecast::hints(gpu, figures[0], lines, {})) {
    checks::Finding f;
    f.kind = std::move(hint.kind);
    f.severity = checks::Severity::Hint;
    f.kernel = launch.kernel;
    f.message = fmt::format("on {}: {}", gpu.id, hint.text);
    f.more = std::move(hint.more);
    if (hint.place.empty()) {
      findings_.add(std::move(f));
      continue;
    }
    checks::Party p;
    p.everyone = true;
    p.what = "takes longer than necessary";
    const size_t colon = hint.place.rfind(':');
    p.where.file = hint.place.substr(0, colon);
    if (colon != hint.place.npos) p.where.line = std::atoi(hint.place.c_str() + colon + 1);
    p.by.launch = launch.number;
    f.parties.push_back(std::move(p));
    findings_.add(std::move(f));
  }
  return std::move(counted->run);
}

bool Checking::reaches_host(const engine::LaunchRequest& request) {
  std::lock_guard lock(mutex_);
  for (const auto& argument : request.arguments)
    for (size_t at = 0; at + sizeof(u64) <= argument.size(); at += sizeof(u64)) {
      u64 address;
      std::memcpy(&address, argument.data() + at, sizeof address);
      auto known = known_.upper_bound(address);
      if (known == known_.begin()) continue;
      --known;
      if (known->second.live && address < known->first + known->second.bytes &&
          (known->second.kind == BlockKind::Host || known->second.kind == BlockKind::Managed ||
           known->second.kind == BlockKind::Registered))
        return true;
    }
  return false;
}

size_t Checking::trace_here() {
  RawTrace trace = raw_trace();
  std::lock_guard lock(mutex_);
  auto [at, fresh] = trace_numbers_.try_emplace(trace, traces_.size());
  if (fresh) traces_.push_back(std::move(trace));
  return at->second;
}

void Checking::allocated(const Block& block) {
  const size_t trace = trace_here();
  if (guard_) guard_->host_gets(block);
  if (device_guard_) device_guard_->keeps(block);
  std::lock_guard lock(mutex_);
  known_[block.base] = {block.bytes, block.kind, trace, 0, true, false, 0, 0};
}

void Checking::pitched(u64 address, u64 pitch, u64 width) {
  std::lock_guard lock(mutex_);
  const auto it = known_.find(address);
  if (it == known_.end() || width >= pitch) return;
  it->second.pitch = pitch, it->second.width = width;
  any_pitched_ = true;
}

void Checking::freed(const Block& block) {
  const size_t trace = trace_here();
  if (guard_) guard_->host_loses(block);
  std::lock_guard lock(mutex_);
  auto it = known_.find(block.base);
  if (it == known_.end()) return;
  it->second.live = false, it->second.freed = trace;
  gone_.push_back(block.base);
  if (gone_.size() <= kFreedKept) return;
  if (auto oldest = known_.find(gone_.front()); oldest != known_.end() && !oldest->second.live)
    known_.erase(oldest);
  gone_.pop_front();
}

std::string Checking::describe(u64 address) const {
  if (address == 0) return "a null pointer";
  if (address < 4096)
    return fmt::format("0x{:x} is {} behind a null pointer", address,
                       counted(static_cast<int64_t>(address), "byte"));
  if (!engine_) return fmt::format("0x{:x}", address);
  const auto near = engine_->memory().nearest(address);
  const bool ours = address >= engine::kMemoryBase && address - engine::kMemoryBase < u64{1} << 44;
  if (!near || (!ours && (address < near->base || address - near->base >= near->size)))
    return fmt::format("0x{:x} is the program's own memory", address);
  return fmt::format("0x{:x} is {}", address, engine::neighbourhood(engine_->memory(), address));
}

void Checking::add(checks::Finding finding, Call call) {
  if (!host_) return;
  just_told = call == Call::Fails;
  finding.launched = frames_of(raw_trace());
  findings_.add(std::move(finding));
}

void Checking::api_error(Error error) {
  if (std::exchange(just_told, false)) return;
  const RawTrace trace = raw_trace();
  const std::string call = entry_point(trace);
  if (!host_) return;
  checks::Finding f;
  f.severity = checks::Severity::Hint;
  f.kind = "error returned";
  const ErrorName* name = error_name(static_cast<int>(error));
  const bool unseen = call == "__cudaLaunchKernel";  // of <<<>>>
  const std::string_view what = unseen         ? "a launch by <<<>>>"
                                : call.empty() ? "a call"
                                               : std::string_view(call);
  f.message =
      fmt::format("{} returned {}", what, name ? name->runtime : std::to_string(static_cast<int>(error)));
  std::string why = take_refusal();
  if (name) f.more.push_back(why.empty() ? name->text : std::move(why));
  f.launched = frames_of(trace);
  // Sizes and addresses that cannot be, and handles of nothing, are no way to ask for anything; a launch can
  // be tried.
  const bool wrong = error == Error::InvalidValue || error == Error::InvalidPitchValue ||
                     error == Error::InvalidResourceHandle || error == Error::InvalidSymbol ||
                     error == Error::InvalidConfiguration || error == Error::LaunchOutOfResources ||
                     error == Error::CooperativeLaunchTooLarge;
  if (wrong && (call.starts_with("cudaMemcpy") || call.starts_with("cudaMemset")))
    f.severity = checks::Severity::Error;
  // What such a call should order is not ordered.
  if (error == Error::InvalidResourceHandle &&
      (call.starts_with("cudaEventRecord") || call.starts_with("cudaStreamWaitEvent") ||
       call.starts_with("cudaEventSynchronize") || call.starts_with("cudaStreamSynchronize")))
    f.severity = checks::Severity::Warning;
  if (wrong && (unseen || call.starts_with("cudaLaunch") || call.starts_with("cudaGraphLaunch"))) {
    std::lock_guard lock(mutex_);
    refused_.push_back({std::this_thread::get_id(), f, !unseen, launches_.size(), results_.count});
  }
  findings_.add(std::move(f));
}

void Checking::refused_child(const std::string& kernel, Error error) {
  checks::Finding f;
  f.severity = checks::Severity::Warning;
  f.kind = "error returned";
  f.kernel = kernel;
  const ErrorName* name = error_name(static_cast<int>(error));
  f.message = fmt::format("a kernel started this one, which was refused: {}",
                          name ? name->runtime : std::to_string(static_cast<int>(error)));
  if (std::string why = take_refusal(); !why.empty())
    f.more.push_back(std::move(why));
  else if (name)
    f.more.push_back(name->text);
  add(std::move(f), Call::Succeeds);
}

void Checking::early_time() {
  checks::Finding f;
  f.severity = checks::Severity::Warning;
  f.kind = "error returned";
  f.message = "the time between two events is asked for, and the host has not waited for them";
  f.more.push_back(
      "on a GPU the work before them may go on: then cudaErrorNotReady is returned, and no time");
  f.more.push_back("missing: cudaEventSynchronize() of the second event");
  add(std::move(f), Call::Succeeds);
}

void Checking::errors_asked() {
  std::lock_guard lock(mutex_);
  std::erase_if(refused_, [](const auto& r) { return r.thread == std::this_thread::get_id(); });
}

void Checking::tell_refused() {
  std::vector<Refused> refused;
  {
    std::lock_guard lock(mutex_);
    refused.swap(refused_);
  }
  for (Refused& r : refused) {
    // Who sees that the launch was refused launches something else, or reads no results.
    if (r.returned && (launches_.size() > r.launches || results_.count == r.results)) continue;
    checks::Finding& f = r.finding;
    f.severity = r.returned ? checks::Severity::Warning : checks::Severity::Error;
    f.count = 0;  // they have been counted
    f.more.push_back(
        r.returned
            ? "the kernel did not run, and the program copies results though it launched no other"
            : "the kernel did not run, and the program never checks (cudaGetLastError) whether it did");
    findings_.add(std::move(f));
  }
  flush();
}

void Checking::complete(checks::Finding& f) {
  if (!f.kernel.empty() && !f.parties.empty() && f.launched.empty())
    if (const u64 n = f.parties[0].by.launch; n < launches_.size())
      f.launched = frames_of(traces_[launches_[n]]);
  auto it = known_.find(f.allocation);
  if (!f.allocation || it == known_.end()) return;
  f.allocated = frames_of(traces_[it->second.allocated]);
  if (!it->second.live) f.freed = frames_of(traces_[it->second.freed]);
}

void Checking::flush() {
  static std::mutex one;  // so that a finding's later state comes later
  std::lock_guard order(one);
  std::string text;
  for (checks::Finding& f : findings_.take_changed()) {
    if (kernel_ && !f.kernel.empty() && !std::regex_search(f.kernel, *kernel_)) continue;
    {
      std::lock_guard lock(mutex_);
      complete(f);
    }
    text += fmt::format("{}-{}\t{}\n", ::getpid(), token_, checks::write_json(f));
  }
  if (text.empty()) return;
  if (!append_to(file_, text)) say_once("check", "the findings cannot be written to " + file_);
}

void Checking::end() {
  if (::getpid() == process_) tell_refused();
  if (!leaks_ || ::getpid() != process_ || !engine_) return;  // a child has its parent's memory, too
  struct Leak {
    u64 allocations = 0, bytes = 0, first = 0;
  };
  std::map<std::pair<size_t, BlockKind>, Leak> leaks;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [base, known] : known_) {
      if (!known.live || known.kind == BlockKind::Variable || known.kind == BlockKind::Registered) continue;
      Leak& leak = leaks[{known.allocated, known.kind}];
      if (!leak.allocations++) leak.first = base;
      leak.bytes += known.bytes;
    }
  }
  for (const auto& [key, leak] : leaks) {
    checks::Finding f;
    f.kind = "leak";
    f.allocation = leak.first;
    f.message = fmt::format("{} bytes in {} were not freed", leak.bytes,
                            counted(static_cast<int64_t>(leak.allocations), "allocation"));
    if (leak.allocations > 1) f.more.push_back("all made at the same place");
    // Not where the program ends, but where the memory came from, says which leak it is.
    f.launched.clear();
    f.more.push_back(fmt::format("the first is at 0x{:x}", leak.first));
    findings_.add(std::move(f));
  }
  u64 heap = 0, bytes = 0;
  for (const auto& range : engine_->memory().live())
    if (auto a = engine_->memory().find(range.base); a && a->heap) ++heap, bytes += a->size;
  if (heap) {
    checks::Finding f;
    f.kind = "leak";
    f.message = fmt::format("{} bytes in {} by malloc in kernels were not freed", bytes,
                            counted(static_cast<int64_t>(heap), "allocation"));
    findings_.add(std::move(f));
  }
  flush();
}

namespace {

/// After the program's own destructors: what they free is no leak.
[[gnu::destructor]] void end_of_program() {
  if (wanted("WARPWRIGHT_CHECK").empty()) return;
  if (Checking* checking = Checking::get()) checking->end();
}

}  // namespace

}  // namespace ww::cuda
