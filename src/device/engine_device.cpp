#include "device/engine_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "caches/atomics.h"
#include "counters/counters.h"
#include "counters/gpu_counters.h"
#include "device/cache_runs.h"
#include "device/registers.h"
#include "device/timing.h"
#include "ir/link.h"
#include "ir/verify.h"
#include "model/activity_of.h"
#include "model/prediction.h"
#include "ptx/parser.h"
#include "sampling/counted_run.h"

namespace ww::device {

namespace {

class EngineModule : public Module {
 public:
  EngineModule(engine::Engine& owner, std::shared_ptr<engine::LoadedModule> m, std::string text)
      : loaded(std::move(m)), ptx(std::move(text)), owner_(owner) {}
  ~EngineModule() override { owner_.unload(*loaded); }
  std::vector<std::string> kernels() const override {
    std::vector<std::string> names;
    for (const auto& f : loaded->module->functions)
      if (f.entry) names.push_back(loaded->module->symbols[f.symbol].name);
    return names;
  }
  const ir::Module* code() const override { return loaded->module.get(); }
  std::optional<VariableAt> variable(const std::string& name) const override {
    const ir::Module& module = *loaded->module;
    for (const auto& [symbol, at] : loaded->layout) {
      if (module.symbols[symbol].name != name) continue;
      const ir::Variable& v = module.variable(symbol);
      return VariableAt{v.space == ir::Space::Const ? loaded->constants + at : at, v.bytes};
    }
    return {};
  }
  std::shared_ptr<engine::LoadedModule> loaded;
  std::string ptx;

 private:
  engine::Engine& owner_;
};

class EngineDevice : public Device {
 public:
  explicit EngineDevice(engine::Settings settings) : engine_(std::move(settings)) {
    info_.id = "engine";
    info_.name =
        fmt::format("Warpwright engine ({}, {} threads)", engine_.lanes().name, engine_.settings().threads);
    info_.cc_major = 9;
    info_.multiprocessors = engine_.settings().multiprocessors;
    info_.memory = engine_.memory().limit();
  }

  engine::Engine& engine() { return engine_; }
  const Info& info() const override { return info_; }

  Result<ModuleRef> load(const std::string& name, const std::string& text) override {
    auto parsed = ptx::parse(name, text);
    if (!parsed) return parsed.error();
    if (Diagnostics wrong = ir::verify(*parsed); !wrong.empty()) return wrong;
    return place(std::move(parsed).value(), text);
  }

  Result<ModuleRef> load_linked(const std::vector<Source>& sources) override {
    std::vector<ir::Module> modules;
    Diagnostics wrong;
    for (const Source& source : sources) {
      auto parsed = ptx::parse(source.name, source.ptx);
      Diagnostics of = parsed ? ir::verify(*parsed) : parsed.error();
      wrong.insert(wrong.end(), of.begin(), of.end());
      if (parsed) modules.push_back(std::move(parsed).value());
    }
    if (!wrong.empty()) return wrong;
    auto linked = ir::link(std::move(modules));
    if (!linked) return linked.error();
    return place(std::move(linked).value(), {});
  }

  Result<Address> allocate(uint64_t bytes) override { return engine_.memory().allocate(bytes); }
  Status free(Address address) override { return engine_.memory().free(address); }

  Status write(Address to, std::span<const std::byte> from) override {
    auto at = inside(to, from.size());
    if (!at) return at.error();
    std::memcpy(*at, from.data(), from.size());
    engine_.memory().host_events().tell(events::HostAccess{to, from.size(), isa::Direction::Write});
    return {};
  }
  Status read(Address from, std::span<std::byte> to) override {
    auto at = inside(from, to.size());
    if (!at) return at.error();
    std::memcpy(to.data(), *at, to.size());
    engine_.memory().host_events().tell(events::HostAccess{from, to.size(), isa::Direction::Read});
    return {};
  }

