#include "prepared.h"

#include <algorithm>
#include <ctime>

#include "base/file.h"

namespace ww::bench {

Result<Prepared> prepare(const std::string& folder, const Case& c, device::Device& device) {
  auto ptx = read_file(folder + "/" + c.file + ".ptx");
  if (!ptx) return ptx.error();
  auto module = device.load(c.file + ".ptx", *ptx);
  if (!module) return module.error();
  Prepared p;
  p.launch.module = *module;
  p.launch.kernel = c.name;
  p.launch.grid = {c.grid[0], c.grid[1]};
  p.launch.block = {c.block[0], c.block[1]};
  for (const Argument& a : c.arguments) {
    p.addresses.push_back(0);
    if (const auto* array = std::get_if<Array>(&a)) {
      auto at = device.allocate(4 * array->words.size());
      if (!at) return at.error();
      p.addresses.back() = *at;
      p.bytes += 4 * array->words.size();
      if (auto ok = device.write(*at, std::as_bytes(std::span(array->words))); !ok) return ok.error();
      p.launch.arguments.push_back(device::Argument::of(*at));
    } else if (const auto* i = std::get_if<int32_t>(&a)) {
      p.launch.arguments.push_back(device::Argument::of(*i));
    } else {
      p.launch.arguments.push_back(device::Argument::of(std::get<float>(a)));
    }
  }
  return p;
}

void release(const Prepared& prepared, device::Device& device) {
  for (device::Address a : prepared.addresses)
    if (a) (void)device.free(a);
}

std::vector<CaseEntry> chosen_cases(const std::vector<std::string>& names) {
  std::vector<CaseEntry> chosen;
  for (const CaseEntry& entry : case_entries())
    if (names.empty() || std::find(names.begin(), names.end(), entry.name) != names.end())
      chosen.push_back(entry);
  return chosen;
}

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace ww::bench
