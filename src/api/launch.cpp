// Launches of the library, and their reports.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "api/handles.h"
#include "checks/json.h"
#include "checks/launch_facts.h"
#include "checks/text.h"
#include "device/engine_device.h"
#include "gpus/catalog.h"
#include "ir/module.h"

namespace ww::api {

Result<std::vector<device::Argument>> arguments_of(const ww_module& module, const std::string& kernel,
                                                   const void* const* pointers) {
  const ir::Module& code = *module.module->code();
  const ir::Function* f = code.find_function(kernel);
  if (!f || !f->entry || !f->defined) return error(fmt::format("there is no kernel {}", kernel));
  std::vector<device::Argument> arguments;
  for (const ir::Param& p : f->params) {
    const auto* from = pointers ? static_cast<const std::byte*>(pointers[arguments.size()]) : nullptr;
    if (!from) return error(fmt::format("argument {} is missing", arguments.size()));
    arguments.push_back({{from, from + code.variable(p.symbol).bytes}});
  }
  return arguments;
}

namespace {

/// Findings of the checks, and faults where nothing is checked.
void note_findings(ww_device& device, const std::vector<Fault>& faults, const std::string& kernel,
                   bool checked, ww_report& report) {
  for (const Fault& fault : faults) {
    checks::Finding finding;
    finding.kind = fault.kind;
    finding.kernel = kernel;
    finding.message = fault.message;
    if (checked)
      device.findings.add(finding);
    else
      report.findings.push_back(fault.message), report.findings_json.push_back(checks::write_json(finding));
  }
  if (!checked) return;
  for (const checks::Finding& finding : device.findings.take_changed()) {
    report.findings.push_back(checks::render(finding));
    report.findings_json.push_back(checks::write_json(finding));
  }
}

Result<device::Launch> launch_of(ww_module& module, const ww_launch& wanted, std::vector<gpus::Gpu>& gpus) {
  device::Launch launch;
  launch.module = module.module;
  launch.kernel = wanted.kernel ? wanted.kernel : "";
  launch.grid = {wanted.grid[0], wanted.grid[1], wanted.grid[2]};
  launch.block = {wanted.block[0], wanted.block[1], wanted.block[2]};
  launch.dynamic_shared = wanted.dynamic_shared;
  launch.count = wanted.flags & WW_COUNT;
  if (wanted.flags & ~uint32_t{WW_COUNT | WW_CHECK}) return error("there are no such flags");
  if (wanted.gpu && !launch.count) return error("a GPU is named for its counters, which WW_COUNT asks for");
  if (wanted.gpu) {
    auto gpu = gpus::find_gpu(wanted.gpu);
    if (!gpu) return gpu.error();
    gpus.push_back(std::move(gpu).value());
    launch.gpus.push_back(&gpus.back());
  }
  auto arguments = arguments_of(module, launch.kernel, wanted.arguments);
  if (!arguments) return arguments.error();
  launch.arguments = std::move(arguments).value();
  return launch;
}

int run(ww_module& module, const ww_launch& wanted, ww_report& report) {
  ww_device& device = *module.device;
  std::lock_guard one(device.mutex);
  std::vector<gpus::Gpu> gpus;
  auto launch = launch_of(module, wanted, gpus);
  if (!launch) return fail(launch.error());
  const bool checked = wanted.flags & WW_CHECK;
  checks::LaunchFacts facts = checks::facts_of(*launch, device.launches++, device.engine->memory());
  const auto arguments = device::bytes_of(launch->arguments);
  facts.arguments = &arguments;
  for (auto& check : device.checks) {
    if (!checked) break;
    check->prepare(facts);
    launch->listeners.push_back(check.get());
  }
  auto ended = device.device->launch(*launch);
  if (!ended) return fail(ended.error());
  report.printed = std::move(ended->printed);
  for (auto& gpu : ended->gpus)
    report.values.insert(report.values.end(), gpu.values.begin(), gpu.values.end());
  report.values.insert(report.values.end(), ended->values.begin(), ended->values.end());
  note_findings(device, ended->faults, facts.kernel, checked, report);
  if (report.findings.empty()) return 0;
  fail(report.findings[0]);
  return 1;
}

}  // namespace
}  // namespace ww::api

int ww_run(ww_module* module, const ww_launch* launch, ww_report** report) {
  if (report) *report = nullptr;
  if (!module || !launch) return ww::api::fail("no module, or no launch");
  try {
    ww::api::fail(std::string());
    auto made = std::make_unique<ww_report>();
    const int code = ww::api::run(*module, *launch, *made);
    if (report && code != 2) *report = made.release();
    return code;
  } catch (const std::exception& e) {
    return ww::api::fail(e.what());
  }
}
void ww_report_free(ww_report* report) { delete report; }

const char* ww_printed(const ww_report* report) { return report ? report->printed.c_str() : ""; }

double ww_counter(const ww_report* report, const char* tag) {
  if (report && tag)
    for (const ww::Value& value : report->values)
      if (value.tag == tag) return value.number();
  return std::numeric_limits<double>::quiet_NaN();
}
namespace {
template <class T, class F>
const char* text_at(const std::vector<T>* all, int index, F&& text) {
  return all && index >= 0 && static_cast<size_t>(index) < all->size()
             ? text((*all)[static_cast<size_t>(index)]).c_str()
             : nullptr;
}
const std::string& whole(const std::string& text) { return text; }
}  // namespace
const char* ww_counter_tag(const ww_report* report, int index) {
  return text_at(report ? &report->values : nullptr, index,
                 [](const ww::Value& v) -> const std::string& { return v.tag; });
}
const char* ww_finding(const ww_report* report, int index) {
  return text_at(report ? &report->findings : nullptr, index, whole);
}
const char* ww_finding_json(const ww_report* report, int index) {
  return text_at(report ? &report->findings_json : nullptr, index, whole);
}
