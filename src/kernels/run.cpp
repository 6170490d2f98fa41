#include "kernels/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>

#include "device/gpu.h"
#include "device/timing.h"
#include "forecast/forecast.h"
#include "kernels/axes.h"
#include "kernels/device_buffers.h"
#include "kernels/embedded.h"
#include "kernels/published_registers.h"

namespace ww::kernels {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string text_of(const std::vector<Fault>& faults) {
  std::string text;
  for (const Fault& fault : faults) text += (text.empty() ? "" : "\n") + fault.message;
  return text;
}

/// Why a machine cannot run what needs a GPU.
std::string without_gpu() {
  auto gpus = device::list_gpus();
  return "needs a real GPU: " + (gpus ? std::string("choose --device gpu") : gpus.error()[0].message);
}

void add_faults(Row& row, const std::vector<Fault>& faults) {
  row.values.push_back({"verified", int64_t{0}, "", Provenance::Measured,
                        "1 if every element lies within the error bound around the float64 result"});
  row.values.push_back({"fault", text_of(faults), "", Provenance::Measured, "what the kernel did wrong"});
}

/// Of a kernel that is there to fault: right if exactly the expected fault was diagnosed.
void add_diagnosis(Row& row, const ExpectedFault& expected, const std::vector<Fault>& faults) {
  std::string wrong;
  if (faults.empty()) {
    wrong = fmt::format("the kernel ended well, a {} must be diagnosed", expected.kind);
  } else if (faults.size() > 1 || faults[0].kind != expected.kind) {
    wrong = fmt::format("a {} must be diagnosed and nothing else", expected.kind);
  } else {
    for (const std::string& words : expected.says)
      if (faults[0].message.find(words) == std::string::npos)
        wrong += fmt::format("{}the diagnosis must say \"{}\"", wrong.empty() ? "" : "; ", words);
  }
  row.values.push_back({"verified", int64_t{wrong.empty()}, "", Provenance::Measured,
                        "1 if exactly the expected fault was diagnosed"});
  if (!faults.empty())
    row.values.push_back({"diagnosis", faults[0].kind, "", Provenance::Measured,
                          "the fault that this kernel is there to show"});
  if (!wrong.empty())
    row.values.push_back({"wrong", wrong, "", Provenance::Measured, "what the verification found"});
  if (!faults.empty())
    row.values.push_back({"fault", text_of(faults), "", Provenance::Measured, "what the kernel did wrong"});
}

/// Integers as the verification takes them; those that were never written stay poisoned.
void integers_to_floats(std::span<float> elements) {
  for (float& e : elements)
    if (const auto bits = std::bit_cast<uint32_t>(e); bits != kPoison) e = static_cast<float>(bits);
}

void add_time(Row& row, double milliseconds, double flop) {
  if (milliseconds <= 0) return;  // the null device's
  row.values.push_back({"time", milliseconds, "ms", Provenance::Measured, "median time of a run"});
  if (flop > 0)
    row.values.push_back(
        {"gflops", flop / milliseconds * 1e-6, "GFlop/s", Provenance::Measured, "flop / time"});
}

std::string text_of(int64_t value) { return value == 0 ? "" : fmt::format("{}", value); }

}  // namespace

void add_values(std::vector<Value>& all, const std::vector<Value>& more) {
  for (const Value& value : more) {
    auto it = std::find_if(all.begin(), all.end(), [&](const Value& v) { return v.tag == value.tag; });
    if (it == all.end()) {
      all.push_back(value);
    } else if (value.tag.ends_with("_after")) {  // clocks, temperature, power: behind the last launch
      it->value = value.value;
    } else if (value.tag.ends_with("_before")) {
      // before the first one
    } else if (auto* sum = std::get_if<int64_t>(&it->value)) {
      if (auto* count = std::get_if<int64_t>(&value.value)) *sum += *count;
    } else if (it->provenance == Provenance::Counted && it->value != value.value) {
      all.erase(it);  // a ratio of counters of one launch
    }
  }
}