  Result<uint64_t> create_texture(const Texture2D& texture) override {
    using enum engine::AddressMode;
    engine::TextureDescription t;
    t.shape = engine::TextureShape::Pitch2D;
    t.address = texture.address;
    t.width = texture.width, t.height = texture.height;
    t.address_mode[0] = t.address_mode[1] = texture.wrap ? Wrap : Clamp;
    t.linear = texture.linear;
    t.normalized_coordinates = true;
    return engine_.create_texture(t);
  }
  Status destroy_texture(uint64_t handle) override { return engine_.destroy_texture(handle); }

  Result<LaunchReport> launch(const Launch& launch) override {
    if (auto ok = check_launch(info_, launch); !ok) return ok.error();
    auto* module = dynamic_cast<EngineModule*>(launch.module.get());
    if (!module) return error("the module was not loaded by this device");
    engine::LaunchRequest request;
    request.kernel = launch.kernel;
    request.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
    request.block = {launch.block.x, launch.block.y, launch.block.z};
    request.cluster = {launch.cluster.x, launch.cluster.y, launch.cluster.z};
    request.dynamic_shared = static_cast<uint32_t>(launch.dynamic_shared);
    request.cooperative = launch.cooperative;
    request.counted = launch.count;
    request.listeners = launch.listeners;
    for (const Argument& a : launch.arguments) {
      const auto* raw = reinterpret_cast<const uint8_t*>(a.bytes.data());
      request.arguments.emplace_back(raw, raw + a.bytes.size());
    }
    if (!launch.gpus.empty() || (launch.count && launch.sample))
      return launch_counted(*module, request, launch);
    auto run = engine_.run(*module->loaded, request);
    if (!run) return run.error();
    if (run->cancelled) return error(run->standing.empty() ? "interrupted" : "interrupted: " + run->standing);
    LaunchReport report;
    report.faults = std::move(run->faults);
    report.printed = std::move(run->printed);
    if (launch.count) report.values = counters::count_all(*run);
    return report;
  }

