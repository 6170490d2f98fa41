#include "run.h"

#include <fmt/format.h>

#include <cstring>

namespace ww::runtest {

namespace {

/// Frees what was allocated when it goes.
struct Buffer {
  device::Device& device;
  device::Address address = 0;
  ~Buffer() {
    if (address) (void)device.free(address);
  }
  Status fill(const std::vector<std::byte>& bytes) {
    auto got = device.allocate(bytes.size());
    if (!got) return got.error();
    address = *got;
    return device.write(address, bytes);
  }
};

std::vector<uint64_t> inputs_of(const Case& c) { return c.in; }

std::string arguments(const Entry& e, const std::vector<uint64_t>& in) {
  std::string text;
  for (size_t k = 0; k < e.in.size(); ++k)
    text += fmt::format("{}{}={}", k ? ", " : "", e.in[k].name, shown(e.in[k], in[k]));
  return text;
}

}  // namespace

Result<Outputs> run(device::Device& device, const device::ModuleRef& module, const Entry& e,
                    const std::vector<std::vector<uint64_t>>& inputs) {
  size_t n = inputs.size();
  std::vector<std::byte> in(std::max<size_t>(1, n * e.in_size)), out(n * e.out_size, std::byte{0xa5});
  for (size_t r = 0; r < n; ++r)
    for (size_t k = 0; k < e.in.size(); ++k)
      std::memcpy(in.data() + r * e.in_size + e.in[k].offset, &inputs[r][k], e.in[k].bytes());
  Buffer from{device}, to{device};
  for (auto [buffer, bytes] : {std::pair{&from, &in}, std::pair{&to, &out}})
    if (auto ok = buffer->fill(*bytes); !ok) return ok.error();
  device::Launch launch{.module = module,
                        .kernel = e.name,
                        .grid = {static_cast<uint32_t>((n + e.block - 1) / e.block)},
                        .block = {e.block}};
  launch.dynamic_shared = e.shared;
  launch.arguments = {device::Argument::of(from.address), device::Argument::of(to.address),
                      device::Argument::of(static_cast<uint32_t>(n))};
  auto report = device.launch(launch);
  if (!report) return report.error();
  if (!report->faults.empty()) return error("fault: " + report->faults[0].message);
  if (auto ok = device.read(to.address, out); !ok) return ok.error();
  Outputs results(n, std::vector<uint64_t>(e.out.size()));
  for (size_t r = 0; r < n; ++r)
    for (size_t k = 0; k < e.out.size(); ++k)
      std::memcpy(&results[r][k], out.data() + r * e.out_size + e.out[k].offset, e.out[k].bytes());
  return results;
}

bool too_new(const device::Info& info, const TestFile& file) {
  if (!info.real) return false;
  size_t at = file.text.find("\n.target sm_");
  if (at == file.text.npos) return false;
  char* end = nullptr;
  int target = static_cast<int>(std::strtol(file.text.c_str() + at + 12, &end, 10));
  int here = info.cc_major * 10 + info.cc_minor;
  if (*end == 'a') return target != here;  // runs on that architecture only
  return target > here || (*end == 'f' && target / 10 != info.cc_major);
}

Tally check_cases(device::Device& device, const TestFile& file, int most, const Steps& step,
                  std::string& text) {
  Tally tally;
  auto module = device.load(file.path, file.text);
  for (const Entry& e : file.entries) {
    std::vector<std::vector<uint64_t>> inputs;
    for (const Case& c : e.cases) inputs.push_back(inputs_of(c));
    if (inputs.empty()) continue;
    step(fmt::format("the cases of {} on {}", e.name, device.info().id));
    auto results = module ? run(device, *module, e, inputs) : Result<Outputs>(module.error());
    if (!results) {
      text += fmt::format("{}:{}: {} does not run on {}: {}", file.path, e.line, e.name, device.info().id,
                          render(results.error()));
      tally.failed += static_cast<int>(e.cases.size());
      continue;
    }
    int shown_cases = 0, wrong_cases = 0;
    for (size_t r = 0; r < e.cases.size(); ++r) {
      const Case& c = e.cases[r];
      bool good = true;
      for (size_t k = 0; k < e.out.size(); ++k) {
        if (matches(e.out[k], c.out[k], (*results)[r][k])) continue;
        if (good && ++shown_cases > most) {
          good = false;
          break;
        }
        good = false;
        text += fmt::format("{}:{}: {}({}) {} = {} expected {}{}\n", file.path, c.line, e.name,
                            arguments(e, c.in), e.out[k].name, shown(e.out[k], (*results)[r][k]),
                            shown(e.out[k], c.out[k]), device.info().real ? " on " + device.info().id : "");
      }
      wrong_cases += !good;
    }
    if (shown_cases > most)
      text += fmt::format("{}:{}: {}: {} more cases fail\n", file.path, e.line, e.name, shown_cases - most);
    tally.failed += wrong_cases;
    tally.passed += static_cast<int>(e.cases.size()) - wrong_cases;
  }
  return tally;
}

std::vector<Comparison> compare_devices(device::Device& a, device::Device& b, const TestFile& file,
                                        uint64_t records, uint64_t seed, const Steps& step) {
  std::vector<Comparison> all;
  auto on_a = a.load(file.path, file.text), on_b = b.load(file.path, file.text);
  for (const Entry& e : file.entries) {
    if (e.clock) continue;
    Comparison c{.file = file.path, .entry = e.name};
    std::mt19937_64 random(seed ^ std::hash<std::string>{}(file.path + e.name));
    std::vector<std::vector<uint64_t>> inputs;
    c.records = (records + e.group - 1) / e.group * e.group;
    for (uint64_t r = 0; r < c.records; ++r) {
      std::vector<uint64_t> in;
      for (size_t k = 0; k < e.in.size(); ++k)
        in.push_back(e.draws[k].same && r % e.group != 0 ? inputs[r - 1][k]
                                                         : draw(e.in[k], e.draws[k], random));
      inputs.push_back(std::move(in));
    }
    auto run_on = [&](device::Device& d, const Result<device::ModuleRef>& m) {
      step(fmt::format("random records of {} on {}", e.name, d.info().id));
      return m ? run(d, *m, e, inputs) : Result<Outputs>(m.error());
    };
    auto got_a = run_on(a, on_a), got_b = run_on(b, on_b);
    for (auto [device, got] : {std::pair{&a, &got_a}, std::pair{&b, &got_b}})
      if (!*got) c.error += device->info().id + ": " + render(got->error());
    for (uint64_t r = 0; c.error.empty() && r < c.records; ++r) {
      bool differs = false;
      for (size_t k = 0; k < e.out.size(); ++k) {
        uint64_t x = (*got_a)[r][k], y = (*got_b)[r][k];
        if (e.open[k] || within(e.out[k], x, y, e.bounds[k])) continue;
        if (e.out[k].type == "f64" && is_nan(e.out[k], x) && is_nan(e.out[k], y)) {
          ++c.nan_payloads;
          continue;
        }
        differs = true;
        if (c.examples.size() < 8)
          c.examples.push_back(fmt::format("{} {} = {} on {}, {} on {}", arguments(e, inputs[r]),
                                           e.out[k].name, shown(e.out[k], x), a.info().id, shown(e.out[k], y),
                                           b.info().id));
      }
      c.differing += differs;
    }
    all.push_back(std::move(c));
  }
  return all;
}

}  // namespace ww::runtest
