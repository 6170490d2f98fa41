// Published tables and GPUs for the tests of the models.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/csv.h"
#include "base/file.h"
#include "gpus/catalog.h"

namespace ww::model {

/// A file of data/published.
inline Csv published(const std::string& name) {
  auto text = read_file(WW_PUBLISHED + name);
  auto csv = parse_csv(name, text ? *text : "x");
  if (!text || !csv) ADD_FAILURE() << "cannot read " << name;
  return *csv;
}

inline gpus::Gpu gpu_of(const std::string& id) {
  auto gpu = gpus::find_gpu(id);
  if (!gpu) ADD_FAILURE() << render(gpu.error());
  return *gpu;
}

}  // namespace ww::model
