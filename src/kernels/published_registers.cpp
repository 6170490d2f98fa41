#include "kernels/published_registers.h"

#include <cassert>
#include <cstdlib>

#include "base/csv.h"

namespace ww::kernels {

namespace {

struct Known {
  std::string kernel;
  Shape shape;  // 0: any
  device::KnownRegisters registers;
};

std::vector<Known> read() {
  const auto csv = parse_csv("registers.csv", registers_csv());
  assert(csv);
  std::vector<Known> out;
  const auto number = [&](size_t row, const char* column) { return std::atoi(csv->at(row, column).c_str()); };
  for (size_t i = 0; i < csv->rows.size(); ++i)
    out.push_back({csv->at(i, "kernel"),
                   {number(i, "block"), number(i, "rx"), number(i, "ry")},
                   {csv->at(i, "gpu"), number(i, "registers"), Provenance::Published, csv->at(i, "source")}});
  return out;
}

}  // namespace

std::vector<device::KnownRegisters> published_registers(std::string_view kernel, const Shape& shape) {
  static const std::vector<Known> kAll = read();
  const auto fits = [](int known, int asked) { return known == 0 || known == asked; };
  std::vector<device::KnownRegisters> out;
  for (const Known& k : kAll)
    if (k.kernel == kernel && fits(k.shape.block, shape.block) && fits(k.shape.rx, shape.rx) &&
        fits(k.shape.ry, shape.ry))
      out.push_back(k.registers);
  return out;
}

}  // namespace ww::kernels