void add_verification(Row& row, const Verification& found) {
  row.values.push_back({"verified", int64_t{found.ok()}, "", Provenance::Measured,
                        "1 if every element lies within the error bound around the float64 result"});
  row.values.push_back({"max_error", found.max_error, "", Provenance::Measured,
                        "largest absolute difference from the float64 result"});
  row.values.push_back({"error_of_bound", found.error_of_bound, "", Provenance::Measured,
                        "largest difference from the float64 result as a part of its error bound"});
  if (!found.ok()) {
    row.values.push_back({"wrong",
                          fmt::format("{} of {} elements ({} never written); first: {}", found.wrong,
                                      found.elements, found.unwritten, found.first_wrong),
                          "", Provenance::Measured, "what the verification found"});
  }
}

void name_row(Row& row, const Case& chosen, const Config& config) {
  row[Axis::Kernel] = chosen.name;
  row[lab::N] = text_of(config.n);
  row[Axis::Block] = text_of(config.shape.block);
  row[lab::Rx] = text_of(config.shape.rx);
  row[lab::Ry] = text_of(config.shape.ry);
  row[lab::R] = text_of(config.r);
  row[lab::K] = text_of(config.k);
}

std::string one_line(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics) {
    if (!text.empty()) text += "; ";
    text += d.message;
    if (!d.hint.empty()) text += " (" + d.hint + ")";
  }
  return text;
}

Row Runner::run(const Case& chosen, const Config& config, device::Device* device) {
  return run_for_gpus(chosen, config, device)[0];
}

std::vector<Row> Runner::run_for_gpus(const Case& chosen, const Config& config, device::Device* device) {
  Row row;
  name_row(row, chosen, config);
  row[Axis::Device] = device && !chosen.on_host() ? device->info().id : "host";
  auto plan = make_plan(chosen, config);
  if (!plan) {
    row.refused = one_line(plan.error());
    return {row};
  }
  if (plan->probe) return run_probe(*plan, row, config.seed, device);
  if (plan->flop > 0)
    row.values.push_back({"problem_flop", plan->flop, "flop", Provenance::Theory,
                          "floating-point operations that the problem itself needs"});
  if (!plan->problem.empty())
    row.values.push_back({"problem", plan->problem, "", Provenance::Input,
                          "kernels of one problem do the same in different ways"});
  std::vector<Value> own;
  std::vector<GpuValues> per_gpu;
  if (plan->host) {
    run_on_host(*plan, row);
  } else if (device) {
    run_on_device(chosen, config, *plan, *device, row, own, per_gpu);
    add_predictions(per_gpu);
  } else {
    row.refused = fmt::format("{} needs a device", chosen.name);
  }
  const auto with = [&](const std::vector<Value>& values) {
    Row full = row;
    full.values.insert(full.values.end(), values.begin(), values.end());
    return full;
  };
  if (per_gpu.empty()) return {with(own)};
  std::vector<Row> rows;
  for (const GpuValues& g : per_gpu) {
    rows.push_back(with(g.values));
    rows.back()[Axis::Gpu] = g.gpu;
    if (rows.back().refused.empty()) rows.back().refused = g.refused;
  }
  return rows;
}

std::vector<Row> Runner::run_probe(const Plan& plan, const Row& named, uint64_t seed,
                                   device::Device* device) {
  if (!device || !device->link()) {
    Row row = named;
    row.refused = without_gpu();
    return {row};
  }
  std::vector<Row> rows = plan.probe({*device, options_.timing, seed});
  for (Row& row : rows) row.axes.complete(named.axes);
  return rows;
}

Result<const Reference*> Runner::reference(const Task& task) {
  if (const std::string identity = task.identity(); identity != reference_identity_) {
    reference_.reset();  // before the next one takes memory
    reference_identity_.clear();
    auto computed = compute_reference(task);
    if (!computed) return computed.error();
    reference_ = *computed;
    reference_identity_ = identity;
  }
  return reference_.get();
}

Result<device::ModuleRef> Runner::module(device::Device& device, const std::string& name) {
  auto& loaded = modules_[{&device, name}];
  if (!loaded) {
    auto result = device.load(name, std::string(embedded_ptx(name)));
    if (!result) return result;
    loaded = *result;
  }
  return loaded;
}

