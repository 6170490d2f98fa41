#include "gpus/capability.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <sstream>

#include "base/csv.h"
#include "gpus/embedded.h"
#include "gpus/fields.h"

namespace ww::gpus {

namespace {

constexpr std::string_view kTables[] = {"occupancy_limits.csv", "throughput.csv", "sm_structure.csv"};

Csv table(std::string_view name) {
  for (const auto& file : embedded_files()) {
    if (file.name != name) continue;
    auto csv = parse_csv(file.name, file.text);
    assert(csv.ok());
    return *csv;
  }
  assert(false);
  return {};
}

const std::vector<Csv>& tables() {
  static const std::vector<Csv> kAll = [] {
    std::vector<Csv> all;
    for (auto name : kTables) all.push_back(table(name));
    return all;
  }();
  return kAll;
}

int row_of(const Csv& csv, std::string_view capability) {
  for (size_t row = 0; row < csv.rows.size(); ++row)
    if (csv.at(row, "cc") == capability) return static_cast<int>(row);
  return -1;
}

}  // namespace

bool apply_capability(Gpu& gpu, std::string_view capability) {
  const Csv& limits = tables()[0];
  int limits_row = row_of(limits, capability);
  if (limits_row < 0) return false;
  for (const Csv& csv : tables()) {
    int row = row_of(csv, capability);
    if (row < 0) continue;
    for (const auto& column : csv.header)
      if (const Field* field = find_field(column); field && !csv.at(row, column).empty())
        set(gpu, *field, std::strtod(csv.at(row, column).c_str(), nullptr), csv.at(row, "source"));
  }
  std::string cc(capability);
  gpu.cc_major = std::atoi(cc.c_str());
  gpu.cc_minor = std::atoi(cc.c_str() + cc.find('.') + 1);
  gpu.registers_by_block = limits.at(limits_row, "reg_alloc_gran") == "block";
  std::istringstream sizes(limits.at(limits_row, "smem_carveouts_KiB"));
  gpu.smem_carveouts.clear();
  for (int64_t kib = 0; sizes >> kib;) gpu.smem_carveouts.push_back(kib * 1024);
  return true;
}

std::vector<std::string> known_capabilities() {
  std::vector<std::string> out;
  const Csv& limits = tables()[0];
  for (size_t row = 0; row < limits.rows.size(); ++row) out.push_back(limits.at(row, "cc"));
  return out;
}

}  // namespace ww::gpus
