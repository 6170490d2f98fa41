#include "device/engine_device.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>

#include "counters/counters.h"
#include "counters/gpu_counters.h"
#include "device/timing.h"
#include "engine/async/tensor_map.h"
#include "forecast/forecast.h"
#include "ir/link.h"
#include "ir/verify.h"
#include "ptx/parser.h"
#include "ptxas/fuse_products.h"
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
    ptxas::fuse_products(*parsed);
    return place(std::move(parsed).value(), text);
  }

  Result<ModuleRef> load_linked(const std::vector<Source>& sources) override {
    std::vector<ir::Module> modules;
    Diagnostics wrong;
    for (const Source& source : sources) {
      auto parsed = ptx::parse(source.name, source.ptx);
      Diagnostics of = parsed ? ir::verify(*parsed) : parsed.error();
      wrong.insert(wrong.end(), of.begin(), of.end());
      if (!parsed) continue;
      ptxas::fuse_products(*parsed);
      modules.push_back(std::move(parsed).value());
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

  Result<TensorMapBytes> create_tensor_map(const TensorMap& map) override {
    if (map.size.size() > engine::kMostDimensions || map.stride.size() + 1 != map.size.size() ||
        map.box.size() != map.size.size())
      return error("a tensor map has one to five sizes, as many boxes, and a stride less");
    engine::TensorMap made;
    made.type = map.type == TensorMap::Type::F16    ? engine::TensorType::F16
                : map.type == TensorMap::Type::Bf16 ? engine::TensorType::BF16
                                                    : engine::TensorType::F32;
    made.swizzle = engine::TensorSwizzle::Bytes128;
    made.rank = static_cast<int>(map.size.size());
    made.address = map.address;
    for (size_t d = 0; d < map.size.size(); ++d) {
      made.size[d] = map.size[d], made.box[d] = map.box[d], made.step[d] = 1;
      made.stride[d] = d == 0 ? made.element_bytes() : map.stride[d - 1];
    }
    auto encoded = made.encode();
    if (!encoded) return encoded.error();
    TensorMapBytes bytes;
    static_assert(sizeof bytes == sizeof *encoded);
    std::memcpy(bytes.data(), encoded->data(), sizeof bytes);
    return bytes;
  }

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
    request.arguments = bytes_of(launch.arguments);
    if (!launch.gpus.empty() || (launch.count && launch.sample))
      return launch_counted(*module, request, launch);
    auto run = engine_.run(*module->loaded, request);
    if (!run) return run.error();
    if (run->cancelled) return error(run->standing.empty() ? "interrupted" : "interrupted: " + run->standing);
    LaunchReport report;
    report.faults = std::move(run->faults);
    report.printed = std::move(run->printed);
    report.engine = name(run->ran);
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

  Result<LaunchReport> launch_counted(EngineModule& module, engine::LaunchRequest& request,
                                      const Launch& launch) {
    forecast::SharedAccesses shared;
    if (launch.advise) request.listeners.push_back(&shared);
    const forecast::LaunchShape shape(request);
    auto counted = sampling::run_counted(engine_, *module.loaded, request,
                                         forecast::plan_for(launch.gpus, shape, launch.sample));
    if (!counted) return counted.error();
    if (counted->run.cancelled)
      return error(counted->run.standing.empty() ? "interrupted" : "interrupted: " + counted->run.standing);
    LaunchReport report;
    report.faults = std::move(counted->run.faults);
    report.printed = std::move(counted->run.printed);
    report.engine = name(counted->run.ran);
    if (!report.faults.empty()) return report;
    report.values = counters::count_all(counted->run);
    if (launch.sample) report.values.push_back(forecast::blocks_run(*counted));
    forecast::Facts facts{launch.kernel,
                          module.ptx,
                          shape,
                          launch.registers,
                          forecast::buffer_bytes(engine_, request.arguments),
                          launch.advise ? &shared : nullptr};
    auto figures = forecast::of_each(*counted, launch.gpus, facts, engine_.settings().threads);
    for (size_t k = 0; k < launch.gpus.size(); ++k) {
      const gpus::Gpu& gpu = *launch.gpus[k];
      GpuReport& of = report.gpus.emplace_back();
      of.gpu = gpu.id;
      of.values = forecast::counter_values(*counted, gpu, figures[k]);
      if (launch.sample) of.values.push_back(forecast::blocks_run(*counted));
      const rules::AccessTotals& totals = counted->of(rules::capability(gpu));
      of.lines = counters::line_table(counted->run, totals, gpu);
      figures[k].instructions = counters::instruction_lines(counted->run, totals, gpu);
      of.figures = std::make_shared<forecast::Figures>(std::move(figures[k]));
    }
    return report;
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

std::vector<std::vector<uint8_t>> bytes_of(const std::vector<Argument>& arguments) {
  std::vector<std::vector<uint8_t>> all;
  for (const Argument& a : arguments) {
    const auto* raw = reinterpret_cast<const uint8_t*>(a.bytes.data());
    all.emplace_back(raw, raw + a.bytes.size());
  }
  return all;
}

}  // namespace ww::device