void Runner::run_on_host(const Plan& plan, Row& row) {
  auto reference_of_task = reference(plan.task);
  if (!reference_of_task) {
    row.refused = one_line(reference_of_task.error());
    return;
  }
  const Reference& expected = **reference_of_task;
  const auto elements = [&](const Input&) {
    return static_cast<size_t>(plan.task.problem == Problem::Sum ? plan.task.n : plan.task.n * plan.task.n);
  };
  std::vector<std::vector<float>> inputs;
  for (const Input& input : plan.task.inputs) {
    inputs.emplace_back(elements(input));
    input.read(0, inputs.back());
  }
  std::vector<float> out(expected.rows() * expected.row_length(), std::bit_cast<float>(kPoison));
  std::vector<double> times;
  for (double total = 0; times.empty() || (times.size() < 5 && total < 0.5); total += times.back()) {
    const auto start = std::chrono::steady_clock::now();
    plan.host(plan.task, inputs, out);
    times.push_back(seconds_since(start));
  }
  std::sort(times.begin(), times.end());
  Verifier verifier(expected, error_factor(plan.rounding));
  verifier.check(0, out);
  add_verification(row, verifier.result());
  row.values.push_back(
      {"wall_time", times[times.size() / 2], "s", Provenance::Measured, "the launches as the host saw them"});
  add_time(row, times[times.size() / 2] * 1e3, plan.flop);
  row.values.push_back({"time_p25", 1e3 * device::quantile(times, 0.25), "ms", Provenance::Measured,
                        "a quarter of the runs was faster"});
  row.values.push_back({"time_p75", 1e3 * device::quantile(times, 0.75), "ms", Provenance::Measured,
                        "a quarter of the runs was slower"});
}

void Runner::add_predictions(std::vector<GpuValues>& per_gpu) {
  for (GpuValues& g : per_gpu) {
    if (g.launches.empty()) continue;
    add_values(g.values, model::values_of(g.launches));
    for (const model::Prediction& p : g.launches)
      if (g.refused.empty()) g.refused = p.refused;
  }
}

Result<std::vector<device::Launch>> Runner::prepare(const Case& chosen, const Config& config,
                                                    const Plan& plan, device::Device& device) {
  if (plan.expected_fault && device.info().real)
    return error(fmt::format("not run on a real GPU, where {}", plan.expected_fault->why_not_on_a_machine),
                 "the engine diagnoses it");
  auto loaded = module(device, plan.module);
  if (!loaded) return loaded.error();
  std::vector<device::Launch> launches;
  for (const PlannedLaunch& planned : plan.launches) {
    launches.push_back({.module = *loaded,
                        .kernel = planned.entry,
                        .grid = planned.grid,
                        .block = planned.block,
                        .cluster = planned.cluster,
                        .dynamic_shared = planned.dynamic_shared,
                        .count = options_.count});
    if (!device.info().real) {
      launches.back().gpus = options_.gpus;
      if (options_.registers > 0)
        launches.back().registers.push_back({"", options_.registers, Provenance::Input, "given"});
      for (auto& known : published_registers(chosen.name, config.shape))
        launches.back().registers.push_back(std::move(known));
      launches.back().sample = options_.sample;
    }
    if (auto ok = device::check_launch(device.info(), launches.back()); !ok) return ok.error();
  }
  if (const uint64_t needs = bytes_of(plan.buffers), has = device.info().memory; has != 0 && needs > has)
    return error(fmt::format("the buffers need {} bytes, the device has {}", needs, has));
  return launches;
}

