// Runs the instruction tests (README.md). Exit code 0: all good, 1: something differs, 2: wrong usage, 77: no
// GPU.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "base/file.h"
#include "device/engine_device.h"
#include "device/gpu.h"
#include "engine/lanes/lanes.h"
#include "runner/coverage.h"
#include "runner/run.h"

namespace {

using namespace ww;
using namespace ww::runtest;

struct Options {
  std::string device = "engine", lanes, report, excuses;
  std::vector<std::string> paths;
  uint64_t random = 0, seed = 1;
  int most = 5;
  bool coverage = false;
};

int compare(device::Device& engine, device::Device& gpu, const std::vector<TestFile>& files,
            const Options& o) {
  std::string text;
  uint64_t same = 0, different = 0;
  for (const TestFile& file : files)
    for (const Comparison& c : compare_devices(engine, gpu, file, o.random, o.seed)) {
      bool good = c.error.empty() && c.differing == 0;
      ++(good ? same : different);
      if (good && c.nan_payloads == 0) continue;
      std::string what =
          !c.error.empty()
              ? "does not run: " + c.error
              : fmt::format("{} of {} records differ{}\n", c.differing, c.records,
                            c.nan_payloads ? fmt::format(" ({} NaN payloads)", c.nan_payloads) : "");
      text += fmt::format("{} {}: {}", c.file, c.entry, what);
      for (const auto& example : c.examples) text += "    " + example + "\n";
    }
  text += fmt::format("{} entries agree, {} differ ({} random records each, seed {}; {} against {})\n", same,
                      different, o.random, o.seed, engine.info().name, gpu.info().name);
  if (o.report.empty())
    std::cout << text;
  else if (auto ok = write_file_atomically(o.report, text); !ok)
    std::cerr << render(ok.error());
  if (!o.report.empty())
    fmt::print("random: {} entries agree, {} differ; see {}\n", same, different, o.report);
  return different ? 1 : 0;
}

int run_all(const Options& o) {
  std::vector<TestFile> files;
  bool bad = false;
  for (const auto& path : test_files(o.paths)) {
    auto file = read_test(path);
    if (file)
      files.push_back(std::move(*file));
    else
      std::cerr << render(file.error()), bad = true;
  }
  if (bad || files.empty()) return 2;
  std::unique_ptr<device::Device> engine, gpu;
  if (o.device != "gpu" && !o.lanes.empty() && !engine::lane_code(o.lanes.c_str())) {
    fmt::print("this CPU does not run {} code\n", o.lanes);
    return 77;
  }
  if (o.device != "gpu") engine = device::make_engine_device({.lanes = o.lanes});
  if (o.device != "engine") {
    auto opened = device::open_gpu(0);
    if (!opened) {
      std::cerr << render(opened.error());
      return 77;
    }
    gpu = std::move(*opened);
  }
  Tally all;
  for (auto* device : {engine.get(), gpu.get()}) {
    if (!device) continue;
    if (engine && gpu) fmt::print("on {}:\n", device->info().name);
    for (const TestFile& file : files) {
      Tally t = check_cases(*device, file, o.most);
      all.passed += t.passed, all.failed += t.failed;
    }
  }
  int different = engine && gpu && o.random ? compare(*engine, *gpu, files, o) : 0;
  fmt::print("{} passed, {} failed\n", all.passed, all.failed);
  return all.failed || different ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CLI::App app("Runs PTX instruction tests on the engine and on a GPU.");
  app.add_option("paths", o.paths, "Test files, or folders of them")->required()->check(CLI::ExistingPath);
  app.add_option("--device", o.device)->check(CLI::IsMember({"engine", "gpu", "both"}));
  app.add_option("--lanes", o.lanes)->check(CLI::IsMember({"plain", "avx2", "avx512"}));
  app.add_option("--random", o.random,
                 "Records per entry to compare between the devices (with --device both)");
  app.add_option("--seed", o.seed);
  app.add_option("--report", o.report, "Where the comparison goes");
  app.add_option("--most", o.most, "Failing cases to show of an entry");
  app.add_flag("--coverage", o.coverage, "List the rows of the table that no file uses");
  app.add_option("--excuses", o.excuses, "Rows that need no test (with --coverage)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  if (!o.coverage) return run_all(o);
  auto missing = report_uncovered(o.paths, o.excuses.empty() ? o.paths[0] + "/not_covered.txt" : o.excuses);
  if (!missing) {
    std::cerr << render(missing.error());
    return 2;
  }
  fmt::print("{} rows\n", *missing);
  return *missing ? 1 : 0;
}
