// The activities in tests/data/activity, with the time that was published or measured for each.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/csv.h"
#include "base/file.h"
#include "gpus/catalog.h"
#include "model/activity.h"
#include "model/waits.h"

namespace ww::model {

struct Known {
  std::string table, kernel, label;  ///< label: everything that names the row
  int block = 0, n = 0;
  double time = 0;  ///< ms
  Activity activity;
};

inline std::vector<Known> known_activities(const std::string& gpu) {
  std::vector<Known> out;
  const std::string file = WW_ACTIVITY + gpu + ".csv";
  auto text = read_file(file);
  if (!text) {
    ADD_FAILURE() << render(text.error());
    return out;
  }
  auto csv = parse_csv(file, *text);
  if (!csv) {
    ADD_FAILURE() << render(csv.error());
    return out;
  }
  auto number = [](const std::string& cell) { return std::strtod(cell.c_str(), nullptr); };
  for (size_t i = 0; i < csv->rows.size(); ++i) {
    Known row;
    row.table = csv->at(i, "table");
    row.kernel = csv->at(i, "kernel");
    for (auto key : {"kernel", "block", "n", "rx", "ry", "r", "k"}) row.label += csv->at(i, key) + " ";
    row.block = static_cast<int>(number(csv->at(i, "block")));
    row.n = static_cast<int>(number(csv->at(i, "n")));
    row.time = number(csv->at(i, "time"));
    for (const auto& field : activity_fields()) {
      const auto& cell = csv->at(i, field.key);
      if (cell.empty()) continue;
      if (field.count)
        row.activity.*field.count = static_cast<int64_t>(number(cell));
      else
        row.activity.*field.number = number(cell);
    }
    if (auto known = gpus::find_gpu(gpu)) add_waits(row.activity, *known, 0, nullptr);
    out.push_back(row);
  }
  EXPECT_FALSE(out.empty()) << file;
  return out;
}

}  // namespace ww::model
