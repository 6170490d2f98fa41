// Brings a configuration's arrays and symbols to the device, and launches its kernels.
#include <fmt/format.h>

#include <chrono>

#include "cli/compile/kernel_name.h"
#include "cli/launch/assign.h"
#include "cli/launch/prepare.h"
#include "cli/own_study/prepared.h"

namespace ww::cli {

namespace {

/// The names of the arrays that a launch allocates for an argument, in its order.
void names_of_arrays(const LaunchArgument& value, const std::string& name, const Parameter* parameter,
                     std::vector<std::string>& out) {
  if (const auto* array = std::get_if<ArrayArgument>(&value)) {
    if (array->kind != ArrayArgument::Kind::Shared) out.push_back(name);
  } else if (std::holds_alternative<TextureArgument>(value)) {
    out.push_back(name);
  } else if (const auto* structure = std::get_if<StructArgument>(&value)) {
    for (size_t i = 0; i < structure->members.size(); ++i) {
      std::string path;
      for (const ptx::DebugMember& m : parameter ? parameter->members : std::vector<ptx::DebugMember>())
        if (i < structure->offsets.size() && m.offset == structure->offsets[i]) path = m.path;
      names_of_arrays(structure->members[i], name + (path.empty() || path[0] == '[' ? "" : ".") + path,
                      nullptr, out);
    }
  }
}

}  // namespace

/// The text of the next parameter: several texts may speak of one struct.
size_t OwnRunner::behind_argument(const StudyKernel& kernel, size_t text) {
  const StudyArgument& first = kernel.arguments[text++];
  while (!first.path.empty() && text < kernel.arguments.size() && !kernel.arguments[text].path.empty() &&
         kernel.arguments[text].name == first.name)
    ++text;
  return text;
}

Result<std::vector<LaunchArgument>> OwnRunner::whole_arguments(const Prepared& prepared,
                                                               const device::Launch& launch,
                                                               const std::vector<LaunchArgument>& given,
                                                               std::vector<Parameter>& parameters) {
  const StudyKernel& kernel = *prepared.kernel;
  const ir::Module* code = launch.module->code();
  if (!code) return given;
  bool members = false;
  for (size_t i = 0; i < given.size(); ++i) {
    const auto* structure = std::get_if<StructArgument>(&given[i]);
    members |= !kernel.arguments[i].path.empty() || (structure && !structure->names.empty());
  }
  const std::string key = prepared.ptx + launch.kernel;
  if (!members) {
    parameters = parameters_of(*code, launch.kernel);
  } else if (const auto it = parameters_.find(key); it != parameters_.end()) {
    parameters = it->second;
  } else {
    LaunchOptions options;
    options.files = {kernel.file};
    options.kernel = kernel.entry;
    options.compile = prepared.compile;
    parameters = parameters_[key] =
        known_parameters(options, *code, launch.kernel, {{kernel.file, prepared.ptx}}, true);
  }
  std::vector<NamedArgument> named;
  for (size_t i = 0, place = 0; i < given.size(); ++place) {
    const size_t end = behind_argument(kernel, i);
    for (; i < end; ++i)  // the study's names are its own: parameters go by their places
      named.push_back({std::to_string(place + 1), kernel.arguments[i].path, "", given[i]});
  }
  Diagnostics notes;
  const std::string name = name_for_people(launch.kernel);
  if (!members) {
    std::vector<LaunchArgument> out = given;
    if (auto ok = fit_arguments(out, parameters, name); !ok) return ok.error();
    return out;
  }
  auto out = assign_arguments(named, parameters, name, notes);
  if (!out) return out;
  if (auto ok = fit_arguments(*out, parameters, name); !ok) return ok.error();
  return out;
}

Status OwnRunner::place(const Prepared& prepared, bool keep_inputs, Chain& chain) {
  const StudyKernel& kernel = *prepared.kernel;
  const Launched* before = chain.launched.empty() ? nullptr : chain.launched.back().get();
  const bool same = before && chain.text == prepared.ptx;  // its variables are those that the one before left
  Launched& out = *chain.launched.emplace_back(std::make_unique<Launched>(device_));
  device::Launch& launch = out.launch;
  launch.grid = prepared.grid, launch.block = prepared.block;
  launch.dynamic_shared = prepared.shared;
  launch.cooperative = kernel.cooperative;
  if (same) {
    launch.module = before->launch.module;
  } else {
    auto module = device_.load(kernel.file, prepared.ptx);
    if (!module) return module.error();
    launch.module = *module;
    chain.text = prepared.ptx;
  }
  auto entry = choose_kernel(launch.module->kernels(), kernel.entry);
  if (!entry) return entry.error();
  launch.kernel = *entry;
  std::vector<LaunchArgument> given = prepared.arguments;
  for (size_t i = 0; i < given.size(); ++i)
    if (auto ok = find_shared(given[i], chain.arrays); !ok)
      return error_at(kernel.arguments[i].text.where, ok.error()[0].message, ok.error()[0].hint);
  std::vector<Parameter> parameters;
  auto whole = whole_arguments(prepared, launch, given, parameters);
  if (!whole) return whole.error();
  const std::vector<LaunchArgument>& arguments = *whole;
  out.buffers.share(&chain.arrays);
  if (auto ok = out.buffers.prepare(arguments, seed_); !ok) return ok.error();
  std::vector<SymbolValue> symbols = prepared.symbols;
  std::vector<std::string> set;
  const std::vector<LaunchBuffers::Placed> placed = out.buffers.placed();
  if (auto ok = set_symbols(*launch.module, symbols, out.buffers, seed_, set); !ok) return ok.error();
  launch.arguments = out.buffers.arguments();
  if (auto ok = device::check_launch(device_.info(), launch); !ok) return ok.error();
  std::vector<std::string> names;
  for (size_t i = 0, text = 0; i < arguments.size(); ++i) {
    names_of_arrays(arguments[i], kernel.arguments[text].name,
                    i < parameters.size() ? &parameters[i] : nullptr, names);
    text = behind_argument(kernel, text);
  }
  for (size_t i = 0; i < placed.size() && i < names.size(); ++i) {
    const LaunchBuffers::Placed& at = placed[i];
    chain.arrays[names[i]] = at;
    if (!keep_inputs) continue;
    npy::Array array{at.dtype, at.shape, std::vector<std::byte>(at.bytes)};
    if (auto ok = device_.read(at.address, array.bytes); !ok) return ok.error();
    chain.inputs[python_name(names[i])] = std::move(array);
  }
  return {};
}

Result<std::unique_ptr<OwnRunner::Chain>> OwnRunner::launch(const Prepared& first, bool keep_inputs,
                                                            const std::vector<const gpus::Gpu*>* count_as) {
  auto chain = std::make_unique<Chain>();
  std::vector<const Prepared*> all = {&first};
  for (const Prepared& next : first.then) all.push_back(&next);
  for (const Prepared* prepared : all) {
    if (auto ok = place(*prepared, keep_inputs, *chain); !ok) return ok.error();
    device::Launch& launch = chain->launched.back()->launch;
    if (count_as) {
      launch.count = true;
      launch.gpus = *count_as;
      launch.advise = !count_as->empty();
      launch.sample = options_.sample;
      if (options_.registers > 0)
        launch.registers.push_back({"", options_.registers, Provenance::Input, "given"});
    }
    const auto start = std::chrono::steady_clock::now();
    auto report = device_.launch(launch);
    if (!report) return report.error();
    chain->seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    chain->reports.push_back(std::move(*report));
    if (chain->fault()) break;
  }
  return chain;
}

}  // namespace ww::cli