Result<std::vector<device::LaunchReport>> Runner::reports(const Case& chosen, const Config& config,
                                                          device::Device& device) {
  auto plan = make_plan(chosen, config);
  if (!plan) return plan.error();
  if (plan->host) return error(fmt::format("{} runs on the host", chosen.name));
  if (plan->probe) return error(fmt::format("{} shows what only a real GPU has", chosen.name));
  if (plan->probe) return error(fmt::format("{} is not just launches of one kernel", chosen.name));
  auto launches = prepare(chosen, config, *plan, device);
  if (!launches) return launches.error();
  DeviceBuffers buffers(device);
  if (auto ok = buffers.create(plan->buffers); !ok) return ok.error();
  if (auto ok = buffers.create(plan->textures); !ok) return ok.error();
  std::vector<device::LaunchReport> out;
  for (size_t i = 0; i < launches->size(); ++i) {
    device::Launch& launch = (*launches)[i];
    set_arguments(launch, plan->launches[i], buffers);
    auto report = device.launch(launch);
    if (!report) return report.error();
    if (!report->faults.empty()) return error_at(report->faults[0].where, report->faults[0].message);
    out.push_back(std::move(*report));
  }
  return out;
}

Status Runner::launch_once(const Case& chosen, const Config& config, device::Device& device) {
  auto ran = reports(chosen, config, device);
  if (!ran) return ran.error();
  return {};
}

void Runner::run_on_device(const Case& chosen, const Config& config, const Plan& plan, device::Device& device,
                           Row& row, std::vector<Value>& values, std::vector<GpuValues>& per_gpu) {
  const auto refuse = [&](const Status& why) { row.refused = one_line(why.error()); };
  auto prepared = prepare(chosen, config, plan, device);
  if (!prepared) return refuse(prepared.error());
  std::vector<device::Launch>& launches = *prepared;
  const bool sampled = options_.sample && !device.info().real;
  const Reference* expected = nullptr;
  if (!sampled && !plan.expected_fault) {
    auto computed = reference(plan.task);
    if (!computed) return refuse(computed.error());
    expected = *computed;
  }

  DeviceBuffers buffers(device);
  if (auto ok = buffers.create(plan.buffers); !ok) return refuse(ok);
  if (auto ok = buffers.create(plan.textures); !ok) return refuse(ok);
  std::vector<Fault> faults;
  double wall_time = 0;
  for (size_t i = 0; i < launches.size() && faults.empty(); ++i) {
    set_arguments(launches[i], plan.launches[i], buffers);
    const auto start = std::chrono::steady_clock::now();
    auto report = device.launch(launches[i]);
    if (!report) return refuse(report.error());
    wall_time += seconds_since(start);
    faults = report->faults;
    add_values(values, report->values);
    per_gpu.resize(report->gpus.size());
    for (size_t g = 0; g < report->gpus.size(); ++g) {
      per_gpu[g].gpu = report->gpus[g].gpu;
      add_values(per_gpu[g].values, report->gpus[g].values);
      if (report->gpus[g].figures) per_gpu[g].launches.push_back(report->gpus[g].figures->prediction);
    }
  }

  if (plan.expected_fault) {
    add_diagnosis(row, *plan.expected_fault, faults);
  } else if (!faults.empty()) {
    add_faults(row, faults);
  } else if (expected) {
    Verifier verifier(*expected, error_factor(plan.rounding));
    const uint64_t length = expected->row_length();
    const uint64_t step = std::max<uint64_t>(1, (1 << 22) / length);  // rows at a time
    std::vector<float> rows(step * length);
    for (uint64_t first = 0; first < expected->rows(); first += step) {
      const std::span<float> part(rows.data(), std::min(step, expected->rows() - first) * length);
      if (auto ok = buffers.read(plan.output, first * length, part); !ok) return refuse(ok);
      if (plan.integers) integers_to_floats(part);
      verifier.check(first, part);
    }
    add_verification(row, verifier.result());
  }
  row.values.push_back(
      {"wall_time", wall_time, "s", Provenance::Measured, "the launches as the host saw them"});
  if ((options_.time || device.info().real) && faults.empty()) {
    double milliseconds = 0;
    for (const device::Launch& launch : launches) {
      auto timing = device.time(launch, options_.timing);
      if (!timing) return refuse(timing.error());
      milliseconds += timing->median_ms;
      add_values(values, timing->values);
    }
    add_time(row, milliseconds, plan.flop);
  }
}

}  // namespace ww::kernels
