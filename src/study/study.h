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
#include "report/plot.h"
#include "study/expect.h"

namespace ww::study {

/// Every combination of these values is a configuration of the kernel. A list is empty where there is no such
/// axis.
struct Sweep {
  std::string kernel;
  std::vector<kernels::Shape> shapes;
  std::vector<int64_t> n;
  std::vector<int> r, k;
};

/// One experiment, as its file says it (docs/studies.md).
struct Study {
  std::string name;     ///< "matmul-ladder"
  std::string summary;  ///< one line
  std::vector<Sweep> full;
  std::vector<Sweep> quick;          ///< seconds on the engine
  std::string text;                  ///< what to see in it: a paragraph for the page
  std::vector<std::string> gpus;     ///< count as these, unless told otherwise: ids, files, or "all"
  bool sample = false;               ///< run only blocks that stand for the others, unless told otherwise
  std::vector<std::string> metrics;  ///< columns of the table; empty: headline_metrics()
  std::vector<std::string> theory;   ///< tags of model/theory.h that stand beside what was counted
  std::vector<report::Plot> plots;
  std::vector<Expectation> expect;  ///< what must hold
};

/// The built-in studies.
const std::vector<Study>& all_studies();
/// Error: unknown name, with the nearest one.
Result<const Study*> find_study(std::string_view name);
/// A built-in study, or, when the name ends in ".json" or holds a '/', one read from that file. Errors: those
/// of find_study and read_study.
Result<Study> open_study(const std::string& name);
/// A study from the text of a JSON file. GPUs' files are named relative to it. Errors are located in `file`,
/// several at once: not JSON, an unknown or repeated key, a kernel, shape, axis or GPU that does not exist,
/// nothing to run.
Result<Study> read_study(const std::string& file, std::string_view text);

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
/// The study's own, or else those; each with its ratio to what is published behind it.
std::vector<std::string> shown_metrics(const Study& study);

struct Progress {
  size_t done = 0, total = 0;  ///< runs
  size_t known = 0;            ///< of those done, which the cache had
  std::string next;            ///< what runs now: "matmul/tiled n=352 block=16"; "" at the end
  const Row* row = nullptr;    ///< what the last run found; null at the beginning
};

class Cache;

struct RunContext {
  std::vector<device::Device*> devices;
  kernels::RunOptions options;
  std::function<void(const Progress&)> progress;  ///< before the first run and after every one
  const std::atomic<bool>* stop = nullptr;        ///< when it becomes true, no further run starts
  Cache* cache = nullptr;                         ///< null: none
};

/// A row for every item and device (items of the host: one), in this order. Runs equal tasks one after
/// another, so that each reference is computed once. When stopped, the table holds the rows that are done,
/// and a note says so.
Table run(const Study& study, const std::vector<Item>& items, const RunContext& context);

}  // namespace ww::study
