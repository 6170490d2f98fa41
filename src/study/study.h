// What a study is: cases of the laboratory with values for their axes, run into one table.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/table.h"
#include "device/device.h"
#include "kernels/case.h"
#include "kernels/run.h"

namespace ww::study {

/// Every combination of these values is a configuration of the kernel. A list is empty where there is no such
/// axis.
struct Sweep {
  std::string kernel;
  std::vector<kernels::Shape> shapes;
  std::vector<int64_t> n;
  std::vector<int> r, k;
};

struct Study {
  std::string name;  ///< "matmul-ladder"
  std::string summary;
  std::vector<Sweep> full;   ///< the published sizes
  std::vector<Sweep> quick;  ///< seconds on the engine
};

const std::vector<Study>& all_studies();
/// Error: unknown name, with the nearest one.
Result<const Study*> find_study(std::string_view name);

/// What to run of a study. An empty list leaves the study's own values. A value that a kernel exists in (or,
/// for n, r and k, any value) may be given even if the study itself does not use it; kernels without that
/// axis ignore it.
struct Selection {
  bool quick = false;
  std::vector<std::string> kernels;  ///< "matmul/tiled", or "tiled"
  std::vector<int> blocks;
  std::vector<kernels::Shape> tiles;  ///< rx and ry count
  std::vector<int64_t> n;
  std::vector<int> r, k;
  uint64_t seed = 1;
  std::vector<std::string> inputs;  ///< see kernels::Config
};

struct Item {
  const kernels::Case* kernel;
  kernels::Config config;
  bool operator==(const Item&) const = default;
};

/// The configurations that a selection means, in the order of the study. Errors: a value that matches nothing
/// (with what exists), or no configuration at all that its kernel admits (with what would be right). Single
/// configurations that their kernel does not admit stay in the list.
Result<std::vector<Item>> select(const Study& study, const Selection& selection);

/// The metrics that a table for people shows unless told otherwise (see report::keep_metrics).
const std::vector<std::string>& headline_metrics();

struct Progress {
  size_t done = 0, total = 0;  ///< runs
  std::string next;            ///< what runs now: "matmul/tiled n=352 block=16"; "" at the end
  const Row* row = nullptr;    ///< what the last run found; null at the beginning
};

struct RunContext {
  std::vector<device::Device*> devices;
  kernels::RunOptions options;
  std::function<void(const Progress&)> progress;  ///< before the first run and after every one
  const std::atomic<bool>* stop = nullptr;        ///< when it becomes true, no further run starts
};

/// A row for every item and device (items of the host: one), in this order. Runs equal tasks one after
/// another, so that each reference is computed once. When stopped, the table holds the rows that are done,
/// and a note says so.
Table run(const Study& study, const std::vector<Item>& items, const RunContext& context);

}  // namespace ww::study
