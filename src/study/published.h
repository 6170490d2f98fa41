// Published and measured counters, compared cell by cell with what the engine counts for the same GPU.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/table.h"
#include "device/device.h"
#include "gpus/gpu.h"
#include "kernels/case.h"

namespace ww::study {

/// A number that a document prints and that the engine can count.
struct Cell {
  std::string file;
  std::string metric;  ///< as the document calls it
  std::string tag;     ///< ours
  const gpus::Gpu* gpu = nullptr;
  const kernels::Case* kernel = nullptr;
  kernels::Config config;
  double published = 0;  ///< in our unit
  double half_unit = 0;  ///< half of its last printed digit
  double counted = 0;
  double part = 1;      ///< of what the engine counts: a mean SM's where the document has one SM
  std::string missing;  ///< why there is nothing to compare; "" when there is

  /// |counted − published| / published; 0 for 0 against 0.
  double difference() const;
  bool equal() const;
};

/// "matmul/tiles n=1600 block=16 tile=2x3".
std::string name_of(const Cell& cell);

struct PublishedFile {
  std::string_view name, text;
};
/// The tables that are built in.
std::span<const PublishedFile> published_files();

/// The cells of a table (columns gpu, kernel, block, n, rx, ry, r, k, metric, value, unit, raw; those that do
/// not apply may be left out) whose metric the engine counts for that GPU. Errors: not a table, a column
/// missing, no such cell in it.
Result<std::vector<Cell>> read_cells(const PublishedFile& file);

/// Runs each kernel once (sampled) and fills in what was counted, on as many threads as there are devices.
/// Before each run, `progress` is told how many are done and its name, by one thread at a time.
void count_cells(std::vector<Cell>& cells, std::span<const std::unique_ptr<device::Device>> devices,
                 const std::function<void(size_t done, size_t total, const std::string& name)>& progress);

/// Agreement for each metric of each file, and every cell.
Table agreement(const std::vector<Cell>& cells);
Table list_cells(const std::vector<Cell>& cells);

}  // namespace ww::study