  Result<Timing> time(const Launch& what, const TimingOptions& options) override {
    Repeats repeats(options);
    for (int k = -options.warm_ups; k < 0 || !repeats.enough(); ++k) {
      auto begin = std::chrono::steady_clock::now();
      auto report = launch(what);
      if (!report) return report.error();
      if (!report->faults.empty()) return error(report->faults[0].message);
      if (k >= 0)
        repeats.add(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    return repeats.timing();
  }

 private:
  /// `text`: what ptxas may be asked about; of several modules there is none.
  Result<ModuleRef> place(ir::Module module, const std::string& text) {
    auto loaded = engine_.load(std::make_shared<const ir::Module>(std::move(module)));
    if (!loaded) return loaded.error();
    return ModuleRef(std::make_shared<EngineModule>(engine_, *loaded, text));
  }

  Result<LaunchReport> launch_counted(EngineModule& module, const engine::LaunchRequest& request,
                                      const Launch& launch) {
    sampling::CountPlan plan;
    plan.sample = launch.sample;
    for (const gpus::Gpu* gpu : launch.gpus)
      if (auto cc = rules::capability(*gpu);
          std::find(plan.capabilities.begin(), plan.capabilities.end(), cc) == plan.capabilities.end())
        plan.capabilities.push_back(cc);
    for (const gpus::Gpu* gpu : launch.gpus)
      if (gpu->l2_bytes)
        plan.traced_blocks = std::max(plan.traced_blocks, most_resident_blocks(*gpu, request));
    auto counted = sampling::run_counted(engine_, *module.loaded, request, plan);
    if (!counted) return counted.error();
    if (counted->run.cancelled) return error("interrupted");
    LaunchReport report;
    report.faults = std::move(counted->run.faults);
    report.printed = std::move(counted->run.printed);
    if (!report.faults.empty()) return report;
    report.values = counters::count_all(counted->run);
    const ir::Module& ir = *module.loaded->module;
    std::vector<model::Registers> registers;
    std::vector<int64_t> per_thread;
    for (const gpus::Gpu* gpu : launch.gpus) {
      registers.push_back(
          registers_of(module.ptx, ir, *ir.find_function(launch.kernel), *gpu, launch.registers));
      per_thread.push_back(registers.back().per_thread);
    }
    const auto caches = cache_runs(*counted, request, launch.gpus, per_thread, engine_.settings().threads);
    const double atomic_passes = counted->trace ? caches::busiest_atomic_line(*counted->trace) : 0;
    for (size_t k = 0; k < launch.gpus.size(); ++k) {
      const gpus::Gpu& gpu = *launch.gpus[k];
      const auto& totals = counted->of(rules::capability(gpu));
      report.gpus.push_back({gpu.id,
                             counters::gpu_values(counted->run, totals, gpu, counted->blocks,
                                                  caches[k] ? &*caches[k] : nullptr),
                             counters::line_table(counted->run, totals, gpu),
                             {}});
      report.gpus.back().prediction =
          predict(*counted, gpu, report.gpus.back().values, launch, std::move(registers[k]),
                  caches[k] ? &caches[k]->replay : nullptr, atomic_passes);
    }
    if (launch.sample) {
      const Value ran = {"blocks_run", static_cast<int64_t>(counted->blocks_run), "blocks",
                         Provenance::Counted, "blocks of the grid that ran; they stand for the others"};
      report.values.push_back(ran);
      for (GpuReport& g : report.gpus) g.values.push_back(ran);
    }
    return report;
  }

  std::shared_ptr<const model::Prediction> predict(const sampling::CountedRun& run, const gpus::Gpu& gpu,
                                                   const std::vector<Value>& values, const Launch& launch,
                                                   model::Registers registers, const caches::Replay* replay,
                                                   double atomic_passes) {
    model::LaunchFacts facts;
    facts.blocks = static_cast<int64_t>(launch.grid.count());
    facts.threads_per_block = static_cast<int64_t>(launch.block.count());
    facts.dynamic_shared = static_cast<int64_t>(launch.dynamic_shared);
    for (const Argument& a : launch.arguments) {
      Address address = 0;
      if (a.bytes.size() != sizeof address) continue;
      std::memcpy(&address, a.bytes.data(), sizeof address);
      if (const auto buffer = engine_.memory().find(address))
        facts.buffers += static_cast<double>(buffer->size);
    }
    facts.atomic_passes = atomic_passes;
    // Of what was not replayed, the late part says what it will be like.
    if (replay) facts.waits = replay->whole ? &replay->counts.waits : &replay->late.waits;
    facts.registers = registers.per_thread;
    facts.spill_stores = registers.spill_stores, facts.spill_loads = registers.spill_loads;
    facts.spills = registers.from == Provenance::Counted ? registers.spill_loads > 0
                                                         : registers.per_thread >= gpu.max_regs_per_thread;
    return std::make_shared<model::Prediction>(
        model::predict(gpu, model::activity_of(run, gpu, values, facts), std::move(registers)));
  }

  Result<std::byte*> inside(Address address, size_t bytes) {
    auto a = engine_.memory().find(address);
    if (!a || bytes > a->size - (address - a->base))
      return error(fmt::format("{} bytes at 0x{:x} are not inside an allocation", bytes, address));
    return reinterpret_cast<std::byte*>(engine_.memory().host(address));
  }

  engine::Engine engine_;
  Info info_;
};

}  // namespace

engine::Engine* engine_of(Device& device) {
  auto* own = dynamic_cast<EngineDevice*>(&device);
  return own ? &own->engine() : nullptr;
}

std::unique_ptr<Device> make_engine_device(engine::Settings settings) {
  return std::make_unique<EngineDevice>(std::move(settings));
}

}  // namespace ww::device
